/* Folded text: what is read, what is refused, and by which line. */
#include <stdlib.h>
#include <unistd.h>

#include "base/tmpfile.h"
#include "tap.h"

static struct pd_error err;
static struct pd_tree *tree;
static struct pd_profile *profile;
static struct pd_run run;

/* Reads size bytes of text: 0, or -1 with err. */
static int
read_bytes(const char *text, size_t size)
{
	int fd = pd_tmpfile(&err), r;

	tree = pd_tree_new(&err);
	profile = pd_profile_new(tree, &err);
	CHECK_EQ(write(fd, text, size), size);
	lseek(fd, 0, SEEK_SET);
	r = pd_folded_read(fd, tree, profile, &run, &err);
	close(fd);
	return r;
}

static void
stop(void)
{
	pd_profile_free(profile);
	pd_tree_free(tree);
}

static void
check_read(const char *text, const char *want)
{
	struct pd_text_opts opts = { 0 };
	char *out = NULL;
	size_t size;
	FILE *f;

	if (!CHECK(read_bytes(text, strlen(text)) == 0)) {
		printf("# %s\n", err.msg);
		stop();
		return;
	}
	f = open_memstream(&out, &size);
	CHECK_EQ(pd_profile_write_folded(profile, &opts, f, &err), 0);
	fclose(f);
	CHECK_STR(out, want);
	free(out);
	stop();
}

static void
check_error(const char *text, const char *want)
{
	CHECK_EQ(read_bytes(text, strlen(text)), -1);
	CHECK_STR(err.msg, want);
	stop();
}

static void
what_was_written_is_read(void)
{
	check_read("a 1\n", "a 1\n");
	check_read("a;b 1\na;b;c 2\na;bc 3\n", "a;b 1\na;b;c 2\na;bc 3\n");
	check_read("a;b;c 1\na;b 2\na 3\nab 4\n", "a 3\na;b 2\na;b;c 1\nab 4\n");
	check_read("a;b c 1\na;b 2\na;b;c 4\n", "a;b 2\na;b c 1\na;b;c 4\n");
	check_read("x;y;z 1\nx;yz;z 1\nx;y;z;z 1\nx;y 1",
	    "x;y 1\nx;y;z 1\nx;y;z;z 1\nx;yz;z 1\n");
}

static void
equal_stacks_are_one(void)
{
	check_read("a;b 1\nc 1\na;b 2\n", "a;b 3\nc 1\n");
	check_read("a;b 1\na;b 2\n", "a;b 3\n");
}

static void
the_last_number_is_the_count(void)
{
	check_read("a;b 7 1\n", "a;b 7 1\n");
	check_read("a;f(int, long)  \t 5\n", "a;f(int, long) 5\n");
	check_read("a 9223372036854775807\n", "a 9223372036854775807\n");
	check_read("a 1\nb 0\n", "a 1\n");
}

static void
comments_are_passed_over(void)
{
	check_read("# made by hand\n#\na 1\n", "a 1\n");
	check_read("#tag;b 1\n", "#tag;b 1\n");
	check_read("# 1 of 2\n# \n# 12\n#;a 3\n", "# 12\n#;a 3\n");
}

static void
errors_name_the_line(void)
{
	check_error("", "the input is empty");
	check_error("# only words\n", "no samples");
	check_error("a 0\n", "no samples");
	check_error("a 1\nb\n", "line 2: no count at the end");
	check_error("a 1\n\nb 1\n", "line 2: no count at the end");
	check_error("a 1\nb \n", "line 2: no count at the end");
	check_error(" 1\n", "line 1: no stack");
	check_error("1\n", "line 1: no count at the end");
	check_error("a -1\n", "line 1: the count is negative");
	check_error("a nan\n", "line 1: the count is not a whole number");
	check_error("a 1.5\n", "line 1: the count is not a whole number");
	check_error("a 1e3\n", "line 1: the count is not a whole number");
	check_error("a 9223372036854775808\n",
	    "line 1: the count is too large");
	check_error("a 99999999999999999999999\n",
	    "line 1: the count is too large");
	check_error("a 9223372036854775807\nb 1\n",
	    "line 2: the counts add up to more than 2^63");
	check_error("a;;b 1\n", "line 1: an empty frame");
	check_error(";a 1\n", "line 1: an empty frame");
	check_error("a;b 1\na;b; 1\n", "line 2: an empty frame");
	check_error("a 1\r\n",
	    "line 1: ends in CR LF, not LF (tr -d '\\r' helps)");
	CHECK_EQ(read_bytes("a\0b 1\n", 6), -1);
	CHECK_STR(err.msg, "line 1: has a NUL byte: not folded stacks");
	stop();
}

/* However a stack came to be, it is read as if it came first. */
static void
order_makes_no_difference(void)
{
	static const char *const lines[] = { "a;b 1", "a;b;c 2", "a;bb 4",
	    "a 8", "b;c 16", "a;b;c;b;c 32", "ab;b 64" };
	static const char want[] = "a 8\na;b 1\na;b;c 2\na;b;c;b;c 32\n"
	    "a;bb 4\nab;b 64\nb;c 16\n";
	char text[128];
	size_t n = sizeof(lines) / sizeof(*lines), step, i;

	for (step = 1; step < n; step++) {	/* 7 is prime */
		text[0] = '\0';
		for (i = 0; i < n; i++) {
			strcat(text, lines[i * step % n]);
			strcat(text, "\n");
		}
		check_read(text, want);
	}
}

static void
deep_and_long_lines_have_a_bound(void)
{
	size_t size = 2 * 65536 + 4, i;
	char *text = malloc((size_t)17 << 20);

	for (i = 0; i < size; i += 2)
		memcpy(text + i, "a;", 2);
	memcpy(text + 2 * 65536 - 1, " 1\n", 3);
	CHECK_EQ(read_bytes(text, 2 * 65536 + 2), 0);
	stop();
	memcpy(text + 2 * 65536 - 1, ";a 1\n", 5);
	CHECK_EQ(read_bytes(text, 2 * 65536 + 4), -1);
	CHECK_STR(err.msg, "line 1: more than 65536 frames");
	stop();
	memset(text, 'a', (size_t)17 << 20);
	CHECK_EQ(read_bytes(text, (size_t)17 << 20), -1);
	CHECK_STR(err.msg, "line 1: longer than 16 MiB: not folded stacks");
	stop();
	free(text);
}

static void
a_run_is_read_as_it_was_written(void)
{
	struct pd_run in = { .known = true, .wall = true,
	    .weight = PD_WEIGHT_TIME, .freq = 10000,
	    .start = 1796129580517000001, .dur = 2361659379, .samples = 4,
	    .lost = 3, .throttled = 2, .work = 1000.5,
	    .event = "cpu-clock:u", .host = "a b%c", .kernel = "6.1",
	    .cpu = "\xc3\xa4 CPU @ 2 GHz", .callgraph = "fp" };
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	CHECK_EQ(pd_run_write(&in, f, &err), 0);
	fprintf(f, "a;b 300000\na 100000\n");
	fclose(f);
	CHECK_EQ(read_bytes(out, size), 0);
	CHECK(memcmp(&in, &run, sizeof(in)) == 0);
	/* 100,000 ns are a sample. */
	CHECK_EQ(pd_profile_samples(profile), 4);
	CHECK_EQ(pd_profile_total(profile), 400000);
	stop();
	free(out);
}

static void
metadata_of_later_versions_and_damaged_are_told_apart(void)
{
	check_read("# pd-fold: v=2 new=1 unit=parsecs word\na 1\n", "a 1\n");
	check_error("# pd-fold: v=1 work=-1\na 1\n",
	    "run metadata: work='-1' is not usable");
	check_error("# pd-fold: lost=x\na 1\n",
	    "run metadata: lost='x' is not usable");
	check_error("# pd-fold: start=1.2.3\na 1\n",
	    "run metadata: start='1.2.3' is not usable");
}

int
main(void)
{
	RUN(what_was_written_is_read);
	RUN(equal_stacks_are_one);
	RUN(the_last_number_is_the_count);
	RUN(comments_are_passed_over);
	RUN(errors_name_the_line);
	RUN(order_makes_no_difference);
	RUN(deep_and_long_lines_have_a_bound);
	RUN(a_run_is_read_as_it_was_written);
	RUN(metadata_of_later_versions_and_damaged_are_told_apart);
	return tap_done();
}
