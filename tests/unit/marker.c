/* Markers: which spans critical sections are, from events and from files. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pdbuild.h"
#include "perfdata.h"
#include "tap.h"

/* Steps leave out what does not matter. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static struct pd_error err;

enum { BEGIN, END, TICK, EVENTS };

/* One thing that happens, in the order of time. */
struct step {
	uint64_t	time;
	int		event;		/* or EXIT */
	uint32_t	tid, pid, cpu;	/* pid 0: as tid, cpu 0 */
};
enum { EXIT = EVENTS };

static struct pd_reader *
record(const struct step *steps, size_t n, uint64_t extra_type)
{
	static const char *const names[] = { "m:begin", "m:end", "tick" };
	struct pdb *b = pdb_new(PDB_FILE, false);
	struct pd_reader *rd;
	char path[32];
	int fd;

	for (uint64_t i = 0; i < EVENTS; i++)
		pdb_event(b, &(struct pdb_event){ .name = names[i],
		    .sample_type = PDB_IDENTIFIER | PDB_TID | PDB_TIME |
		    extra_type, .ids = (uint64_t[]){ i + 1 }, .nids = 1 });
	for (size_t i = 0; i < n; i++) {
		const struct step *s = &steps[i];
		struct pdb_id id = { .pid = s->pid ? s->pid : s->tid,
			.tid = s->tid, .cpu = s->cpu, .time = s->time };

		if (s->event == EXIT)
			pdb_exit(b, TICK, &id);
		else
			pdb_sample(b, (unsigned)s->event,
			    &(struct pdb_sample){ .id = id });
	}
	fd = pdb_file(b, path);
	rd = pd_reader_open(path, PD_TIME_ORDER, &err);
	close(fd);
	return rd;
}

/* Feed it all and finish; frees what it made when that fails. */
static struct pd_markers *
run(struct pd_markers *m, struct pd_reader *rd)
{
	struct pd_record rec;
	int r;

	while ((r = pd_reader_next(rd, &rec, &err)) == 1)
		if (pd_markers_put(m, rd, &rec, &err) == -1)
			break;
	if (r == 0 && pd_markers_finish(m, rd, &err) == 0) {
		pd_reader_close(rd);
		return m;
	}
	pd_reader_close(rd);
	pd_markers_free(m);
	return NULL;
}

static struct pd_markers *
between_in(const struct pd_marker_opts *opts, const struct step *steps,
    size_t n)
{
	struct pd_markers *m = pd_markers_new(&err);

	pd_markers_set(m, opts);
	CHECK(pd_markers_between(m, "m:begin", "m:end", &err) == 0);
	m = run(m, record(steps, n, PDB_CPU));
	if (!CHECK(m != NULL))
		printf("# %s\n", err.msg);
	return m;
}

static const struct pd_marker_opts plain = { .scope = PD_SCOPE_THREAD },
	open_too = { .unfinished = true };

#define BETWEEN(opts, ...) \
	between_in(opts, (const struct step[]){ __VA_ARGS__ }, \
	    sizeof((const struct step[]){ __VA_ARGS__ }) / sizeof(struct step))

/* "10-21/10 ": start, stop and duration of each; '!' where unfinished. */
static void
check_are(int line, struct pd_markers *m, const char *want)
{
	const struct pd_occurrence *o;
	char got[512] = "";
	size_t len, n = 0;

	if (m == NULL)
		return;
	o = pd_markers_get(m, &len);
	for (size_t i = 0; i < len; i++)
		n += (size_t)snprintf(got + n, sizeof(got) - n,
		    "%s%llu-%llu/%llu%s", i > 0 ? " " : "",
		    (unsigned long long)o[i].start,
		    (unsigned long long)o[i].stop,
		    (unsigned long long)o[i].duration,
		    o[i].unfinished ? "!" : "");
	tap_str(got, want, __FILE__, line);
}
#define ARE(m, want)	check_are(__LINE__, m, want)

/* found, nested, unfinished, stray */
static void
check_counts(int line, struct pd_markers *m, const char *want)
{
	struct pd_marker_counts c = pd_markers_counts(m);
	char got[128];

	snprintf(got, sizeof(got), "%llu %llu %llu %llu",
	    (unsigned long long)c.found, (unsigned long long)c.nested,
	    (unsigned long long)c.unfinished, (unsigned long long)c.stray);
	tap_str(got, want, __FILE__, line);
}
#define COUNTS(m, want)	check_counts(__LINE__, m, want)

/* ---- pairs ---------------------------------------------------------------------- */

static void
an_occurrence_has_both_its_events(void)
{
	struct pd_markers *m = BETWEEN(&plain,
	    { 10, BEGIN, 1 }, { 15, TICK, 1 }, { 20, END, 1 });
	const struct pd_occurrence *o;
	size_t len;

	ARE(m, "10-21/10");
	COUNTS(m, "1 0 0 0");
	o = pd_markers_get(m, &len);
	CHECK_STR(o->name, "begin");
	CHECK_EQ(o->pid, 1);
	CHECK_EQ(o->tid, 1);
	CHECK_EQ(o->cpu, PD_NOID);
	CHECK(!pd_markers_match(m, 9, 1, 1, 0));
	CHECK(pd_markers_match(m, 10, 1, 1, 0));
	CHECK(pd_markers_match(m, 20, 1, 1, 7));
	CHECK(!pd_markers_match(m, 21, 1, 1, 0));
	CHECK(!pd_markers_match(m, 15, 1, 2, 0));
	CHECK(!pd_markers_match(m, PD_NOTIME, 1, 1, 0));
	CHECK(!pd_markers_over(m, 20));
	CHECK(pd_markers_over(m, 21));
	CHECK(!pd_markers_over(m, PD_NOTIME));
	pd_markers_free(m);
}

static void
threads_pair_apart(void)
{
	struct pd_markers *m = BETWEEN(&plain,
	    { 10, BEGIN, 1 }, { 12, BEGIN, 2, 1 }, { 20, END, 1 },
	    { 30, END, 2, 1 });

	ARE(m, "10-21/10 12-31/18");
	CHECK(pd_markers_match(m, 25, 1, 2, 0));
	CHECK(!pd_markers_match(m, 25, 1, 1, 0));
	pd_markers_free(m);
}

static void
the_scope_says_what_pairs_and_what_is_inside(void)
{
	struct pd_markers *m = BETWEEN(&((struct pd_marker_opts){ PD_SCOPE_PROCESS }),
	    { 10, BEGIN, 2, 1 }, { 12, BEGIN, 5 }, { 20, END, 3, 1 });

	ARE(m, "10-21/10");
	COUNTS(m, "1 0 1 0");
	CHECK(pd_markers_match(m, 15, 1, 99, 0));
	CHECK(!pd_markers_match(m, 15, 2, 2, 0));
	pd_markers_free(m);

	m = BETWEEN(&((struct pd_marker_opts){ PD_SCOPE_CPU }), { 10, BEGIN, 1, 1, 3 },
	    { 15, END, 1, 1, 2 }, { 20, END, 2, 2, 3 });
	ARE(m, "10-21/10");
	COUNTS(m, "1 0 0 1");
	CHECK(pd_markers_match(m, 15, 7, 7, 3));
	CHECK(!pd_markers_match(m, 15, 1, 1, 2));
	pd_markers_free(m);

	m = BETWEEN(&((struct pd_marker_opts){ PD_SCOPE_SYSTEM }), { 10, BEGIN, 1, 1, 3 },
	    { 20, END, 2, 2, 4 });
	ARE(m, "10-21/10");
	CHECK(pd_markers_match(m, 15, PD_NOID, PD_NOID, PD_NOID));
	pd_markers_free(m);
}

static void
of_nested_pairs_the_outermost_counts(void)
{
	struct pd_markers *m = BETWEEN(&plain,
	    { 10, BEGIN, 1 }, { 11, BEGIN, 1 }, { 12, BEGIN, 1 },
	    { 13, END, 1 }, { 14, END, 1 }, { 15, BEGIN, 1 }, { 16, END, 1 },
	    { 20, END, 1 }, { 30, BEGIN, 1 }, { 31, END, 1 });

	ARE(m, "10-21/10 30-32/1");
	COUNTS(m, "2 3 0 0");
	pd_markers_free(m);
}

/* One end that was lost must not swallow all that follows. */
static void
pairs_behind_a_begin_without_end_still_count(void)
{
	const struct step steps[] = { { 10, BEGIN, 1 }, { 20, BEGIN, 1 },
	    { 22, END, 1 }, { 30, BEGIN, 1 }, { 33, END, 1 }, { 40, TICK, 1 } };
	struct pd_markers *m = between_in(&plain, steps, 6);

	ARE(m, "20-23/2 30-34/3");
	COUNTS(m, "2 0 1 0");
	pd_markers_free(m);
	m = between_in(&open_too, steps, 6);
	ARE(m, "10-41/30! 20-23/2 30-34/3");
	pd_markers_free(m);
}

static void
what_a_thread_began_ends_with_it(void)
{
	struct pd_markers *m = BETWEEN(&open_too,
	    { 10, BEGIN, 1 }, { 15, EXIT, 1 }, { 20, END, 1 },
	    { 30, BEGIN, 1 }, { 31, END, 1 }, { 40, BEGIN, 2 },
	    { 50, TICK, 3 });

	ARE(m, "10-16/5! 30-32/1 40-51/10!");
	COUNTS(m, "1 0 2 1");
	pd_markers_free(m);
}

static void
ends_without_begin_are_counted(void)
{
	struct pd_markers *m = BETWEEN(&plain, { 5, END, 1 },
	    { 10, BEGIN, 1 }, { 20, END, 1 }, { 21, END, 1 });

	ARE(m, "10-21/10");
	COUNTS(m, "1 0 0 2");
	pd_markers_free(m);
}

static void
one_event_as_begin_and_end_cuts_from_each_to_the_next(void)
{
	struct pd_markers *m = pd_markers_new(&err);
	const struct step steps[] = { { 10, BEGIN, 1 }, { 20, BEGIN, 1 },
	    { 25, BEGIN, 2 }, { 35, BEGIN, 1 } };

	CHECK(pd_markers_between(m, "m:begin", "m:begin", &err) == 0);
	m = run(m, record(steps, 4, PDB_CPU));
	ARE(m, "10-21/10 20-36/15");
	COUNTS(m, "2 0 2 0");
	pd_markers_free(m);
}

static void
around_an_event_is_before_and_behind_it(void)
{
	struct pd_markers *m = pd_markers_new(&err);
	const struct step steps[] = { { 3, BEGIN, 1 }, { 20, BEGIN, 1 },
	    { 22, BEGIN, 1 } };

	pd_markers_set(m, &(struct pd_marker_opts){ .before = 5, .after = 3 });
	CHECK(pd_markers_around(m, "m:begin", &err) == 0);
	m = run(m, record(steps, 3, PDB_CPU));
	ARE(m, "0-7/6 15-24/8 17-26/8");
	CHECK(pd_markers_match(m, 23, 1, 1, 0));
	CHECK(!pd_markers_match(m, 14, 1, 1, 0));
	CHECK(!pd_markers_match(m, 23, 1, 2, 0));
	pd_markers_free(m);
}

static void
several_rules_add_up_without_pairing(void)
{
	struct pd_markers *m = pd_markers_new(&err);
	const struct step steps[] = { { 10, BEGIN, 1 }, { 15, TICK, 1 },
	    { 20, END, 1 }, { 25, TICK, 1 } };

	CHECK(pd_markers_between(m, "m:begin", "m:end", &err) == 0);
	CHECK(pd_markers_between(m, "tick", "tick", &err) == 0);
	m = run(m, record(steps, 4, PDB_CPU));
	ARE(m, "10-21/10 15-26/10");
	pd_markers_free(m);
}

/* ---- choosing --------------------------------------------------------------------- */

/* Two choices; the second one may be NULL. */
static void
check_choice(int line, const char *want, enum pd_choose how, const char *text,
    enum pd_choose how2, const char *text2)
{
	/* durations 5 1 4 1 3 */
	static const struct step five[] = { { 100, BEGIN, 1 },
		{ 105, END, 1 }, { 200, BEGIN, 1 }, { 201, END, 1 },
		{ 300, BEGIN, 1 }, { 304, END, 1 }, { 400, BEGIN, 1 },
		{ 401, END, 1 }, { 500, BEGIN, 1 }, { 503, END, 1 } };
	struct pd_markers *m = pd_markers_new(&err);

	CHECK(pd_markers_between(m, "m:begin", "m:end", &err) == 0);
	CHECK(pd_markers_choose(m, how, text, &err) == 0);
	if (text2 != NULL)
		CHECK(pd_markers_choose(m, how2, text2, &err) == 0);
	m = run(m, record(five, 10, PDB_CPU));
	check_are(line, m, want);
	if (*want == '\0') {
		CHECK(!pd_markers_match(m, 102, 1, 1, 0));
		CHECK(pd_markers_over(m, 0));
	}
	pd_markers_free(m);
}
#define CHOICE(want, how, text) \
	check_choice(__LINE__, want, PD_CHOOSE_##how, text, 0, NULL)
#define BOTH(want, how, text, how2, text2) \
	check_choice(__LINE__, want, PD_CHOOSE_##how, text, \
	    PD_CHOOSE_##how2, text2)

static void
occurrences_are_chosen_by_number_and_duration(void)
{
	static const char every[] =
	    "100-106/5 200-202/1 300-305/4 400-402/1 500-504/3";

	CHOICE("100-106/5", NTH, "1");
	CHOICE("200-202/1 500-504/3", NTH, "2,5-9");
	CHOICE("", NTH, "6");
	CHOICE("100-106/5", SLOWEST, "1");
	CHOICE("100-106/5 300-305/4 500-504/3", SLOWEST, "3");
	CHOICE("100-106/5 200-202/1 300-305/4 500-504/3", SLOWEST, "4");
	CHOICE(every, SLOWEST, "99");
	CHOICE("100-106/5 300-305/4", LONGER, "3ns");
	CHOICE("", LONGER, "5ns");
	CHOICE("100-106/5", QUANTILE, "0.99");
	CHOICE("100-106/5", QUANTILE, "1");
	CHOICE("100-106/5 300-305/4", QUANTILE, "0.8");
	CHOICE("100-106/5 300-305/4 500-504/3", QUANTILE, "0.5");
	CHOICE(every, QUANTILE, "0.000000001");
	CHOICE(every, NAME, "b*n");
	CHOICE("", NAME, "x");
}

static void
choices_add_up_over_all_occurrences(void)
{
	BOTH("300-305/4", NTH, "2-4", LONGER, "2ns");
	BOTH("", NTH, "2", SLOWEST, "2");
	BOTH("100-106/5", NAME, "b*n", NTH, "1");
	BOTH("100-106/5 300-305/4", NTH, "1", NTH, "3");
}

static void
choices_that_make_no_sense_are_refused(void)
{
	static const struct { enum pd_choose how; const char *text; } bad[] = {
		{ PD_CHOOSE_NTH, "x" }, { PD_CHOOSE_NTH, "" },
		{ PD_CHOOSE_SLOWEST, "0" }, { PD_CHOOSE_SLOWEST, "1.5" },
		{ PD_CHOOSE_SLOWEST, "-1" }, { PD_CHOOSE_SLOWEST, "" },
		{ PD_CHOOSE_LONGER, "5" }, { PD_CHOOSE_QUANTILE, "0" },
		{ PD_CHOOSE_QUANTILE, "1.01" }, { PD_CHOOSE_QUANTILE, "99%" },
		{ PD_CHOOSE_QUANTILE, "x" }, { PD_CHOOSE_QUANTILE, "-1" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pd_markers *m = pd_markers_new(&err);

		if (!CHECK(pd_markers_choose(m, bad[i].how, bad[i].text,
		    &err) == -1))
			printf("# accepted: '%s'\n", bad[i].text);
		CHECK_EQ(err.code, PD_EARG);
		pd_markers_free(m);
	}
}

/* ---- files ------------------------------------------------------------------------ */

static char dir[] = "/tmp/pd-marker-XXXXXX";

static const char *
file(const char *name, const char *text)
{
	static char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!CHECK(f != NULL))
		return path;
	fputs(text, f);
	fclose(f);
	return path;
}

static const struct step ticks[] = { { 1000, TICK, 7 }, { 2000, TICK, 7 } };

static void
marker_files_list_nanoseconds_and_names(void)
{
	struct pd_markers *m = pd_markers_new(&err);
	const struct pd_occurrence *o;
	size_t len;

	CHECK(pd_markers_file(m, file("a.txt", "1100 1200 import block 1\n"
	    "\n1050\t1060  pro\033pose  \r\n1200 1200 x"), &err) == 0);
	m = run(m, record(ticks, 2, 0));
	ARE(m, "1050-1060/10 1100-1200/100 1200-1200/0");
	o = pd_markers_get(m, &len);
	CHECK_STR(o[0].name, "pro?pose");
	CHECK_STR(o[1].name, "import block 1");
	CHECK_EQ(o[0].tid, PD_NOID);
	CHECK(pd_markers_match(m, 1199, 3, 4, 5));
	CHECK(!pd_markers_match(m, 1200, 3, 4, 5));
	pd_markers_free(m);
}

static void
their_names_say_whose_they_are(void)
{
	struct pd_markers *m = pd_markers_new(&err);

	CHECK(pd_markers_file(m, file("marker-12.txt", "10 20 a\n"),
	    &err) == 0);
	CHECK(pd_markers_file(m, file("marker-12-13.txt", "30 40 b\n"),
	    &err) == 0);
	m = run(m, record(ticks, 2, 0));
	ARE(m, "10-20/10 30-40/10");
	CHECK(pd_markers_match(m, 15, 12, 99, 0));
	CHECK(!pd_markers_match(m, 15, 13, 99, 0));
	CHECK(pd_markers_match(m, 35, 12, 13, 0));
	CHECK(!pd_markers_match(m, 35, 12, 99, 0));
	pd_markers_free(m);
}

static void
lines_that_make_no_sense_are_named(void)
{
	static const char *const bad[] = { "x", "1", "1 2", "1 2 ", "1 x n",
	    "1.5 2 n", "-1 2 n", "2 1 n", "99999999999999999999 2 n" };
	char text[64];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pd_markers *m = pd_markers_new(&err);

		snprintf(text, sizeof(text), "1 2 ok\n%s\n", bad[i]);
		if (!CHECK(pd_markers_file(m, file("bad.txt", text), &err) == -1))
			printf("# accepted: '%s'\n", bad[i]);
		else
			CHECK(strstr(err.msg, "bad.txt:2: ") != NULL);
		pd_markers_free(m);
	}
}

static void
windows_have_names_and_threads(void)
{
	struct pd_markers *m = pd_markers_new(&err);
	const struct pd_occurrence *o;
	size_t len;

	CHECK(pd_markers_windows(m, file("w", "# a comment\n"
	    "+100ns,+20ns tid=7 import block 42\n"
	    "0.0000015,0.0000016\n"
	    "  0.0000018~10ns pid=5 cpu=3 tid\n"), &err) == 0);
	m = run(m, record(ticks, 2, 0));
	ARE(m, "1100-1120/20 1500-1600/100 1795-1805/10");
	o = pd_markers_get(m, &len);
	CHECK_STR(o[0].name, "import block 42");
	CHECK_EQ(o[0].tid, 7);
	CHECK_STR(o[1].name, "window");
	CHECK_EQ(o[1].tid, PD_NOID);
	CHECK_STR(o[2].name, "tid");
	CHECK_EQ(o[2].pid, 5);
	CHECK(pd_markers_match(m, 1110, 7, 7, 0));
	CHECK(!pd_markers_match(m, 1110, 8, 8, 0));
	CHECK(pd_markers_match(m, 1550, 8, 8, 0));
	pd_markers_free(m);
}

static void
windows_that_make_no_sense_are_named(void)
{
	struct pd_markers *m = pd_markers_new(&err);

	CHECK(pd_markers_windows(m, file("w", "1,2\n\n1 x\n"), &err) == -1);
	CHECK(strstr(err.msg, "/w:3: ") != NULL);
	CHECK(pd_markers_windows(m, file("w", "\n@5,+1s x\n"), &err) == 0);
	m = run(m, record(ticks, 2, 0));
	CHECK(m == NULL);
	CHECK(strstr(err.msg, "/w:2: '@5,+1s': ") != NULL);
	CHECK(strstr(err.msg, "CLOCK_MONOTONIC") != NULL);
}

static void
a_line_may_not_be_endless(void)
{
	struct pd_markers *m = pd_markers_new(&err);
	char *text = malloc(20000);

	memset(text, '1', 19999);
	text[19999] = '\0';
	CHECK(pd_markers_file(m, file("long", text), &err) == -1);
	CHECK(strstr(err.msg, "long:1: the line is too long") != NULL);
	free(text);
	pd_markers_free(m);
}

/* A recording that says that process 12 mapped this file. */
static struct pd_reader *
record_map(const char *path, int clockid)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = pdb_event(b, &(struct pdb_event){ .name = "tick",
	    .sample_type = PDB_TID | PDB_TIME });
	struct pdb_id id = { .pid = 12, .tid = 12, .time = 1000 };
	struct pdb *f = pdb_new(PDB_PIPE, false);
	size_t head = pdb_size(f), size;
	struct pd_reader *rd;
	uint8_t *all_bytes;
	char fd_path[32];
	int fd;

	pdb_u32(f, 1);			/* CLOCK_DATA: version */
	pdb_u32(f, (uint32_t)clockid);
	pdb_u64(f, 5000);
	pdb_u64(f, 1000);
	all_bytes = pdb_finish(f, &size);
	if (clockid != -1)
		pdb_feature(b, 29, all_bytes + head, size - head);
	free(all_bytes);
	for (int i = 0; i < 2; i++)
		pdb_mmap2(b, ev, &id, &(struct pdb_map){ .start = 0x1000,
		    .len = 4096, .path = path });
	pdb_sample(b, ev, &(struct pdb_sample){ .id = id });
	fd = pdb_file(b, fd_path);
	rd = pd_reader_open(fd_path, PD_TIME_ORDER, &err);
	close(fd);
	return rd;
}

static struct pd_markers *
mapped(const char *path, int clockid)
{
	struct pd_markers *m = pd_markers_new(&err);

	pd_markers_set(m, &(struct pd_marker_opts){ .mapped = true });
	return run(m, record_map(path, clockid));
}

static void
marker_files_that_processes_mapped_are_found(void)
{
	struct pd_markers *m = mapped(file("marker-12-14.txt",
	    "10 20 a\nnonsense\n30 40 b\n50 6"), 1);

	ARE(m, "10-20/10 30-40/10");
	CHECK(pd_markers_match(m, 15, 12, 14, 0));
	CHECK(!pd_markers_match(m, 15, 12, 12, 0));
	CHECK(pd_markers_note(m, 0) != NULL);
	pd_markers_free(m);
	/* the numbers of another namespace of processes */
	m = mapped(file("marker-1-2.txt", "10 20 a\n"), 1);
	CHECK(pd_markers_match(m, 15, 12, 12, 0));
	CHECK(!pd_markers_match(m, 15, 1, 2, 0));
	pd_markers_free(m);
	m = mapped(file("other-1-2.txt", "10 20 a\n"), 1);
	ARE(m, "");
	CHECK(pd_markers_note(m, 0) == NULL);
	pd_markers_free(m);
}

static void
files_that_cannot_be_read_are_noted(void)
{
	struct pd_markers *m = mapped("/nonexistent/marker-12.txt", 1);
	char path[64];

	ARE(m, "");
	if (CHECK(pd_markers_note(m, 0) != NULL))
		CHECK(strstr(pd_markers_note(m, 0)->msg, "file not found"));
	pd_markers_free(m);
	snprintf(path, sizeof(path), "%s/marker-5.txt", dir);
	CHECK(mkfifo(path, 0600) == 0);
	m = mapped(path, 1);
	ARE(m, "");
	if (CHECK(pd_markers_note(m, 0) != NULL))
		CHECK(strstr(pd_markers_note(m, 0)->msg, "not a regular file"));
	pd_markers_free(m);
}

static void
marker_files_need_their_clock(void)
{
	CHECK(mapped(file("marker-12.txt", "1 2 x\n"), -1) == NULL);
	CHECK(strstr(err.msg, "perf record -k CLOCK_MONOTONIC") != NULL);
	CHECK(mapped(file("marker-12.txt", "1 2 x\n"), 4) == NULL);
}

/* ---- what cannot be ----------------------------------------------------------------- */

static void
an_event_that_the_recording_has_not_is_an_error(void)
{
	struct pd_markers *m = pd_markers_new(&err);

	CHECK(pd_markers_between(m, "m:begin", "m:ende", &err) == 0);
	CHECK(run(m, record(ticks, 2, 0)) == NULL);
	CHECK_STR(err.msg, "--between: no event 'm:ende' in the recording, "
	    "which has m:begin, m:end, tick");
}

static void
without_cpu_there_is_no_scope_of_it(void)
{
	struct pd_markers *m = pd_markers_new(&err);

	pd_markers_set(m, &(struct pd_marker_opts){ PD_SCOPE_CPU });
	CHECK(pd_markers_between(m, "m:begin", "m:end", &err) == 0);
	CHECK(run(m, record(ticks, 2, 0)) == NULL);
	CHECK(strstr(err.msg, "--sample-cpu") != NULL);
}

static void
events_of_markers_are_known(void)
{
	struct pd_markers *m = pd_markers_new(&err);
	struct pd_event begin = { .name = "m:begin" }, tick = { .name = "tick" };

	CHECK(!pd_markers_is(m, &begin));
	CHECK(pd_markers_between(m, "m:b*:x==1", "m:end", &err) == 0);
	CHECK(pd_markers_is(m, &begin));
	CHECK(!pd_markers_is(m, &tick));
	pd_markers_free(m);
}

/* Random begins, ends and exits, against all pairs by the definition. */
static void
pairing_is_as_defined(void)
{
	enum { N = 60, THREADS = 3 };
	struct step s[N];

	for (unsigned seed = 0; seed < 200; seed++) {
		uint64_t end_of[N] = { 0 };
		unsigned state = seed * 2654435761u + 1;
		char want[2048] = "", got[2048] = "";
		const struct pd_occurrence *o;
		struct pd_markers *m;
		size_t len, n = 0;

		for (size_t i = 0; i < N; i++) {
			state = state * 1103515245 + 12345;
			s[i] = (struct step){ 10 * i + 10,
			    (int)(state >> 16) % 3, 1 + (state >> 20) % THREADS,
			    0, 0 };
		}
		/* the end of each begin, by counting */
		for (size_t i = 0; i < N; i++) {
			int depth = 1;

			for (size_t j = i + 1; s[i].event == BEGIN && j < N &&
			    depth > 0; j++) {
				if (s[j].tid != s[i].tid || s[j].event == TICK)
					continue;
				depth += s[j].event == BEGIN ? 1 : -1;
				if (depth == 0)
					end_of[i] = s[j].time;
			}
		}
		for (size_t i = 0; i < N; i++) {
			bool inside = false;

			for (size_t j = 0; j < i; j++)
				inside |= s[j].tid == s[i].tid &&
				    end_of[j] > s[i].time;
			if (end_of[i] && !inside)
				n += (size_t)snprintf(want + n,
				    sizeof(want) - n, "%u:%llu-%llu ", s[i].tid,
				    (unsigned long long)s[i].time,
				    (unsigned long long)end_of[i] + 1);
		}
		m = between_in(&plain, s, N);
		o = pd_markers_get(m, &len);
		for (size_t i = n = 0; i < len; i++)
			n += (size_t)snprintf(got + n, sizeof(got) - n,
			    "%u:%llu-%llu ", o[i].tid,
			    (unsigned long long)o[i].start,
			    (unsigned long long)o[i].stop);
		CHECK_STR(got, want);
		/* and who is inside */
		for (uint64_t t = 5; t < 10 * N + 20; t += 5)
			for (uint32_t tid = 1; tid <= THREADS; tid++) {
				bool in = false;

				for (size_t i = 0; i < len; i++)
					in |= o[i].tid == tid &&
					    t >= o[i].start && t < o[i].stop;
				CHECK(pd_markers_match(m, t, tid, tid, 0) == in);
			}
		pd_markers_free(m);
	}
}

int
main(void)
{
	if (mkdtemp(dir) == NULL)
		return 1;
	RUN(an_occurrence_has_both_its_events);
	RUN(threads_pair_apart);
	RUN(the_scope_says_what_pairs_and_what_is_inside);
	RUN(of_nested_pairs_the_outermost_counts);
	RUN(pairs_behind_a_begin_without_end_still_count);
	RUN(what_a_thread_began_ends_with_it);
	RUN(ends_without_begin_are_counted);
	RUN(one_event_as_begin_and_end_cuts_from_each_to_the_next);
	RUN(around_an_event_is_before_and_behind_it);
	RUN(several_rules_add_up_without_pairing);
	RUN(occurrences_are_chosen_by_number_and_duration);
	RUN(choices_add_up_over_all_occurrences);
	RUN(choices_that_make_no_sense_are_refused);
	RUN(marker_files_list_nanoseconds_and_names);
	RUN(their_names_say_whose_they_are);
	RUN(lines_that_make_no_sense_are_named);
	RUN(windows_have_names_and_threads);
	RUN(windows_that_make_no_sense_are_named);
	RUN(a_line_may_not_be_endless);
	RUN(marker_files_that_processes_mapped_are_found);
	RUN(files_that_cannot_be_read_are_noted);
	RUN(marker_files_need_their_clock);
	RUN(an_event_that_the_recording_has_not_is_an_error);
	RUN(without_cpu_there_is_no_scope_of_it);
	RUN(events_of_markers_are_known);
	RUN(pairing_is_as_defined);
	if (system(NULL) != 0) {
		char cmd[64];

		snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
		if (system(cmd) != 0)
			printf("# %s remains\n", dir);
	}
	return tap_done();
}
