/*
 * Cuts a recording: the loop that takes its records to the writer of another
 * one, or leaves them out.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/notes.h"
#include "cut/describe.h"
#include "cut/filter.h"
#include "cut/rewrite.h"
#include "cut/state.h"

/*
 * What is written is in order, so a FINISHED_ROUND may stand anywhere in it;
 * who reads it holds as much back as there is between two of them.
 */
#define ROUND_BYTES	(1 << 20)

/* perf_event_attr.defer_callchain and .defer_output (kernel 6.19). */
#define ATTR_DEFERRED	(UINT64_C(3) << 38)

/* What is known of a node of the tree, for --stack. */
enum { UNKNOWN, MATCHES, DIFFERS };

struct pd_slice {
	struct pd_reader	*rd;
	struct pd_session	*session;
	struct pd_slice_opts	opts;
	struct pd_slice_counts	counts;
	struct pd_notes		notes;
	struct pd_writer	*writer;
	struct pd_describe	describe;
	struct pd_reads		reads;
	struct pd_past		past;
	struct pd_told		told;
	struct pd_teller	teller;
	struct pd_tree		*tree;
	struct pd_stacker	*stacker;	/* NULL: no stacks are looked at */
	uint8_t			*nodes;		/* MATCHES, ..., by node */
	size_t			nodes_cap;
	struct pd_map64		waiting;	/* tids of deferred callchains */
	uint64_t		round;		/* size at the last one */
	bool			copies;		/* all, as it is */
	bool			ordered, resolved;
	bool			by_cgroup, by_stack;
	uint8_t			rewritten[PD_REWRITE_MAX];
};

/* ---- what is selected ------------------------------------------------------------ */

static bool
has(const struct pd_slice_opts *o, enum pd_filter_kind kind)
{
	return o->filter != NULL && pd_filter_has(o->filter, kind);
}

static bool
selects(const struct pd_slice_opts *o)
{
	int kind;

	for (kind = 0; kind <= PD_BY_STACK; kind++)
		if (has(o, kind))
			return true;
	return o->invert || o->windows != NULL;
}

enum pd_order
pd_slice_order(const struct pd_slice_opts *opts, const char *path)
{
	struct stat st;

	/* A directory has its records in several files. */
	return selects(opts) || opts->unwind ||
	    (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) ? PD_TIME_ORDER :
	    PD_FILE_ORDER;
}

/*
 * Windows can be made times of when the first sample has come; in a pipe, what
 * describes the recording has come too by then.
 */
static int
resolve(struct pd_slice *s, uint64_t time, struct pd_error *err)
{
	const struct pd_info *info = pd_reader_info(s->rd);
	uint64_t first = s->opts.first_time, last = s->opts.last_time;

	s->resolved = true;
	if (s->opts.windows == NULL)
		return 0;
	if (first == PD_NOTIME)
		first = time;
	return pd_windows_resolve(s->opts.windows, info, first, last, err);
}

static bool
in_windows(const struct pd_slice *s, uint64_t time)
{
	return s->opts.windows == NULL ||
	    (s->resolved && pd_windows_match(s->opts.windows, time));
}

/* Whether a frame of the stack matches: known for all nodes above this one. */
static bool
node_matches(struct pd_slice *s, uint32_t node)
{
	const struct pd_frame *f = pd_tree_leaf(s->tree, node);
	bool yes;

	if (f == NULL)
		return false;
	if (s->nodes[node] == UNKNOWN) {
		yes = (f->name != NULL && f->kind != PD_FRAME_ROOT &&
		    pd_filter_match_glob(s->opts.filter, PD_BY_STACK,
		    f->name)) || node_matches(s, pd_tree_parent(s->tree, node));
		s->nodes[node] = yes ? MATCHES : DIFFERS;
	}
	return s->nodes[node] == MATCHES;
}

static int
stack_matches(struct pd_slice *s, const struct pd_record *rec,
    const struct pd_sample *smp, const struct pd_thread *th,
    struct pd_error *err)
{
	struct pd_stack stack;

	if (pd_stacker_run(s->stacker, rec, rec->event, smp, th, &stack,
	    err) == -1 || pd_grow_zeroed(&s->nodes, &s->nodes_cap,
	    (size_t)stack.node + 1, 1, err) == -1)
		return -1;
	return node_matches(s, stack.node);
}

static bool
cgroup_matches(const struct pd_slice *s, uint64_t id)
{
	const char *path = pd_session_cgroup(s->session, id);

	return path != NULL &&
	    pd_filter_match_glob(s->opts.filter, PD_BY_CGROUP, path);
}

/* What needs the sample decoded. */
static int
sample_matches(struct pd_slice *s, const struct pd_record *rec,
    const struct pd_thread *th, struct pd_error *err)
{
	struct pd_sample smp;

	if (!s->by_cgroup && !s->by_stack)
		return 1;
	if (!pd_reader_sample(s->rd, rec, &smp))
		return 0;
	if (s->by_cgroup && !cgroup_matches(s, smp.cgroup))
		return 0;
	return s->by_stack ? stack_matches(s, rec, &smp, th, err) : 1;
}

static int
wanted(struct pd_slice *s, const struct pd_record *rec,
    const struct pd_thread *th, struct pd_error *err)
{
	int r = in_windows(s, rec->time) && (s->opts.filter == NULL ||
	    pd_filter_match(s->opts.filter, rec, th));

	if (r == 1)
		r = sample_matches(s, rec, th, err);
	return r == -1 ? -1 : r != s->opts.invert;
}

/* ---- what is written ---------------------------------------------------------------- */

static int
put(struct pd_slice *s, const uint8_t *data, size_t size,
    struct pd_error *err)
{
	uint8_t round[PD_HEADER_SIZE] = { 0 };

	if (pd_writer_put(s->writer, data, size, err) == -1)
		return -1;
	if (!s->ordered || pd_writer_size(s->writer) - s->round < ROUND_BYTES)
		return 0;
	s->round = pd_writer_size(s->writer);
	pd_store_u32(round, PD_REC_FINISHED_ROUND, s->teller.swapped);
	pd_store_u16(round + 6, sizeof(round), s->teller.swapped);
	return pd_writer_put(s->writer, round, sizeof(round), err);
}

/* Nothing more for now: two rounds, for the reader to hold nothing back. */
static int
flush(void *ctx, struct pd_error *err)
{
	struct pd_slice *s = ctx;
	uint8_t rounds[2 * PD_HEADER_SIZE] = { 0 };
	size_t i;

	if (s->ordered && pd_writer_size(s->writer) > s->round) {
		for (i = 0; i < sizeof(rounds); i += PD_HEADER_SIZE) {
			pd_store_u32(rounds + i, PD_REC_FINISHED_ROUND,
			    s->teller.swapped);
			pd_store_u16(rounds + i + 6, PD_HEADER_SIZE,
			    s->teller.swapped);
			if (pd_writer_put(s->writer, rounds + i,
			    PD_HEADER_SIZE, err) == -1)
				return -1;
		}
		s->round = pd_writer_size(s->writer);
	}
	return pd_writer_flush(s->writer, err);
}

/* Whether samples of an event have counters: see rewrite.h. */
static bool
reads(const struct pd_slice *s, const struct pd_event *ev)
{
	return !s->copies && (ev->sample_type & PD_SAMPLE_READ);
}

/* A sample that is not kept, but whose counters go on. */
static int
pass_over(struct pd_slice *s, const struct pd_record *rec,
    struct pd_error *err)
{
	struct pd_sample smp;
	struct pd_error bad;

	if (!reads(s, rec->event) || pd_sample_decode(rec, &smp, &bad) == -1)
		return 0;
	return pd_reads_apply(&s->reads, rec, &smp, NULL, err);
}

/* A sample with other counters, or without its copied stack. */
static int
put_rewritten(struct pd_slice *s, const struct pd_record *rec,
    const struct pd_thread *th, struct pd_error *err)
{
	bool strip = s->opts.strip_stacks || s->opts.unwind;
	const uint64_t *chain = NULL;
	struct pd_stack stack;
	struct pd_sample smp;
	size_t len = 0, size;

	if (!pd_reader_sample(s->rd, rec, &smp))
		return 0;
	if (s->opts.unwind && smp.user_stack != NULL) {
		if (pd_stacker_callchain(s->stacker, rec, &smp, th, &chain,
		    &len, &stack, err) == -1)
			return -1;
		s->counts.unwound++;
		s->counts.truncated += stack.truncated;
		s->counts.stopped += stack.stopped;
	}
	if (!strip)
		smp.copied_size = 0;
	size = pd_rewrite_sample(rec, &smp, chain, len, s->rewritten);
	if (reads(s, rec->event) &&
	    pd_reads_apply(&s->reads, rec, &smp, s->rewritten, err) == -1)
		return -1;
	if (size == 0)			/* as many addresses as fit in 64 KiB */
		return pd_fail(err, PD_EUNSUPP, rec->offset,
		    "SAMPLE record: its callchain is too long for a record");
	return put(s, s->rewritten, size, err);
}

static int
put_sample(struct pd_slice *s, const struct pd_record *rec,
    const struct pd_thread *th, struct pd_error *err)
{
	struct pd_slice_counts *n = &s->counts;

	n->kept++;
	if (rec->time != PD_NOTIME) {
		if (rec->time < n->first_time)
			n->first_time = rec->time;
		if (n->last_time == PD_NOTIME || rec->time > n->last_time)
			n->last_time = rec->time;
	}
	if (reads(s, rec->event) || ((s->opts.strip_stacks ||
	    s->opts.unwind) && pd_rewrite_wanted(rec->event)))
		return put_rewritten(s, rec, th, err);
	return put(s, rec->data, rec->size, err);
}

/* ---- records -------------------------------------------------------------------------- */

/* Its user part comes in a record of its own, maybe after the window. */
static int
expect_callchain(struct pd_slice *s, const struct pd_record *rec,
    struct pd_error *err)
{
	struct pd_sample smp;
	struct pd_error bad;
	size_t i;

	if (!(rec->event->flags & ATTR_DEFERRED) ||
	    pd_sample_decode(rec, &smp, &bad) == -1)
		return 0;
	for (i = 0; i < smp.callchain_len; i++)
		if (pd_sample_ip(&smp, i) == PD_CONTEXT_USER_DEFERRED)
			return pd_map64_put(&s->waiting, rec->tid, 1, err);
	return 0;
}

static int
sample_record(struct pd_slice *s, const struct pd_record *rec,
    struct pd_error *err)
{
	const struct pd_thread *th;
	int r;

	s->counts.samples++;
	if (rec->time == PD_NOTIME && s->opts.windows != NULL)
		return pd_fail(err, PD_EUNSUPP, rec->offset, "samples of %s "
		    "have no time (perf record -T adds it)", rec->event->name);
	if (!s->resolved && resolve(s, rec->time, err) == -1)
		return -1;
	/* Most records of most cuts end here. */
	if (!s->opts.invert && !in_windows(s, rec->time))
		return pass_over(s, rec, err);
	th = pd_session_thread(s->session, rec->pid, rec->tid, err);
	if (th == NULL)
		return -1;
	if ((r = wanted(s, rec, th, err)) <= 0)
		return r == -1 ? -1 : pass_over(s, rec, err);
	if (!s->opts.keep_state &&
	    pd_tell(&s->teller, th, rec->time, err) == -1)
		return -1;
	return expect_callchain(s, rec, err) == -1 ||
	    put_sample(s, rec, th, err) == -1 ? -1 : 0;
}

/* Of its moment, but no sample. */
static int
timed_record(struct pd_slice *s, const struct pd_record *rec,
    struct pd_error *err)
{
	const struct pd_thread *th;
	bool keep = rec->time == PD_NOTIME || in_windows(s, rec->time);

	switch (rec->type) {
	case PD_REC_AUX:
	case PD_REC_AUX_OUTPUT_HW_ID:
	case PD_REC_ITRACE_START:
		s->counts.aux++;
		return 0;
	case PD_REC_LOST:		/* of a buffer, whoever ran then */
	case PD_REC_LOST_SAMPLES:
		keep = keep != s->opts.invert;
		break;
	case PD_REC_CALLCHAIN_DEFERRED:
		if (pd_map64_find(&s->waiting, rec->tid) != PD_NOID) {
			pd_map64_del(&s->waiting, rec->tid);
			return put(s, rec->data, rec->size, err);
		}
		/* FALLTHROUGH */
	default:
		th = pd_session_thread(s->session, rec->pid, rec->tid, err);
		if (th == NULL)
			return -1;
		if (keep && s->opts.filter != NULL)
			keep = pd_filter_match(s->opts.filter, rec, th);
		keep = keep != s->opts.invert;
	}
	return keep ? put(s, rec->data, rec->size, err) : 0;
}

static int
state_record(struct pd_slice *s, const struct pd_record *rec,
    struct pd_error *err)
{
	bool fork = rec->type == PD_RECORD_FORK;

	if (s->opts.keep_state)
		return put(s, rec->data, rec->size, err) == -1 ? -1 :
		    pd_session_apply(s->session, rec, err);
	if ((fork && pd_session_apply(s->session, rec, err) == -1) ||
	    pd_tell_record(&s->teller, rec, err) == -1 ||
	    pd_past_apply(&s->past, rec, err) == -1)
		return -1;
	return fork ? 0 : pd_session_apply(s->session, rec, err);
}

/* Bookkeeping of the container. */
static int
stream_record(struct pd_slice *s, const struct pd_record *rec,
    struct pd_error *err)
{
	int r = pd_describe_record(&s->describe, rec, err);

	if (r != 0)
		return r == -1 ? -1 : 0;
	switch (rec->type) {
	case PD_REC_AUXTRACE_INFO:
	case PD_REC_AUXTRACE:
	case PD_REC_AUXTRACE_ERROR:
		s->counts.aux++;
		return 0;
	case PD_REC_FINISHED_ROUND:
		if (s->ordered)
			return 0;
	}
	return pd_writer_put(s->writer, rec->data, rec->size, err);
}

/* Everything is kept, in the order in which it comes. */
static int
copy_record(struct pd_slice *s, const struct pd_record *rec,
    struct pd_error *err)
{
	if (rec->type == PD_RECORD_SAMPLE) {
		s->counts.samples++;
		return put_sample(s, rec, NULL, err);
	}
	if (rec->type == PD_REC_AUX || rec->type == PD_REC_AUX_OUTPUT_HW_ID ||
	    rec->type == PD_REC_ITRACE_START) {
		s->counts.aux++;
		return 0;
	}
	return put(s, rec->data, rec->size, err);
}

/* Whether no record that is still to come can be wanted. */
static bool
is_over(const struct pd_slice *s, const struct pd_record *rec)
{
	const struct pd_container *ct = pd_reader_container(s->rd);

	/* A pipe's writer is not cut off, and describes itself at its end. */
	return s->resolved && s->opts.windows != NULL && !s->opts.invert &&
	    !s->opts.keep_state && !ct->pipe && s->waiting.used == 0 &&
	    pd_windows_over(s->opts.windows, rec->time);
}

static int
take(struct pd_slice *s, const struct pd_record *rec, struct pd_error *err)
{
	if (pd_describe_events(&s->describe, err) == -1)
		return -1;
	if (rec->type >= PD_RECORD_USER_START)
		return stream_record(s, rec, err);
	if (s->copies)
		return copy_record(s, rec, err);
	if (rec->type == PD_RECORD_SAMPLE)
		return pd_session_apply(s->session, rec, err) == -1 ? -1 :
		    sample_record(s, rec, err);
	if (pd_record_class(rec->type) == PD_STATE)
		return state_record(s, rec, err);
	return timed_record(s, rec, err);
}

int
pd_slice_next(struct pd_slice *s, struct pd_error *err)
{
	struct pd_record rec;
	int r = pd_reader_next(s->rd, &rec, err);

	if (r <= 0)
		return r;
	if (!s->copies && is_over(s, &rec))
		return 0;
	return take(s, &rec, err) == -1 ? -1 : 1;
}

/* ---- the object ------------------------------------------------------------------------- */

static int
open_stacks(struct pd_slice *s, struct pd_error *err)
{
	static const enum pd_root none;

	if (!s->by_stack && !s->opts.unwind)
		return 0;
	s->opts.stack.roots = &none;
	s->opts.stack.nroots = 0;
	if ((s->tree = pd_tree_new(err)) == NULL)
		return -1;
	s->stacker = pd_stacker_new(s->session, s->tree, &s->opts.stack, err);
	return s->stacker == NULL ? -1 : 0;
}

struct pd_slice *
pd_slice_new(struct pd_reader *rd, int fd, const struct pd_slice_opts *opts,
    struct pd_error *err)
{
	struct pd_slice *s = pd_calloc(1, sizeof(*s), err);
	bool swapped = pd_reader_container(rd)->swapped;
	struct pd_writer_opts w = { opts->pipe, swapped, opts->level };

	if (s == NULL)
		return NULL;
	s->rd = rd;
	s->opts = *opts;
	s->counts.first_time = s->counts.last_time = PD_NOTIME;
	s->copies = !selects(opts) && !opts->unwind;
	s->ordered = !s->copies || pd_reader_info(rd)->directory;
	s->by_cgroup = has(opts, PD_BY_CGROUP);
	s->by_stack = has(opts, PD_BY_STACK);
	if ((s->session = pd_session_new(rd, err)) == NULL ||
	    (s->writer = pd_writer_new(fd, &w, err)) == NULL)
		goto fail;
	s->describe = (struct pd_describe){ .rd = rd, .writer = s->writer,
		.notes = &s->notes, .pipe = opts->pipe,
		.strip = opts->strip_stacks || opts->unwind,
		.unwound = opts->unwind, .argv = opts->argv };
	s->teller = (struct pd_teller){ s->session, pd_reader_events(rd),
		&s->past, s->writer, &s->told, swapped };
	if (open_stacks(s, err) == -1 ||
	    pd_describe_begin(&s->describe, err) == -1)
		goto fail;
	pd_reader_on_wait(rd, flush, s);
	return s;

fail:
	pd_slice_free(s);
	return NULL;
}

void
pd_slice_free(struct pd_slice *s)
{
	if (s == NULL)
		return;
	pd_reader_on_wait(s->rd, NULL, NULL);
	pd_describe_free(&s->describe);
	pd_writer_free(s->writer);
	pd_stacker_free(s->stacker);
	pd_tree_free(s->tree);
	free(s->nodes);
	pd_map64_free(&s->waiting);
	pd_told_free(&s->told);
	pd_past_free(&s->past);
	pd_reads_free(&s->reads);
	pd_session_free(s->session);
	pd_notes_free(&s->notes);
	free(s);
}

int
pd_slice_finish(struct pd_slice *s, struct pd_error *err)
{
	if (pd_describe_end(&s->describe, s->counts.first_time,
	    s->counts.last_time, err) == -1 ||
	    pd_writer_finish(s->writer, err) == -1)
		return -1;
	s->counts.bytes = pd_writer_size(s->writer);
	return 0;
}

struct pd_slice_counts
pd_slice_counts(const struct pd_slice *s)
{
	return s->counts;
}

const struct pd_session *
pd_slice_session(const struct pd_slice *s)
{
	return s->session;
}

const struct pd_note *
pd_slice_note(const struct pd_slice *s, size_t i)
{
	return pd_notes_get(&s->notes, i);
}
