/*
 * From an address to what is printed: the names that users of other tools
 * could not read, or that were attributed to another function.
 */
#include <sys/stat.h>

#include "folding.h"

static char dir[] = "/tmp/pd-names-XXXXXX";

#define AT(i)	(0x400000 + 0x1000 * ((uint64_t)(i) + 1) + 8)

/* A sample in the i-th function of /prog, for each i below n. */
static struct pdb *
samples_in(const char *const *names, size_t n, const char *as)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = pdb_event(b, &(struct pdb_event){ .sample_type = FLAT });
	struct pdb_id id = { .pid = 1, .tid = 1, .time = 1 };
	struct pdb_map m = { .start = 0x400000, .len = 0x100000, .path = as };

	write_program(dir, "prog", names, n);
	pdb_comm(b, ev, &id, "t", false);
	pdb_mmap2(b, ev, &id, &m);
	for (size_t i = 0; i < n; i++)
		pdb_sample(b, ev, &(struct pdb_sample){ .id = { .pid = 1,
		    .tid = 1, .time = 2 + i }, .ip = AT(i) });
	return b;
}

/* The label of a function that is stored as `name`. */
static void
check_name(const char *name, struct pd_fold_opts opts, bool perl,
    const char *want)
{
	struct pd_text_opts text = { .perl = perl };
	char line[512];

	opts.weight = PD_WEIGHT_SAMPLES;
	opts.stack.symfs = dir;
	opts.stack.perf_compat = perl;
	snprintf(line, sizeof(line), "t;%s 1\n", want);
	CHECK_FOLD(samples_in(&name, 1, "/prog"), &opts, &text, line);
}

static void
is_shown_as(const char *name, const char *want)
{
	check_name(name, (struct pd_fold_opts){ 0 }, false, want);
}

/* ---- names that came with their parameters ------------------------------ */

/*
 * Names out of a JIT, of Delphi, or already demangled.  Cutting at the first
 * parenthesis, as others do, makes one function of many.
 */
static void
parameters_are_cut_where_they_begin(void)
{
	static const struct { const char *name, *want; } rows[] = {
		{ "f", "f" },
		{ "f(int)", "f" },
		{ "f()", "f" },
		{ "f(int, char const*) const", "f" },
		{ "f() volatile", "f" },
		{ "f() const &", "f" },
		{ "f() &&", "f" },
		{ "f() const volatile && noexcept", "f" },
		{ "f(void (*)(int))", "f" },
		{ "f(std::function<void ()> const&)", "f" },
		{ "std::vector<int (*)(int)>::push",
		    "std::vector<int (*)(int)>::push" },
		{ "std::vector<int (*)(int)>::push(int (*)(int))",
		    "std::vector<int (*)(int)>::push" },
		{ "<core::a as b(fn(u8))>::c", "<core::a as b(fn(u8))>::c" },
		{ "ns::T::operator()", "ns::T::operator()" },
		{ "ns::T::operator()(int)", "ns::T::operator()" },
		{ "ns::T::operator()() const", "ns::T::operator()" },
		{ "operator()", "operator()" },
		{ "operator new(unsigned long)", "operator new" },
		{ "T::operator int() const", "T::operator int" },
		{ "std::function<void ()>::operator()() const",
		    "std::function<void ()>::operator()" },
		{ "a::{lambda(int)#1}::operator()(int) const",
		    "a::{lambda(int)#1}::operator()" },
		{ "(anonymous namespace)::f(int)",
		    "(anonymous namespace)::f" },
		{ "a::(anonymous namespace)", "a::(anonymous namespace)" },
		{ "a::(anonymous namespace)::f",
		    "a::(anonymous namespace)::f" },
		{ "net/http.(*Client).Do", "net/http.(*Client).Do" },
		{ "main.(*T)", "main.(*T)" },
		{ "(int)", "(int)" },
		{ "f)", "f)" },
		{ "f(", "f(" },
		{ ")(", ")(" },
		{ "f)(int)", "f)" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		is_shown_as(rows[i].name, rows[i].want);
}

static void
names_that_were_asked_for_whole_keep_their_parameters(void)
{
	struct pd_fold_opts opts = { .stack.demangle = PD_DEMANGLE_FULL };

	check_name("f(int)", opts, false, "f(int)");
	check_name("_Z1fi", opts, false, "f(int)");
	opts.stack.demangle = PD_DEMANGLE_NONE;
	check_name("f(int)", opts, false, "f(int)");
	check_name("_Z1fi", opts, false, "_Z1fi");
}

static void
mangled_names_lose_their_own_parameters_only(void)
{
	is_shown_as("_Z1fi", "f");
	is_shown_as("_ZNSt6vectorIPFiiESaIS1_EE9push_backERKS1_",
	    "std::vector<int (*)(int), std::allocator<int (*)(int)> >"
	    "::push_back");
	is_shown_as("_ZNK2ns1TclEi", "ns::T::operator()");
	is_shown_as("_ZN12_GLOBAL__N_11fEi", "(anonymous namespace)::f");
	is_shown_as("_ZL1fi.cold", "f");
	is_shown_as("_ZL1fi.part.0", "f");
}

/* BC07: c++filt here says mycrate[3c1c0]::foo::bar or nothing. */
static void
rust_names_of_both_kinds_are_readable(void)
{
	is_shown_as("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
	is_shown_as("_RNvNtCs1234_7mycrate3foo3bar.llvm.1234567890",
	    "mycrate::foo::bar");
	is_shown_as("_ZN7mycrate3foo3bar17h0123456789abcdefE",
	    "mycrate::foo::bar");
	is_shown_as("_ZN7mycrate3foo3bar17h0123456789abcdefE.llvm.123",
	    "mycrate::foo::bar");
	is_shown_as("_ZN49_$LT$mycrate..A$u20$as$u20$core..fmt..Display$GT$"
	    "3fmt17h0123456789abcdefE",
	    "<mycrate::A as core::fmt::Display>::fmt");
}

/* ---- symbol versions, PLT, deleted files -------------------------------- */

static void
a_deleted_file_is_known_by_its_base_name(void)
{
	static const char *const names[] = { "f", "g" };
	struct pd_fold_opts opts = { .weight = PD_WEIGHT_SAMPLES,
	    .stack.symfs = dir };

	/* One frame, not one for each address. */
	CHECK_FOLD(samples_in(names, 2, "/bin/gone (deleted)"), &opts, NULL,
	    "t;[gone] 2\n");
}

/* The program was built anew while it ran: a cache still has the old one. */
static void
a_deleted_file_is_found_by_its_build_id(void)
{
	static const uint8_t id[20] = { 0xab, 0xcd, 1, 2, 3 };
	static const char *const names[] = { "f" };
	struct pd_fold_opts opts = { .weight = PD_WEIGHT_SAMPLES,
	    .stack = { .symfs = "/nonexistent", .buildid_dir = dir } };
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = pdb_event(b, &(struct pdb_event){ .sample_type = FLAT });
	struct pdb_id at = { .pid = 1, .tid = 1, .time = 1 };
	struct pdb_map m = { .start = 0x400000, .len = 0x100000,
	    .path = "/gone (deleted)", .build_id = id };
	char path[3][128];

	snprintf(path[0], 128, "%s/.build-id", dir);
	snprintf(path[1], 128, "%s/.build-id/ab", dir);
	snprintf(path[2], 128, "%s/.build-id/ab/cd010203%030d", dir, 0);
	for (int i = 0; i < 3; i++)
		mkdir(path[i], 0755);
	write_program_with_id(path[2], "elf", names, 1, id);
	pdb_mmap2(b, ev, &at, &m);
	at.time = 2;
	pdb_sample(b, ev, &(struct pdb_sample){ .id = at, .ip = AT(0) });
	CHECK_FOLD(b, &opts, NULL, ":1;f 1\n");
	strcat(path[2], "/elf");
	unlink(path[2]);
	*strrchr(path[2], '/') = '\0';
	for (int i = 2; i >= 0; i--)
		rmdir(path[i]);
}

static void
paths_may_have_blanks(void)
{
	static const char *const names[] = { "f" };
	struct pd_fold_opts opts = { .weight = PD_WEIGHT_SAMPLES,
	    .stack.symfs = dir };
	struct pdb *b;
	char sub[64], from[64], to[80];

	snprintf(sub, sizeof(sub), "%s/my dir", dir);
	mkdir(sub, 0755);
	b = samples_in(names, 1, "/my dir/the prog");
	snprintf(from, sizeof(from), "%s/prog", dir);
	snprintf(to, sizeof(to), "%s/the prog", sub);
	CHECK_EQ(rename(from, to), 0);
	CHECK_FOLD(b, &opts, NULL, "t;f 1\n");
	unlink(to);
	CHECK_FOLD(samples_in(names, 1, "/my dir/the prog"), &opts, NULL,
	    "t;[the prog] 1\n");
	rmdir(sub);
}

/* memfd: the code of some JITs.  The kernel says that it is deleted. */
static void
a_memfd_is_named_by_its_name(void)
{
	static const char *const names[] = { "f" };
	struct pd_fold_opts opts = { .weight = PD_WEIGHT_SAMPLES,
	    .stack.symfs = dir };

	CHECK_FOLD(samples_in(names, 1, "/memfd:jit (deleted)"), &opts, NULL,
	    "t;[memfd:jit] 1\n");
}

/* ---- where a function begins and ends ----------------------------------- */

/*
 * A call may be the last instruction of a function that never returns: its
 * return address is the first of the next one.
 */
static void
a_caller_is_the_function_that_called(void)
{
	static const char *const names[] = { "caller", "next" };
	struct pd_fold_opts opts = { .weight = PD_WEIGHT_SAMPLES,
	    .stack.symfs = dir };
	struct pd_text_opts text = { .perl = true };

	for (int perl = 0; perl < 2; perl++) {
		struct pdb *b = pdb_new(PDB_FILE, false);
		unsigned ev = pdb_event(b, &(struct pdb_event){
		    .sample_type = CHAINED });
		struct pdb_id id = { .pid = 1, .tid = 1, .time = 1 };
		struct pdb_map m = { .start = 0x400000, .len = 0x100000,
		    .path = "/prog" };
		/* The leaf is at the very start of `next`, so is the return. */
		uint64_t chain[] = { USER_CHAIN, AT(1) - 8, AT(1) - 8 };

		write_program(dir, "prog", names, 2);
		pdb_comm(b, ev, &id, "t", false);
		pdb_mmap2(b, ev, &id, &m);
		id.time = 2;
		pdb_sample(b, ev, &(struct pdb_sample){ .id = id,
		    .ip = AT(1) - 8, .chain = chain, .nchain = 3 });
		opts.stack.perf_compat = perl;
		/* perf script prints the function of the return address. */
		CHECK_FOLD(b, &opts, perl ? &text : NULL,
		    perl ? "t;next;next 1\n" : "t;caller;next 1\n");
	}
}

/* ---- compat: what stackcollapse-perf.pl makes of a name ----------------- */

static void
is_shown_by_perl_as(const char *name, const char *want)
{
	check_name(name, (struct pd_fold_opts){ 0 }, true, want);
}

static void
compat_takes_arrows_for_inlining(void)
{
	is_shown_by_perl_as("a->b->c", "a;b_[i];c_[i]");
	is_shown_by_perl_as("a->b->", "a;b_[i]");
	is_shown_by_perl_as("a", "a");
	is_shown_by_perl_as("a->f(int)->g(b->c)", "a;f_[i];g_[i];c)_[i]");
	/* ... and leaves them alone otherwise. */
	is_shown_as("a->b->c", "a->b->c");
}

static void
compat_has_no_frame_for_a_name_in_parentheses(void)
{
	char line[] = "t 1\n";
	struct pd_fold_opts opts = { .weight = PD_WEIGHT_SAMPLES,
	    .stack = { .symfs = dir, .perf_compat = true } };
	struct pd_text_opts text = { .perl = true };
	const char *name = "(anonymous namespace)::f";

	CHECK_FOLD(samples_in(&name, 1, "/prog"), &opts, &text, line);
	is_shown_as(name, name);
}

static void
compat_cuts_at_the_first_parenthesis(void)
{
	is_shown_by_perl_as("std::vector<int (*)(int)>::push",
	    "std::vector<int ");
	is_shown_by_perl_as("ns::T::operator()(int)", "ns::T::operator");
	is_shown_by_perl_as("_ZNK2ns1TclEi", "ns::T::operator");
	is_shown_by_perl_as("say 'hi'", "say hi");
}

int
main(void)
{
	char path[64];

	if (mkdtemp(dir) == NULL)
		return 1;
	RUN(parameters_are_cut_where_they_begin);
	RUN(names_that_were_asked_for_whole_keep_their_parameters);
	RUN(mangled_names_lose_their_own_parameters_only);
	RUN(rust_names_of_both_kinds_are_readable);
	RUN(a_deleted_file_is_known_by_its_base_name);
	RUN(a_deleted_file_is_found_by_its_build_id);
	RUN(paths_may_have_blanks);
	RUN(a_memfd_is_named_by_its_name);
	RUN(a_caller_is_the_function_that_called);
	RUN(compat_takes_arrows_for_inlining);
	RUN(compat_has_no_frame_for_a_name_in_parentheses);
	RUN(compat_cuts_at_the_first_parenthesis);
	snprintf(path, sizeof(path), "%s/prog", dir);
	unlink(path);
	rmdir(dir);
	return tap_done();
}
