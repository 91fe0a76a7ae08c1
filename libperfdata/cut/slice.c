/*
 * Cuts a recording: the loop that takes its records to another one, or to
 * several, or leaves them out.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/notes.h"
#include "cut/filter.h"
#include "cut/output.h"
#include "cut/point.h"

/* perf_event_attr.defer_callchain and .defer_output (kernel 6.19). */
#define ATTR_DEFERRED	(UINT64_C(3) << 38)

/*
 * ns that a part stays open for deferred callchains: threads that sleep in the
 * kernel may not come back for hours.
 */
#define PART_WAITS	UINT64_C(1000000000)

/* What is known of a node of the tree, for --stack. */
enum { UNKNOWN, MATCHES, DIFFERS };

struct pd_slice {
	struct pd_reader	*rd;
	struct pd_session	*session;
	struct pd_slice_opts	opts;
	struct pd_writer_opts	writer;
	struct pd_slice_counts	counts;
	struct pd_notes		notes;
	struct pd_describe	describe;
	struct pd_past		past;
	struct pd_reads		reads;
	struct pd_output	**outputs;	/* that are open */
	size_t			noutputs, outputs_cap;
	uint64_t		next;		/* the part to be opened next */
	uint64_t		closed;		/* pieces of time before this */
	struct pd_tree		*tree;
	struct pd_stacker	*stacker;	/* NULL: no stacks are looked at */
	uint8_t			*nodes;		/* MATCHES, ..., by node */
	size_t			nodes_cap;
	/* Records of class STREAM, for parts that are opened later. */
	uint8_t			*stream;
	size_t			stream_len, stream_cap;
	uint64_t		first;		/* time of the first sample */
	bool			copies;		/* all, as it is */
	bool			resolved;
	bool			by_cgroup, by_stack, filters;	/* any */
	uint8_t			rewritten[PD_REWRITE_MAX];
};

/* ---- what is selected ------------------------------------------------------------ */

static bool
has(const struct pd_slice_opts *o, enum pd_filter_kind kind)
{
	return o->filter != NULL && pd_filter_has(o->filter, kind);
}

static bool
filters(const struct pd_slice_opts *o)
{
	int kind;

	for (kind = 0; kind <= PD_BY_STACK; kind++)
		if (has(o, kind))
			return true;
	return false;
}

static bool
selects(const struct pd_slice_opts *o)
{
	return filters(o) || o->invert || o->windows != NULL ||
	    o->markers != NULL || o->parts != NULL;
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

	s->resolved = true;
	s->first = s->opts.first_time != PD_NOTIME ? s->opts.first_time : time;
	return s->opts.windows == NULL ? 0 : pd_windows_resolve(
	    s->opts.windows, info, s->first, s->opts.last_time, err);
}

static bool
in_windows(const struct pd_slice *s, uint64_t time)
{
	return s->opts.windows == NULL ||
	    (s->resolved && pd_windows_match(s->opts.windows, time));
}

/* Whether it is in a critical section. */
static bool
is_marked(const struct pd_slice *s, const struct pd_record *rec)
{
	return s->opts.markers == NULL || pd_markers_match(s->opts.markers,
	    rec->time, rec->pid, rec->tid, rec->cpu);
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
		yes = (f->name != NULL && pd_filter_match_glob(s->opts.filter,
		    PD_BY_STACK, f->name)) ||
		    node_matches(s, pd_tree_parent(s->tree, node));
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
    const struct pd_thread *th, bool by_stack, struct pd_error *err)
{
	struct pd_sample smp;

	if (!s->by_cgroup && !by_stack)
		return 1;
	if (!pd_reader_sample(s->rd, rec, &smp))
		return 0;
	if (s->by_cgroup && !cgroup_matches(s, smp.cgroup))
		return 0;
	return by_stack ? stack_matches(s, rec, &smp, th, err) : 1;
}

/*
 * The events that a critical section begins or ends with are kept with it,
 * whatever other event or stack is selected.
 */
static int
wanted(struct pd_slice *s, const struct pd_record *rec,
    const struct pd_thread *th, struct pd_error *err)
{
	bool marker = s->opts.markers != NULL &&
	    pd_markers_is(s->opts.markers, rec->event);
	int r = in_windows(s, rec->time) && is_marked(s, rec);

	if (marker && s->opts.drop_markers)
		return 0;
	if (r == 1 && s->opts.filter != NULL)
		r = (marker ? pd_filter_match_who(s->opts.filter, rec, th) :
		    pd_filter_match(s->opts.filter, rec, th)) ?
		    sample_matches(s, rec, th, s->by_stack && !marker, err) : 0;
	return r == -1 ? -1 : r != s->opts.invert;
}

/* Whether an output is of the time and place of a record. */
static bool
goes_to(const struct pd_output *o, const struct pd_record *rec)
{
	const struct pd_occurrence *of = o->of;

	return rec->time == PD_NOTIME || (rec->time >= o->start &&
	    rec->time < o->stop && (of == NULL ||
	    ((of->pid == PD_NOID || of->pid == rec->pid) &&
	    (of->tid == PD_NOID || of->tid == rec->tid) &&
	    (of->cpu == PD_NOID || of->cpu == rec->cpu))));
}

/* ---- parts -------------------------------------------------------------------------- */

static int
part_open(struct pd_slice *s, uint64_t i, struct pd_error *err)
{
	const struct pd_slice_parts *p = s->opts.parts;
	struct pd_output *o;
	int fd;

	if (pd_grow(&s->outputs, &s->outputs_cap, s->noutputs + 1,
	    sizeof(*s->outputs), err) == -1 ||
	    (o = pd_calloc(1, sizeof(*o), err)) == NULL)
		return -1;
	if ((fd = p->open(p->ctx, i, err)) < 0) {
		free(o);
		return -1;
	}
	s->outputs[s->noutputs++] = o;
	o->part = i;
	if (pd_output_open(o, fd, &s->writer, &s->describe, s->session,
	    &s->past, true, err) == -1 ||
	    pd_reads_copy(&o->reads, &s->reads, err) == -1 ||
	    pd_describe_events(&s->describe, &o->to, err) == -1)
		return -1;
	if (p->list != NULL) {
		o->of = &p->list[i];
		o->start = o->of->start;
		o->stop = o->of->stop;
	} else {
		o->start = s->first + i * p->every;
		o->stop = pd_later(o->start, p->every);
	}
	return s->stream_len == 0 ? 0 : pd_output_put(o, s->stream,
	    s->stream_len, err);
}

static void
part_drop(const struct pd_slice *s, const struct pd_output *o)
{
	const struct pd_slice_parts *p = s->opts.parts;
	struct pd_error err;

	p->close(p->ctx, o->part, o->fd, NULL, &err);
}

/* Complete an output, which is then open no more. */
static int
part_close(struct pd_slice *s, size_t at, struct pd_error *err)
{
	const struct pd_slice_parts *p = s->opts.parts;
	struct pd_output *o = s->outputs[at];
	struct pd_part part = { o->start, o->stop, o->samples, 0 };
	int r;

	s->outputs[at] = s->outputs[--s->noutputs];
	r = pd_output_finish(o, &s->describe, err);
	part.bytes = pd_writer_size(o->to.writer);
	s->counts.bytes += part.bytes;
	if (p->list == NULL && o->stop > s->closed)
		s->closed = o->stop;
	if (r == 0)
		r = p->close(p->ctx, o->part, o->fd, &part, err);
	else
		part_drop(s, o);
	pd_output_free(o);
	free(o);
	return r;
}

/* Whether nothing that comes at this time or later belongs to a part. */
static bool
part_over(const struct pd_output *o, uint64_t time)
{
	return time >= (o->waiting.used == 0 ? o->stop :
	    pd_later(o->stop, PART_WAITS));
}

/* Have the parts open that a record of this time may belong to. */
static int
parts_at(struct pd_slice *s, uint64_t time, struct pd_error *err)
{
	const struct pd_slice_parts *p = s->opts.parts;
	size_t i;

	if (p == NULL || time == PD_NOTIME)
		return 0;
	for (i = s->noutputs; i-- > 0;)
		if (part_over(s->outputs[i], time) &&
		    part_close(s, i, err) == -1)
			return -1;
	if (p->list == NULL)		/* with the first record: part_of() */
		return 0;
	for (; s->next < p->len && p->list[s->next].start <= time; s->next++)
		if (part_open(s, s->next, err) == -1)
			return -1;
	return 0;
}

/* The piece of time that a record is in, opened if need be. */
static int
piece_at(struct pd_slice *s, uint64_t time, struct pd_error *err)
{
	const struct pd_slice_parts *p = s->opts.parts;
	size_t i;

	if (p == NULL || p->list != NULL || time < s->first ||
	    time == PD_NOTIME)
		return 0;
	for (i = 0; i < s->noutputs; i++)
		if (time >= s->outputs[i]->start && time < s->outputs[i]->stop)
			return 0;
	return part_open(s, (time - s->first) / p->every, err);
}

/* ---- what is written ---------------------------------------------------------------- */

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
	size_t i;

	if (!reads(s, rec->event) || pd_sample_decode(rec, &smp, &bad) == -1)
		return 0;
	for (i = 0; i < s->noutputs; i++)
		if (pd_reads_apply(&s->outputs[i]->reads, rec, &smp, NULL,
		    err) == -1)
			return -1;
	return pd_reads_apply(&s->reads, rec, &smp, NULL, err);
}

/* A sample with other counters, or without its copied stack: its size. */
static int
rewrite(struct pd_slice *s, const struct pd_record *rec,
    const struct pd_sample *smp, const struct pd_thread *th, size_t *size,
    struct pd_error *err)
{
	const uint64_t *chain = NULL;
	struct pd_sample plain = *smp;
	struct pd_stack stack;
	size_t len = 0;

	if (s->opts.unwind && smp->user_stack != NULL) {
		if (pd_stacker_callchain(s->stacker, rec, smp, th, &chain,
		    &len, &stack, err) == -1)
			return -1;
		s->counts.unwound++;
		s->counts.truncated += stack.truncated;
		s->counts.stopped += stack.stopped;
	}
	if (!s->describe.strip)
		plain.copied_size = 0;
	*size = pd_rewrite_sample(rec, &plain, chain, len, s->rewritten);
	return *size > 0 ? 0 : pd_fail(err, PD_EUNSUPP, rec->offset,
	    "SAMPLE record: its callchain is too long for a record");
}

/* Whether its user part comes in a record of its own, maybe after the window. */
static bool
is_deferred(const struct pd_record *rec)
{
	struct pd_sample smp;
	struct pd_error bad;
	size_t i;

	if (!(rec->event->flags & ATTR_DEFERRED) ||
	    pd_sample_decode(rec, &smp, &bad) == -1)
		return false;
	for (i = 0; i < smp.callchain_len; i++)
		if (pd_sample_ip(&smp, i) == PD_CONTEXT_USER_DEFERRED)
			return true;
	return false;
}

static int
put_sample(struct pd_slice *s, const struct pd_record *rec,
    const struct pd_thread *th, struct pd_error *err)
{
	bool reading = reads(s, rec->event), deferred = is_deferred(rec);
	const uint8_t *data = rec->data;
	struct pd_sample smp;
	struct pd_output *o;
	size_t size = rec->size, i;

	if (reading || (s->describe.strip && pd_rewrite_wanted(rec->event))) {
		if (!pd_reader_sample(s->rd, rec, &smp))
			return 0;
		if (rewrite(s, rec, &smp, th, &size, err) == -1)
			return -1;
		data = s->rewritten;
	}
	s->counts.kept++;
	for (i = 0; i < s->noutputs; i++) {
		o = s->outputs[i];
		if (reading && pd_reads_apply(&o->reads, rec, &smp,
		    goes_to(o, rec) ? s->rewritten : NULL, err) == -1)
			return -1;
		if (!goes_to(o, rec))
			continue;
		if (!s->copies && !s->opts.keep_state &&
		    pd_tell(&o->teller, th, rec->time, err) == -1)
			return -1;
		if (pd_output_put(o, data, size, err) == -1 || (deferred &&
		    pd_map64_put(&o->waiting, rec->tid, 1, err) == -1))
			return -1;
		pd_output_count(o, rec->time);
	}
	return reading ? pd_reads_apply(&s->reads, rec, &smp, NULL, err) : 0;
}

/* A record that is no sample, to where it belongs. */
static int
put(struct pd_slice *s, const struct pd_record *rec, struct pd_error *err)
{
	size_t i;

	for (i = 0; i < s->noutputs; i++)
		if (goes_to(s->outputs[i], rec) && pd_output_put(s->outputs[i],
		    rec->data, rec->size, err) == -1)
			return -1;
	return 0;
}

/* The user part of callchains: to where the samples are. */
static int
put_deferred(struct pd_slice *s, const struct pd_record *rec,
    struct pd_error *err)
{
	struct pd_output *o;
	size_t i;

	for (i = 0; i < s->noutputs; i++) {
		o = s->outputs[i];
		if (pd_map64_find(&o->waiting, rec->tid) == PD_NOID)
			continue;
		pd_map64_del(&o->waiting, rec->tid);
		if (pd_output_put(o, rec->data, rec->size, err) == -1)
			return -1;
	}
	return 0;
}

/* ---- records -------------------------------------------------------------------------- */

static int
sample_record(struct pd_slice *s, const struct pd_record *rec,
    struct pd_error *err)
{
	const struct pd_thread *th;
	int r;

	s->counts.samples++;
	if (!(rec->event->sample_type & PD_SAMPLE_TIME) && (s->opts.windows != NULL ||
	    s->opts.markers != NULL || s->opts.parts != NULL))
		return pd_fail(err, PD_EUNSUPP, rec->offset, "samples of %s "
		    "have no time (perf record -T adds it)", rec->event->name);
	if (!s->resolved && resolve(s, rec->time, err) == -1)
		return -1;
	/* Most records of most cuts end here. */
	if (!s->opts.invert && !(in_windows(s, rec->time) && is_marked(s, rec)))
		return pass_over(s, rec, err);
	th = pd_session_thread(s->session, rec->pid, rec->tid, err);
	if (th == NULL)
		return -1;
	if ((r = wanted(s, rec, th, err)) <= 0)
		return r == -1 ? -1 : pass_over(s, rec, err);
	return piece_at(s, rec->time, err) == -1 ||
	    put_sample(s, rec, th, err) == -1 ? -1 : 0;
}

/* AUX data, a trace by hardware, are not carried over: nor what is on them. */
static bool
is_aux(uint32_t type)
{
	return type == PD_REC_AUX || type == PD_REC_AUX_OUTPUT_HW_ID ||
	    type == PD_REC_ITRACE_START || type == PD_REC_AUXTRACE_INFO ||
	    type == PD_REC_AUXTRACE || type == PD_REC_AUXTRACE_ERROR;
}

/* Of its moment, but no sample. */
static int
timed_record(struct pd_slice *s, const struct pd_record *rec,
    struct pd_error *err)
{
	const struct pd_thread *th;
	bool keep = rec->time == PD_NOTIME || in_windows(s, rec->time);
	/* of a buffer, whoever ran when it was full */
	bool lost = rec->type == PD_REC_LOST ||
	    rec->type == PD_REC_LOST_SAMPLES;

	if (rec->type == PD_REC_CALLCHAIN_DEFERRED)
		return put_deferred(s, rec, err);
	if (keep && rec->time != PD_NOTIME && s->opts.markers != NULL)
		keep = lost ? pd_markers_at(s->opts.markers, rec->time) :
		    is_marked(s, rec);
	if (keep && !lost && s->opts.filter != NULL) {
		th = pd_session_thread(s->session, rec->pid, rec->tid, err);
		if (th == NULL)
			return -1;
		keep = pd_filter_match(s->opts.filter, rec, th);
	}
	/* Of losses nobody knows whether they would have been selected. */
	if (s->opts.invert && !(lost && s->filters))
		keep = !keep;
	if (!keep)
		return 0;
	if (s->resolved && rec->time != PD_NOTIME &&
	    piece_at(s, rec->time, err) == -1)
		return -1;
	return put(s, rec, err);
}

static int
state_record(struct pd_slice *s, const struct pd_record *rec,
    struct pd_error *err)
{
	bool fork = rec->type == PD_RECORD_FORK;
	size_t i;

	if (fork && pd_session_apply(s->session, rec, err) == -1)
		return -1;
	for (i = 0; i < s->noutputs; i++) {
		if (s->opts.keep_state ? pd_output_put(s->outputs[i],
		    rec->data, rec->size, err) == -1 :
		    pd_tell_record(&s->outputs[i]->teller, rec, err) == -1)
			return -1;
	}
	if (pd_past_apply(&s->past, rec, err) == -1)
		return -1;
	return fork ? 0 : pd_session_apply(s->session, rec, err);
}

/* What says of the recording how to read it, and may come before a part. */
static int
keep_stream(struct pd_slice *s, const struct pd_record *rec,
    struct pd_error *err)
{
	switch (rec->type) {
	case PD_REC_ID_INDEX: case PD_REC_THREAD_MAP: case PD_REC_CPU_MAP:
	case PD_REC_STAT_CONFIG: case PD_REC_EVENT_UPDATE:
	case PD_REC_TIME_CONV: case PD_REC_BPF_METADATA:
		break;
	default:
		return 0;
	}
	if (pd_grow(&s->stream, &s->stream_cap, s->stream_len + rec->size, 1,
	    err) == -1)
		return -1;
	memcpy(s->stream + s->stream_len, rec->data, rec->size);
	s->stream_len += rec->size;
	return 0;
}

/* Bookkeeping of the container. */
static int
stream_record(struct pd_slice *s, const struct pd_record *rec,
    struct pd_error *err)
{
	struct pd_described *to = s->opts.parts ? NULL : &s->outputs[0]->to;
	int r = pd_describe_record(&s->describe, to, rec, err);
	size_t i;

	for (i = 0; i < s->noutputs && rec->type == PD_REC_HEADER_ATTR; i++)
		if (pd_describe_events(&s->describe, &s->outputs[i]->to,
		    err) == -1)
			return -1;
	if (r != 0)
		return r == -1 ? -1 : 0;
	if (s->opts.parts != NULL && keep_stream(s, rec, err) == -1)
		return -1;
	for (i = 0; i < s->noutputs; i++)
		if (!(rec->type == PD_REC_FINISHED_ROUND &&
		    s->outputs[i]->ordered) && pd_output_put(s->outputs[i],
		    rec->data, rec->size, err) == -1)
			return -1;
	/* What describes a pipe can come at its end too. */
	return rec->type == PD_REC_HEADER_BUILD_ID ?
	    pd_session_apply(s->session, rec, err) : 0;
}

/* Whether no record that is still to come can be wanted. */
static bool
is_over(const struct pd_slice *s, const struct pd_record *rec)
{
	const struct pd_container *ct = pd_reader_container(s->rd);

	size_t i;

	for (i = 0; i < s->noutputs; i++)
		if (s->outputs[i]->waiting.used > 0)
			return false;
	/* A pipe's writer is not cut off, and describes itself at its end. */
	return s->resolved && !s->opts.invert && !s->opts.keep_state &&
	    !ct->pipe &&
	    ((s->opts.windows != NULL &&
	    pd_windows_over(s->opts.windows, rec->time)) ||
	    (s->opts.markers != NULL &&
	    pd_markers_over(s->opts.markers, rec->time)));
}

/* Everything is kept, in the order in which it comes. */
static int
copy_record(struct pd_slice *s, const struct pd_record *rec,
    struct pd_error *err)
{
	if (rec->type == PD_RECORD_SAMPLE) {
		s->counts.samples++;
		if (s->describe.strip)
			return put_sample(s, rec, NULL, err);
		s->counts.kept++;
		pd_output_count(s->outputs[0], rec->time);
	}
	return pd_output_put(s->outputs[0], rec->data, rec->size, err);
}

static int
take(struct pd_slice *s, const struct pd_record *rec, struct pd_error *err)
{
	if (is_aux(rec->type)) {
		s->counts.aux++;
		return 0;
	}
	if (rec->type >= PD_RECORD_USER_START)
		return stream_record(s, rec, err);
	if (s->copies)
		return copy_record(s, rec, err);
	if (parts_at(s, rec->time, err) == -1)
		return -1;
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
	/* Too late to be put in order, and for the piece that it was of. */
	if (rec.time < s->closed)
		rec.time = s->closed;
	if (!s->copies && is_over(s, &rec))
		return 0;
	return take(s, &rec, err) == -1 ? -1 : 1;
}

/* ---- the object ------------------------------------------------------------------------- */

static int
flush(void *ctx, struct pd_error *err)
{
	struct pd_slice *s = ctx;
	size_t i;

	for (i = 0; i < s->noutputs; i++)
		if (pd_output_flush(s->outputs[i], err) == -1)
			return -1;
	return 0;
}

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

static int
open_output(struct pd_slice *s, int fd, struct pd_error *err)
{
	bool ordered = !s->copies || pd_reader_info(s->rd)->directory;

	if (pd_grow(&s->outputs, &s->outputs_cap, 1, sizeof(*s->outputs), err)
	    == -1 || (s->outputs[0] = pd_calloc(1, sizeof(**s->outputs), err))
	    == NULL)
		return -1;
	s->noutputs = 1;
	return pd_output_open(s->outputs[0], fd, &s->writer, &s->describe,
	    s->session, &s->past, ordered, err);
}

struct pd_slice *
pd_slice_new(struct pd_reader *rd, int fd, const struct pd_slice_opts *opts,
    struct pd_error *err)
{
	struct pd_slice *s = pd_calloc(1, sizeof(*s), err);

	if (s == NULL)
		return NULL;
	s->rd = rd;
	s->opts = *opts;
	s->writer = (struct pd_writer_opts){ opts->pipe,
		pd_reader_container(rd)->swapped, opts->level };
	s->copies = !selects(opts) && !opts->unwind;
	s->filters = filters(opts);
	s->by_cgroup = has(opts, PD_BY_CGROUP);
	s->by_stack = has(opts, PD_BY_STACK);
	s->describe = (struct pd_describe){ .rd = rd, .notes = &s->notes,
		.pipe = opts->pipe, .strip = opts->strip_stacks || opts->unwind,
		.unwound = opts->unwind, .argv = opts->argv };
	if ((s->session = pd_session_new(rd, err)) == NULL ||
	    open_stacks(s, err) == -1 ||
	    (opts->parts == NULL && open_output(s, fd, err) == -1)) {
		pd_slice_free(s);
		return NULL;
	}
	pd_reader_on_wait(rd, flush, s);
	return s;
}

void
pd_slice_free(struct pd_slice *s)
{
	size_t i;

	if (s == NULL)
		return;
	pd_reader_on_wait(s->rd, NULL, NULL);
	for (i = 0; i < s->noutputs; i++) {
		if (s->opts.parts != NULL)
			part_drop(s, s->outputs[i]);
		pd_output_free(s->outputs[i]);
		free(s->outputs[i]);
	}
	free(s->outputs);
	pd_describe_free(&s->describe);
	pd_stacker_free(s->stacker);
	pd_tree_free(s->tree);
	free(s->nodes);
	free(s->stream);
	pd_past_free(&s->past);
	pd_reads_free(&s->reads);
	pd_session_free(s->session);
	pd_notes_free(&s->notes);
	free(s);
}

int
pd_slice_finish(struct pd_slice *s, struct pd_error *err)
{
	if (s->opts.parts != NULL) {
		while (s->noutputs > 0)
			if (part_close(s, s->noutputs - 1, err) == -1)
				return -1;
		return 0;
	}
	if (pd_output_finish(s->outputs[0], &s->describe, err) == -1)
		return -1;
	s->counts.bytes = pd_writer_size(s->outputs[0]->to.writer);
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
