/* Samples are cut into windows by their time, none is lost or counted twice. */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/tree.h"
#include "pdbuild.h"
#include "push/window.h"
#include "tap.h"

#define SEC	1000000000ull
#define MS	1000000ull
#define BASE	(1700000000 * SEC)	/* the wall clock at time 0 */

static struct pd_event event = { .name = "cpu-clock", .type = 1 };
static struct pd_thread thread = { 1, 1, "worker", "worker" };
static struct pd_reader *rd;
static struct pd_tree *tree;
static uint32_t node;

static struct {
	uint64_t	time, duration, samples;
	char		name[32];
} parts[64];
static size_t nparts;

/* What the clocks say; 0: what they do. */
static uint64_t wall_clock, machine_clock;

int
clock_gettime(clockid_t id, struct timespec *ts)
{
	uint64_t now = id == CLOCK_REALTIME ? wall_clock : machine_clock;

	if (now == 0)
		return (int)syscall(SYS_clock_gettime, id, ts);
	ts->tv_sec = (time_t)(now / SEC);
	ts->tv_nsec = (long)(now % SEC);
	return 0;
}

static int
put(void *ctx, const struct pd_push_part *p, struct pd_error *err)
{
	(void)ctx;
	(void)err;
	if (nparts == sizeof(parts) / sizeof(parts[0]))
		return -1;
	parts[nparts].time = p->time;
	parts[nparts].duration = p->duration;
	parts[nparts].samples = p->samples;
	snprintf(parts[nparts].name, sizeof(parts[nparts].name), "%s", p->name);
	nparts++;
	return 0;
}

static struct pd_push_windows *
windows(uint64_t size, uint64_t span)
{
	struct pd_push_window_opts o = { .size = size, .span = span,
		.base = BASE + 250 * MS + 123, .put = put };
	struct pd_error err;

	nparts = 0;
	return pd_push_windows_new(rd, &o, &err);
}

/* A sample so long after the first, which is at time 1000 of its clock. */
static bool
sample(struct pd_push_windows *w, uint64_t after, uint32_t of, bool first)
{
	struct pd_fold_sample s = { .event = &event, .thread = &thread,
		.tree = tree, .node = of, .cpu = 0, .time = 1000 + after,
		.weight = 7, .duration = 7, .first = first };
	struct pd_error err;

	return CHECK(pd_push_windows_sample(w, &s, &err) == 0);
}

static void
finish(struct pd_push_windows *w)
{
	struct pd_error err;

	CHECK(pd_push_windows_flush(w, &err) == 0);
	pd_push_windows_free(w);
}

static void
windows_begin_at_multiples_of_their_size(void)
{
	struct pd_push_windows *w = windows(100 * MS, 0);

	sample(w, 0, node, true);		/* at .250000123 */
	sample(w, 49 * MS, node, false);	/* .299 */
	sample(w, 50 * MS - 124, node, false);	/* .2999.. */
	sample(w, 50 * MS - 123, node, false);	/* .300 */
	sample(w, 400 * MS, node, false);	/* .650: some are empty */
	finish(w);
	if (!CHECK_EQ(nparts, 3))
		return;
	CHECK_EQ(parts[0].time, BASE + 250 * MS + 123);
	CHECK_EQ(parts[0].samples, 3);
	CHECK_EQ(parts[0].duration, 50 * MS - 124);
	CHECK_EQ(parts[1].time, BASE + 300 * MS + 123);
	CHECK_EQ(parts[1].samples, 1);
	CHECK_EQ(parts[1].duration, 100 * MS);
	CHECK_EQ(parts[2].time, BASE + 600 * MS + 123);
	CHECK_STR(parts[0].name, "process_cpu");
}

static void
without_a_size_all_is_one(void)
{
	struct pd_push_windows *w = windows(0, 0);

	sample(w, 0, node, true);
	sample(w, 5000 * SEC, node, false);
	finish(w);
	if (!CHECK_EQ(nparts, 1))
		return;
	CHECK_EQ(parts[0].time, BASE + 250 * MS + 123);
	CHECK_EQ(parts[0].samples, 2);
	CHECK_EQ(parts[0].duration, 5000 * SEC);
}

static void
one_that_comes_late_counts_in_the_open_window(void)
{
	struct pd_push_windows *w = windows(100 * MS, 0);

	sample(w, 0, node, true);
	sample(w, 60 * MS, node, false);
	sample(w, 10 * MS, node, false);
	sample(w, 70 * MS, node, false);
	finish(w);
	if (!CHECK_EQ(nparts, 2))
		return;
	CHECK_EQ(parts[0].samples, 1);
	CHECK_EQ(parts[1].samples, 3);
}

static void
a_window_that_is_opened_again_has_another_time(void)
{
	struct pd_push_windows *w = windows(100 * MS, 0);
	struct pd_error err;

	sample(w, 60 * MS, node, true);
	sample(w, 160 * MS, node, false);
	CHECK(pd_push_windows_flush(w, &err) == 0);
	sample(w, 161 * MS, node, false);
	finish(w);
	if (!CHECK_EQ(nparts, 3))
		return;
	CHECK_EQ(parts[2].time, parts[1].time + 1);
}

/* A damaged time must not take all that follows with it. */
static void
a_time_in_the_far_future_is_one_window(void)
{
	struct pd_push_windows *w = windows(100 * MS, 0);
	size_t i, j;

	sample(w, 0, node, true);
	sample(w, 1000000000 * SEC, node, false);
	for (i = 0; i < 5; i++)
		sample(w, 20 * MS + i * 100 * MS, node, false);
	finish(w);
	if (!CHECK_EQ(nparts, 7))
		return;
	for (i = 0; i < nparts; i++)
		for (j = 0; j < i; j++)
			CHECK(parts[i].time != parts[j].time);
	CHECK(parts[6].time / SEC == BASE / SEC);
}

static void
another_event_begins_anew(void)
{
	struct pd_push_windows *w = windows(0, 0);

	sample(w, 0, node, true);
	sample(w, 1, node, false);
	sample(w, 2, node, true);
	finish(w);
	CHECK_EQ(nparts, 1);
	CHECK_EQ(parts[0].samples, 1);
}

static void
more_stacks_than_a_profile_may_have_are_several(void)
{
	struct pd_push_windows *w = windows(SEC, 0);
	struct pd_frame f = { .kind = PD_FRAME_USER };
	struct pd_error err;
	char name[32];
	uint64_t sum = 0;
	uint32_t n;
	size_t i;

	f.name = name;
	for (i = 0; i < 40000; i++) {
		snprintf(name, sizeof(name), "f%zu", i);
		n = pd_tree_child(tree, 0, pd_tree_add_frame(tree, &f, &err),
		    &err);
		sample(w, i, n, i == 0);
		sample(w, i, n, false);
	}
	finish(w);
	CHECK(nparts >= 3);
	for (i = 0; i < nparts; i++) {
		CHECK(parts[i].samples <= 2 * 16000);
		CHECK_EQ(parts[i].time, parts[0].time + i);
		CHECK_STR(parts[i].name, "process_cpu");
		sum += parts[i].samples;
	}
	CHECK_EQ(sum, 80000);
}

static void
spans_keep_samples_of_one_stack_apart(void)
{
	struct pd_push_windows *w = windows(SEC, MS);
	struct pd_error err;

	/* One stack in 20,000 spans is more than a profile may have. */
	for (size_t i = 0; i < 20000; i++)
		sample(w, i * 30000, node, i == 0);
	CHECK(pd_push_windows_flush(w, &err) == 0);
	CHECK_EQ(nparts, 1);
	CHECK_EQ(parts[0].samples, 20000);
	pd_push_windows_free(w);
	w = windows(SEC, 30000);
	for (size_t i = 0; i < 20000; i++)
		sample(w, i * 30000, node, i == 0);
	finish(w);
	CHECK_EQ(nparts, 2);
	CHECK_EQ(parts[0].samples + parts[1].samples, 20000);
}

static void
a_live_window_is_over_when_the_next_one_is(void)
{
	struct pd_push_window_opts o = { .size = SEC, .guess = BASE, .put = put };
	struct pd_error err;
	struct pd_push_windows *w = pd_push_windows_new(rd, &o, &err);

	nparts = 0;
	CHECK(!pd_push_windows_over(w, BASE + 999 * SEC));
	sample(w, 0, node, true);
	CHECK(!pd_push_windows_over(w, BASE));
	CHECK(!pd_push_windows_over(w, BASE + 2 * SEC - 1));
	CHECK(pd_push_windows_over(w, BASE + 2 * SEC));
	finish(w);
	w = windows(SEC, 0);		/* the past, as it is told to be */
	sample(w, 0, node, true);
	CHECK(!pd_push_windows_over(w, BASE + 999 * SEC));
	finish(w);
}

/* A recording out of a pipe; clock: it says that time 0 is BASE. */
static int
open_recording(bool clock)
{
	struct pdb *b = pdb_new(PDB_PIPE, false);
	const uint64_t clocks[] = { 1 | UINT64_C(1) << 32, BASE, 0 };
	struct pd_record rec;
	struct pd_error err;
	char path[32];
	int fd;

	pdb_event(b, &(struct pdb_event){ .sample_type = PDB_IP | PDB_TIME });
	if (clock)
		pdb_feature(b, 29, clocks, sizeof(clocks));
	pdb_round(b);
	fd = pdb_file(b, path);
	if ((rd = pd_reader_open(path, PD_TIME_ORDER, &err)) == NULL)
		printf("Bail out! %s\n", err.msg);
	while (pd_reader_next(rd, &rec, &err) == 1)
		;
	return fd;
}

/* In a pipe the clock comes as a record, after the date of the file is seen. */
static void
what_is_recorded_goes_before_what_is_guessed(void)
{
	struct pd_push_window_opts o = { .guess = 7 * SEC, .put = put };
	struct pd_push_windows *w;
	struct pd_reader *plain = rd;
	struct pd_error err;
	int fd;

	nparts = 0;
	w = pd_push_windows_new(rd, &o, &err);
	sample(w, 0, node, true);
	CHECK(!pd_push_windows_has_clock(w));
	finish(w);
	CHECK_EQ(parts[0].time, 7 * SEC);
	fd = open_recording(true);
	w = pd_push_windows_new(rd, &o, &err);
	sample(w, 0, node, true);
	CHECK(pd_push_windows_has_clock(w));
	finish(w);
	CHECK_EQ(parts[1].time, BASE + 1000);
	pd_reader_close(rd);
	close(fd);
	rd = plain;
}

/* Times of four windows: it was set in the second, the fourth is late. */
static void
a_clock_that_is_set(uint64_t ahead, int64_t set, uint64_t drift)
{
	struct pd_push_window_opts o = { .size = SEC, .put = put };
	struct pd_error err;
	struct pd_push_windows *w = pd_push_windows_new(rd, &o, &err);
	static const uint64_t after[] = { 0, 1500, 2600, 3700, 4800 };
	uint64_t late = 0, t;

	nparts = 0;
	for (size_t i = 0; i < 5; i++) {
		t = after[i] * MS;
		if (i == 2)
			ahead += (uint64_t)set;
		if (i >= 3)
			late = 200 * SEC;
		machine_clock = 1000 + t + late;
		wall_clock = ahead + machine_clock;
		sample(w, t, node, i == 0);
	}
	finish(w);
	machine_clock = wall_clock = 0;
	if (!CHECK_EQ(nparts, 5))
		return;
	for (size_t i = 1; i < 5; i++) {
		t = ahead + after[i] * MS - (i < 2 ? (uint64_t)set : 0);
		if (!CHECK(parts[i].time - t / SEC * SEC - 1000 <= drift))
			printf("# window %zu\n", i);
	}
}

static void
the_time_of_live_samples_is_that_of_a_clock_that_is_set(void)
{
	struct pd_reader *plain = rd;
	int fd;

	a_clock_that_is_set(BASE, 7200ll * (int64_t)SEC, MS);
	a_clock_that_is_set(BASE, -7200ll * (int64_t)SEC, MS);
	fd = open_recording(true);
	a_clock_that_is_set(BASE, 7200ll * (int64_t)SEC, 0);
	pd_reader_close(rd);
	close(fd);
	rd = plain;
}

int
main(void)
{
	struct pd_frame f = { .name = "main", .kind = PD_FRAME_USER };
	struct pd_error err;
	int fd = open_recording(false);

	tree = pd_tree_new(&err);
	node = pd_tree_child(tree, 0, pd_tree_add_frame(tree, &f, &err), &err);
	RUN(windows_begin_at_multiples_of_their_size);
	RUN(without_a_size_all_is_one);
	RUN(one_that_comes_late_counts_in_the_open_window);
	RUN(a_window_that_is_opened_again_has_another_time);
	RUN(a_time_in_the_far_future_is_one_window);
	RUN(another_event_begins_anew);
	RUN(more_stacks_than_a_profile_may_have_are_several);
	RUN(spans_keep_samples_of_one_stack_apart);
	RUN(a_live_window_is_over_when_the_next_one_is);
	RUN(what_is_recorded_goes_before_what_is_guessed);
	RUN(the_time_of_live_samples_is_that_of_a_clock_that_is_set);
	pd_tree_free(tree);
	pd_reader_close(rd);
	close(fd);
	return tap_done();
}
