/* Attributes, ids and names of events. */
#include <stdlib.h>

#include "record/event.h"
#include "tap.h"

static struct pd_error err;

/* ---- attributes --------------------------------------------------------- */

/*
 * struct perf_event_attr with a number in every field that we read, and in
 * what follows it: perf_event_open(2).
 */
struct field {
	size_t		at, size;
	uint64_t	value;
};

static const struct field fields[] = {
	{ 0, 4, 1 }, { 8, 8, 0x1122334455667788 }, { 16, 8, 4000 },
	{ 24, 8, 0x10107 }, { 32, 8, 0x1d }, { 72, 8, 0x801 },
	{ 80, 8, 0xff0fff }, { 88, 4, 8192 }, { 92, 4, 4 },
	{ 96, 8, 0x1234 }, { 108, 2, 64 }, { 112, 4, 0x55 },
	{ 128, 8, 0x66 }, { 136, 8, 0x77 },
};

/* freq, sample_id_all, use_clockid */
#define FLAGS	(1u << 10 | 1u << 18 | 1u << 25)

static void
put(uint8_t *to, uint64_t v, size_t size, bool swapped)
{
	for (size_t i = 0; i < size; i++)
		to[swapped ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

static void
make_attr(uint8_t *a, size_t room, uint32_t size, bool swapped)
{
	memset(a, 0, room);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (fields[i].at < room)
			put(a + fields[i].at, fields[i].value, fields[i].size,
			    swapped);
	put(a + 4, size, 4, swapped);
	for (int i = 0; i < 32; i++)
		if (FLAGS >> i & 1)
			a[40 + i / 8] |= 1 << (swapped ? 7 - i % 8 : i % 8);
}

static void
check_attr(uint32_t stored, size_t size, bool swapped)
{
	struct pd_events es = { 0 };
	uint8_t a[700];
	struct pd_cursor c = pd_cursor(a, sizeof(a), swapped);
	struct pd_evt *evt;
	const struct pd_event *ev;

	make_attr(a, sizeof(a), stored, swapped);
	evt = pd_events_add(&es, &c, sizeof(a), false, 0, &err);
	if (!CHECK(evt != NULL)) {
		printf("# size %u: %s\n", stored, err.msg);
		return;
	}
	ev = &evt->pub;
	CHECK_EQ(c.p - a, size);
	CHECK_EQ(ev->type, 1);
	CHECK_EQ(ev->config, 0x1122334455667788);
	CHECK_EQ(ev->period_or_freq, 4000);
	CHECK_EQ(ev->sample_type, 0x10107);
	CHECK_EQ(ev->read_format, 0x1d);
	CHECK_EQ(ev->flags, FLAGS);
	CHECK(ev->is_freq && ev->sample_id_all);
	/* What an older perf did not write is 0, whatever comes behind it. */
	CHECK_EQ(ev->branch_type, size >= 80 ? 0x801 : 0);
	CHECK_EQ(ev->regs_user, size >= 96 ? 0xff0fff : 0);
	CHECK_EQ(ev->stack_user, size >= 96 ? 8192 : 0);
	CHECK_EQ(evt->clockid, size >= 96 ? 4 : 0);
	CHECK_EQ(ev->regs_intr, size >= 104 ? 0x1234 : 0);
	CHECK_EQ(ev->max_stack, size >= 112 ? 64 : 0);
	pd_events_free(&es);
}

static void
attributes_of_all_ages_are_read_as_far_as_they_go(void)
{
	/* PERF_ATTR_SIZE_VER0 to VER8, a future one, one beyond our room */
	static const uint32_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128,
	    136, 144, 256, 600 };

	for (int swapped = 0; swapped < 2; swapped++) {
		check_attr(0, 64, swapped);	/* as the first kernels did */
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			check_attr(sizes[i], sizes[i], swapped);
	}
}

static void
every_flag_keeps_its_place_in_the_other_byte_order(void)
{
	for (int bit = 0; bit < 64; bit++) {
		struct pd_events es = { 0 };
		uint8_t a[64] = { 0 };
		struct pd_cursor c = pd_cursor(a, sizeof(a), true);
		struct pd_evt *evt;

		a[7] = 64;
		a[31] = 1;
		a[40 + bit / 8] = 1 << (7 - bit % 8);
		evt = pd_events_add(&es, &c, 64, false, 0, &err);
		if (CHECK(evt != NULL))
			CHECK_EQ(evt->pub.flags, UINT64_C(1) << bit);
		pd_events_free(&es);
	}
}

static void
an_entry_of_a_file_is_passed_over_whole(void)
{
	struct pd_events es = { 0 };
	uint8_t a[200];
	struct pd_cursor c = pd_cursor(a, sizeof(a), false);

	make_attr(a, sizeof(a), 72, false);
	CHECK(pd_events_add(&es, &c, 128, true, 0, &err) != NULL);
	CHECK_EQ(c.p - a, 128);
	pd_events_free(&es);
}

static void
sizes_that_cannot_be_are_refused(void)
{
	static const struct { uint32_t size; size_t room; } bad[] = {
		{ 1, 200 }, { 63, 200 }, { 129, 128 }, { UINT32_MAX, 200 },
		{ 64, 63 }, { 64, 0 }, { 0, 63 }, { 65, 64 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pd_events es = { 0 };
		uint8_t a[200];
		struct pd_cursor c = pd_cursor(a, sizeof(a), false);

		make_attr(a, sizeof(a), bad[i].size, false);
		CHECK(pd_events_add(&es, &c, bad[i].room, false, 7, &err) ==
		    NULL);
		CHECK_EQ(err.offset, 7);
		CHECK_EQ(es.len, 0);
		pd_events_free(&es);
	}
}

/* ---- positions and ids -------------------------------------------------- */

static struct pd_evt *
add(struct pd_events *es, uint64_t sample_type, bool id_all, uint64_t id)
{
	uint8_t a[64] = { [4] = 64 };
	struct pd_cursor c = pd_cursor(a, sizeof(a), false);
	struct pd_notes notes = { 0 };
	struct pd_evt *evt;

	put(a + 24, sample_type, 8, false);
	a[42] = id_all ? 4 : 0;
	evt = pd_events_add(es, &c, 64, false, 0, &err);
	if (id != 0)
		CHECK_EQ(pd_events_add_id(es, evt, id, &notes, 0, &err), 0);
	pd_notes_free(&notes);
	return evt;
}

#define NO	PD_NOPOS

static void
the_identity_is_where_the_kernel_puts_it(void)
{
	enum { IP = 1, TID = 2, TIME = 4, ADDR = 8, CHAIN = 32, ID = 64,
	    CPU = 128, PERIOD = 256, STREAM = 512, IDENT = 1 << 16 };
	/*
	 * In words: of a SAMPLE id tid time cpu and how many are fixed, from
	 * the end of other records id tid time cpu and how many there are.
	 */
	static const struct { uint64_t type; uint8_t s[5], t[5]; } rows[] = {
		{ IP, { NO, NO, NO, NO, 1 }, { NO, NO, NO, NO, 0 } },
		{ IP | TID | TIME | PERIOD, { NO, 1, 2, NO, 4 },
		    { NO, 2, 1, NO, 2 } },
		{ IP | TID | TIME | CPU | PERIOD, { NO, 1, 2, 3, 5 },
		    { NO, 3, 2, 1, 3 } },
		{ IDENT | IP | TID | TIME | CHAIN | PERIOD, { 0, 2, 3, NO, 5 },
		    { 1, 3, 2, NO, 3 } },
		{ IP | TID | TIME | ADDR | ID | STREAM | CPU,
		    { 4, 1, 2, 6, 7 }, { 3, 5, 4, 1, 5 } },
		{ IDENT | IP | TID | TIME | ADDR | ID | STREAM | CPU | PERIOD,
		    { 0, 2, 3, 7, 9 }, { 1, 6, 5, 2, 6 } },
		{ TIME | ID, { 1, NO, 0, NO, 2 }, { 1, NO, 2, NO, 2 } },
		{ CPU, { NO, NO, NO, 0, 1 }, { NO, NO, NO, 1, 1 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int all = 0; all < 2; all++) {
			struct pd_events es = { 0 };
			struct pd_evt *e = add(&es, rows[i].type, all, 0);
			uint8_t s[5] = { e->s_id, e->s_tid, e->s_time, e->s_cpu,
			    e->s_fixed };
			uint8_t t[5] = { e->t_id, e->t_tid, e->t_time, e->t_cpu,
			    e->t_words };
			static const uint8_t none[5] = { NO, NO, NO, NO, 0 };

			CHECK(memcmp(s, rows[i].s, 5) == 0);
			if (!CHECK(memcmp(t, all ? rows[i].t : none, 5) == 0))
				printf("# row %zu\n", i);
			pd_events_free(&es);
		}
}

enum { SAMPLE = 9, COMM = 3 };

/* A record with this id: in front in a SAMPLE, at the end in others. */
static struct pd_evt *
owner(const struct pd_events *es, uint32_t type, uint64_t id, size_t size,
    bool swapped)
{
	uint8_t rec[64] = { 0 };

	if (size >= 16)
		put(rec + (type == SAMPLE ? 8 : size - 8), id, 8, swapped);
	return pd_events_of(es, type, rec, size, swapped);
}

#define IDENTIFIED	(1 << 16 | 1)

static void
the_only_event_owns_every_record(void)
{
	struct pd_events es = { 0 };
	struct pd_evt *e;

	CHECK(owner(&es, SAMPLE, 1, 32, false) == NULL);
	e = add(&es, IDENTIFIED, true, 5);
	CHECK(owner(&es, SAMPLE, 5, 32, false) == e);
	CHECK(owner(&es, SAMPLE, 99, 32, false) == e);
	CHECK(owner(&es, COMM, 99, 32, false) == e);
	CHECK(owner(&es, SAMPLE, 0, 8, false) == e);
	pd_events_free(&es);
}

static void
ids_choose_among_events(void)
{
	struct pd_events es = { 0 };
	struct pd_evt *a = add(&es, IDENTIFIED, true, 5);
	struct pd_evt *b = add(&es, IDENTIFIED, true, 6);

	for (int swapped = 0; swapped < 2; swapped++)
		for (int k = 0; k < 2; k++) {
			uint32_t type = k ? SAMPLE : COMM;

			CHECK(owner(&es, type, 5, 32, swapped) == a);
			CHECK(owner(&es, type, 6, 32, swapped) == b);
			/* What perf makes up has no id. */
			CHECK(owner(&es, type, 0, 32, swapped) == a);
			CHECK(owner(&es, type, 7, 32, swapped) == NULL);
			CHECK(owner(&es, type, 5, 8, swapped) == NULL);
			CHECK(owner(&es, type, 6, 16, swapped) == b);
		}
	pd_events_free(&es);
}

static void
records_without_ids_are_the_first_events(void)
{
	struct pd_events es = { 0 };
	struct pd_evt *a = add(&es, 1, true, 5);

	add(&es, 1, true, 6);
	CHECK(owner(&es, SAMPLE, 6, 32, false) == a);
	CHECK(owner(&es, COMM, 6, 32, false) == a);
	pd_events_free(&es);

	/* Without sample_id_all only samples say whose they are. */
	a = add(&es, IDENTIFIED, false, 5);
	struct pd_evt *b = add(&es, IDENTIFIED, false, 6);

	CHECK(owner(&es, SAMPLE, 6, 32, false) == b);
	CHECK(owner(&es, COMM, 6, 32, false) == a);
	pd_events_free(&es);
}

static void
an_id_that_two_events_claim_is_the_firsts_and_noted(void)
{
	struct pd_events es = { 0 };
	struct pd_notes notes = { 0 };
	struct pd_evt *a = add(&es, IDENTIFIED, true, 5);
	struct pd_evt *b = add(&es, IDENTIFIED, true, 6);

	CHECK_EQ(pd_events_add_id(&es, a, 5, &notes, 0, &err), 0);
	CHECK(pd_notes_get(&notes, 0) == NULL);
	CHECK_EQ(pd_events_add_id(&es, b, 5, &notes, 0, &err), 0);
	CHECK(pd_notes_get(&notes, 0) != NULL);
	CHECK(pd_events_by_id(&es, 5) == a);
	pd_notes_free(&notes);
	pd_events_free(&es);
}

/* ---- names -------------------------------------------------------------- */

/* exclude_user, _kernel, _hv, precise_ip of 1, exclude_host, _guest */
enum { XU = 1 << 4, XK = 1 << 5, XH = 1 << 6, P1 = 1 << 15,
    XHOST = 1 << 19, XGUEST = 1 << 20 };

static void
check_name(uint32_t type, uint64_t config, uint64_t flags, const char *pmu,
    const char *tracepoint, const char *want)
{
	struct pd_evt evt = { .pub = { .type = type, .config = config,
	    .flags = flags } };

	CHECK_EQ(pd_evt_make_name(&evt, pmu, tracepoint, &err), 0);
	CHECK_STR(evt.pub.name, want);
	free(evt.name);
}

/* A guest is excluded by default, and then no modifier says so. */
static void
names_are_made_of_attributes_as_perf_makes_them(void)
{
	static const struct {
		uint32_t	type;
		uint64_t	config;
		const char	*name;
	} rows[] = {
		{ 0, 0, "cycles" }, { 0, 1, "instructions" },
		{ 0, 2, "cache-references" }, { 0, 3, "cache-misses" },
		{ 0, 4, "branches" }, { 0, 5, "branch-misses" },
		{ 0, 6, "bus-cycles" }, { 0, 7, "stalled-cycles-frontend" },
		{ 0, 8, "stalled-cycles-backend" }, { 0, 9, "ref-cycles" },
		{ 0, 10, "unknown-hardware" },
		{ 1, 0, "cpu-clock" }, { 1, 1, "task-clock" },
		{ 1, 2, "page-faults" }, { 1, 3, "context-switches" },
		{ 1, 4, "cpu-migrations" }, { 1, 5, "minor-faults" },
		{ 1, 6, "major-faults" }, { 1, 7, "alignment-faults" },
		{ 1, 8, "emulation-faults" }, { 1, 9, "dummy" },
		{ 1, 10, "bpf-output" }, { 1, 11, "cgroup-switches" },
		{ 1, 99, "unknown-software" },
		{ 3, 0x10000, "L1-dcache-load-misses" },
		{ 3, 0, "L1-dcache-loads" }, { 3, 0x100, "L1-dcache-stores" },
		{ 3, 0x10201, "L1-icache-prefetch-misses" },
		{ 3, 2, "LLC-loads" }, { 3, 0x10003, "dTLB-load-misses" },
		{ 3, 0x10004, "iTLB-load-misses" }, { 3, 5, "branch-loads" },
		{ 3, 0x10106, "node-store-misses" },
		{ 3, 7, "unknown-ext-hardware-cache-type" },
		{ 4, 0x1c2, "raw 0x1c2" }, { 4, 0, "raw 0x0" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_name(rows[i].type, rows[i].config, XGUEST, NULL, NULL,
		    rows[i].name);
	/* A dynamic PMU has the name that the recording gives its type. */
	check_name(8, 0x4000, XGUEST, "cs_etm", NULL,
	    "cs_etm/config=0x4000/");
	check_name(10, 0, XGUEST, NULL, NULL, "unknown attr type: 10");
}

static void
modifiers_say_what_is_counted(void)
{
	static const struct { uint64_t flags; const char *mods; } rows[] = {
		{ XGUEST, "" },
		{ 0, ":HG" },
		{ XHOST, ":G" },
		{ XHOST | XGUEST, "" },
		{ XK | XH, ":u" },
		{ XK | XH | XGUEST, ":uH" },
		{ XU | XH, ":k" },
		{ XU, ":kh" },
		{ XK, ":uh" },
		{ XU | XK | XH, "" },
		{ P1, ":p" },
		{ 2 * P1, ":pp" },
		{ 3 * P1, ":ppp" },
		{ 3 * P1 | XK | XH, ":uppp" },
		{ 3 * P1 | XGUEST, ":pppH" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char want[64];

		/* perf prints the colon with the first letter only. */
		snprintf(want, sizeof(want), "cycles%s", rows[i].mods);
		check_name(0, 0, rows[i].flags, NULL, NULL, want);
		snprintf(want, sizeof(want), "cpu-clock%s", rows[i].mods);
		check_name(1, 0, rows[i].flags, NULL, NULL, want);
	}
}

static void
tracepoints_have_the_name_of_the_tracing_data(void)
{
	check_name(2, 314, 0, NULL, "sched:sched_switch",
	    "sched:sched_switch");
	check_name(2, 314, XK, NULL, NULL, "unknown tracepoint");
}

static void
a_recorded_name_is_made_printable(void)
{
	struct pd_evt evt = { 0 };

	CHECK_EQ(pd_evt_set_name(&evt, "a\033[2Jb\nc", 8, &err), 0);
	CHECK_STR(evt.pub.name, "a?[2Jb?c");
	CHECK_EQ(pd_evt_set_name(&evt, "again", 2, &err), 0);
	CHECK_STR(evt.pub.name, "ag");
	free(evt.name);
}

int
main(void)
{
	RUN(attributes_of_all_ages_are_read_as_far_as_they_go);
	RUN(every_flag_keeps_its_place_in_the_other_byte_order);
	RUN(an_entry_of_a_file_is_passed_over_whole);
	RUN(sizes_that_cannot_be_are_refused);
	RUN(the_identity_is_where_the_kernel_puts_it);
	RUN(the_only_event_owns_every_record);
	RUN(ids_choose_among_events);
	RUN(records_without_ids_are_the_first_events);
	RUN(an_id_that_two_events_claim_is_the_firsts_and_noted);
	RUN(names_are_made_of_attributes_as_perf_makes_them);
	RUN(modifiers_say_what_is_counted);
	RUN(tracepoints_have_the_name_of_the_tracing_data);
	RUN(a_recorded_name_is_made_printable);
	return tap_done();
}
