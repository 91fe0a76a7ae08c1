/* Slices of recordings made by hand hold what was selected, and no more. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cut/state.h"
#include "pdbuild.h"
#include "record/reader.h"
#include "record/record.h"
#include "tap.h"

#define WHO (PDB_IP | PDB_TID | PDB_TIME)

static struct pd_error err;
static const struct pd_slice_opts all = { .first_time = PD_NOTIME,
	.last_time = PD_NOTIME };

/* ---- slicing ------------------------------------------------------------ */

/* A new empty file that only has a name in /proc. */
static int
new_file(char path[32])
{
	int fd = memfd_create("slice", MFD_CLOEXEC);

	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

/* Slice the recording at path to the file out: whether it went well. */
static bool
slice_path(const char *path, const struct pd_slice_opts *opts, int out,
    struct pd_slice_counts *n)
{
	struct pd_reader *rd = pd_reader_open(path, pd_slice_order(opts, path),
	    &err);
	struct pd_slice *s = rd ? pd_slice_new(rd, out, opts, &err) : NULL;
	int r = -1;

	while (s != NULL && (r = pd_slice_next(s, &err)) == 1)
		;
	if (r == 0)
		r = pd_slice_finish(s, &err);
	if (r == 0)
		*n = pd_slice_counts(s);
	pd_slice_free(s);
	pd_reader_close(rd);
	return r == 0;
}

/* The same of one that was built: the slice's descriptor, or -1. */
static int
slice(struct pdb *b, const struct pd_slice_opts *opts, char path[32],
    struct pd_slice_counts *n)
{
	char from[32];
	int in = pdb_file(b, from), out = new_file(path);
	bool ok = slice_path(from, opts, out, n);

	close(in);
	if (ok)
		return out;
	printf("# %s\n", err.msg);
	close(out);
	return -1;
}

static struct pd_windows *
window(const char *text)
{
	struct pd_windows *w = pd_windows_new(&err);

	CHECK(pd_windows_add(w, text, &err) == 0);
	return w;
}

/* ---- what is in a slice, as text ------------------------------------------------ */

struct text {
	char	s[4096];
	size_t	len;
};

static void
say(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (t->len < sizeof(t->s))
		t->len += (size_t)vsnprintf(t->s + t->len,
		    sizeof(t->s) - t->len, fmt, ap);
	va_end(ap);
}

static void
say_record(struct text *t, const struct pd_record *rec)
{
	union pd_body b;
	struct pd_error bad;

	if (rec->type == PD_RECORD_SAMPLE) {
		say(t, "%" PRIu64 ":%" PRIu32 " ", rec->time, rec->tid);
		return;
	}
	switch (pd_record_decode(rec, &b, &bad) == 1 ? rec->type : 0) {
	case PD_RECORD_COMM:
		say(t, "%s(%" PRIu32 " %s) ", rec->misc & PD_MISC_COMM_EXEC ?
		    "exec" : "comm", b.comm.tid, b.comm.comm);
		break;
	case PD_RECORD_FORK:
		say(t, "fork(%" PRIu32 "/%" PRIu32 " of %" PRIu32 "%s) ",
		    b.task.pid, b.task.tid, b.task.ptid,
		    rec->misc & PD_MISC_FORK_EXEC ? " told" : "");
		break;
	case PD_RECORD_EXIT:
		say(t, "exit(%" PRIu32 ") ", b.task.tid);
		break;
	case PD_RECORD_MMAP:
	case PD_RECORD_MMAP2:
		say(t, "map(%" PRId32 " %" PRIx64 "-%" PRIx64 " %" PRIx64
		    " %s) ", (int32_t)b.mmap.pid, b.mmap.start,
		    b.mmap.start + b.mmap.len, b.mmap.pgoff, b.mmap.name);
		break;
	case PD_RECORD_KSYMBOL:
		say(t, "ksymbol(%s) ", b.ksymbol.name);
		break;
	case PD_RECORD_LOST:
		say(t, "lost(%" PRIu64 ") ", b.lost);
		break;
	default:
		if (rec->type < PD_RECORD_USER_START)
			say(t, "%s(%" PRIu32 ") ", pd_record_name(rec->type),
			    rec->tid);
	}
}

/* All records of the kernel, in the order in which they are delivered. */
static const char *
listing(const char *path)
{
	static struct text t;
	struct pd_reader *rd = pd_reader_open(path, PD_TIME_ORDER, &err);
	struct pd_record rec;
	int r = -1;

	t.len = 0;
	t.s[0] = '\0';
	while (rd != NULL && (r = pd_reader_next(rd, &rec, &err)) == 1)
		say_record(&t, &rec);
	if (r == -1)
		say(&t, "error: %s", err.msg);
	else if (pd_reader_note(rd, 0) != NULL)
		say(&t, "note: %s", pd_reader_note(rd, 0)->msg);
	pd_reader_close(rd);
	return t.s;
}

#define SLICED(b, opts, want) sliced(b, opts, want, __FILE__, __LINE__)

static void
sliced(struct pdb *b, const struct pd_slice_opts *opts, const char *want,
    const char *file, int line)
{
	struct pd_slice_counts n;
	char path[32];
	int fd = slice(b, opts, path, &n);

	if (CHECK(fd != -1))
		tap_str(listing(path), want, file, line);
	close(fd);
}

/* ---- recordings ------------------------------------------------------------ */

static unsigned
clock_event(struct pdb *b)
{
	return pdb_event(b, &(struct pdb_event){ .sample_type = WHO,
	    .name = "cpu-clock" });
}

static struct pdb_id
at(uint64_t time, uint32_t pid, uint32_t tid)
{
	return (struct pdb_id){ .pid = pid, .tid = tid, .time = time };
}

static void
sample(struct pdb *b, unsigned ev, uint64_t time, uint32_t pid, uint32_t tid)
{
	pdb_sample(b, ev, &(struct pdb_sample){ .id = at(time, pid, tid),
	    .ip = 0x1000 });
}

static void
comm(struct pdb *b, unsigned ev, uint64_t time, uint32_t pid, uint32_t tid,
    const char *name, bool exec)
{
	pdb_comm(b, ev, &(struct pdb_id){ .pid = pid, .tid = tid,
	    .time = time }, name, exec);
}

static void
map(struct pdb *b, unsigned ev, uint64_t time, uint32_t pid, uint64_t start,
    uint64_t end, const char *path)
{
	struct pdb_id id = at(time, pid, pid);

	pdb_mmap2(b, ev, &id, &(struct pdb_map){ .start = start,
	    .len = end - start, .path = path });
}

static void
fork_of(struct pdb *b, unsigned ev, uint64_t time, uint32_t pid, uint32_t tid,
    uint32_t ppid)
{
	struct pdb_id id = at(time, pid, tid);

	pdb_fork(b, ev, &id, ppid, ppid, 0);
}

/* Two processes, of which 10 has a second thread, 11. */
static struct pdb *
two_processes(enum pdb_kind kind, bool swapped)
{
	struct pdb *b = pdb_new(kind, swapped);
	unsigned ev = clock_event(b);

	comm(b, ev, 100, 10, 10, "main", false);
	map(b, ev, 110, 10, 0x1000, 0x3000, "/bin/a");
	comm(b, ev, 120, 20, 20, "other", false);
	map(b, ev, 130, 20, 0x1000, 0x3000, "/bin/b");
	fork_of(b, ev, 140, 10, 11, 10);
	comm(b, ev, 150, 10, 11, "worker", false);
	sample(b, ev, 200, 10, 10);
	sample(b, ev, 300, 20, 20);
	sample(b, ev, 400, 10, 11);
	pdb_lost(b, ev, &(struct pdb_id){ .time = 450 }, 7);
	sample(b, ev, 500, 10, 10);
	return b;
}

/* ---- what is kept ------------------------------------------------------------ */

static void
windows_are_half_open_in_every_container(void)
{
	static const char want[] = "comm(20 other) map(20 1000-3000 0 /bin/b) "
	    "300:20 ";
	struct pd_windows *w = window("0.000000300,0.000000400");
	struct pd_slice_opts o = all;

	o.windows = w;
	for (int i = 0; i < 16; i++) {
		o.pipe = i & 1;
		o.level = i & 2 ? 3 : 0;
		SLICED(two_processes(i & 4 ? PDB_PIPE : PDB_FILE, i & 8), &o,
		    want);
	}
	pd_windows_free(w);
}

static void
all_of_it_is_a_copy(void)
{
	static const char want[] = "comm(10 main) map(10 1000-3000 0 /bin/a) "
	    "comm(20 other) map(20 1000-3000 0 /bin/b) fork(10/11 of 10) "
	    "comm(11 worker) 200:10 300:20 400:11 lost(7) 500:10 ";
	struct pd_slice_opts o = all;

	for (int i = 0; i < 16; i++) {
		o.pipe = i & 1;
		o.level = i & 2 ? 3 : 0;
		SLICED(two_processes(i & 4 ? PDB_PIPE : PDB_FILE, i & 8), &o,
		    want);
	}
}

/*
 * A FORK of a number that is in use is a new process: that of the first thread
 * must stand before the maps.
 */
static void
the_first_thread_comes_before_the_maps(void)
{
	struct pd_windows *w = window("0.0000004,");
	struct pd_slice_opts o = all;

	o.windows = w;
	SLICED(two_processes(PDB_FILE, false), &o, "comm(10 main) "
	    "fork(10/11 of 10 told) comm(11 worker) map(10 1000-3000 0 /bin/a) "
	    "400:11 lost(7) 500:10 ");
	pd_windows_free(w);
}

static void
what_was_told_is_kept_up_to_date(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = clock_event(b);
	struct pd_windows *w = window("0.0000002,0.0000003");
	struct pd_slice_opts o = all;
	struct pdb_id id = at(240, 10, 12);

	CHECK(pd_windows_add(w, "0.0000005,", &err) == 0);
	o.windows = w;
	comm(b, ev, 100, 10, 10, "main", false);
	sample(b, ev, 200, 10, 10);
	comm(b, ev, 210, 10, 10, "renamed", false);
	map(b, ev, 220, 10, 0x1000, 0x3000, "/lib/x");
	fork_of(b, ev, 230, 10, 12, 10);
	pdb_exit(b, ev, &id);
	comm(b, ev, 310, 20, 20, "other", false);
	map(b, ev, 320, 20, 0x1000, 0x3000, "/bin/b");
	fork_of(b, ev, 330, 30, 30, 10);
	map(b, ev, 340, 10, 0x8000, 0x9000, "/lib/y");
	sample(b, ev, 500, 10, 10);
	/* Between the windows too; but what concerns no sample is not told. */
	SLICED(b, &o, "comm(10 main) 200:10 comm(10 renamed) "
	    "map(10 1000-3000 0 /lib/x) fork(10/12 of 10) exit(12) "
	    "map(10 8000-9000 0 /lib/y) 500:10 ");
	pd_windows_free(w);
}

static void
a_map_is_told_as_it_is_now(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = clock_event(b);
	struct pd_windows *w = window("0.0000005,");
	struct pd_slice_opts o = all;

	o.windows = w;
	map(b, ev, 100, 10, 0x1000, 0x9000, "/lib/x");
	map(b, ev, 110, 10, 0x3000, 0x4000, "/lib/y");
	fork_of(b, ev, 200, 20, 20, 10);
	map(b, ev, 210, 10, 0x1000, 0x9000, "/lib/z");
	sample(b, ev, 500, 20, 20);
	SLICED(b, &o, "fork(20/20 of 10 told) map(20 1000-3000 0 /lib/x) "
	    "map(20 3000-4000 0 /lib/y) map(20 4000-9000 3000 /lib/x) 500:20 ");
	pd_windows_free(w);
}

/* Until the new program runs, samples are of the old one. */
static void
between_exec_and_the_first_sample_both_programs_are_told(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = clock_event(b);
	struct pd_windows *w = window("0.0000005,");
	struct pd_slice_opts o = all;

	o.windows = w;
	comm(b, ev, 100, 10, 10, "sh", false);
	map(b, ev, 110, 10, 0x1000, 0x3000, "/bin/sh");
	comm(b, ev, 200, 10, 10, "ls", true);
	map(b, ev, 210, 10, 0x5000, 0x7000, "/bin/ls");
	pdb_sample(b, ev, &(struct pdb_sample){ .id = at(500, 10, 10),
	    .ip = 0xffffffff81000000, .misc = PDB_KERNEL });
	SLICED(b, &o, "comm(10 ls) map(10 1000-3000 0 /bin/sh) exec(10 ls) "
	    "map(10 5000-7000 0 /bin/ls) 500:10 ");
	pd_windows_free(w);
}

static void
ksymbol(struct pdb *b, unsigned ev, uint64_t time, uint64_t addr,
    const char *name, bool gone)
{
	struct pdb_id id = at(time, 0, 0);

	pdb_begin(b, PD_REC_KSYMBOL, 0);
	pdb_u64(b, addr);
	pdb_u32(b, 0x100);
	pdb_u16(b, 1);
	pdb_u16(b, gone);
	pdb_str(b, name);
	pdb_trailer(b, ev, &id);
	pdb_end(b);
}

static void
what_is_gone_before_the_slice_is_not_told(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = clock_event(b);
	struct pd_windows *w = window("0.000005,");
	struct pd_slice_opts o = all;

	o.windows = w;
	/* many come and go: their places are used again */
	for (uint64_t i = 0; i < 500; i++) {
		ksymbol(b, ev, 100 + 2 * i, 0x10000 + 0x100 * i, "prog", false);
		if (i % 100 != 0)
			ksymbol(b, ev, 101 + 2 * i, 0x10000 + 0x100 * i,
			    "prog", true);
	}
	ksymbol(b, ev, 2000, 0x900000, "late", false);
	ksymbol(b, ev, 2001, 0x900000, "later", false);
	sample(b, ev, 5000, 10, 10);
	ksymbol(b, ev, 5001, 0x900000, "later", true);
	SLICED(b, &o, "ksymbol(prog) ksymbol(prog) ksymbol(prog) "
	    "ksymbol(prog) ksymbol(prog) ksymbol(later) 5000:10 "
	    "ksymbol(later) ");
	pd_windows_free(w);
}

static void
all_state_is_kept_on_request(void)
{
	struct pd_windows *w = window("0.0000003,0.0000004");
	struct pd_slice_opts o = all;

	o.windows = w;
	o.keep_state = true;
	SLICED(two_processes(PDB_FILE, false), &o, "comm(10 main) "
	    "map(10 1000-3000 0 /bin/a) comm(20 other) "
	    "map(20 1000-3000 0 /bin/b) fork(10/11 of 10) comm(11 worker) "
	    "300:20 ");
	pd_windows_free(w);
}

/* Its parent may have no samples, but has its name. */
static void
a_thread_has_the_name_of_a_parent_without_samples(void)
{
	struct pdb *b = two_processes(PDB_FILE, false);
	struct pd_windows *w = window("0.0000005,");
	struct pd_slice_opts o = all;
	struct pdb_id id = at(510, 10, 12);

	o.windows = w;
	pdb_fork(b, 0, &id, 10, 11, 0);
	sample(b, 0, 600, 10, 12);
	SLICED(b, &o, "comm(10 main) map(10 1000-3000 0 /bin/a) 500:10 "
	    "fork(10/12 of 11 told) comm(12 worker) 600:12 ");
	pd_windows_free(w);
}

/* JIT code has no file: whose it is would be lost with the parent's maps. */
static void
inherited_jit_code_is_told_as_the_parent_s(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = clock_event(b);
	struct pd_windows *w = window("0.0000005,");
	struct pd_slice_opts o = all, again = all;
	static const char want[] = "fork(20/20 of 10 told) "
	    "map(20 1000-3000 1000 /tmp/perf-10.map) "
	    "map(10 1000-3000 1000 //anon) "	/* for perf */
	    "500:20 ";
	struct pd_slice_counts n;
	char path[32], to[32];
	int fd, fd2 = new_file(to);

	o.windows = w;
	map(b, ev, 100, 10, 0x1000, 0x3000, "//anon");
	fork_of(b, ev, 200, 20, 20, 10);
	sample(b, ev, 500, 20, 20);
	fd = slice(b, &o, path, &n);
	CHECK_STR(listing(path), want);
	again.windows = w;
	CHECK(slice_path(path, &again, fd2, &n));
	CHECK_STR(listing(to), want);
	close(fd);
	close(fd2);
	pd_windows_free(w);
}

/* Whose FORK was lost, or which has none yet. */
static void
a_map_by_an_unknown_thread_is_kept(void)
{
	struct pdb *b = two_processes(PDB_FILE, false);
	struct pd_windows *w = window("0.0000005,");
	struct pd_slice_opts o = all;
	struct pdb_id id = at(510, 10, 12);

	o.windows = w;
	pdb_mmap2(b, 0, &id, &(struct pdb_map){ .start = 0x8000,
	    .len = 0x1000, .path = "/lib/x" });
	sample(b, 0, 600, 10, 10);
	SLICED(b, &o, "comm(10 main) map(10 1000-3000 0 /bin/a) 500:10 "
	    "map(10 8000-9000 0 /lib/x) 600:10 ");
	pd_windows_free(w);
}

/* The parent ended, and its number is that of another process's thread. */
static void
a_parent_does_not_take_the_place_of_another_thread(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = clock_event(b);
	struct pd_windows *w = window("0.0000005,");
	struct pd_slice_opts o = all;
	struct pdb_id id = at(120, 10, 10);

	o.windows = w;
	comm(b, ev, 100, 10, 10, "parent", false);
	fork_of(b, ev, 110, 30, 30, 10);
	pdb_exit(b, ev, &id);
	comm(b, ev, 130, 20, 20, "other", false);
	fork_of(b, ev, 140, 20, 10, 20);
	sample(b, ev, 500, 20, 10);
	sample(b, ev, 510, 30, 30);
	sample(b, ev, 520, 20, 10);
	SLICED(b, &o, "comm(20 other) fork(20/10 of 20 told) comm(10 other) "
	    "500:10 fork(30/30 of 4294967295 told) comm(30 parent) 510:30 "
	    "520:10 ");
	pd_windows_free(w);
}

static void
namespaces(struct pdb *b, unsigned ev, uint64_t time, uint32_t pid)
{
	struct pdb_id id = at(time, pid, pid);

	pdb_begin(b, PD_REC_NAMESPACES, 0);
	pdb_u32(b, pid);
	pdb_u32(b, pid);
	pdb_u64(b, 0);
	pdb_trailer(b, ev, &id);
	pdb_end(b);
}

/* Nothing of before comes too late to be put in order. */
static void
what_was_before_is_told_with_the_time_of_the_sample(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = clock_event(b);
	struct pd_windows *w = window("0.000005,");
	struct pd_slice_opts o = all;
	struct pd_slice_counts n;
	struct pd_reader *rd;
	struct pd_record rec;
	char path[32];
	int fd;

	o.windows = w;
	ksymbol(b, ev, 90, 0x10000, "prog", false);
	namespaces(b, ev, 100, 10);
	namespaces(b, ev, 110, 20);
	sample(b, ev, 5000, 10, 10);
	sample(b, ev, 5100, 20, 20);
	fd = slice(b, &o, path, &n);
	rd = pd_reader_open(path, PD_FILE_ORDER, &err);
	for (uint64_t last = 5000; pd_reader_next(rd, &rec, &err) == 1;) {
		if (rec.type >= PD_RECORD_USER_START)
			continue;
		CHECK(rec.time >= last);
		last = rec.time;
	}
	pd_reader_close(rd);
	close(fd);
	pd_windows_free(w);
}

/* A recorder that never ends sees any number of processes. */
static void
what_is_gone_is_not_remembered(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = clock_event(b);
	struct pd_past past = { 0 };
	struct pd_told told = { 0 };
	struct pd_session *session;
	struct pd_reader *rd;
	struct pd_record rec;
	struct pd_writer *w;
	char from[32], to[32];
	int in, out = new_file(to);

	for (uint32_t i = 0; i < 5000; i++) {
		struct pdb_id id = at(2 * i + 1, 100 + i, 100 + i);

		fork_of(b, ev, 2 * i, 100 + i, 100 + i, 1);
		pdb_exit(b, ev, &id);
	}
	in = pdb_file(b, from);
	rd = pd_reader_open(from, PD_TIME_ORDER, &err);
	session = pd_session_new(rd, &err);
	w = pd_writer_new(out, &(struct pd_writer_opts){ .pipe = true }, &err);
	while (pd_reader_next(rd, &rec, &err) == 1) {
		struct pd_teller t = { session, pd_reader_events(rd), &past, w,
			&told, false };

		CHECK(pd_session_apply(session, &rec, &err) == 0);
		CHECK(pd_tell(&t, pd_session_thread(session, rec.pid, rec.tid,
		    &err), rec.time, &err) == 0);
	}
	CHECK(pd_writer_size(w) > 5000 * 40);
	CHECK(told.serials.used < 2500);
	pd_told_free(&told);
	pd_writer_free(w);
	pd_session_free(session);
	pd_reader_close(rd);
	close(in);
	close(out);
}

/* ---- selection ------------------------------------------------------------ */

static void
kinds_combine_and_invert(void)
{
	struct pd_filter *f = pd_filter_new(&err);
	struct pd_windows *w = window("0.0000002,0.0000005");
	struct pd_slice_opts o = all;

	CHECK(pd_filter_add(f, PD_BY_COMM, "main", &err) == 0);
	CHECK(pd_filter_add(f, PD_BY_COMM, "w*", &err) == 0);
	CHECK(pd_filter_add(f, PD_BY_EVENT, "cpu*", &err) == 0);
	o.filter = f;
	o.windows = w;
	/* Losses belong to no thread. */
	SLICED(two_processes(PDB_FILE, false), &o, "comm(10 main) "
	    "map(10 1000-3000 0 /bin/a) 200:10 fork(10/11 of 10 told) "
	    "comm(11 worker) 400:11 lost(7) ");
	o.invert = true;
	SLICED(two_processes(PDB_FILE, false), &o, "comm(20 other) "
	    "map(20 1000-3000 0 /bin/b) 300:20 lost(7) comm(10 main) "
	    "map(10 1000-3000 0 /bin/a) 500:10 ");
	pd_filter_free(f);
	pd_windows_free(w);
}

static void
samples_without_time_are_in_no_window(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = pdb_event(b, &(struct pdb_event){
	    .sample_type = PDB_IP | PDB_TID });
	struct pd_windows *w = window("1,2");
	struct pd_slice_opts o = all;
	struct pd_slice_counts n;
	char from[32], to[32];
	int in, out;

	o.windows = w;
	sample(b, ev, 0, 10, 10);
	in = pdb_file(b, from);
	out = new_file(to);
	CHECK(!slice_path(from, &o, out, &n));
	CHECK(strstr(err.msg, "no time") != NULL);
	close(in);
	close(out);
	pd_windows_free(w);
}

/* ---- samples that are changed ------------------------------------------------------------ */

static void
counters_stand_still_where_nothing_is_kept(void)
{
	enum { GROUP = 8 | 4 };		/* PERF_FORMAT_GROUP, _ID */
	struct pdb *b = pdb_new(PDB_FILE, false);
	uint64_t ids[] = { 5, 6 };
	unsigned ev = pdb_event(b, &(struct pdb_event){ .ids = ids, .nids = 2,
	    .sample_type = WHO | PDB_READ | PDB_ID, .read_format = GROUP });
	struct pd_windows *w = window("0.0000003,");
	struct pd_slice_opts o = all;
	struct pd_slice_counts n;
	const struct pd_event *member;
	struct pd_reader *rd;
	struct pd_record rec;
	struct pd_sample s;
	uint64_t grown, sum[2] = { 0, 0 };
	char path[32];
	int fd;

	o.windows = w;
	for (uint64_t t = 1; t <= 4; t++) {
		uint64_t read[] = { 2, 1000 * t, 5, 10 * t * t, 6 };
		struct pdb_id id = at(100 * t, 10, 10);

		id.id = 5;
		pdb_sample(b, ev, &(struct pdb_sample){ .id = id, .ip = 1,
		    .read = read, .nread = 5 });
	}
	fd = slice(b, &o, path, &n);
	rd = pd_reader_open(path, PD_TIME_ORDER, &err);
	while (pd_reader_next(rd, &rec, &err) == 1)
		if (rec.type == PD_RECORD_SAMPLE &&
		    CHECK(pd_reader_sample(rd, &rec, &s) == 1))
			for (size_t i = 0; i < 2; i++) {
				CHECK(pd_reader_member(rd, &rec, &s, i,
				    &member, &grown, &err) == 1);
				sum[i] += grown;
			}
	CHECK_EQ(sum[0], 2000);			/* from 2000 to 4000 */
	CHECK_EQ(sum[1], 10 * (16 - 4));
	pd_reader_close(rd);
	close(fd);
	pd_windows_free(w);
}

static void
stripped(bool swapped)
{
	struct pdb *b = pdb_new(PDB_FILE, swapped);
	uint64_t chain[] = { PD_CONTEXT_KERNEL, 0xffffffff81000000 };
	uint64_t regs[] = { 0x1234, 0x5678 };
	unsigned ev = pdb_event(b, &(struct pdb_event){ .regs_user = 3,
	    .sample_type = WHO | PDB_CALLCHAIN | PDB_REGS_USER |
	    PDB_STACK_USER | PDB_WEIGHT, .stack_user = 64 });
	struct pd_slice_opts o = all;
	struct pd_slice_counts n;
	struct pd_reader *rd;
	struct pd_record rec = { 0 };
	struct pd_sample s;
	char path[32];
	int fd;

	o.strip_stacks = true;
	pdb_sample(b, ev, &(struct pdb_sample){ .id = at(100, 10, 10),
	    .ip = 0x1000, .chain = chain, .nchain = 2, .user_abi = 2,
	    .user_regs = regs, .stack = "secretsecretsecretsecretsecret!",
	    .stack_size = 32, .stack_dyn = 32, .weight = 42 });
	fd = slice(b, &o, path, &n);
	rd = pd_reader_open(path, PD_TIME_ORDER, &err);
	while (rd != NULL && rec.type != PD_RECORD_SAMPLE &&
	    pd_reader_next(rd, &rec, &err) == 1)
		;
	if (CHECK(rec.type == PD_RECORD_SAMPLE) &&
	    CHECK(pd_reader_sample(rd, &rec, &s) == 1)) {
		CHECK(s.user_regs == NULL && s.user_stack == NULL);
		CHECK(!s.has_rest);
		CHECK_EQ(s.weight, 42);
		CHECK_EQ(s.callchain_len, 2);
		CHECK_EQ(pd_sample_ip(&s, 1), chain[1]);
		CHECK_EQ(rec.event->regs_user, 0);
		CHECK_EQ(rec.event->stack_user, 0);
	}
	pd_reader_close(rd);
	close(fd);
}

static void
copied_stacks_are_taken_out(void)
{
	stripped(false);
	stripped(true);
}

/* Its user part is recorded when the thread leaves the kernel. */
static void
a_deferred_callchain_is_kept_with_its_sample(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	uint64_t chain[] = { PD_CONTEXT_KERNEL, 1, PD_CONTEXT_USER_DEFERRED, 9 };
	unsigned ev = pdb_event(b, &(struct pdb_event){
	    .sample_type = WHO | PDB_CALLCHAIN, .flags = UINT64_C(3) << 38 });
	struct pd_windows *w = window("0.0000002,0.0000003");
	struct pd_slice_opts o = all;

	o.windows = w;
	for (uint64_t t = 100; t < 400; t += 100) {
		struct pdb_id id = at(t + 150, 10, 10);

		pdb_sample(b, ev, &(struct pdb_sample){ .id = at(t, 10, 10),
		    .ip = 1, .chain = chain, .nchain = 4 });
		if (t != 200)
			continue;
		pdb_begin(b, PD_REC_CALLCHAIN_DEFERRED, PDB_USER);
		pdb_u64(b, 9);
		pdb_u64(b, 1);
		pdb_u64(b, 0x1000);
		pdb_trailer(b, ev, &id);
		pdb_end(b);
	}
	SLICED(b, &o, "200:10 CALLCHAIN_DEFERRED(10) ");
	pd_windows_free(w);
}

/* ---- parts ------------------------------------------------------------ */

struct collected {
	int		fds[8], dropped;
	uint64_t	fails;		/* to open, if not 0 */
	uint64_t	samples[8];
	char		paths[8][32];
};

static int
open_part(void *ctx, uint64_t i, struct pd_error *e)
{
	struct collected *c = ctx;

	if (c->fails != 0 && i == c->fails) {
		*e = (struct pd_error){ .code = PD_EIO };
		return -1;
	}
	i = i < 8 ? i : 7;
	return c->fds[i] = new_file(c->paths[i]);
}

static int
close_part(void *ctx, uint64_t i, int fd, const struct pd_part *part,
    struct pd_error *e)
{
	struct collected *c = ctx;

	(void)e;
	i = i < 8 ? i : 7;
	CHECK_EQ(fd, c->fds[i]);
	if (part != NULL)
		c->samples[i] = part->samples;
	c->dropped += part == NULL;
	return 0;
}

static bool
slice_in_parts(struct pdb *b, struct pd_slice_parts *p, struct collected *c)
{
	struct pd_slice_opts o = all;
	struct pd_slice_counts n;
	char from[32];
	int in = pdb_file(b, from);
	bool ok;

	p->open = open_part;
	p->close = close_part;
	p->ctx = c;
	o.parts = p;
	ok = slice_path(from, &o, -1, &n);
	close(in);
	return ok;
}

static void
pieces_of_time_have_each_sample_once(void)
{
	struct collected c = { .fds = { -1, -1, -1, -1, -1, -1, -1, -1 } };
	struct pd_slice_parts p = { .every = 100 };

	CHECK(slice_in_parts(two_processes(PDB_FILE, false), &p, &c));
	CHECK_STR(listing(c.paths[0]), "comm(10 main) "
	    "map(10 1000-3000 0 /bin/a) 200:10 ");
	CHECK_STR(listing(c.paths[1]), "comm(20 other) "
	    "map(20 1000-3000 0 /bin/b) 300:20 ");
	CHECK_STR(listing(c.paths[2]), "comm(10 main) fork(10/11 of 10 told) "
	    "comm(11 worker) map(10 1000-3000 0 /bin/a) 400:11 lost(7) ");
	CHECK_STR(listing(c.paths[3]), "comm(10 main) "
	    "map(10 1000-3000 0 /bin/a) 500:10 ");
	CHECK_EQ(c.fds[4], -1);
	for (int i = 0; i < 4; i++) {
		CHECK_EQ(c.samples[i], 1);
		close(c.fds[i]);
	}
}

/* A piece stays open for the user part of a callchain, but is of its time. */
static void
pieces_wait_for_deferred_callchains(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	uint64_t chain[] = { PD_CONTEXT_KERNEL, 1, PD_CONTEXT_USER_DEFERRED, 9 };
	unsigned ev = pdb_event(b, &(struct pdb_event){
	    .sample_type = WHO | PDB_CALLCHAIN, .flags = UINT64_C(3) << 38 });
	struct collected c = { .fds = { -1, -1, -1, -1, -1, -1, -1, -1 } };
	struct pd_slice_parts p = { .every = 100 };
	struct pdb_id id = at(280, 10, 10);

	pdb_sample(b, ev, &(struct pdb_sample){ .id = at(150, 10, 10),
	    .ip = 1, .chain = chain, .nchain = 4 });
	sample(b, ev, 260, 20, 20);
	sample(b, ev, 270, 20, 20);
	pdb_begin(b, PD_REC_CALLCHAIN_DEFERRED, PDB_USER);
	pdb_u64(b, 9);
	pdb_u64(b, 1);
	pdb_u64(b, 0x1000);
	pdb_trailer(b, ev, &id);
	pdb_end(b);
	sample(b, ev, 290, 20, 20);
	/* of this one, the user part never comes */
	pdb_sample(b, ev, &(struct pdb_sample){ .id = at(300, 30, 30),
	    .ip = 1, .chain = chain, .nchain = 4 });
	sample(b, ev, 3000000360, 20, 20);
	CHECK(slice_in_parts(b, &p, &c));
	CHECK_STR(listing(c.paths[0]), "150:10 CALLCHAIN_DEFERRED(10) ");
	CHECK_STR(listing(c.paths[1]), "260:20 270:20 290:20 300:30 ");
	CHECK_EQ(c.samples[0], 1);
	CHECK_EQ(c.samples[1], 4);
	close(c.fds[0]);
	close(c.fds[1]);
}

/* Opened again, a piece would take the place of what it was. */
static void
a_late_sample_does_not_open_its_piece_again(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = clock_event(b);
	struct collected c = { .fds = { -1, -1, -1, -1, -1, -1, -1, -1 } };
	struct pd_slice_parts p = { .every = 100 };

	sample(b, ev, 100, 10, 10);
	sample(b, ev, 250, 10, 10);
	pdb_round(b);
	pdb_round(b);
	sample(b, ev, 120, 20, 20);
	sample(b, ev, 260, 10, 10);
	CHECK(slice_in_parts(b, &p, &c));
	CHECK_STR(listing(c.paths[0]), "100:10 ");
	CHECK_STR(listing(c.paths[1]), "120:20 250:10 260:10 ");
	CHECK_EQ(c.samples[1], 3);
	close(c.fds[0]);
	close(c.fds[1]);
}

static void
sections_may_overlap(void)
{
	struct pd_occurrence list[] = {
		{ .start = 200, .stop = 451, .pid = PD_NOID, .tid = PD_NOID,
		    .cpu = PD_NOID, .name = "any" },
		{ .start = 250, .stop = 501, .pid = PD_NOID, .tid = 10,
		    .cpu = PD_NOID, .name = "ten" },
		{ .start = 600, .stop = 700, .pid = PD_NOID, .tid = PD_NOID,
		    .cpu = PD_NOID, .name = "never" },
	};
	struct collected c = { .fds = { -1, -1, -1, -1, -1, -1, -1, -1 } };
	struct pd_slice_parts p = { .list = list, .len = 3 };

	CHECK(slice_in_parts(two_processes(PDB_PIPE, true), &p, &c));
	CHECK_EQ(c.samples[0], 3);
	CHECK_STR(listing(c.paths[1]), "comm(10 main) "
	    "map(10 1000-3000 0 /bin/a) 500:10 ");
	CHECK_EQ(c.samples[1], 1);
	CHECK_EQ(c.fds[2], -1);
	close(c.fds[0]);
	close(c.fds[1]);
}

static void
what_is_not_complete_is_given_back(void)
{
	struct pd_occurrence list[] = {
		{ .start = 200, .stop = 451, .pid = PD_NOID, .tid = PD_NOID,
		    .cpu = PD_NOID, .name = "a" },
		{ .start = 250, .stop = 501, .pid = PD_NOID, .tid = PD_NOID,
		    .cpu = PD_NOID, .name = "b" },
	};
	struct collected c = { .fds = { -1, -1, -1, -1, -1, -1, -1, -1 },
		.fails = 1 };
	struct pd_slice_parts p = { .list = list, .len = 2 };

	CHECK(!slice_in_parts(two_processes(PDB_FILE, false), &p, &c));
	CHECK_EQ(c.dropped, 1);
	close(c.fds[0]);
}

/* ---- what describes it ------------------------------------------------------------ */

static void
the_command_line_and_times_are_those_of_the_slice(void)
{
	static const char *const argv[] = { "pd-slice", "--time", "a", NULL };
	struct pd_windows *w = window("0.0000003,0.0000005");
	struct pd_slice_opts o = all;
	struct pd_slice_counts n;
	struct pdb *b = two_processes(PDB_FILE, true);
	struct pd_reader *rd;
	char path[32], again[32];
	int fd, fd2;

	/* u32 count, then a string of u32 length: perf_header_string_list */
	pdb_feature(b, 11, "\0\0\0\1\0\0\0\10perf\0\0\0\0", 16);
	pdb_feature_str(b, 3, "host");
	o.windows = w;
	o.argv = argv;
	fd = slice(b, &o, path, &n);
	fd2 = new_file(again);
	CHECK(slice_path(path, &o, fd2, &n));
	rd = pd_reader_open(again, PD_TIME_ORDER, &err);
	if (CHECK(rd != NULL)) {
		const struct pd_info *info = pd_reader_info(rd);

		CHECK_STR(info->cmdline, "perf | pd-slice --time a | "
		    "pd-slice --time a");
		CHECK_STR(info->hostname, "host");
		CHECK_EQ(info->first_time, 300);
		CHECK_EQ(info->last_time, 400);
		CHECK_STR(pd_reader_event(rd, 0)->name, "cpu-clock");
	}
	pd_reader_close(rd);
	close(fd);
	close(fd2);
	pd_windows_free(w);
}

static void
an_empty_slice_is_a_recording(void)
{
	struct pd_windows *w = window("7,8");
	struct pd_slice_opts o = all;

	o.windows = w;
	SLICED(two_processes(PDB_FILE, false), &o, "");
	o.pipe = true;
	SLICED(two_processes(PDB_FILE, false), &o, "");
	pd_windows_free(w);
}

int
main(void)
{
	RUN(windows_are_half_open_in_every_container);
	RUN(all_of_it_is_a_copy);
	RUN(the_first_thread_comes_before_the_maps);
	RUN(what_was_told_is_kept_up_to_date);
	RUN(a_map_is_told_as_it_is_now);
	RUN(between_exec_and_the_first_sample_both_programs_are_told);
	RUN(what_is_gone_before_the_slice_is_not_told);
	RUN(all_state_is_kept_on_request);
	RUN(a_thread_has_the_name_of_a_parent_without_samples);
	RUN(inherited_jit_code_is_told_as_the_parent_s);
	RUN(a_map_by_an_unknown_thread_is_kept);
	RUN(a_parent_does_not_take_the_place_of_another_thread);
	RUN(what_is_gone_is_not_remembered);
	RUN(what_was_before_is_told_with_the_time_of_the_sample);
	RUN(kinds_combine_and_invert);
	RUN(samples_without_time_are_in_no_window);
	RUN(counters_stand_still_where_nothing_is_kept);
	RUN(copied_stacks_are_taken_out);
	RUN(a_deferred_callchain_is_kept_with_its_sample);
	RUN(pieces_of_time_have_each_sample_once);
	RUN(pieces_wait_for_deferred_callchains);
	RUN(a_late_sample_does_not_open_its_piece_again);
	RUN(sections_may_overlap);
	RUN(what_is_not_complete_is_given_back);
	RUN(the_command_line_and_times_are_those_of_the_slice);
	RUN(an_empty_slice_is_a_recording);
	return tap_done();
}
