/* Which samples a selection keeps: lists of numbers and globs. */
#include "perfdata.h"
#include "tap.h"

static struct pd_error err;

static bool
matches(const struct pd_filter *f, uint32_t pid, uint32_t tid, uint32_t cpu,
    const char *comm)
{
	struct pd_record rec = { .pid = pid, .tid = tid, .cpu = cpu };
	struct pd_thread th = { .pid = pid, .tid = tid, .comm = comm,
	    .leader_comm = "leader" };

	return pd_filter_match(f, &rec, &th);
}

static bool
one(enum pd_filter_kind kind, const char *spec, uint32_t v)
{
	struct pd_filter *f = pd_filter_new(&err);
	bool r = pd_filter_add(f, kind, spec, &err) == 0 &&
	    matches(f, kind == PD_BY_PID ? v : 9999,
	    kind == PD_BY_TID ? v : 9999, kind == PD_BY_CPU ? v : 9999, "x");

	pd_filter_free(f);
	return r;
}

static void
a_list_has_numbers_and_ranges_with_both_ends(void)
{
	for (enum pd_filter_kind kind = PD_BY_PID; kind <= PD_BY_CPU; kind++) {
		CHECK(!one(kind, "1,4-7", 0));
		CHECK(one(kind, "1,4-7", 1));
		CHECK(!one(kind, "1,4-7", 3));
		CHECK(one(kind, "1,4-7", 4));
		CHECK(one(kind, "1,4-7", 7));
		CHECK(!one(kind, "1,4-7", 8));
		CHECK(one(kind, "0", 0));
		CHECK(one(kind, "5-5", 5));
		CHECK(one(kind, "7-9,1-2", 2));
	}
}

static void
a_list_that_makes_no_sense_is_an_error(void)
{
	static const char *const bad[] = { "", "x", "1,", ",1", "1-", "-1",
	    "7-4", "1 2", "1x", "4294967296", "99999999999999999999", "1--2",
	    "0x10", "+1", " 1" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pd_filter *f = pd_filter_new(&err);

		if (!CHECK_EQ(pd_filter_add(f, PD_BY_TID, bad[i], &err), -1))
			printf("# \"%s\"\n", bad[i]);
		CHECK_EQ(err.code, PD_EARG);
		CHECK(strstr(err.msg, "--tid") != NULL);
		pd_filter_free(f);
	}
}

static void
no_condition_keeps_all(void)
{
	struct pd_filter *f = pd_filter_new(&err);

	CHECK(matches(f, 1, 2, 3, "x"));
	CHECK(matches(f, PD_NOID, PD_NOID, PD_NOID, ""));
	pd_filter_free(f);
	pd_filter_free(NULL);
}

static void
one_of_a_kind_and_all_kinds_must_hold(void)
{
	struct pd_filter *f = pd_filter_new(&err);

	pd_filter_add(f, PD_BY_PID, "1", &err);
	pd_filter_add(f, PD_BY_PID, "3", &err);
	pd_filter_add(f, PD_BY_CPU, "0-1", &err);
	pd_filter_add(f, PD_BY_COMM, "a*", &err);
	pd_filter_add(f, PD_BY_COMM, "b", &err);
	CHECK(matches(f, 1, 5, 0, "abc"));
	CHECK(matches(f, 3, 5, 1, "b"));
	CHECK(!matches(f, 2, 5, 1, "b"));
	CHECK(!matches(f, 3, 5, 2, "b"));
	CHECK(!matches(f, 3, 5, 1, "bc"));
	pd_filter_free(f);
}

/* What a sample does not tell is in no list. */
static void
a_sample_without_a_cpu_is_on_none(void)
{
	CHECK(!one(PD_BY_CPU, "0-1000", PD_NOID));
}

static bool
comm_matches(const char *glob, const char *comm)
{
	struct pd_filter *f = pd_filter_new(&err);
	bool r = pd_filter_add(f, PD_BY_COMM, glob, &err) == 0 &&
	    matches(f, 1, 1, 1, comm);

	pd_filter_free(f);
	return r;
}

static void
comms_are_matched_whole_by_globs(void)
{
	CHECK(comm_matches("worker", "worker"));
	CHECK(!comm_matches("worker", "worker1"));
	CHECK(!comm_matches("worker", "a worker"));
	CHECK(comm_matches("worker*", "worker/0:1"));
	CHECK(comm_matches("worker?", "worker1"));
	CHECK(comm_matches("worker[0-3]", "worker2"));
	CHECK(!comm_matches("worker[!0-3]", "worker2"));
	CHECK(comm_matches("*", ""));
	CHECK(comm_matches("Web Content", "Web Content"));
	CHECK(comm_matches("\\*", "*"));
	CHECK(!comm_matches("leader", "x"));	/* the thread's own name */
	CHECK(!comm_matches("Worker", "worker"));
}

int
main(void)
{
	RUN(a_list_has_numbers_and_ranges_with_both_ends);
	RUN(a_list_that_makes_no_sense_is_an_error);
	RUN(no_condition_keeps_all);
	RUN(one_of_a_kind_and_all_kinds_must_hold);
	RUN(a_sample_without_a_cpu_is_on_none);
	RUN(comms_are_matched_whole_by_globs);
	return tap_done();
}
