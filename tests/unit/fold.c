/* From a recording to a profile: which event, which samples, which weight. */
#include "folding.h"

static struct pd_fold_counts counts;
static char event_name[64];

static void
keep(struct pd_reader *rd, struct pd_fold *f)
{
	(void)rd;
	counts = pd_fold_counts(f);
	snprintf(event_name, sizeof(event_name), "%s",
	    pd_fold_event(f) ? pd_fold_event(f)->name : "none");
}

/* Frees b; what else the fold says is in counts and event_name then. */
static void
check(struct pdb *b, struct pd_fold_opts opts, const char *want)
{
	char *got = fold_and(b, &opts, NULL, keep);

	CHECK_STR(got, want);
	free(got);
}

#define SAMPLES	{ .weight = PD_WEIGHT_SAMPLES }

static void
sample_of(struct pdb *b, unsigned ev, uint64_t time, uint64_t period)
{
	pdb_sample(b, ev, &(struct pdb_sample){ .id = { .pid = 1, .tid = 1,
	    .time = time }, .ip = 0x10, .period = period });
}

/* Three events: dummy has no samples, mem comes before clock in time. */
static struct pdb *
three_events(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned clock;

	pdb_event(b, &(struct pdb_event){ .name = "dummy:u",
	    .sample_type = FLAT });
	clock = pdb_event(b, &(struct pdb_event){ .name = "cpu-clock",
	    .sample_type = FLAT });
	unsigned mem = pdb_event(b, &(struct pdb_event){ .name = "mem:loads",
	    .sample_type = FLAT });

	sample_of(b, mem, 10, 1);
	sample_of(b, mem, 20, 1);
	sample_of(b, clock, 30, 1);
	sample_of(b, mem, 40, 1);
	sample_of(b, clock, 50, 1);
	return b;
}

/* ---- events ------------------------------------------------------------- */

static void
the_first_event_that_has_samples_is_folded_whatever_comes_first(void)
{
	check(three_events(), (struct pd_fold_opts)SAMPLES,
	    ":1;[unknown] 2\n");
	CHECK_STR(event_name, "cpu-clock");
	CHECK_EQ(counts.other, 3);
}

static void
first_seen_folds_the_event_of_the_first_sample(void)
{
	struct pd_fold_opts opts = SAMPLES;

	opts.first_seen = true;
	check(three_events(), opts, ":1;[unknown] 3\n");
	CHECK_STR(event_name, "mem:loads");
	CHECK_EQ(counts.other, 2);
}

static void
a_glob_chooses_the_event(void)
{
	struct pd_fold_opts opts = SAMPLES;

	opts.event = "mem:*";
	check(three_events(), opts, ":1;[unknown] 3\n");
	CHECK_STR(event_name, "mem:loads");
	CHECK_EQ(counts.other, 0);	/* they were not asked for */
	opts.event = "*";
	check(three_events(), opts, ":1;[unknown] 2\n");
	CHECK_STR(event_name, "cpu-clock");
	opts.event = "cpu";		/* whole names only */
	check(three_events(), opts, "no event matches 'cpu'; there are: "
	    "dummy:u, cpu-clock, mem:loads");
	opts.event = "dummy:u";		/* it is there, and had no samples */
	check(three_events(), opts, "");
	CHECK_STR(event_name, "none");
	CHECK_EQ(counts.other, 0);
}

static void
no_sample_is_an_empty_profile(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	struct pdb_id id = { .pid = 1, .tid = 1, .time = 1 };
	unsigned ev = pdb_event(b, &(struct pdb_event){ .name = "e",
	    .sample_type = FLAT });

	pdb_comm(b, ev, &id, "t", false);
	check(b, (struct pd_fold_opts){ 0 }, "");
	CHECK_STR(event_name, "none");
	CHECK_EQ(counts.other, 0);
}

/* ---- weights ------------------------------------------------------------ */

static struct pdb *
weighted(struct pdb_event e, const uint64_t *periods, size_t n)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev;

	ev = pdb_event(b, &e);
	for (size_t i = 0; i < n; i++)
		sample_of(b, ev, 10 + i, periods[i]);
	return b;
}

static const uint64_t periods[] = { 1001001, 999, 0 };

static struct pdb_event
clock_event(uint64_t type)
{
	return (struct pdb_event){ .name = "e", .type = 1, .period = 4000,
	    .sample_type = FLAT | type };
}

static void
a_sample_weighs_its_period_or_one(void)
{
	check(weighted(clock_event(PDB_PERIOD), periods, 3),
	    (struct pd_fold_opts){ 0 }, ":1;[unknown] 1002001\n");
}

static void
a_fixed_period_is_that_of_the_event(void)
{
	struct pd_fold_opts opts = { 0 };

	check(weighted(clock_event(0), periods, 3), opts,
	    ":1;[unknown] 12000\n");
	opts.stack.perf_compat = true;
	check(weighted(clock_event(PDB_PERIOD), periods, 3), opts,
	    ":1;[unknown] 1002001\n");
}

static void
samples_weigh_one(void)
{
	check(weighted(clock_event(PDB_PERIOD), periods, 3),
	    (struct pd_fold_opts)SAMPLES, ":1;[unknown] 3\n");
}

static void
time_is_the_period_of_a_clock_or_the_interval_of_a_frequency(void)
{
	struct pd_fold_opts opts = { .weight = PD_WEIGHT_TIME };
	struct pdb_event cycles = { .name = "cycles:u", .type = 4,
	    .config = 0x3c, .period = 4000, .flags = PDB_FLAG_FREQ,
	    .sample_type = FLAT | PDB_PERIOD };
	struct pdb_event task = clock_event(PDB_PERIOD);

	check(weighted(clock_event(PDB_PERIOD), periods, 2), opts,
	    ":1;[unknown] 1002000\n");
	task.config = 1;
	check(weighted(task, periods, 2), opts, ":1;[unknown] 1002000\n");
	check(weighted(cycles, periods, 3), opts, ":1;[unknown] 750000\n");
	/* Without a frequency it is not known how often a sample comes. */
	cycles.flags = 0;

	char *got = fold_and(weighted(cycles, periods, 3), &opts, NULL, NULL);

	CHECK(strstr(got, "samples of cycles:u stand for no time") != NULL);
	free(got);
}

/* ---- groups: perf record -e '{a,b}:S' ----------------------------------- */

/* A sample of the leader with the counters of both, in any read_format. */
static void
group_sample(struct pdb *b, unsigned ev, uint64_t rf, uint64_t time,
    uint64_t a, uint64_t c)
{
	uint64_t read[16], values[2] = { a, c };
	size_t n = 0;

	read[n++] = 2;
	for (uint64_t bit = 1; bit <= 2; bit <<= 1)
		if (rf & bit)
			read[n++] = 1000;	/* time enabled, running */
	for (size_t i = 0; i < 2; i++) {
		read[n++] = values[i];
		read[n++] = 1000 + i;		/* the id */
		if (rf & 16)
			read[n++] = 5;		/* lost */
	}
	pdb_sample(b, ev, &(struct pdb_sample){ .id = { .pid = 1, .tid = 1,
	    .time = time }, .ip = 0x10, .period = 777, .read = read,
	    .nread = n });
}

/* perf record -e '{a,c}:S' of kernel 6.13 on, where threads inherit counters. */
static void
threads_have_inherited_counters_of_their_own(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	uint64_t read[] = { 2, 0, 1000, 0, 1001 };
	struct pdb_event e = { .name = "a", .read_format = 12, .flags = 2,
	    .sample_type = FLAT | PDB_READ };
	unsigned ev = pdb_event(b, &e);

	e.name = "c";
	pdb_event(b, &e);
	for (uint32_t i = 0; i < 6; i++) {
		read[1] = (i & 1 ? 1000 : 1) * (i / 2 + 1);
		pdb_sample(b, ev, &(struct pdb_sample){ .id = { .pid = 1,
		    .tid = 1 + (i & 1), .time = 10 + i }, .ip = 0x10,
		    .read = read, .nread = 5 });
	}
	check(b, (struct pd_fold_opts){ 0 }, ":1;[unknown] 3\n"
	    ":2;[unknown] 3000\n");
}

static struct pdb *
group(uint64_t more, bool swapped)
{
	uint64_t rf = 4 | 8 | more;	/* id, group */
	struct pdb *b = pdb_new(PDB_FILE, swapped);
	struct pdb_event e = { .name = "a", .read_format = rf,
	    .sample_type = FLAT | PDB_PERIOD | PDB_READ };
	unsigned ev = pdb_event(b, &e);

	e.name = "c";
	pdb_event(b, &e);
	group_sample(b, ev, rf, 10, 100, 7);
	group_sample(b, ev, rf, 20, 250, 7);	/* c stood still */
	group_sample(b, ev, rf, 30, 400, 10);
	return b;
}

static void
a_sample_of_a_group_counts_for_each_member_by_its_growth(void)
{
	static const uint64_t formats[] = { 0, 1, 2, 3, 16, 19 };

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		for (int swapped = 0; swapped < 2; swapped++) {
			struct pd_fold_opts opts = { 0 };

			check(group(formats[i], swapped), opts,
			    ":1;[unknown] 400\n");
			CHECK_EQ(counts.other, 2);
			opts.event = "c";
			check(group(formats[i], swapped), opts,
			    ":1;[unknown] 10\n");
			opts.weight = PD_WEIGHT_SAMPLES;
			check(group(formats[i], swapped), opts,
			    ":1;[unknown] 2\n");
		}
}

static void
a_member_has_its_own_name_and_time(void)
{
	static const enum pd_root roots[] = { PD_ROOT_EVENT };
	struct pd_fold_opts opts = { .event = "c", .weight = PD_WEIGHT_TIME,
	    .stack = { .roots = roots, .nroots = 1 } };

	CHECK_FOLD(group(0, false), &opts, NULL, "c;[unknown] 10\n");
	opts.event = "a";
	CHECK_FOLD(group(0, false), &opts, NULL, "a;[unknown] 400\n");
}

/* Counters only go up: what does not is damage, and no huge weight. */
static void
a_counter_that_goes_down_counts_nothing(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	struct pdb_event e = { .name = "a", .read_format = 4 | 8,
	    .sample_type = FLAT | PDB_READ };
	unsigned ev = pdb_event(b, &e);

	e.name = "c";
	pdb_event(b, &e);
	group_sample(b, ev, 12, 10, 100, 1);
	group_sample(b, ev, 12, 20, 50, 1);
	group_sample(b, ev, 12, 30, 60, 1);
	check(b, (struct pd_fold_opts){ 0 }, ":1;[unknown] 110\n");
}

static void
a_member_that_is_no_event_is_passed_over(void)
{
	uint64_t read[] = { 2, 100, 1000, 50, 4711 };
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = pdb_event(b, &(struct pdb_event){ .name = "a",
	    .read_format = 4 | 8, .sample_type = FLAT | PDB_READ });

	pdb_sample(b, ev, &(struct pdb_sample){ .id = { .pid = 1, .tid = 1,
	    .time = 10 }, .ip = 0x10, .read = read, .nread = 5 });
	check(b, (struct pd_fold_opts){ 0 }, ":1;[unknown] 100\n");
}

/* read_format without GROUP: one counter, of the sample's own event. */
static void
a_single_counter_counts_by_its_growth(void)
{
	static const uint64_t formats[] = { 0, 1, 2, 3, 4, 7, 16, 23 };

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		uint64_t rf = formats[i];
		struct pdb *b = pdb_new(PDB_FILE, false);
		unsigned ev = pdb_event(b, &(struct pdb_event){ .name = "a",
		    .read_format = rf, .sample_type = FLAT | PDB_READ });

		for (uint64_t k = 1; k <= 3; k++) {
			/* value, time enabled, time running, id, lost */
			uint64_t read[5] = { k * 100 };
			size_t n = 1;

			for (uint64_t bit = 1; bit <= 16; bit <<= 1)
				if (bit != 8 && (rf & bit))
					read[n++] = bit == 4 ? 1000 : 1;
			pdb_sample(b, ev, &(struct pdb_sample){
			    .id = { .pid = 1, .tid = 1, .time = k },
			    .ip = 0x10, .read = read, .nread = n });
		}
		check(b, (struct pd_fold_opts){ 0 }, ":1;[unknown] 300\n");
	}
}

/* ---- what is left out --------------------------------------------------- */

static void
a_filter_leaves_samples_out_without_a_trace(void)
{
	struct pd_fold_opts opts = SAMPLES;
	struct pd_error err;
	struct pd_filter *f = pd_filter_new(&err);
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = pdb_event(b, &(struct pdb_event){ .name = "e",
	    .sample_type = FLAT });
	struct pdb_id id = { .pid = 1, .tid = 1, .time = 5 };

	sample_of(b, ev, 1, 1);
	pdb_comm(b, ev, &id, "wanted", false);
	sample_of(b, ev, 10, 1);
	sample_of(b, ev, 11, 1);
	pd_filter_add(f, PD_BY_COMM, "wanted", &err);
	opts.filter = f;
	check(b, opts, "wanted;[unknown] 2\n");	/* the name of its time */
	CHECK_EQ(counts.other, 0);
	pd_filter_free(f);
}

static void
stacks_that_may_lack_their_root_are_counted(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	uint64_t chain[128] = { USER_CHAIN };
	unsigned ev = pdb_event(b, &(struct pdb_event){ .name = "e",
	    .sample_type = CHAINED });
	struct pd_fold_opts opts = SAMPLES;
	char *got;

	for (uint64_t i = 1; i < 128; i++)
		chain[i] = i;
	for (uint64_t n = 126; n <= 128; n++)
		pdb_sample(b, ev, &(struct pdb_sample){ .id = { .pid = 1,
		    .tid = 1, .time = n }, .ip = 1, .chain = chain,
		    .nchain = n });
	got = fold_and(b, &opts, NULL, keep);
	CHECK_EQ(counts.deep, 1);
	free(got);
}

/* Without -g a stack is the root and one frame, and no sample is lost. */
static void
samples_without_callchains_are_stacks_of_one_frame(void)
{
	static const struct pd_fold_opts opts = SAMPLES;
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = pdb_event(b, &(struct pdb_event){ .name = "e",
	    .sample_type = FLAT });
	struct pdb_id id = { .pid = 1, .tid = 1, .time = 1 };
	struct pdb_map m = { .start = 0x1000, .len = 0x1000, .path = "/bin/t" };

	pdb_comm(b, ev, &id, "t", false);
	pdb_mmap2(b, ev, &id, &m);
	for (uint64_t t = 2; t < 9; t++)
		pdb_sample(b, ev, &(struct pdb_sample){ .id = { .pid = 1,
		    .tid = 1, .time = t }, .ip = t % 2 ? 0x1000 : 0x9000 });
	CHECK_FOLD(b, &opts, NULL, "t;[t] 3\nt;[unknown] 4\n");
}

/* An empty callchain is no reason to lose the sample, nor is no ip at all. */
static void
samples_without_addresses_count(void)
{
	static const struct pd_fold_opts opts = SAMPLES;
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = pdb_event(b, &(struct pdb_event){ .name = "e",
	    .sample_type = PDB_TID | PDB_TIME });

	pdb_sample(b, ev, &(struct pdb_sample){ .id = { .pid = 1, .tid = 1,
	    .time = 1 } });
	CHECK_FOLD(b, &opts, NULL, ":1 1\n");
}

static void
roots_stand_on_top_in_their_order(void)
{
	static const enum pd_root roots[] = { PD_ROOT_CPU, PD_ROOT_TID,
	    PD_ROOT_THREAD, PD_ROOT_PID, PD_ROOT_EVENT, PD_ROOT_COMM };
	struct pd_fold_opts opts = { .weight = PD_WEIGHT_SAMPLES,
	    .stack = { .roots = roots, .nroots = 6 } };
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = pdb_event(b, &(struct pdb_event){ .name = "cycles:u",
	    .sample_type = FLAT });
	struct pdb_id id = { .pid = 10, .tid = 10, .time = 1 };

	pdb_comm(b, ev, &id, "main thread", false);
	id.tid = 12;
	pdb_comm(b, ev, &id, "helper", false);
	pdb_sample(b, ev, &(struct pdb_sample){ .id = { .pid = 10, .tid = 12,
	    .cpu = 3, .time = 2 }, .ip = 0x10 });
	CHECK_FOLD(b, &opts, NULL, "cpu-003;helper-10/12;helper-12;"
	    "main_thread-10;cycles:u;helper;[unknown] 1\n");
}

static void
no_root_is_a_choice(void)
{
	static const enum pd_root roots[1];
	struct pd_fold_opts opts = { .weight = PD_WEIGHT_SAMPLES,
	    .stack = { .roots = roots, .nroots = 0 } };
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = pdb_event(b, &(struct pdb_event){ .sample_type = FLAT });

	sample_of(b, ev, 1, 1);
	CHECK_FOLD(b, &opts, NULL, "[unknown] 1\n");
}

int
main(void)
{
	RUN(the_first_event_that_has_samples_is_folded_whatever_comes_first);
	RUN(first_seen_folds_the_event_of_the_first_sample);
	RUN(a_glob_chooses_the_event);
	RUN(no_sample_is_an_empty_profile);
	RUN(a_sample_weighs_its_period_or_one);
	RUN(a_fixed_period_is_that_of_the_event);
	RUN(samples_weigh_one);
	RUN(time_is_the_period_of_a_clock_or_the_interval_of_a_frequency);
	RUN(a_sample_of_a_group_counts_for_each_member_by_its_growth);
	RUN(a_member_has_its_own_name_and_time);
	RUN(threads_have_inherited_counters_of_their_own);
	RUN(a_counter_that_goes_down_counts_nothing);
	RUN(a_member_that_is_no_event_is_passed_over);
	RUN(a_single_counter_counts_by_its_growth);
	RUN(a_filter_leaves_samples_out_without_a_trace);
	RUN(stacks_that_may_lack_their_root_are_counted);
	RUN(samples_without_callchains_are_stacks_of_one_frame);
	RUN(samples_without_addresses_count);
	RUN(roots_stand_on_top_in_their_order);
	RUN(no_root_is_a_choice);
	return tap_done();
}
