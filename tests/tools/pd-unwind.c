/*
 * Prints the user-space callchain that the unwinder finds for each sample of a
 * recording: "tid time end" and then the addresses, leaf first, as perf script
 * prints them: one less where they are return addresses, and as offsets of
 * their files.  With a number behind the recording's name, unwinds each sample
 * so many times and prints what it took.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "symbol/cfifile.h"

#define MAX	4096

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void
print(const struct pd_record *rec, struct pd_space *sp,
    const struct pd_chain_entry *e, size_t len, enum pd_unwind_end end)
{
	static const char *const ends[] = { "complete", "truncated",
		"stopped" };
	const struct pd_map *map;
	uint64_t ip;

	printf("%" PRIu32 "\t%" PRIu64 "\t%s", rec->tid, rec->time, ends[end]);
	for (size_t i = 0; i < len; i++) {
		ip = e[i].ip - !e[i].exact;
		map = pd_space_find(sp, ip);
		printf("\t%" PRIx64, map && map->dso->kind != PD_DSO_ANON ?
		    ip - map->start + map->pgoff : ip);
	}
	putchar('\n');
}

int
main(int argc, char **argv)
{
	static struct pd_chain_entry out[MAX];
	int repeat = argc > 2 ? atoi(argv[2]) : 0;
	size_t max = argc > 3 ? (size_t)atoi(argv[3]) : 127, len;
	uint64_t frames = 0, took = 0, samples = 0, t;
	struct pd_error err = { 0 };
	struct pd_symopts opts = { 0 };
	struct pd_symsources *src;
	struct pd_unwind_files files;
	struct pd_reader *rd;
	struct pd_session *s;
	struct pd_unwinder *u;
	struct pd_record rec;
	struct pd_sample smp;
	const struct pd_thread *th;
	enum pd_unwind_end end;

	if (argc < 2 || (rd = pd_reader_open(argv[1], PD_TIME_ORDER,
	    &err)) == NULL)
		return 2;
	s = pd_session_new(rd, &err);
	opts.info = pd_session_info(s);
	src = pd_symsources_new(&opts, &err);
	files = pd_cfifiles(src);
	u = pd_unwinder_new(s, &files, &err);
	while (pd_reader_next(rd, &rec, &err) == 1) {
		pd_session_apply(s, &rec, &err);
		if (rec.type != PD_RECORD_SAMPLE ||
		    pd_sample_decode(&rec, &smp, &err) == -1)
			continue;
		th = pd_session_thread(s, rec.pid, rec.tid, &err);
		if (smp.cpumode == PD_CPUMODE_USER &&
		    pd_thread_space(th)->old_len > 0)
			pd_session_settle(s, th);
		if (pd_unwinder_run(u, th, rec.event, &smp, out, max, &len,
		    &end, &err) == -1)
			return 2;
		if (repeat == 0)
			print(&rec, pd_thread_space(th), out, len, end);
		t = now();
		for (int i = 0; i < repeat; i++) {
			pd_unwinder_run(u, th, rec.event, &smp, out, max,
			    &len, &end, &err);
			frames += len;
		}
		took += now() - t;
		samples++;
	}
	if (repeat > 0)
		printf("%" PRIu64 " samples, %" PRIu64 " frames, %.1f ns a "
		    "frame\n", samples, frames / (uint64_t)repeat,
		    (double)took / (double)frames);
	pd_unwinder_free(u);
	pd_symsources_free(src);
	pd_session_free(s);
	pd_reader_close(rd);
	return 0;
}
