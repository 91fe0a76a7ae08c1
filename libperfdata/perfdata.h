/*
 * perfdata.h - read, symbolise, select and fold perf.data recordings.
 *
 * What every function below keeps to:
 *   - iterators return 1 (an item), 0 (the end) or -1 (error); other functions
 *     return 0 or -1, or a pointer that is NULL on error.  The reason is then
 *     in *err, which the caller owns and which is never NULL;
 *   - nothing prints, exits, or keeps mutable state outside its objects;
 *   - objects are not locked: one thread at a time per object;
 *   - "borrowed until X": do not use it after X, do not free it.
 *
 * Units: times are nanoseconds of the recording's clock, sizes are bytes,
 * lengths are elements, offsets are positions in the input.
 */
#ifndef PERFDATA_H
#define PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#pragma GCC visibility push(default)

#define PD_NOWHERE	UINT64_MAX	/* no offset */
#define PD_NOTIME	UINT64_MAX	/* no time */
#define PD_NOID		UINT32_MAX	/* no pid, tid, cpu, id */

/* ---- errors and notes ---------------------------------------------------- */

enum pd_errc {
	PD_OK = 0,
	PD_EIO,		/* a system call failed; sys holds errno */
	PD_ENOMEM,
	PD_EFORMAT,	/* the bytes contradict the format */
	PD_ETRUNC,	/* the input ends inside a structure */
	PD_EUNSUPP,	/* valid, but not handled here */
	PD_EARG,	/* a value given by the caller or the user is not usable */
};

struct pd_error {
	enum pd_errc	code;
	int		sys;		/* errno for PD_EIO, else 0 */
	uint64_t	offset;		/* input offset, or PD_NOWHERE */
	char		msg[248];	/* ready to print, printable, no newline */
};

/*
 * Something that was not an error but that the user must know to trust the
 * result: a damaged record skipped, a file whose build-id did not match.
 * Notes of one kind are counted; the text is that of the first.
 */
struct pd_note {
	uint64_t	count;
	uint64_t	offset;		/* of the first, or PD_NOWHERE */
	bool		damage;		/* part of the input was not usable */
	char		msg[248];
};

/* ---- files that change ----------------------------------------------------- */

/*
 * Debug information is mapped into memory, and the kernel sends SIGBUS to who
 * reads what is not in the file any more (mmap(2)).  This sets a handler for the
 * whole process, which has such places read as zeros; other SIGBUS go to the
 * handler that was there before.  To be called once, by programs that are to
 * survive that people strip or copy over a file which is profiled.
 */
void pd_catch_sigbus(void);

/* ---- kinds of input ------------------------------------------------------- */

enum pd_kind {
	PD_KIND_FOLDED,			/* text, or nothing that is known */
	PD_KIND_RECORDING,		/* perf.data */
	PD_KIND_BASELINE,		/* of pd-diff */
	PD_KIND_PPROF,			/* a profile.proto, or what gzip wrote */
};

/*
 * What fd holds, by its first bytes, which stay there: files, pipes and
 * sockets.  Waits for the writer of a pipe.
 */
int pd_kind_of(int fd, enum pd_kind *kind, struct pd_error *err);

/* ---- reader: bytes -> records -------------------------------------------- */

struct pd_reader;

/*
 * Record types that callers branch on, numbered as in the kernel's
 * include/uapi/linux/perf_event.h and perf's tools/lib/perf/include/perf/event.h;
 * record.def has them all.
 */
enum {
	PD_RECORD_MMAP = 1,
	PD_RECORD_LOST = 2,
	PD_RECORD_COMM = 3,
	PD_RECORD_EXIT = 4,
	PD_RECORD_THROTTLE = 5,
	PD_RECORD_UNTHROTTLE = 6,
	PD_RECORD_FORK = 7,
	PD_RECORD_SAMPLE = 9,
	PD_RECORD_MMAP2 = 10,
	PD_RECORD_LOST_SAMPLES = 13,
	PD_RECORD_KSYMBOL = 17,
	PD_RECORD_CALLCHAIN_DEFERRED = 22,
	PD_RECORD_USER_START = 64,	/* perf's own records begin here */
};

/* PERF_RECORD_MISC_CPUMODE_MASK of misc: where the processor was. */
enum pd_cpumode {
	PD_CPUMODE_UNKNOWN,
	PD_CPUMODE_KERNEL,
	PD_CPUMODE_USER,
	PD_CPUMODE_HYPERVISOR,
	PD_CPUMODE_GUEST_KERNEL,
	PD_CPUMODE_GUEST_USER,
};

enum pd_order {
	PD_FILE_ORDER,			/* as written */
	PD_TIME_ORDER,			/* by time; records without time at once */
};

/*
 * One event of the recording: its perf_event_attr (perf_event_open(2)), its
 * ids and its name.
 */
struct pd_event {
	const char	*name;		/* as perf prints it: "cycles:u" */
	uint32_t	index;
	uint32_t	type;
	uint64_t	config;
	uint64_t	period_or_freq;
	uint64_t	sample_type, read_format, branch_type;
	uint64_t	flags;		/* the attribute's bit field */
	uint64_t	regs_user, regs_intr;
	uint32_t	stack_user;
	uint16_t	max_stack;	/* sample_max_stack, 0: the system's */
	bool		is_freq, sample_id_all;
};

/* What a record is to a cut: see record.def. */
enum pd_class {
	PD_STATE,			/* who and where: kept for any window */
	PD_TIMED,			/* belongs to its moment */
	PD_STREAM,			/* bookkeeping of the container */
};

/*
 * A record as framed: identity decoded, body not.  data is borrowed until the
 * next pd_reader_next() on the same reader, event for as long as the reader.
 */
struct pd_record {
	uint32_t		type;	/* PD_RECORD_* or unknown */
	uint16_t		misc;	/* PERF_RECORD_MISC_* */
	bool			swapped;	/* not in this machine's byte order */
	uint32_t		pid, tid, cpu;	/* PD_NOID when absent */
	uint32_t		size;		/* of data */
	uint64_t		time;		/* PD_NOTIME when absent */
	uint64_t		offset;		/* where it was in the input */
	const struct pd_event	*event;	/* NULL for perf's own records */
	const uint8_t		*data;	/* header included */
};

/* What went past. */
struct pd_counts {
	uint64_t	records, samples;
	uint64_t	lost;		/* events and samples that the kernel or perf dropped */
	uint64_t	throttled;	/* times that the kernel throttled an event */
	uint64_t	unordered;	/* records that came too late to be ordered */
	uint64_t	skipped;	/* records left out because they were damaged */
};

/* A build-id of the recording, from the features or from a record. */
struct pd_buildid {
	uint8_t		size;		/* 0: none */
	uint8_t		bytes[20];
};

/*
 * The header features that describe the recording; NULL or 0 when absent.
 * In a pipe they arrive as records, so read them after the last record.
 */
struct pd_info {
	const char	*hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	const char	*cmdline;	/* arguments joined by blanks */
	uint32_t	ncpus_online, ncpus_avail;
	uint64_t	total_mem;	/* kB */
	uint64_t	first_time, last_time;	/* PD_NOTIME when absent */
	uint32_t	lbr_registers;	/* branches that a CPU keeps */
	int32_t		clockid;	/* clock_gettime(2) id, -1 when unknown */
	uint64_t	clock_res;
	uint64_t	clock_wall, clock_mono;	/* the same moment; 0 when absent */
	bool		pipe, directory, big_endian, compressed, killed;
};

/*
 * Open a recording: path is a file, a pipe, a FIFO, a directory written by
 * perf record --threads, or "-" for standard input.  A seekable file is read
 * as such; a file that comes through a pipe is spooled to an unlinked
 * temporary file first, because its features lie at the end.
 */
struct pd_reader *pd_reader_open(const char *path, enum pd_order order,
    struct pd_error *err);
/* The same of what is open already; fd stays the caller's. */
struct pd_reader *pd_reader_open_fd(int fd, enum pd_order order,
    struct pd_error *err);
void pd_reader_close(struct pd_reader *rd);

/*
 * If the input is a pipe, call idle(ctx, false) before each read from it, and
 * with true while it gives nothing: every `every` ns, and when a signal comes
 * in.  When it returns other than 0, the input ends there.
 */
void pd_reader_on_idle(struct pd_reader *rd, uint64_t every,
    int (*idle)(void *ctx, bool waiting), void *ctx);

/*
 * The next record in the order chosen at open time.  0 at the end, also when
 * the input ends in damage: pd_reader_note() then says what was left out.
 */
int pd_reader_next(struct pd_reader *rd, struct pd_record *rec,
    struct pd_error *err);

/* Events in the order of the recording; NULL past the last. */
const struct pd_event *pd_reader_event(const struct pd_reader *rd, size_t i);
const struct pd_info *pd_reader_info(const struct pd_reader *rd);
/*
 * The wall clock, ns since 1970, at a time of the recording; 0 when it does
 * not say (perf record -k CLOCK_MONOTONIC does).
 */
uint64_t pd_info_wall(const struct pd_info *info, uint64_t time);
struct pd_counts pd_reader_counts(const struct pd_reader *rd);
/* Bytes of input read so far, and in all (0 when not known). */
void pd_reader_progress(const struct pd_reader *rd, uint64_t *done,
    uint64_t *total);
/* The i-th note, or NULL past the last.  Owned by the reader. */
const struct pd_note *pd_reader_note(const struct pd_reader *rd, size_t i);

/* A name of the type, "SAMPLE", or NULL when it is unknown. */
const char *pd_record_name(uint32_t type);
enum pd_class pd_record_class(uint32_t type);

/* ---- sample: one decoded SAMPLE record ------------------------------------- */

/*
 * What stands in a callchain before addresses of a mode (enum
 * perf_callchain_context of include/uapi/linux/perf_event.h).  All that are
 * not less than PD_CONTEXT_MAX are no addresses.
 */
#define PD_CONTEXT_HV			((uint64_t)-32)
#define PD_CONTEXT_KERNEL		((uint64_t)-128)
#define PD_CONTEXT_USER			((uint64_t)-512)
#define PD_CONTEXT_USER_DEFERRED	((uint64_t)-640)	/* a cookie follows */
#define PD_CONTEXT_GUEST		((uint64_t)-2048)
#define PD_CONTEXT_GUEST_KERNEL		((uint64_t)-2176)
#define PD_CONTEXT_GUEST_USER		((uint64_t)-2560)
#define PD_CONTEXT_MAX			((uint64_t)-4095)

/*
 * Everything a SAMPLE can carry, in the kernel's terms.  Fields that the
 * event does not have are 0, PD_NOID or PD_NOTIME.  Pointers are into the
 * record, in the recording's byte order, and live as long as it.
 */
struct pd_sample {
	uint64_t	ip, time, period, addr, id, stream_id;
	uint64_t	weight, data_src, transaction, phys_addr, cgroup;
	uint32_t	pid, tid, cpu;
	uint8_t		cpumode;	/* enum pd_cpumode */
	bool		swapped;
	bool		has_callchain, has_branches, has_period;
	const uint8_t	*callchain;	/* u64 each, leaf first, with contexts */
	size_t		callchain_len;
	const uint8_t	*branches;	/* from, to, flags: three u64 each */
	size_t		branches_len;
	uint64_t	branch_index;	/* the first one's register, or PD_NOWHERE */
	const uint8_t	*read;		/* counter values, see read_format */
	size_t		read_size;
	const uint8_t	*raw;
	size_t		raw_size;
	uint64_t	user_abi, intr_abi;	/* PERF_SAMPLE_REGS_ABI_* */
	const uint8_t	*user_regs, *intr_regs;	/* u64 for each bit of the mask */
	const uint8_t	*user_stack;
	size_t		user_stack_size;	/* of it in use */
	const uint8_t	*copied;	/* the fields of user registers and stack */
	size_t		copied_size;
	bool		stack_clamped;	/* it claimed more than was copied */
	bool		has_rest;	/* bytes that the event does not tell of */
};

int pd_sample_decode(const struct pd_record *rec, struct pd_sample *s,
    struct pd_error *err);

/* Whether an event counts nanoseconds: cpu-clock, task-clock. */
bool pd_event_is_clock(const struct pd_event *ev);

/*
 * How many nanoseconds a sample stands for that counts `period` for ev: that where that is a
 * time (cpu-clock, task-clock), the interval of their frequency for cycles.
 * PD_EARG for events that do not measure time.
 */
int pd_sample_duration(const struct pd_event *ev, const struct pd_sample *s,
    uint64_t period, uint64_t *ns, struct pd_error *err);

/* The i-th address of the callchain, or a PERF_CONTEXT_* marker. */
static inline uint64_t
pd_sample_ip(const struct pd_sample *s, size_t i)
{
	uint64_t ip;

	__builtin_memcpy(&ip, s->callchain + 8 * i, sizeof(ip));
	return s->swapped ? __builtin_bswap64(ip) : ip;
}

/*
 * As pd_sample_decode(), but a damaged sample is noted and counted by the
 * reader: 1, or 0 when the sample must be left out.
 */
int pd_reader_sample(struct pd_reader *rd, const struct pd_record *rec,
    struct pd_sample *s);

/*
 * The i-th event that a sample stands for, and its period there: 1, 0 past the
 * last, -1.  Mostly it is the record's event and s->period; the sample of a
 * group (perf record -e '{a,b}:S') carries the counters of all members, each
 * of which is given what it counted since its last sample, as perf does.  Ask
 * for every sample, in order, once for each i.
 */
int pd_reader_member(struct pd_reader *rd, const struct pd_record *rec,
    const struct pd_sample *s, size_t i, const struct pd_event **ev,
    uint64_t *period, struct pd_error *err);

/* ---- session: who and where, as of the records applied so far -------------- */

struct pd_session;

/* One thread; owned by the session, the same pointer while the thread lives. */
struct pd_thread {
	uint32_t	pid, tid;
	const char	*comm;		/* its name now, ":TID" when not known */
	const char	*leader_comm;	/* the name of its process now */
};

/* rd must outlive the session, which reads its features and build-ids. */
struct pd_session *pd_session_new(const struct pd_reader *rd,
    struct pd_error *err);
void pd_session_free(struct pd_session *s);

/*
 * Let a record change threads and maps.  Give it all of them, samples too:
 * that of a program shows that it runs.
 */
int pd_session_apply(struct pd_session *s, const struct pd_record *rec,
    struct pd_error *err);

/* The thread, made when it was not known; NULL only without memory. */
const struct pd_thread *pd_session_thread(struct pd_session *s, uint32_t pid,
    uint32_t tid, struct pd_error *err);
const struct pd_note *pd_session_note(const struct pd_session *s, size_t i);

/* ---- filter: which samples ------------------------------------------------- */

struct pd_filter;

enum pd_filter_kind {
	PD_BY_PID, PD_BY_TID, PD_BY_CPU,	/* lists of numbers: "1,4-7" */
	PD_BY_COMM, PD_BY_EVENT,		/* globs, fnmatch(3) */
	PD_BY_CGROUP, PD_BY_STACK,		/* likewise; for slices only */
};

struct pd_filter *pd_filter_new(struct pd_error *err);
void pd_filter_free(struct pd_filter *f);

/* Add a condition.  Any of one kind must hold, and all kinds. */
int pd_filter_add(struct pd_filter *f, enum pd_filter_kind kind,
    const char *spec, struct pd_error *err);
/* Looks at the record and its thread, so not at cgroup and stack. */
bool pd_filter_match(const struct pd_filter *f, const struct pd_record *rec,
    const struct pd_thread *th);

/* ---- windows: which times -------------------------------------------------- */

/* From start up to, and without, stop. */
struct pd_window {
	uint64_t	start, stop;
};

/* Windows as people write them: see pd-time(7). */
struct pd_windows;

/* What windows need to know of the recording; bits. */
enum {
	PD_WINDOWS_FIRST = 1,		/* when the first sample was */
	PD_WINDOWS_LAST = 2,		/* when the last one was */
	PD_WINDOWS_CLOCK = 4,		/* its clock: pd_info.clock_wall */
};

struct pd_windows *pd_windows_new(struct pd_error *err);
void pd_windows_free(struct pd_windows *ws);
/* Add a window; a time may be in any of them. */
int pd_windows_add(struct pd_windows *ws, const char *text,
    struct pd_error *err);
unsigned pd_windows_needs(const struct pd_windows *ws);

/*
 * Make times of what was added.  first and last are the times of the first and
 * last sample, PD_NOTIME where they are not known because nothing needs them
 * or there is none: then a window that counts from there is empty.
 */
int pd_windows_resolve(struct pd_windows *ws, const struct pd_info *info,
    uint64_t first, uint64_t last, struct pd_error *err);

/* These need it resolved.  With nothing added, every time matches. */
bool pd_windows_match(const struct pd_windows *ws, uint64_t time);
/* Nothing from this time on can match; never so for PD_NOTIME. */
bool pd_windows_over(const struct pd_windows *ws, uint64_t time);
/* By time, without overlaps; owned by ws. */
const struct pd_window *pd_windows_spans(const struct pd_windows *ws,
    size_t *len);

/* ---- markers: critical sections ---------------------------------------------- */

/*
 * One time that a critical section ran.  It has what happened from start up to,
 * and without, stop: the event that ends it is inside, its duration is from
 * event to event.
 */
struct pd_occurrence {
	uint64_t	start, stop;
	uint64_t	duration;
	uint32_t	pid, tid, cpu;	/* where; PD_NOID: anywhere */
	bool		unfinished;	/* its end was not recorded */
	const char	*name;		/* printable; owned by the markers */
};

/* Whose samples are in an occurrence, and which ends belong to a begin. */
enum pd_scope {
	PD_SCOPE_THREAD, PD_SCOPE_PROCESS, PD_SCOPE_CPU, PD_SCOPE_SYSTEM,
};

struct pd_marker_opts {
	enum pd_scope	scope;
	uint64_t	before, after;	/* ns around an event */
	bool		mapped;		/* read files of markers: see below */
	bool		unfinished;	/* without end: to that of its thread */
};

/* Which occurrences count: those that all choices are true for. */
enum pd_choose {
	PD_CHOOSE_NAME,			/* a glob */
	PD_CHOOSE_NTH,			/* "3,10-12", by time, from 1 */
	PD_CHOOSE_SLOWEST,		/* so many */
	PD_CHOOSE_LONGER,		/* than "5ms" */
	PD_CHOOSE_QUANTILE,		/* at least as long as that: "0.99" */
};

struct pd_marker_counts {
	uint64_t	found;		/* occurrences */
	uint64_t	nested;		/* pairs inside of others, not counted */
	uint64_t	unfinished;	/* begins without end */
	uint64_t	stray;		/* ends without begin */
};

struct pd_markers;

struct pd_markers *pd_markers_new(struct pd_error *err);
void pd_markers_free(struct pd_markers *m);
/* Before the first record; zero is the default. */
void pd_markers_set(struct pd_markers *m, const struct pd_marker_opts *opts);
int pd_markers_choose(struct pd_markers *m, enum pd_choose how,
    const char *text, struct pd_error *err);

/*
 * Where occurrences come from; any number of them.  Events are named as in
 * EVENT:FIELD==VALUE, files have their format from pd-time(7).  Besides, with
 * opts->mapped, from marker files that processes of the recording mapped.
 */
int pd_markers_between(struct pd_markers *m, const char *begin,
    const char *end, struct pd_error *err);
int pd_markers_around(struct pd_markers *m, const char *event,
    struct pd_error *err);
int pd_markers_file(struct pd_markers *m, const char *path,
    struct pd_error *err);
int pd_markers_windows(struct pd_markers *m, const char *path,
    struct pd_error *err);

/* Feed all records of rd, in the order of time, then finish. */
int pd_markers_put(struct pd_markers *m, struct pd_reader *rd,
    const struct pd_record *rec, struct pd_error *err);
int pd_markers_finish(struct pd_markers *m, const struct pd_reader *rd,
    struct pd_error *err);

/* What was chosen, by time.  These need it finished. */
const struct pd_occurrence *pd_markers_get(const struct pd_markers *m,
    size_t *len);
bool pd_markers_match(const struct pd_markers *m, uint64_t time,
    uint32_t pid, uint32_t tid, uint32_t cpu);
/* Is there an occurrence at this time, wherever? */
bool pd_markers_at(const struct pd_markers *m, uint64_t time);
/* Nothing from this time on can match. */
bool pd_markers_over(const struct pd_markers *m, uint64_t time);

/* Is this one of the events that occurrences begin or end with? */
bool pd_markers_is(const struct pd_markers *m, const struct pd_event *ev);
struct pd_marker_counts pd_markers_counts(const struct pd_markers *m);
const struct pd_note *pd_markers_note(const struct pd_markers *m, size_t i);

/* ---- frames ---------------------------------------------------------------- */

enum pd_frame_kind {
	PD_FRAME_USER,
	PD_FRAME_KERNEL,
	PD_FRAME_GUEST,
	PD_FRAME_JIT,		/* named by a perf-PID.map or jitdump */
	PD_FRAME_ROOT,		/* not code: a thread, process, CPU or event */
	PD_FRAME_MARK,		/* not code: what happened to the stack */
};

/* One level of a stack. */
struct pd_frame {
	const char	*name;		/* NULL when not known */
	const char	*dso;		/* path or [name]; NULL when not mapped */
	uint64_t	ip;		/* only where addresses were asked for */
	uint64_t	place;		/* where in map; only with opts.places */
	uint32_t	map;		/* pd_tree_map(), 0: none */
	enum pd_frame_kind kind;
	bool		inlined;
	/* Where in it the code is; only where lines were asked for. */
	const char	*file;		/* NULL when not known */
	uint32_t	line;
};

/*
 * What is mapped where.  A file that many processes have mapped is here once,
 * as in the first of them, and places of all are as if they were in that one.
 */
struct pd_mapping {
	uint64_t	start, end;	/* end is the first address behind it */
	uint64_t	pgoff;		/* file offset of start */
	const char	*dso;		/* path or [name] */
	struct pd_buildid buildid;
};

/*
 * The calling-context tree: every stack that was seen, as a node whose parent
 * is the stack without its leaf.  Node 0 is the empty stack.  The same
 * function is the same frame, however many addresses it has; with opts.lines
 * each line is a frame, with opts.places each address.
 */
struct pd_tree;

struct pd_tree *pd_tree_new(struct pd_error *err);
void pd_tree_free(struct pd_tree *t);
uint32_t pd_tree_parent(const struct pd_tree *t, uint32_t node);
/* The leaf of a stack, NULL for node 0; borrowed until the tree grows. */
const struct pd_frame *pd_tree_leaf(const struct pd_tree *t, uint32_t node);
/* The mapping with this number, from 1 on; NULL past the last, and for 0. */
const struct pd_mapping *pd_tree_map(const struct pd_tree *t, uint32_t map);

/* ---- stacker: sample -> stack ---------------------------------------------- */

struct pd_stacker;

enum pd_demangle { PD_DEMANGLE_SHORT, PD_DEMANGLE_FULL, PD_DEMANGLE_NONE };
enum pd_root {
	PD_ROOT_COMM, PD_ROOT_PID, PD_ROOT_TID, PD_ROOT_THREAD, PD_ROOT_CPU,
	PD_ROOT_EVENT,
};

/* What was recorded at or below the absolute path from is at to. */
struct pd_path_map {
	const char	*from, *to;
};

/* How frames are found and named; zero is the default everywhere. */
struct pd_stack_opts {
	const enum pd_root *roots;	/* outermost first; NULL: the comm */
	size_t		nroots;
	size_t		max_stack;	/* frames nearest the leaf; 0: all */
	enum pd_demangle demangle;
	bool		no_inline;	/* inlined calls are no frames */
	bool		addrs;		/* keep ips of frames without a name */
	bool		lines;		/* each line of a function is a frame */
	bool		stitch_lbr;	/* go on where the LBR ends */
	bool		places;		/* keep the addresses of all frames apart */
	bool		perf_compat;	/* attribute and name as perf 6.1 does */
	const char	*symfs;		/* NULL: "/" */
	const char	*buildid_dir;	/* NULL: ~/.debug */
	const char	*kallsyms;	/* NULL: /proc/kallsyms if it is the kernel */
	const char	*vmlinux;
	/* The longest from that fits counts, and goes before symfs. */
	const struct pd_path_map *path_maps;
	size_t		npath_maps;
	const char	*archive;	/* what perf archive wrote */
	bool		debuginfod;	/* ask the servers of $DEBUGINFOD_URLS */
	/* Called a few times a second during a download; or NULL. */
	void		(*downloading)(void *ctx, uint64_t done, uint64_t size);
	void		*downloading_ctx;
};

struct pd_stack {
	uint32_t	node;		/* in the stacker's tree */
	bool		deep;		/* as deep as the kernel records */
	bool		truncated;	/* what was copied, or recorded, ends before the root */
	bool		stopped;	/* at code that cannot be unwound */
};

/* s, tree and what opts points to must outlive the stacker. */
struct pd_stacker *pd_stacker_new(struct pd_session *s, struct pd_tree *tree,
    const struct pd_stack_opts *opts, struct pd_error *err);
void pd_stacker_free(struct pd_stacker *st);
/*
 * After the last sample: give back what only further ones would need, much of
 * it large.  Nothing but pd_stacker_why(), _note() and _free() may follow.
 */
void pd_stacker_trim(struct pd_stacker *st);

/* All nodes of the tree are void, and it begins anew. */
void pd_stacker_forget(struct pd_stacker *st);

/* Of how many files it has the symbols in memory. */
size_t pd_stacker_files(const struct pd_stacker *st);

/*
 * The stack of a sample of thread th, as the session is now.  ev is the event
 * that it is counted for, see pd_reader_member().
 */
int pd_stacker_run(struct pd_stacker *st, const struct pd_record *rec,
    const struct pd_event *ev, const struct pd_sample *smp,
    const struct pd_thread *th, struct pd_stack *out, struct pd_error *err);

/*
 * The callchain of a sample, unwound where it has a copied stack, as the
 * kernel would have recorded it: leaf first, with PD_CONTEXT_* before the
 * addresses of each mode, and before one behind a signal frame.  *chain is
 * borrowed until the next call; out->node is not set.
 */
int pd_stacker_callchain(struct pd_stacker *st, const struct pd_record *rec,
    const struct pd_sample *smp, const struct pd_thread *th,
    const uint64_t **chain, size_t *len, struct pd_stack *out,
    struct pd_error *err);

/*
 * Why a DSO that frames name has no symbols: "not found", "no symbols", ...;
 * NULL when it has some.  Static text.
 */
const char *pd_stacker_why(const struct pd_stacker *st, const char *dso);
const struct pd_note *pd_stacker_note(const struct pd_stacker *st, size_t i);

/* ---- profile: counted stacks ----------------------------------------------- */

struct pd_profile;

/* tree must outlive the profile. */
struct pd_profile *pd_profile_new(const struct pd_tree *tree,
    struct pd_error *err);
void pd_profile_free(struct pd_profile *p);

/* Count one sample whose stack is this node. */
int pd_profile_add(struct pd_profile *p, uint32_t node, uint64_t weight,
    struct pd_error *err);

/* The same for so many samples, whose weight in all is given. */
int pd_profile_add_many(struct pd_profile *p, uint32_t node, uint64_t weight,
    uint64_t samples, struct pd_error *err);

/* Samples and their weight so far. */
uint64_t pd_profile_samples(const struct pd_profile *p);
uint64_t pd_profile_total(const struct pd_profile *p);

/* What a DSO without names cost, frames of all samples counted. */
struct pd_blame {
	const char	*dso;		/* NULL: addresses that nothing maps */
	uint64_t	unknown;
};

/*
 * How many frames of code there are, and how many have no name, by DSO, the
 * worst first: an array of *len to free(3), or NULL without memory.
 */
struct pd_blame *pd_profile_unknown(const struct pd_profile *p,
    uint64_t *frames, uint64_t *unknown, size_t *len, struct pd_error *err);

struct pd_text_opts {
	bool	mark_kernel, mark_jit, mark_inline;	/* _[k], _[j], _[i] */
	bool	addrs;			/* <ip> in unnamed frames */
	bool	no_lines;		/* names without the lines of frames */
	bool	perl;			/* text as stackcollapse-perf.pl makes it */
};

/*
 * One line a stack, "root;...;leaf WEIGHT", sorted by bytes, equal lines
 * summed.  Names are escaped: no control byte and no ';' inside a frame.
 */
int pd_profile_write_folded(const struct pd_profile *p,
    const struct pd_text_opts *opts, FILE *out, struct pd_error *err);

/*
 * A table of the n functions with the highest self weight: the share of the
 * profile that they cost themselves, and with all they called.
 */
int pd_profile_write_hottest(const struct pd_profile *p,
    const struct pd_text_opts *opts, size_t n, FILE *out,
    struct pd_error *err);

/* What a sample counts. */
enum pd_weight {
	PD_WEIGHT_PERIOD,	/* the period, or 1 where there is none */
	PD_WEIGHT_SAMPLES,	/* 1 */
	PD_WEIGHT_TIME,		/* nanoseconds: pd_sample_duration() */
};

#define PD_RUN_TEXT	128

/*
 * What is known of the run that a profile is of; texts are empty and numbers 0
 * when they are not known.
 */
struct pd_run {
	bool		known;		/* something was told */
	bool		wall;		/* start is of the wall clock */
	enum pd_weight	weight;		/* what counts are */
	uint64_t	freq;		/* samples a second that were asked for */
	uint64_t	start;		/* of the first sample, or PD_NOTIME */
	uint64_t	dur;		/* ns, from the first sample to the last */
	uint64_t	samples, lost, throttled;
	double		work;		/* units of work done */
	char		event[PD_RUN_TEXT], host[PD_RUN_TEXT];
	char		kernel[PD_RUN_TEXT], cpu[PD_RUN_TEXT];
	char		callgraph[PD_RUN_TEXT];		/* "fp", "dwarf", ... */
};

/*
 * Read folded stacks, "root;...;leaf COUNT" a line, as any tool writes them,
 * to the end of fd: frames have their text as name, samples are what is
 * counted unless a comment of pd-fold --meta says otherwise.  Memory grows
 * with the number of different stacks.  Errors name the line: no count, a
 * negative, fractional or too large one, empty frames, CR LF; no samples at
 * all are an error too.
 */
int pd_folded_read(int fd, struct pd_tree *tree, struct pd_profile *p,
    struct pd_run *run, struct pd_error *err);

/* A comment line that tells of a run, to stand before folded stacks. */
int pd_run_write(const struct pd_run *run, FILE *out, struct pd_error *err);

/* ---- diff: groups of runs -> what changed ---------------------------------- */

/* What is taken from names, so that two builds have the same. */
enum {
	PD_MATCH_ADDR = 1,		/* bare addresses: "[unknown]" */
	PD_MATCH_RUSTHASH = 2,		/* ::h0123456789abcdef, crate[1f..] */
	PD_MATCH_CLONE = 4,		/* .constprop.0 .isra.0 .cold .llvm.1 */
	PD_MATCH_VERSION = 8,		/* @GLIBC_2.2.5 */
	PD_MATCH_CLOSURE = 16,		/* {closure#0}, 'lambda0', .func1 */
	PD_MATCH_NORM = 31,
	PD_MATCH_TMPL = 32,		/* arguments of templates, parameters */
	PD_MATCH_JIT = 64,		/* $$Lambda$1/0x.. */
	PD_MATCH_LOOSE = 127,
};

enum pd_side { PD_BASE, PD_NEW };

enum pd_test {
	PD_TEST_AUTO,		/* paired or Welch's, whichever sees more */
	PD_TEST_WELCH, PD_TEST_PAIRED,
	PD_TEST_MWU,		/* Mann-Whitney, exact */
	PD_TEST_PERM,		/* permutations of the runs */
	PD_TEST_CHI2,		/* of the counts: only to see how it fails */
};

/* What costs are divided by, so that runs compare. */
enum pd_norm {
	PD_NORM_AUTO,		/* work where all runs tell theirs, else cpu time */
	PD_NORM_WORK,
	PD_NORM_CPUTIME,	/* shares of the run */
	PD_NORM_WALL, PD_NORM_NONE,
};

struct pd_rules;

struct pd_diff_opts {
	enum pd_test	test;
	enum pd_norm	norm;
	double		alpha;		/* false alarms of a comparison */
	double		min_effect;	/* a fraction: less is no change */
	double		min_impact;	/* a fraction of the total */
	double		min_samples;	/* a run, for a function to be tested */
	double		want;		/* "same" is said when this would be seen */
	double		kappa;		/* least variance, of Poisson's */
	double		pseudo;		/* samples added before the logarithm */
	unsigned	match;		/* PD_MATCH_* */
	bool		pairs;		/* the i-th run of each side ran together */
	bool		fixed_work;	/* the same in each run */
	bool		fdr;		/* "suspect" is a regression */
	bool		gate_share;	/* shares may be a regression */
	bool		gate_moved;	/* moved cost may be one */
	bool		whole;		/* costs with all that is called, too */
	bool		force;		/* though events or units differ */
	uint64_t	seed;
	const struct pd_rules *rules;	/* NULL: none */
};

/* The defaults, which pd-diff(1) explains. */
void pd_diff_opts_init(struct pd_diff_opts *opts);

/*
 * Thresholds and exceptions for functions: lines "GLOB ignore" or "GLOB
 * min-effect N%", the first that matches counts.  free with pd_rules_free().
 */
struct pd_rules *pd_rules_read(FILE *in, struct pd_error *err);
void pd_rules_free(struct pd_rules *r);

struct pd_diff;

/* opts is copied; its rules must outlive the diff. */
struct pd_diff *pd_diff_new(const struct pd_diff_opts *opts,
    struct pd_error *err);
void pd_diff_free(struct pd_diff *d);

/*
 * Add a run; name, p, text and run are copied.  After an error of this or the
 * functions below, only pd_diff_free() may follow.
 */
int pd_diff_add(struct pd_diff *d, enum pd_side side, const char *name,
    const struct pd_profile *p, const struct pd_text_opts *text,
    const struct pd_run *run, struct pd_error *err);

/*
 * Add a run of folded stacks, see pd_folded_read().  Its work and rate are
 * those that are known, where these are not 0.
 */
int pd_diff_add_folded(struct pd_diff *d, enum pd_side side, const char *name,
    int fd, const struct pd_run *known, struct pd_error *err);

/*
 * Add the runs that pd_diff_write_baseline() wrote to one side, in whose
 * order they were.
 */
int pd_diff_read_baseline(struct pd_diff *d, enum pd_side side, FILE *in,
    struct pd_error *err);
/* Write the runs of a side as one file. */
int pd_diff_write_baseline(struct pd_diff *d, enum pd_side side, FILE *out,
    struct pd_error *err);

/* After the last run: find out what changed. */
int pd_diff_run(struct pd_diff *d, struct pd_error *err);

enum pd_outcome { PD_NO_REGRESSION, PD_HAS_REGRESSION, PD_UNDECIDED };

enum pd_outcome pd_diff_outcome(const struct pd_diff *d);
/* Functions that improved. */
size_t pd_diff_improved(const struct pd_diff *d);
/*
 * What weakens the comparison, NULL past the last; a word that stands for its
 * kind is in *code.  Owned by the diff.
 */
const char *pd_diff_warning(const struct pd_diff *d, size_t i,
    const char **code);

enum pd_diff_format {
	PD_DIFF_TEXT, PD_DIFF_FOLDED, PD_DIFF_JSON, PD_DIFF_MARKDOWN,
	PD_DIFF_GITHUB, PD_DIFF_JUNIT, PD_DIFF_BENCHMARK,
};

struct pd_diff_text {
	size_t	top;			/* rows of a table; 0: all of interest */
	bool	total;			/* text: with all that functions call */
	bool	significant_only;	/* folded: other stacks as in the base */
	bool	scaled;			/* folded: the new side as much as the base */
	bool	merged;			/* text: names that became one */
	bool	color;			/* text */
};

int pd_diff_write(const struct pd_diff *d, enum pd_diff_format format,
    const struct pd_diff_text *how, FILE *out, struct pd_error *err);

/*
 * Instead of pd_diff_run(), with runs on the base side only: split them into
 * two groups again and again, and print how often a change is claimed that
 * cannot be, and what number and length of runs would find.
 */
int pd_diff_self_check(struct pd_diff *d, FILE *out, struct pd_error *err);

/* ---- fold: a recording -> a profile ------------------------------------------ */

/* One sample that was folded. */
struct pd_fold_sample {
	const struct pd_event	*event;
	const struct pd_thread	*thread;	/* borrowed until pd_fold_next() */
	const struct pd_tree	*tree;
	uint32_t		node;		/* its stack, in tree */
	uint32_t		cpu;		/* PD_NOID when absent */
	uint64_t		time;		/* PD_NOTIME when absent */
	uint64_t		weight;		/* by opts.weight */
	/* ns, see pd_sample_duration(); PD_NOTIME: its event measures none. */
	uint64_t		duration;
	/* The first of its event: what came before is of another, and void. */
	bool			first;
};

struct pd_fold_opts {
	const char		*event;		/* a glob; NULL: any */
	bool			first_seen;	/* the event of the first sample */
	enum pd_weight		weight;
	const char		*work_event;	/* a glob: samples are work done */
	const struct pd_filter	*filter;	/* NULL: all samples */
	struct pd_stack_opts	stack;
	/* Called for each sample that is folded; or NULL.  0, or -1 ends it. */
	int			(*sample)(void *ctx,
				    const struct pd_fold_sample *s,
				    struct pd_error *err);
	void			*sample_ctx;
};

struct pd_fold_counts {
	uint64_t	other;		/* samples of events not folded */
	uint64_t	work;		/* samples of work_event */
	uint64_t	deep;		/* stacks whose root may be missing */
	uint64_t	unwound;	/* stacks made from copied ones */
	uint64_t	truncated, stopped;	/* of them, without their root */
	uint64_t	deferred;	/* stacks whose user part is recorded later */
	uint64_t	unfinished;	/* of them, where it is not */
};

/*
 * All layers in one: reads rd to its end, keeps the session, and counts the
 * stacks of one event, the first that has samples.
 */
struct pd_fold;

/* rd and what opts points to must outlive the fold. */
struct pd_fold *pd_fold_new(struct pd_reader *rd,
    const struct pd_fold_opts *opts, struct pd_error *err);
void pd_fold_free(struct pd_fold *f);

/* One record further: 1, 0 at the end, -1. */
int pd_fold_next(struct pd_fold *f, struct pd_error *err);

/* What was folded so far; owned by the fold, and replaced by the next call. */
const struct pd_profile *pd_fold_profile(const struct pd_fold *f);
/* The tree of all stacks. */
const struct pd_tree *pd_fold_tree(const struct pd_fold *f);
/*
 * Forget all stacks, and begin an empty profile: nodes of the tree are void,
 * memory does not grow with stacks that are long past.
 */
int pd_fold_forget(struct pd_fold *f, struct pd_error *err);
/*
 * For recordings without end: whether there are so many stacks, or names of
 * programs that may be gone, that it is time for pd_fold_trim().
 */
bool pd_fold_large(struct pd_fold *f);
/* pd_fold_forget(), and of names as well if there are many: the tree is void. */
int pd_fold_trim(struct pd_fold *f, struct pd_error *err);
/* The event that is folded, NULL when no sample was found. */
const struct pd_event *pd_fold_event(const struct pd_fold *f);
struct pd_fold_counts pd_fold_counts(const struct pd_fold *f);
/* What is known of the run, after its end. */
void pd_fold_run(const struct pd_fold *f, struct pd_run *run);
const struct pd_session *pd_fold_session(const struct pd_fold *f);
/* As pd_stacker_why() and pd_stacker_note(). */
const char *pd_fold_why(const struct pd_fold *f, const char *dso);
const struct pd_note *pd_fold_note(const struct pd_fold *f, size_t i);

/* ---- summary: what a recording is ----------------------------------------------- */

struct pd_summary;

/* rd, in the order of time, must outlive the summary. */
struct pd_summary *pd_summary_new(struct pd_reader *rd, struct pd_error *err);
void pd_summary_free(struct pd_summary *s);

/* One record further: 1, 0 at the end, -1. */
int pd_summary_next(struct pd_summary *s, struct pd_error *err);

enum pd_summary_form {
	PD_SUMMARY_TEXT,		/* for people: long lists are cut */
	PD_SUMMARY_ALL,			/* not cut */
	PD_SUMMARY_JSON,
};

/* Describe the recording, which is shown by this name. */
int pd_summary_write(struct pd_summary *s, const char *name,
    enum pd_summary_form form, FILE *out, struct pd_error *err);
const struct pd_session *pd_summary_session(const struct pd_summary *s);

/* ---- slice: a recording -> a smaller one ------------------------------------- */

/* One output of a slice in parts. */
struct pd_part {
	uint64_t	start, stop;	/* what it is of */
	uint64_t	samples, bytes;	/* what it has */
};

/*
 * A slice in parts, each of which goes to a file of its own.  open gives the
 * descriptor for the part with this number (from 0), close takes it back when
 * the file is complete; both may fail.  What pd_slice_free() finds open is not
 * complete: close has it with part NULL.
 */
struct pd_slice_parts {
	const struct pd_occurrence *list;	/* by start; they may overlap */
	size_t		len;
	uint64_t	every;		/* ns; else 0: pieces of this length */
	int		(*open)(void *ctx, uint64_t i, struct pd_error *err);
	int		(*close)(void *ctx, uint64_t i, int fd,
	    const struct pd_part *part, struct pd_error *err);
	void		*ctx;
};

struct pd_slice_opts {
	struct pd_windows	*windows;	/* NULL: any time */
	const struct pd_filter	*filter;	/* NULL: all samples */
	const struct pd_markers	*markers;	/* finished; NULL: anywhere */
	bool			drop_markers;	/* not the events themselves */
	const struct pd_slice_parts *parts;	/* NULL: one output */
	bool			invert;		/* what was not selected */
	bool			keep_state;	/* all of it: see pd-slice(1) */
	bool			strip_stacks;	/* no copied user stacks */
	bool			unwind;		/* callchains in their place */
	bool			pipe;		/* the container to write */
	int			level;		/* of zstd; 0: not compressed */
	const char *const	*argv;		/* for the command line; or NULL */
	/* Of the first and last sample, where known, for windows. */
	uint64_t		first_time, last_time;
	struct pd_stack_opts	stack;		/* for unwinding and stacks */
};

struct pd_slice_counts {
	uint64_t	samples, kept;		/* read, written */
	uint64_t	aux;			/* records of AUX data, left out */
	uint64_t	unwound, truncated, stopped;	/* as in pd_fold_counts */
	uint64_t	bytes;			/* written */
};

struct pd_slice;

/*
 * The order in which the recording at path must be opened: nothing needs to be
 * sorted when all of it is copied.
 */
enum pd_order pd_slice_order(const struct pd_slice_opts *opts,
    const char *path);

/*
 * Write what is selected of rd to fd, a file where opts->pipe is not set; it
 * stays the caller's.  Of a slice in parts it is -1, and they are files.  What
 * opts points to must outlive the slice.
 */
struct pd_slice *pd_slice_new(struct pd_reader *rd, int fd,
    const struct pd_slice_opts *opts, struct pd_error *err);
void pd_slice_free(struct pd_slice *s);

/* One record further: 1, 0 when none is wanted any more, -1. */
int pd_slice_next(struct pd_slice *s, struct pd_error *err);
/* Complete what was written: also before pd_slice_next() gave 0. */
int pd_slice_finish(struct pd_slice *s, struct pd_error *err);

struct pd_slice_counts pd_slice_counts(const struct pd_slice *s);
const struct pd_session *pd_slice_session(const struct pd_slice *s);
const struct pd_note *pd_slice_note(const struct pd_slice *s, size_t i);

/*
 * The times of the first and the last sample of a recording that is read in
 * any order, to its end: PD_NOTIME when there is none.
 */
int pd_reader_bounds(struct pd_reader *rd, uint64_t *first, uint64_t *last,
    struct pd_error *err);

/*
 * What can be read twice: path itself when it is a file or a directory, else a
 * name for an unlinked temporary file with all of it, which lasts as long as
 * the process.  free(3)
 */
char *pd_spool(const char *path, struct pd_error *err);

/* ---- pprof: stacks -> profile.proto ------------------------------------------ */

/*
 * An encoder for profiles as pprof and Pyroscope read them.  Samples of equal
 * stack and labels are summed; what was added is written and forgotten, so
 * that one encoder serves for one profile after another.
 *
 * The tree may come from a recording or from folded text.  Where its frames
 * have a place (opts.places), locations have addresses and mappings have
 * ranges and build-ids; where they only have a dso, mappings have its name.
 * An inlined frame and those up to the function that it is in are the lines of
 * one location.  A frame without a name is called as in folded text,
 * "[libc.so.6]"; a mapping claims has_functions only if one of its functions
 * has a real name.
 */
struct pd_pprof;

/* A label of a sample: text, or a number where that is NULL. */
struct pd_pprof_label {
	const char	*key, *text;
	int64_t		number;
	const char	*unit;		/* of the number; may be NULL */
};

/* What a value is: "cpu" in "nanoseconds". */
struct pd_pprof_type {
	const char	*type, *unit;
};

struct pd_pprof_head {
	/*
	 * What the weights are; of type NULL, profiles have no weights.  Before
	 * them, each sample has a value "samples" in "count".
	 */
	struct pd_pprof_type	weight;
	struct pd_pprof_type	period_type;	/* of type NULL: not written */
	int64_t			period;
	int64_t			time, duration;	/* wall clock, ns; 0: unknown */
	char			**comments;
	size_t			ncomments;
	bool			raw;		/* do not compress */
	/*
	 * At most so many samples and bytes before compression; 0: no limit.
	 * A sample that is larger by itself is written alone.
	 */
	size_t			max_samples, max_size;
};

/*
 * Fill in what can be said of samples of ev that are counted by weight, once
 * all of rd was read: what the weights are, "cpu" in "nanoseconds" or the
 * event in "count"; the period, 0 if it varies; and as comments who recorded
 * what, and what was lost.  ev may be NULL.  The rest is 0.
 */
int pd_pprof_head_init(struct pd_pprof_head *h, const struct pd_reader *rd,
    const struct pd_event *ev, enum pd_weight weight, struct pd_error *err);
/* Free the comments. */
void pd_pprof_head_free(struct pd_pprof_head *h);

/* tree and text must outlive it. */
struct pd_pprof *pd_pprof_new(const struct pd_tree *tree,
    const struct pd_text_opts *text, struct pd_error *err);
void pd_pprof_free(struct pd_pprof *p);

/*
 * A number for a set of labels, the same for the same set, or PD_NOID without
 * memory; void once all is written.  0 is the empty set.
 */
uint32_t pd_pprof_labels(struct pd_pprof *p,
    const struct pd_pprof_label *labels, size_t len, struct pd_error *err);
/*
 * The labels of a sample, thread (its name), pid, tid and cpu, and with it
 * `len` more.
 */
uint32_t pd_pprof_sample_labels(struct pd_pprof *p,
    const struct pd_fold_sample *s, const struct pd_pprof_label *more,
    size_t len, struct pd_error *err);

/* Count `samples` samples with this stack and these labels. */
int pd_pprof_add(struct pd_pprof *p, uint32_t node, uint32_t labels,
    uint64_t samples, uint64_t weight, struct pd_error *err);

/* How many different samples there are to write. */
size_t pd_pprof_len(const struct pd_pprof *p);

/*
 * Write a profile of what was added, or as much as h allows: 1 when there is
 * more to write, 0 when all is written and forgotten, -1.  *size, if not
 * NULL, is its size before compression.  With the same input the bytes are the
 * same.
 */
int pd_pprof_write(struct pd_pprof *p, const struct pd_pprof_head *h,
    FILE *out, size_t *size, struct pd_error *err);

/* Forget what was added. */
void pd_pprof_clear(struct pd_pprof *p);

/* ---- export: a fold -> a file for other programs ------------------------------ */

enum pd_export_format {
	PD_EXPORT_PPROF,		/* profile.proto, compressed by gzip */
	PD_EXPORT_SPEEDSCOPE,		/* speedscope's JSON */
	PD_EXPORT_JSON,			/* one object a line */
	PD_EXPORT_FIREFOX,		/* of the Firefox Profiler, processed */
};

struct pd_export_opts {
	enum pd_export_format	format;
	enum pd_weight		weight;	/* that of the fold */
	/*
	 * SPEEDSCOPE, FIREFOX: in place of the weights, how long a sample
	 * stands for, if its event measures time.
	 */
	bool			prefer_time;
	struct pd_text_opts	text;
};

/*
 * Takes the samples of one fold and writes them in a format that keeps more
 * than folded text does.
 */
struct pd_export;

/*
 * Set what the fold is to do for the export: its samples go to it.  The fold
 * must end before the export is freed.
 */
struct pd_export *pd_export_new(const struct pd_export_opts *opts,
    struct pd_fold_opts *fold, struct pd_error *err);
void pd_export_free(struct pd_export *e);

/* At the end of the recording: write all.  Once. */
int pd_export_write(struct pd_export *e, const struct pd_reader *rd,
    const struct pd_fold *fold, FILE *out, struct pd_error *err);

/*
 * Make a text from a recording safe for a terminal, in place: what is no
 * printable UTF-8 (C0 and C1 control characters, stray bytes) becomes '?'.
 */
void pd_printable(char *s);

/*
 * A span of time as people write it, "100us", "1.5s", "2h": decimals and one
 * of ns, us, ms, s, m, h.  PD_EARG names what, the thing that it is for.
 */
int pd_duration_parse(const char *text, const char *what, uint64_t *ns,
    struct pd_error *err);

const char *pd_version(void);

#pragma GCC visibility pop

#endif /* PERFDATA_H */
