/*
 * Prints the user-space callchain that the unwinder finds for each sample of a
 * recording: "tid time end" and then the addresses, leaf first, as perf script
 * prints them: one less where they are return addresses, and as offsets of
 * their files.  With a number behind the recording's name, unwinds each sample
 * so many times and prints what a frame takes when its rule is known, and by
 * how much more when it is not (without reading the files).
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

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Has the unwinder read a file since this was false? */
static bool has_read;
static int (*really_read)(void *ctx, const struct pd_dso *dso,
    struct pd_image *img, struct pd_error *err);

static int
read_image(void *ctx, const struct pd_dso *dso, struct pd_image *img,
    struct pd_error *err)
{
	has_read = true;
	return really_read(ctx, dso, img, err);
}

/* How many of the frames are at addresses that were not met before. */
static uint64_t
count_new(struct pd_map64 *met, const struct pd_chain_entry *e, size_t len)
{
	struct pd_error err;
	uint64_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (pd_map64_find(met, e[i].ip) != PD_NOID)
			continue;
		pd_map64_put(met, e[i].ip, 0, &err);
		n++;
	}
	return n;
}

static void
print(const struct pd_record *rec, struct pd_space *sp,
    const struct pd_chain_entry *e, size_t len, enum pd_unwind_end end)
{
	static const char *const ends[] = { "complete", "truncated", "full",
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
	uint64_t frames = 0, took = 0, samples = 0, t, first, new;
	uint64_t new_frames = 0, new_known = 0, new_took = 0;
	struct pd_map64 met = { 0 };
	double known, unknown;
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
	really_read = files.read;
	files.read = read_image;
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
		has_read = false;
		t = now();
		if (pd_unwinder_run(u, th, rec.event, &smp, out, max, &len,
		    &end, &err) == -1)
			return 2;
		first = now() - t;
		if (repeat == 0)
			print(&rec, pd_thread_space(th), out, len, end);
		new = count_new(&met, out, len);
		if (new > 0 && !has_read) {
			new_frames += new;
			new_known += len - new;
			new_took += first;
		}
		t = now();
		for (int i = 0; i < repeat; i++) {
			pd_unwinder_run(u, th, rec.event, &smp, out, max,
			    &len, &end, &err);
			frames += len;
		}
		took += now() - t;
		samples++;
	}
	if (repeat > 0 && frames > 0 && new_frames > 0) {
		known = (double)took / (double)frames;
		unknown = ((double)new_took - known * (double)new_known) /
		    (double)new_frames;
		frames /= (uint64_t)repeat;
		printf("%" PRIu64 " samples, %" PRIu64 " frames, %.3f%% of "
		    "them known: %.0f ns a frame, %.0f ns when not; so %.0f "
		    "ns at 99%%, %.0f ns at 94%%\n", samples, frames,
		    100 - 100 * (double)new_frames / (double)frames, known,
		    unknown, 0.99 * known + 0.01 * unknown,
		    0.94 * known + 0.06 * unknown);
	}
	pd_map64_free(&met);
	pd_unwinder_free(u);
	pd_symsources_free(src);
	pd_session_free(s);
	pd_reader_close(rd);
	return 0;
}
