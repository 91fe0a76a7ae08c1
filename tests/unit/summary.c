/* What is said of a recording: counts, rates, gaps, sections, names. */
#include <stdlib.h>
#include <unistd.h>

#include "pdbuild.h"
#include "perfdata.h"
#include "tap.h"

#define MS	UINT64_C(1000000)
#define FLAT	(PDB_IDENTIFIER | PDB_IP | PDB_TID | PDB_TIME)

static struct pd_error err;

/* The description of a recording, free(3); frees b. */
static char *
describe(struct pdb *b, enum pd_summary_form form)
{
	char path[32], *text = NULL;
	int fd = pdb_file(b, path), r = -1;
	struct pd_reader *rd = pd_reader_open(path, PD_TIME_ORDER, &err);
	struct pd_summary *s = rd ? pd_summary_new(rd, &err) : NULL;
	size_t size;
	FILE *mem = open_memstream(&text, &size);

	while (s != NULL && (r = pd_summary_next(s, &err)) == 1)
		;
	if (r == 0)
		r = pd_summary_write(s, "a\033name", form, mem, &err);
	fclose(mem);
	if (!CHECK(r == 0))
		printf("# %s\n", err.msg);
	pd_summary_free(s);
	pd_reader_close(rd);
	close(fd);
	return text;
}

static void
check_has(int line, const char *text, const char *want, bool has)
{
	if (!tap_check((strstr(text, want) != NULL) == has, "%s:%d: %s\n",
	    __FILE__, line, want))
		printf("# %s\n", text);
}
#define HAS(text, want)		check_has(__LINE__, text, want, true)
#define HAS_NOT(text, want)	check_has(__LINE__, text, want, false)

static unsigned
add_event(struct pdb *b, const char *name, uint64_t id,
    const struct pdb_event *like)
{
	struct pdb_event e = *like;

	e.name = name;
	e.ids = &id;
	e.nids = 1;
	return pdb_event(b, &e);
}

static const struct pdb_event sampled = { .type = 1, .period = 1000,
	.flags = PDB_FLAG_FREQ, .sample_type = FLAT };
static const struct pdb_event marker = { .type = 2, .period = 1,
	.sample_type = FLAT | PDB_CPU | PDB_RAW };

static void
put(struct pdb *b, unsigned ev, uint32_t tid, uint64_t time)
{
	pdb_sample(b, ev, &(struct pdb_sample){ .id = { .pid = 1, .tid = tid,
	    .time = time }, .raw_size = 4, .raw = "abcd" });
}

static void
a_recording_without_samples_is_described(void)
{
	for (enum pdb_kind kind = PDB_FILE; kind <= PDB_PIPE; kind++) {
		struct pdb *b = pdb_new(kind, false);
		char *text;

		pdb_comm(b, add_event(b, "clock", 1, &sampled),
		    &(struct pdb_id){ .pid = 1, .tid = 1 }, "x", false);
		text = describe(b, PD_SUMMARY_TEXT);
		HAS(text, "a?name: 0 samples of 0 events in 0 ns, 0 threads\n");
		HAS(text, "         0       1000 Hz             -  clock\n");
		HAS_NOT(text, "THREADS");
		free(text);
	}
}

static void
rates_are_what_is_between_samples_of_a_running_thread(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = add_event(b, "clock", 1, &sampled);
	uint64_t time = 1000 * MS;
	char *text;

	/* two threads that take turns: 4 samples at 500 Hz each */
	for (uint32_t i = 0; i < 40; i++)
		for (uint32_t k = 0; k < 4; k++)
			put(b, ev, 1 + i % 2, time += 2 * MS);
	text = describe(b, PD_SUMMARY_TEXT);
	HAS(text, "       160       1000 Hz        500 Hz  clock\n");
	HAS(text, "slower than asked for");
	free(text);
}

static void
threads_go_by_their_samples_and_last_names(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = add_event(b, "clock", 1, &sampled);
	struct pdb_id id = { .pid = 1, .tid = 1, .time = 5 };
	char *text;

	pdb_comm(b, ev, &id, "before", false);
	put(b, ev, 1, 10);
	id.time = 15;
	pdb_comm(b, ev, &id, "evil\033[2J\n;", false);
	put(b, ev, 1, 20);
	id = (struct pdb_id){ .pid = 1, .tid = 2, .time = 25 };
	pdb_fork(b, ev, &id, 1, 1, 0);
	pdb_comm(b, ev, &id, "worker", false);
	for (uint64_t t = 30; t < 33; t++)
		put(b, ev, 2, t);
	/* a thread may have samples behind its end */
	id.time = 40;
	pdb_exit(b, ev, &id);
	put(b, ev, 2, 41);
	/* and then another one its number */
	id.time = 50;
	pdb_fork(b, ev, &id, 1, 1, 0);
	pdb_comm(b, ev, &id, "reborn", false);
	put(b, ev, 2, 60);
	text = describe(b, PD_SUMMARY_TEXT);
	HAS(text, "         4   57.1%        1        2  worker, of evil?[2J?;\n"
	    "         2   28.6%        1        1  evil?[2J?;\n"
	    "         1   14.3%        1        2  reborn, of evil?[2J?;\n");
	free(text);
}

static void
long_lists_are_cut_and_say_so(void)
{
	for (int all = 0; all < 2; all++) {
		struct pdb *b = pdb_new(PDB_FILE, false);
		unsigned ev = add_event(b, "clock", 1, &sampled);
		char *text;

		for (uint32_t tid = 1; tid <= 25; tid++)
			put(b, ev, tid, tid);
		text = describe(b, all ? PD_SUMMARY_ALL : PD_SUMMARY_TEXT);
		check_has(__LINE__, text,
		    "         5  in 5 more (-v lists all)\n", !all);
		check_has(__LINE__, text, "       25  :25\n", all);
		free(text);
	}
}

static void
the_longest_gaps_come_first(void)
{
	static const uint64_t times[] = { 10, 11, 15, 25, 26, 28, 31 };
	struct pdb *b = pdb_new(PDB_FILE, false);
	struct pdb_event with_cpu = sampled;
	unsigned ev;
	char *text;

	with_cpu.sample_type |= PDB_CPU;
	ev = add_event(b, "clock", 1, &with_cpu);
	for (uint32_t i = 0; i < 7; i++)
		pdb_sample(b, ev, &(struct pdb_sample){ .id = { .pid = 1,
		    .tid = 1, .cpu = i % 2, .time = times[i] * MS } });
	text = describe(b, PD_SUMMARY_TEXT);
	HAS(text,
	    "              10.0 ms           0.015000000  anywhere\n"
	    "              4.00 ms           0.011000000  anywhere\n"
	    "              3.00 ms           0.028000000  anywhere\n"
	    "         4    11.0 ms           0.015000000  CPU 0\n"
	    "         3    14.0 ms           0.011000000  CPU 1\n");
	free(text);
}

/* Pairs of events of these names: how many begin-end pairs are seen. */
static void
check_pair(int line, const char *begin, const char *end, bool pair)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ends = add_event(b, end, 2, &marker);
	unsigned begins = add_event(b, begin, 1, &marker);
	char *text, want[160];

	for (uint64_t t = 0; t < 3; t++) {
		put(b, begins, 1, 100 * MS * t + 1);
		put(b, ends, 1, 100 * MS * t + 1 + (t + 1) * MS);
	}
	put(b, begins, 2, 400 * MS);
	snprintf(want, sizeof(want), "         3    2.00 ms    3.00 ms    "
	    "3.00 ms           1  %s %s\n", begin, end);
	text = describe(b, PD_SUMMARY_TEXT);
	check_has(line, text, want, pair);
	check_has(line, text, "SECTIONS", pair);
	free(text);
}
#define PAIR(begin, end)	check_pair(__LINE__, begin, end, true)
#define NO_PAIR(begin, end)	check_pair(__LINE__, begin, end, false)

static void
pairs_are_found_by_their_names(void)
{
	PAIR("p:import_start", "p:import_end");
	PAIR("p:import_start", "p:import_end__return");
	PAIR("p:import__start", "p:import__end");
	PAIR("p:import_begin", "p:import_end");
	PAIR("irq:softirq_entry", "irq:softirq_exit");
	PAIR("syscalls:sys_enter_read", "syscalls:sys_exit_read");
	PAIR("p:import", "p:import__return");
	PAIR("p:import", "p:import_exit");
	NO_PAIR("p:import_start", "q:import_end");
	NO_PAIR("p:import_start", "p:export_end");
	NO_PAIR("p:a", "p:b");
}

/* What a hint says to type must not be what a recording says. */
static void
hints_name_no_event_that_a_shell_would_run(void)
{
	for (int evil = 0; evil < 2; evil++) {
		struct pdb *b = pdb_new(PDB_FILE, false);
		unsigned begins = add_event(b, evil ? "p:`x`_start" :
		    "p:x_start", 1, &marker);
		unsigned ends = add_event(b, evil ? "p:`x`_end" : "p:x_end", 2,
		    &marker);
		char *text;

		for (uint64_t t = 0; t < 4; t++)
			put(b, t % 2 ? ends : begins, 1, t);
		text = describe(b, PD_SUMMARY_TEXT);
		HAS(text, "\nSECTIONS\n");
		check_has(__LINE__, text, "--slowest", !evil);
		free(text);
	}
}

static void
tracepoints_that_were_sampled_are_warned_of(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	struct pdb_event e = marker;
	char *text;

	e.period = 1000;
	e.flags = PDB_FLAG_FREQ;
	put(b, add_event(b, "p:x", 1, &e), 1, 10);
	text = describe(b, PD_SUMMARY_TEXT);
	HAS(text, "not each time that a tracepoint was passed is there");
	free(text);
}

static void
losses_are_told(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = add_event(b, "clock", 1, &sampled);
	struct pdb_id id = { .pid = 1, .tid = 1, .time = 5 };
	char *text;

	put(b, ev, 1, 10);
	pdb_lost(b, ev, &id, 3);
	text = describe(b, PD_SUMMARY_TEXT);
	HAS(text, "lost        3 (75.00%); throttled 0 times\n");
	HAS(text, "perf record -m");
	free(text);
}

static void
json_has_the_same(void)
{
	struct pdb *b = pdb_new(PDB_PIPE, true);
	unsigned ev = add_event(b, "clo\"ck", 1, &sampled);
	char *text;

	put(b, ev, 1, 7 * MS);
	put(b, ev, 1, 9 * MS);
	pdb_sample(b, ev, &(struct pdb_sample){ .id = { 1, PD_NOID, 0,
	    9 * MS, 0, 0 } });
	text = describe(b, PD_SUMMARY_JSON);
	HAS(text, "{\"recording\":\"a\\u001bname\",\"samples\":3,");
	HAS(text, "\"container\":\"pipe\"");
	HAS(text, "\"first_ns\":7000000,\"last_ns\":9000000,"
	    "\"first_wall\":null");
	HAS(text, "{\"name\":\"clo\\\"ck\",\"samples\":3,"
	    "\"asked\":{\"hz\":1000},\"interval_ns\":null");
	HAS(text, "{\"pid\":1,\"tid\":1,\"comm\":\":1\",\"process\":\":1\","
	    "\"samples\":2},{\"pid\":1,\"tid\":null,");
	HAS(text, "\"gaps\":[{\"gap_from_ns\":7000000,\"gap_ns\":2000000}]");
	free(text);
}

int
main(void)
{
	RUN(a_recording_without_samples_is_described);
	RUN(rates_are_what_is_between_samples_of_a_running_thread);
	RUN(threads_go_by_their_samples_and_last_names);
	RUN(long_lists_are_cut_and_say_so);
	RUN(the_longest_gaps_come_first);
	RUN(pairs_are_found_by_their_names);
	RUN(hints_name_no_event_that_a_shell_would_run);
	RUN(tracepoints_that_were_sampled_are_warned_of);
	RUN(losses_are_told);
	RUN(json_has_the_same);
	return tap_done();
}
