/* Counted stacks as text: sums, the order of lines, the labels of frames. */
#include <stdlib.h>

#include "base/tree.h"
#include "tap.h"

static struct pd_error err;
static struct pd_tree *tree;
static struct pd_profile *profile;

static void
start(void)
{
	tree = pd_tree_new(&err);
	profile = pd_profile_new(tree, &err);
}

static void
stop(void)
{
	pd_profile_free(profile);
	pd_tree_free(tree);
}

static uint32_t
child(uint32_t parent, struct pd_frame f)
{
	uint32_t id = pd_tree_add_frame(tree, &f, &err);

	return pd_tree_child(tree, parent, id, &err);
}

static uint32_t
root(const char *name)
{
	return child(0, (struct pd_frame){ .name = name,
	    .kind = PD_FRAME_ROOT });
}

static void
count(uint32_t node, uint64_t weight)
{
	CHECK_EQ(pd_profile_add(profile, node, weight, &err), 0);
}

/* free(3) it */
static char *
written(struct pd_text_opts opts)
{
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	CHECK_EQ(pd_profile_write_folded(profile, &opts, f, &err), 0);
	fclose(f);
	return out;
}

static void
check_text(struct pd_text_opts opts, const char *want)
{
	char *got = written(opts);

	CHECK_STR(got, want);
	free(got);
}

/* One frame below a root: its label, until the next call. */
static const char *
label(const char *root_name, struct pd_frame f, struct pd_text_opts opts)
{
	static char text[512];
	char *got, *end;

	start();
	count(child(root(root_name), f), 1);
	got = written(opts);
	snprintf(text, sizeof(text), "%s", got + strlen(root_name) + 1);
	if ((end = strstr(text, " 1\n")) != NULL)
		*end = '\0';
	free(got);
	stop();
	return text;
}

/* A named frame of a program in the default mode. */
static const char *
named(const char *name)
{
	return label("t", (struct pd_frame){ .name = name, .dso = "/bin/t" },
	    (struct pd_text_opts){ 0 });
}

/* ---- tree and sums ------------------------------------------------------ */

static void
equal_frames_are_one_and_others_are_not(void)
{
	start();
	struct pd_frame f = { .name = "f", .dso = "/bin/t" };
	char name[] = "f";
	uint32_t id = pd_tree_add_frame(tree, &f, &err);

	f.name = name;			/* the text counts, and it is copied */
	CHECK_EQ(pd_tree_add_frame(tree, &f, &err), id);
	name[0] = 'g';
	CHECK(pd_tree_add_frame(tree, &f, &err) != id);
	name[0] = 'f';

	struct pd_frame others[] = {
		{ .name = "f", .dso = "/bin/u" }, { .name = "f" },
		{ .dso = "/bin/t" }, { .name = "", .dso = "/bin/t" },
		{ .name = "f", .dso = "/bin/t", .ip = 1 },
		{ .name = "f", .dso = "/bin/t", .kind = PD_FRAME_KERNEL },
		{ .name = "f", .dso = "/bin/t", .inlined = true },
		{ .name = "/bin/t", .dso = "f" },
		{ .name = "f", .dso = "/bin/t", .file = "a.c", .line = 1 },
		{ .name = "f", .dso = "/bin/t", .file = "a.c", .line = 2 },
		{ .name = "f", .dso = "/bin/t", .file = "b.c", .line = 1 },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		CHECK(pd_tree_add_frame(tree, &others[i], &err) != id);
		for (size_t k = 0; k < i; k++)
			CHECK(pd_tree_add_frame(tree, &others[i], &err) !=
			    pd_tree_add_frame(tree, &others[k], &err));
	}
	stop();
}

static void
lines_stand_before_marks_and_are_safe(void)
{
	struct pd_frame f = { .name = "f", .file = "/src/a b.c", .line = 12,
		.inlined = true };
	struct pd_text_opts opts = { .mark_inline = true };

	CHECK_STR(label("t", f, opts), "f:a b.c:12_[i]");
	f.file = "x;\n y";
	CHECK_STR(label("t", f, opts), "f:x:? y:12_[i]");
	opts.perl = true;
	CHECK_STR(label("t", f, opts), "f_[i]:x:? y:12");
	f.name = NULL;
	f.dso = "/lib/x.so";
	f.inlined = false;
	CHECK_STR(label("t", f, (struct pd_text_opts){ 0 }),
	    "[x.so]:x:? y:12");
}

static void
a_stack_is_one_node_that_knows_its_parents(void)
{
	start();
	uint32_t t = root("t"), a, b;

	a = child(t, (struct pd_frame){ .name = "a" });
	b = child(a, (struct pd_frame){ .name = "b" });
	CHECK_EQ(child(child(root("t"), (struct pd_frame){ .name = "a" }),
	    (struct pd_frame){ .name = "b" }), b);
	CHECK_EQ(pd_tree_parent(tree, b), a);
	CHECK_EQ(pd_tree_parent(tree, t), 0);
	CHECK_STR(pd_tree_leaf(tree, b)->name, "b");
	CHECK(pd_tree_leaf(tree, 0) == NULL);
	/* Recursion: the same frame below itself is another stack. */
	CHECK(child(b, (struct pd_frame){ .name = "b" }) != b);
	stop();
}

static void
many_nodes_are_found_again(void)
{
	enum { N = 30000 };
	static uint32_t nodes[N];
	size_t wrong = 0;
	char name[16];

	start();
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < N; i++) {
			snprintf(name, sizeof(name), "f%u", i % 300);

			uint32_t n = child(i < 300 ? 0 : nodes[i / 300],
			    (struct pd_frame){ .name = name });

			if (pass == 0)
				nodes[i] = n;
			wrong += n != nodes[i];
		}
	CHECK_EQ(wrong, 0);
	stop();
}

static void
weights_of_one_stack_add_up(void)
{
	start();
	uint32_t t = root("t");
	uint32_t f = child(t, (struct pd_frame){ .name = "f" });

	count(f, 1001001);
	count(t, 5);
	count(f, 1001001);
	count(child(f, (struct pd_frame){ .name = "g" }), UINT64_C(1) << 40);
	check_text((struct pd_text_opts){ 0 },
	    "t 5\nt;f 2002002\nt;f;g 1099511627776\n");
	CHECK_EQ(pd_profile_samples(profile), 4);
	CHECK_EQ(pd_profile_total(profile),
	    2002002 + 5 + (UINT64_C(1) << 40));
	stop();
}

static void
an_empty_profile_is_no_line(void)
{
	start();
	root("t");
	check_text((struct pd_text_opts){ 0 }, "");
	CHECK_EQ(pd_profile_samples(profile), 0);
	stop();
}

/* A sample counts even when its weight is nothing. */
static void
a_weight_of_nothing_is_still_a_line(void)
{
	start();
	count(root("t"), 0);
	check_text((struct pd_text_opts){ 0 }, "t 0\n");
	stop();
}

/* ---- the order of lines ------------------------------------------------- */

static void
equal_labels_from_different_dsos_are_one_line(void)
{
	start();
	for (int i = 0; i < 3; i++) {
		static const char *const dsos[] = { "/lib/a.so", "/lib/b.so",
		    NULL };
		uint32_t n = child(root("t"), (struct pd_frame){
		    .name = "init", .dso = dsos[i] });

		count(n, 1);
		count(child(n, (struct pd_frame){ .name = "x" }), 10);
	}
	check_text((struct pd_text_opts){ 0 }, "t;init 3\nt;init;x 30\n");
	stop();
}

/* ' ' and ':' sort before ';': "a b" comes between "a" and "a;c". */
static void
lines_are_in_the_order_of_their_bytes(void)
{
	start();
	uint32_t t = root("t");
	uint32_t a = child(t, (struct pd_frame){ .name = "a" });

	count(child(a, (struct pd_frame){ .name = "c" }), 1);
	count(child(t, (struct pd_frame){ .name = "a<" }), 2);
	count(child(t, (struct pd_frame){ .name = "a b" }), 3);
	count(child(t, (struct pd_frame){ .name = "a:" }), 4);
	count(a, 5);
	count(child(t, (struct pd_frame){ .name = "a\xc3\xa9" }), 6);
	check_text((struct pd_text_opts){ 0 }, "t;a 5\nt;a b 3\nt;a: 4\n"
	    "t;a;c 1\nt;a< 2\nt;a\xc3\xa9 6\n");
	stop();
}

struct line {
	char		stack[64];
	uint64_t	weight;
};

static int
by_stack(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return strcmp(x->stack, y->stack);
}

/* Sort, and add up what is equal. */
static char *
lines_of(struct line *lines, size_t n)
{
	size_t size;
	char *out = NULL;
	FILE *f = open_memstream(&out, &size);

	qsort(lines, n, sizeof(*lines), by_stack);
	for (size_t i = 0, k; i < n; i = k) {
		uint64_t sum = 0;

		for (k = i; k < n && strcmp(lines[i].stack,
		    lines[k].stack) == 0; k++)
			sum += lines[k].weight;
		fprintf(f, "%s %llu\n", lines[i].stack,
		    (unsigned long long)sum);
	}
	fclose(f);
	return out;
}

static void
any_profile_is_what_sorting_and_adding_its_stacks_gives(void)
{
	/* Around ';' and the blank, a letter, and more than ASCII. */
	static const char *const letters[] = { " ", "!", "0", ":", "<", "a",
	    "~", "\xc3\xa9" };
	static struct line lines[2000];
	uint32_t seed = 1;

	for (int round = 0; round < 60; round++) {
		size_t n = 1 + (size_t)round * 30;

		start();
		for (size_t i = 0; i < n; i++) {
			char *p = lines[i].stack;
			uint32_t node = 0;

			seed = seed * 1664525 + 1013904223;
			for (int depth = 1 + (seed >> 29) % 6; depth > 0;
			    depth--) {
				char name[8] = "";

				seed = seed * 1664525 + 1013904223;
				for (uint32_t k = 0; k <= (seed >> 30) % 3; k++)
					strcat(name, letters[seed >>
					    (8 + 4 * k) & 7]);
				node = child(node, (struct pd_frame){
				    .name = name,
				    .dso = seed >> 28 & 1 ? "/x" : "/y" });
				p += sprintf(p, "%s%s", p > lines[i].stack ?
				    ";" : "", name);
			}
			lines[i].weight = seed >> 20;
			count(node, lines[i].weight);
		}

		char *want = lines_of(lines, n);
		char *got = written((struct pd_text_opts){ 0 });

		if (!CHECK(strcmp(got, want) == 0))
			printf("# round %d\n", round);
		free(want);
		free(got);
		stop();
	}
}

/* ---- labels ------------------------------------------------------------- */

static void
no_name_can_forge_a_frame_or_a_line(void)
{
	CHECK_STR(named("a;b"), "a:b");
	CHECK_STR(named("a 5\nforged;stack 99"), "a 5?forged:stack 99");
	CHECK_STR(named("\033[31mred\033[0m"), "?[31mred?[0m");
	CHECK_STR(named("tab\there\x7f\r"), "tab?here??");
	CHECK_STR(named("\xc3\xa9t\xc3\xa9"), "\xc3\xa9t\xc3\xa9");
	CHECK_STR(named("a\xff" "b\xc2\x9b[2J"), "a?b?[2J");
	CHECK_STR(label("t", (struct pd_frame){ .dso = "/a;b/c;d\n1" },
	    (struct pd_text_opts){ 0 }), "[c:d?1]");
}

static void
roots_have_no_blanks(void)
{
	start();
	count(root("a b  c;d\n"), 1);
	count(child(root("t"), (struct pd_frame){ .name = "a b" }), 2);
	check_text((struct pd_text_opts){ 0 }, "a_b__c:d? 1\nt;a b 2\n");
	stop();
}

static void
frames_without_a_name_show_where_they_are(void)
{
	static const struct { const char *dso, *want; } rows[] = {
		{ NULL, "[unknown]" },
		{ "/usr/lib/libc.so.6", "[libc.so.6]" },
		{ "/usr/lib/libc.so.6 (deleted)", "[libc.so.6]" },
		{ "/memfd:jit (deleted)", "[memfd:jit]" },
		{ "/opt/my app/the program", "[the program]" },
		{ "/opt/my app/the program (deleted)", "[the program]" },
		{ "[vdso]", "[[vdso]]" },
		{ "relative", "[relative]" },
		{ "/dir/", "[]" },
		{ " (deleted)", "[ (deleted)]" },
		{ "", "[]" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CHECK_STR(label("t", (struct pd_frame){ .dso = rows[i].dso },
		    (struct pd_text_opts){ 0 }), rows[i].want);
	CHECK_STR(label("t", (struct pd_frame){ .ip = 0x7fabc },
	    (struct pd_text_opts){ .addrs = true }), "[unknown <7fabc>]");
	CHECK_STR(label("t", (struct pd_frame){ .dso = "/lib/x (deleted)",
	    .ip = UINT64_MAX }, (struct pd_text_opts){ .addrs = true }),
	    "[x <ffffffffffffffff>]");
}

static void
marks_are_given_for_what_a_frame_is(void)
{
	struct pd_text_opts all = { .mark_kernel = true, .mark_jit = true,
	    .mark_inline = true };
	struct pd_frame f = { .name = "f", .dso = "/bin/t" };

	CHECK_STR(label("t", f, all), "f");
	f.kind = PD_FRAME_KERNEL;
	CHECK_STR(label("t", f, all), "f_[k]");
	CHECK_STR(label("t", f, (struct pd_text_opts){ .mark_jit = true }),
	    "f");
	f.kind = PD_FRAME_JIT;
	CHECK_STR(label("t", f, all), "f_[j]");
	f.inlined = true;			/* it comes first */
	CHECK_STR(label("t", f, all), "f_[i]");
	f.kind = PD_FRAME_KERNEL;
	CHECK_STR(label("t", f, all), "f_[i]");
	CHECK_STR(label("t", f, (struct pd_text_opts){ 0 }), "f");
	CHECK_STR(label("t", f, (struct pd_text_opts){ .mark_kernel = true }),
	    "f_[k]");
	/* A module by its path is the kernel, the vdso is not. */
	CHECK_STR(label("t", (struct pd_frame){ .name = "ext4_read",
	    .dso = "/lib/modules/6.1/ext4.ko", .kind = PD_FRAME_KERNEL }, all),
	    "ext4_read_[k]");
	CHECK_STR(label("t", (struct pd_frame){ .name = "clock_gettime",
	    .dso = "[vdso]" }, all), "clock_gettime");
	CHECK_STR(label("t", (struct pd_frame){ .dso = "/tmp/perf-1.map",
	    .kind = PD_FRAME_JIT }, all), "[perf-1.map]_[j]");
}

static void
names_are_not_tidied_by_default(void)
{
	static const char *const names[] = {
		"std::vector<int (*)(int)>::push", "f(int)", "a 'b' \"c\"",
		"net/http.(*Client).Do", "Ljava/lang/Object", "a->b",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		CHECK_STR(named(names[i]), names[i]);
	CHECK_STR(label("java", (struct pd_frame){ .name = "La/b" },
	    (struct pd_text_opts){ 0 }), "La/b");
}

/* ---- as stackcollapse-perf.pl ------------------------------------------- */

static const char *
perl(const char *name)
{
	return label("t", (struct pd_frame){ .name = name, .dso = "/bin/t" },
	    (struct pd_text_opts){ .perl = true });
}

static void
perl_cuts_at_the_first_parenthesis(void)
{
	CHECK_STR(perl("f(int)"), "f");
	CHECK_STR(perl("std::vector<int (*)(int)>::push"),
	    "std::vector<int ");
	CHECK_STR(perl("<core::a as b(fn(u8))>::c"), "<core::a as b");
	CHECK_STR(perl("ns::T::operator()(int)"), "ns::T::operator");
	CHECK_STR(perl("(anonymous namespace)::f(int)"),
	    "(anonymous namespace)::f");
	CHECK_STR(perl("a::(anonymous namespace)::b::(anonymous namespace)::c"),
	    "a::(anonymous namespace)::b::(anonymous namespace)::c");
	CHECK_STR(perl("a::(anonymous class)::f"), "a::");
}

static void
perl_leaves_go_methods(void)
{
	CHECK_STR(perl("net/http.(*Client).Do"), "net/http.(*Client).Do");
	CHECK_STR(perl("main.(*T).f(x)"), "main.(*T).f(x)");
	CHECK_STR(perl("main.(*T)"), "main.");
}

static void
perl_deletes_quotes_and_turns_semicolons(void)
{
	CHECK_STR(perl("RegExp:[&<>\"']"), "RegExp:[&<>]");
	CHECK_STR(perl("a;b"), "a:b");
	CHECK_STR(perl("Ljava/io/PrintStream;::print"),
	    "Ljava/io/PrintStream:::print");
}

static void
perl_shortens_classes_below_a_java_root_only(void)
{
	struct pd_text_opts opts = { .perl = true };
	struct pd_frame f = { .name = "Ljava/io/PrintStream;::print" };

	CHECK_STR(label("java", f, opts), "java/io/PrintStream:::print");
	CHECK_STR(label("java-12", f, opts), "java/io/PrintStream:::print");
	CHECK_STR(label("javac", f, opts), "java/io/PrintStream:::print");
	CHECK_STR(label("xjava", f, opts), "Ljava/io/PrintStream:::print");
	f.name = "Lonely";			/* no slash, no class */
	CHECK_STR(label("java", f, opts), "Lonely");
	f.name = "call_stub/L";
	CHECK_STR(label("java", f, opts), "call_stub/L");
	/* Both in one profile: the same frame below either root. */
	f.name = "La/b";
	start();
	count(child(root("java"), f), 1);
	count(child(root("python"), f), 2);
	check_text(opts, "java;a/b 1\npython;La/b 2\n");
	stop();
}

static void
perl_marks_by_the_name_of_the_module(void)
{
	struct pd_text_opts all = { .perl = true, .mark_kernel = true,
	    .mark_jit = true };
	static const struct { const char *dso; enum pd_frame_kind kind;
	    const char *want; } rows[] = {
		{ "[kernel.kallsyms]", PD_FRAME_KERNEL, "f_[k]" },
		{ "[ext4]", PD_FRAME_KERNEL, "f_[k]" },
		{ "/boot/vmlinux", PD_FRAME_KERNEL, "f_[k]" },
		{ "[vdso]", PD_FRAME_USER, "f_[k]" },
		{ "/lib/modules/6.1/ext4.ko", PD_FRAME_KERNEL, "f" },
		{ "[unknown]", PD_FRAME_KERNEL, "f" },
		{ "/tmp/perf-1.map", PD_FRAME_JIT, "f_[j]" },
		{ "/bin/t", PD_FRAME_USER, "f" },
		{ NULL, PD_FRAME_KERNEL, "f" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CHECK_STR(label("t", (struct pd_frame){ .name = "f",
		    .dso = rows[i].dso, .kind = rows[i].kind }, all),
		    rows[i].want);
	/* _[i] is always on, and nothing is marked twice. */
	CHECK_STR(label("t", (struct pd_frame){ .name = "f", .inlined = true,
	    .dso = "[ext4]" }, all), "f_[i]");
	CHECK_STR(label("t", (struct pd_frame){ .name = "f_[i]",
	    .inlined = true }, all), "f_[i]");
	CHECK_STR(label("t", (struct pd_frame){ .name = "f_[j]",
	    .kind = PD_FRAME_JIT }, all), "f_[j]");
}

int
main(void)
{
	RUN(equal_frames_are_one_and_others_are_not);
	RUN(lines_stand_before_marks_and_are_safe);
	RUN(a_stack_is_one_node_that_knows_its_parents);
	RUN(many_nodes_are_found_again);
	RUN(weights_of_one_stack_add_up);
	RUN(an_empty_profile_is_no_line);
	RUN(a_weight_of_nothing_is_still_a_line);
	RUN(equal_labels_from_different_dsos_are_one_line);
	RUN(lines_are_in_the_order_of_their_bytes);
	RUN(any_profile_is_what_sorting_and_adding_its_stacks_gives);
	RUN(no_name_can_forge_a_frame_or_a_line);
	RUN(roots_have_no_blanks);
	RUN(frames_without_a_name_show_where_they_are);
	RUN(marks_are_given_for_what_a_frame_is);
	RUN(names_are_not_tidied_by_default);
	RUN(perl_cuts_at_the_first_parenthesis);
	RUN(perl_leaves_go_methods);
	RUN(perl_deletes_quotes_and_turns_semicolons);
	RUN(perl_shortens_classes_below_a_java_root_only);
	RUN(perl_marks_by_the_name_of_the_module);
	return tap_done();
}
