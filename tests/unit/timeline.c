/* The samples of each thread come back as they went in, in order of time. */
#include <stdlib.h>

#include "export/timeline.h"
#include "tap.h"

static struct pd_timeline t;
static struct pd_error err;

static struct pd_fold_sample
sample(const struct pd_thread *th, uint64_t time)
{
	return (struct pd_fold_sample){ .thread = th, .time = time,
		.weight = 7, .duration = 5, .node = (uint32_t)time,
		.cpu = PD_NOID };
}

static void
add(const struct pd_thread *th, uint64_t time)
{
	struct pd_fold_sample s = sample(th, time);

	CHECK(pd_timeline_add(&t, &s, &err) == 0);
}

/* The times of a track, as text. */
static const char *
times(size_t track)
{
	static char text[256];
	struct pd_moment m;
	size_t n = 0;

	text[0] = '\0';
	CHECK(pd_timeline_open(&t, &t.tracks[track], &err) == 0);
	while (pd_timeline_next(&t, &m, &err) == 1 && n < sizeof(text) - 24)
		n += (size_t)sprintf(text + n, " %d", (int)m.time);
	return text;
}

static const struct pd_thread one = { 1, 1, "one", "one" };
static const struct pd_thread two = { 1, 2, "two", "one" };

static void
threads_are_apart(void)
{
	pd_timeline_init(&t);
	add(&one, 10);
	add(&two, 20);
	add(&one, 30);
	CHECK_EQ(t.len, 2);
	CHECK_STR(times(0), " 10 30");
	CHECK_STR(times(1), " 20");
	CHECK_EQ(t.tracks[0].samples, 2);
	CHECK_EQ(t.tracks[0].weight, 14);
	CHECK_EQ(t.tracks[1].tid, 2);
	CHECK_EQ(t.start, 5);		/* the first began before it ended */
	CHECK_EQ(t.end, 30);
	pd_timeline_free(&t);
}

static void
late_samples_are_put_where_they_belong(void)
{
	pd_timeline_init(&t);
	add(&one, 30);
	add(&one, 10);
	add(&one, 20);
	add(&one, 40);
	CHECK_STR(times(0), " 10 20 30 40");
	CHECK_STR(times(0), " 10 20 30 40");
	CHECK_EQ(t.start, 5);
	pd_timeline_free(&t);
}

static void
what_changes_is_kept(void)
{
	struct pd_thread th = { 1, 1, "a", "a" };
	struct pd_fold_sample s[4] = { sample(&th, 10), sample(&th, 20),
		sample(&th, PD_NOTIME), sample(&th, 30) };
	struct pd_moment m;

	s[1].weight = UINT64_MAX;
	s[1].cpu = 3;
	s[2].duration = PD_NOTIME;
	s[2].cpu = 0;
	s[3].node = UINT32_MAX - 1;
	pd_timeline_init(&t);
	for (int i = 0; i < 4; i++) {
		if (i == 3)
			th.comm = "b";
		CHECK(pd_timeline_add(&t, &s[i], &err) == 0);
	}
	t.tracks[0].late = false;	/* the third has no time */
	CHECK(pd_timeline_open(&t, &t.tracks[0], &err) == 0);
	for (int i = 0; i < 4; i++) {
		CHECK(pd_timeline_next(&t, &m, &err) == 1);
		CHECK_EQ(m.time, s[i].time);
		CHECK_EQ(m.weight, s[i].weight);
		CHECK_EQ(m.duration, s[i].duration);
		CHECK_EQ(m.cpu, s[i].cpu);
		CHECK_EQ(m.node, s[i].node);
		CHECK_STR(pd_timeline_comm(&t, m.comm), i < 3 ? "a" : "b");
	}
	CHECK(pd_timeline_next(&t, &m, &err) == 0);
	CHECK_STR(pd_timeline_comm(&t, t.tracks[0].comm), "b");
	pd_timeline_free(&t);
}

/* More than one block each, and threads whose blocks alternate in the file. */
static void
many_samples_are_all_there(void)
{
	struct pd_thread th[3] = { one, two, { 2, 3, "three", "three" } };
	struct pd_moment m;
	uint64_t n, sum;

	pd_timeline_init(&t);
	for (int round = 0; round < 2; round++) {
		for (n = 0; n < 60000; n++)
			add(&th[n % 3], 1000 + n * n % 100000 + n * 100000);
		CHECK(t.file_size > 100000);
		for (size_t i = 0; i < 3; i++) {
			CHECK(pd_timeline_open(&t, &t.tracks[i], &err) == 0);
			CHECK(t.tracks[i].nblocks > 10);
			for (n = i, sum = 0; pd_timeline_next(&t, &m, &err) == 1;
			    n += 3)
				sum += m.time != 1000 + n * n % 100000 + n * 100000;
			CHECK_EQ(n, 60000 + i);
			CHECK_EQ(sum, 0);
		}
		pd_timeline_clear(&t);
		CHECK_EQ(t.len, 0);
	}
	pd_timeline_free(&t);
}

static void
a_full_disk_is_an_error(void)
{
	struct pd_fold_sample s;
	int r = 0;

	pd_timeline_init(&t);
	setenv("TMPDIR", "/nonexistent", 1);
	for (uint64_t n = 1; r == 0 && n < 100000; n++) {
		s = sample(&one, n);
		r = pd_timeline_add(&t, &s, &err);
	}
	unsetenv("TMPDIR");
	CHECK_EQ(r, -1);
	CHECK(strstr(err.msg, "temporary file in /nonexistent") != NULL);
	pd_timeline_free(&t);
}

int
main(void)
{
	RUN(threads_are_apart);
	RUN(late_samples_are_put_where_they_belong);
	RUN(what_changes_is_kept);
	RUN(many_samples_are_all_there);
	RUN(a_full_disk_is_an_error);
	return tap_done();
}
