/* Exports of hand-made recordings: time, gaps, the chosen event, hostile names. */
#include "base/text.h"
#include "folding.h"

static const struct pd_error none;
static struct pd_error err;

/* An export, to be freed with free(3); frees b.  NULL is an error. */
static char *
export_of(struct pdb *b, struct pd_export_opts opts, const char *symfs)
{
	struct pd_fold_opts fold = { .weight = opts.weight };
	struct pd_export *e = pd_export_new(&opts, &fold, &err);
	struct pd_reader *rd;
	struct pd_fold *f;
	char path[32], *out = NULL;
	size_t size;
	FILE *mem;
	int fd = pdb_file(b, path), r = -1;

	fold.stack.roots = (enum pd_root[]){ 0 };	/* none of them */
	fold.stack.symfs = symfs ? symfs : "/nonexistent";
	fold.stack.buildid_dir = "/nonexistent";
	fold.stack.kallsyms = "/dev/null";
	err = none;
	rd = pd_reader_open(path, PD_TIME_ORDER, &err);
	if (rd != NULL && (f = pd_fold_new(rd, &fold, &err)) != NULL) {
		while ((r = pd_fold_next(f, &err)) == 1)
			;
		mem = open_memstream(&out, &size);
		if (r == 0)
			r = pd_export_write(e, rd, f, mem, &err);
		fclose(mem);
		pd_fold_free(f);
	}
	pd_reader_close(rd);
	pd_export_free(e);
	close(fd);
	if (r == 0)
		return out;
	printf("# %s\n", err.msg);
	free(out);
	return NULL;
}

static void
check(struct pdb *b, struct pd_export_opts opts, const char *want)
{
	char *got = export_of(b, opts, NULL);

	CHECK_STR(got, want);
	free(got);
}

#define SPEEDSCOPE(frames, profiles) \
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"," \
	"\"exporter\":\"perfdata-tools\",\"name\":\"perf.data\"," \
	"\"activeProfileIndex\":0,\"profiles\":[" profiles "]," \
	"\"shared\":{\"frames\":[" frames "]}}\n"

static void
at(struct pdb *b, unsigned ev, uint32_t tid, uint64_t time, uint64_t period)
{
	/* Where nothing is mapped all frames are alike. */
	pdb_sample(b, ev, &(struct pdb_sample){ .id = { .pid = 1, .tid = tid,
	    .time = time }, .ip = 0x10, .period = period });
}

/* cpu-clock, every 100 ns: a nap, jitter, two threads. */
static struct pdb *
two_threads(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = pdb_event(b, &(struct pdb_event){ .name = "cpu-clock",
	    .type = 1, .period = 100, .sample_type = FLAT });

	pdb_comm(b, ev, &(struct pdb_id){ .pid = 1, .tid = 2, .time = 1 },
	    "one two", false);
	at(b, ev, 1, 1100, 100);	/* 1000 is where time begins */
	at(b, ev, 2, 1200, 100);
	at(b, ev, 1, 1240, 100);	/* 40 late: no gap */
	at(b, ev, 2, 1300, 100);
	at(b, ev, 1, 1700, 100);	/* a gap */
	at(b, ev, 2, 1310, 100);	/* early, and late in the file */
	at(b, ev, 2, 1460, 100);	/* 1500 without that: still no gap */
	return b;
}

static void
threads_share_an_axis_and_sleep_in_gaps(void)
{
	check(two_threads(), (struct pd_export_opts){
	    .format = PD_EXPORT_SPEEDSCOPE }, SPEEDSCOPE(
	    "{\"name\":\"[unknown]\"}",
	    "{\"type\":\"sampled\",\"name\":\"one two-1/2\","
	    "\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":700,"
	    "\"samples\":[[],[0]],\"weights\":[100,400]},"
	    "{\"type\":\"sampled\",\"name\":\":1-1/1\","
	    "\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":700,"
	    "\"samples\":[[0],[],[0]],\"weights\":[200,400,100]}"));
}

static void
counts_have_no_time(void)
{
	check(two_threads(), (struct pd_export_opts){
	    .format = PD_EXPORT_SPEEDSCOPE, .weight = PD_WEIGHT_SAMPLES },
	    SPEEDSCOPE("{\"name\":\"[unknown]\"}",
	    "{\"type\":\"sampled\",\"name\":\"one two-1/2\","
	    "\"unit\":\"none\",\"startValue\":0,\"endValue\":4,"
	    "\"samples\":[[0]],\"weights\":[4]},"
	    "{\"type\":\"sampled\",\"name\":\":1-1/1\","
	    "\"unit\":\"none\",\"startValue\":0,\"endValue\":3,"
	    "\"samples\":[[0]],\"weights\":[3]}"));
}

/* Frequency 10 MHz: an interval of 100 ns; the period is in cycles. */
static struct pdb *
cycles(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = pdb_event(b, &(struct pdb_event){ .name = "cycles",
	    .type = 4, .period = 10000000, .flags = PDB_FLAG_FREQ,
	    .sample_type = FLAT | PDB_PERIOD });

	at(b, ev, 1, 1100, 5000);
	at(b, ev, 1, 1300, 7000);
	return b;
}

static void
time_is_preferred_where_events_have_it(void)
{
	check(cycles(), (struct pd_export_opts){
	    .format = PD_EXPORT_SPEEDSCOPE, .prefer_time = true },
	    SPEEDSCOPE("{\"name\":\"[unknown]\"}",
	    "{\"type\":\"sampled\",\"name\":\":1-1/1\","
	    "\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":300,"
	    "\"samples\":[[0],[],[0]],\"weights\":[100,100,100]}"));
	check(cycles(), (struct pd_export_opts){
	    .format = PD_EXPORT_SPEEDSCOPE },
	    SPEEDSCOPE("{\"name\":\"[unknown]\"}",
	    "{\"type\":\"sampled\",\"name\":\":1-1/1\","
	    "\"unit\":\"none\",\"startValue\":0,\"endValue\":12000,"
	    "\"samples\":[[0]],\"weights\":[12000]}"));
}

/* The second event comes first; it is dropped when the first is seen. */
static struct pdb *
two_events(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned first = pdb_event(b, &(struct pdb_event){ .name = "page-faults",
	    .type = 1, .config = 2, .sample_type = FLAT });
	unsigned second = pdb_event(b, &(struct pdb_event){ .name = "cpu-clock",
	    .type = 1, .period = 100, .sample_type = FLAT });

	at(b, second, 1, 1000, 0);
	at(b, second, 5, 1100, 0);
	at(b, first, 1, 1200, 0);
	at(b, second, 1, 1300, 0);
	return b;
}

static void
only_the_chosen_event_is_exported(void)
{
	struct pd_export_opts o = { .format = PD_EXPORT_JSON,
		.weight = PD_WEIGHT_SAMPLES };

	check(two_events(), o,
	    "{\"type\":\"header\",\"version\":1,\"event\":\"page-faults\","
	    "\"counted\":\"samples\",\"unit\":\"count\",\"command\":null,"
	    "\"host\":null,\"kernel\":null,\"architecture\":null,"
	    "\"processor\":null,\"perf\":null,\"samples\":4,\"lost\":0,"
	    "\"wall_offset\":null}\n"
	    "{\"type\":\"thread\",\"thread\":0,\"pid\":1,\"tid\":1,"
	    "\"comm\":\":1\"}\n"
	    "{\"type\":\"frame\",\"frame\":0,\"name\":\"[unknown]\","
	    "\"file\":null,\"kind\":\"user\",\"known\":false,"
	    "\"inlined\":false}\n"
	    "{\"type\":\"stack\",\"stack\":0,\"frames\":[0]}\n"
	    "{\"type\":\"sample\",\"thread\":0,\"stack\":0,\"time\":1200,"
	    "\"cpu\":0,\"weight\":1}\n");
}

static void
threads_that_change_their_name_have_both(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = pdb_event(b, &(struct pdb_event){ .name = "cpu-clock",
	    .type = 1, .period = 100, .sample_type = FLAT });
	static const char *const names[] = { "sh", "ls", "sh" };
	char *got, *p;
	size_t n = 0;

	for (uint64_t i = 0; i < 3; i++) {
		pdb_comm(b, ev, &(struct pdb_id){ .pid = 1, .tid = 1,
		    .time = 100 * i + 1 }, names[i], false);
		at(b, ev, 1, 100 * i + 50, 100);
	}
	got = export_of(b, (struct pd_export_opts){
	    .format = PD_EXPORT_JSON }, NULL);
	for (p = got; (p = strstr(p, "\"type\":\"thread\"")) != NULL; p++)
		n++;
	CHECK_EQ(n, 2);
	CHECK((p = strstr(got, "\"time\":50,")) && strstr(got,
	    "\"thread\":0,\"stack\":0,\"time\":50,"));
	CHECK(strstr(got, "\"thread\":1,\"stack\":0,\"time\":150,") != NULL);
	CHECK(strstr(got, "\"thread\":0,\"stack\":0,\"time\":250,") != NULL);
	free(got);
}

static void
a_recording_without_samples_is_exported_too(void)
{
	for (int f = PD_EXPORT_PPROF; f <= PD_EXPORT_FIREFOX; f++) {
		struct pdb *b = pdb_new(PDB_FILE, false);
		char *got;

		unsigned ev = pdb_event(b, &(struct pdb_event){
		    .name = "cpu-clock", .sample_type = FLAT });
		pdb_comm(b, ev, &(struct pdb_id){ .pid = 1, .tid = 1 }, "x",
		    false);
		got = export_of(b, (struct pd_export_opts){
		    .format = (enum pd_export_format)f }, NULL);
		CHECK(got != NULL);
		free(got);
	}
}

/* ---- hostile names -------------------------------------------------------------- */

#define BAD	"</script>\033]0;x\007\xff\xc0\xaf<!--\"\\\n\r\xed\xa0\x80;#"

/* A program whose functions, file and thread have such names. */
static struct pdb *
hostile(const char *dir)
{
	static const char path[] = "/p\xff<!--\033";
	char *names[2];
	struct pdb *b = pdb_new(PDB_FILE, false);
	struct pdb_id id = { .pid = 1, .tid = 1, .time = 1 };
	unsigned ev = pdb_event(b, &(struct pdb_event){
	    .name = "cpu-clock" BAD, .type = 1, .period = 100,
	    .sample_type = FLAT });

	names[0] = strdup(BAD);
	names[1] = malloc(8192);	/* of C++, and no end in sight */
	memset(names[1], 'x', 8191);
	memcpy(names[1], "_Z", 2);
	names[1][8191] = '\0';
	write_program(dir, path, (const char *const *)names, 2);
	pdb_comm(b, ev, &id, BAD, false);
	pdb_mmap2(b, ev, &id, &(struct pdb_map){ .start = 0x10000,
	    .len = 0x4000, .path = path });
	for (uint64_t i = 0; i < 2; i++)
		pdb_sample(b, ev, &(struct pdb_sample){ .id = { .pid = 1,
		    .tid = 1, .time = 10 + i }, .ip = 0x11010 + 0x1000 * i });
	free(names[0]);
	free(names[1]);
	return b;
}

static void
hostile_names_are_text_in_every_format(void)
{
	char dir[] = "/tmp/export-XXXXXX", path[64], *got;
	const unsigned char *s;
	size_t n;

	CHECK(mkdtemp(dir) != NULL);
	for (int f = PD_EXPORT_SPEEDSCOPE; f <= PD_EXPORT_FIREFOX; f++) {
		got = export_of(hostile(dir), (struct pd_export_opts){
		    .format = (enum pd_export_format)f }, dir);
		CHECK(got != NULL && strlen(got) > 8192);
		for (s = (unsigned char *)got; s && *s; s += n ? n : 1) {
			n = pd_utf8_len(s, SIZE_MAX);
			CHECK(n > 0 && (*s >= 0x20 || *s == '\n') &&
			    *s != 0x7f);
		}
		CHECK(got && strstr(got, "</script") == NULL &&
		    strstr(got, "<!--") == NULL);
		/* The name of the function is there, as it can be shown. */
		CHECK(got && strstr(got, "\\u003c/script>?]0:x") != NULL);
		free(got);
	}
	snprintf(path, sizeof(path), "%s/p\xff<!--\033", dir);
	unlink(path);
	rmdir(dir);
}

int
main(void)
{
	RUN(threads_share_an_axis_and_sleep_in_gaps);
	RUN(counts_have_no_time);
	RUN(time_is_preferred_where_events_have_it);
	RUN(only_the_chosen_event_is_exported);
	RUN(threads_that_change_their_name_have_both);
	RUN(a_recording_without_samples_is_exported_too);
	RUN(hostile_names_are_text_in_every_format);
	return tap_done();
}
