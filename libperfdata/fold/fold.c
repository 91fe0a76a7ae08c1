/*
 * Folds a recording: the one loop that takes a record through all layers,
 * from the reader to the profile.
 */
#include <fnmatch.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/text.h"
#include "base/tree.h"
#include "fold/deferred.h"

/* When pd_fold_trim() forgets. */
#define MANY_STACKS	(1 << 18)
#define MANY_FRAMES	(1 << 18)
#define FEW_FILES	16
#define USUAL_AFTER	(10 * PD_SECOND)	/* of the recording */
#define RENEW_AFTER	(60 * PD_SECOND)

struct pd_fold {
	struct pd_reader		*rd;
	struct pd_session		*session;
	struct pd_tree			*tree;
	struct pd_stacker		*stacker;
	struct pd_profile		*profile;
	struct pd_fold_opts		opts;
	struct pd_fold_counts		counts;
	const struct pd_event		*event;	/* NULL before its first sample */
	bool				fresh;	/* none of it was told of yet */
	bool				timeless;	/* its samples are no time */
	uint64_t			first, last;	/* times of its samples */
	struct pd_deferred		deferred;
	uint64_t			time;	/* of the last sample */
	uint64_t			renewed;	/* time when names were forgotten */
	size_t				usual;	/* files soon after that; 0: not yet */
};

struct pd_fold *
pd_fold_new(struct pd_reader *rd, const struct pd_fold_opts *opts,
    struct pd_error *err)
{
	struct pd_fold *f = pd_calloc(1, sizeof(*f), err);

	if (f == NULL)
		return NULL;
	f->rd = rd;
	f->opts = *opts;
	f->first = f->last = PD_NOTIME;
	pd_deferred_init(&f->deferred);
	if ((f->session = pd_session_new(rd, err)) == NULL ||
	    (f->tree = pd_tree_new(err)) == NULL ||
	    (f->stacker = pd_stacker_new(f->session, f->tree, &f->opts.stack,
	    err)) == NULL ||
	    (f->profile = pd_profile_new(f->tree, err)) == NULL) {
		pd_fold_free(f);
		return NULL;
	}
	return f;
}

void
pd_fold_free(struct pd_fold *f)
{
	if (f == NULL)
		return;
	pd_deferred_free(&f->deferred);
	pd_profile_free(f->profile);
	pd_stacker_free(f->stacker);
	pd_tree_free(f->tree);
	pd_session_free(f->session);
	free(f);
}

/* A sample that is not folded may be a unit of work done. */
static bool
is_work(struct pd_fold *f, const struct pd_event *ev)
{
	if (f->opts.work_event == NULL ||
	    fnmatch(f->opts.work_event, ev->name, 0) != 0)
		return false;
	f->counts.work++;
	return true;
}

static void
note_time(struct pd_fold *f, uint64_t time)
{
	if (time == PD_NOTIME)
		return;
	if (f->first == PD_NOTIME || time < f->first)
		f->first = time;
	if (f->last == PD_NOTIME || time > f->last)
		f->last = time;
}

/*
 * One event a fold: units are never mixed.  It is the first of the recording
 * that has samples; samples of a later one that came before are dropped.
 */
static int
choose(struct pd_fold *f, const struct pd_event *ev, struct pd_error *err)
{
	if (f->event == ev)
		return 1;
	if (f->opts.event != NULL && fnmatch(f->opts.event, ev->name, 0) != 0)
		return 0;
	if (f->event != NULL && (f->opts.first_seen ||
	    f->event->index < ev->index)) {
		f->counts.other++;
		return 0;
	}
	f->event = ev;
	f->fresh = true;
	f->timeless = false;
	f->counts.other += pd_profile_samples(f->profile);
	f->counts.deep = f->counts.unwound = 0;
	f->counts.truncated = f->counts.stopped = 0;
	f->counts.deferred = f->counts.unfinished = 0;
	f->first = f->last = PD_NOTIME;
	pd_profile_free(f->profile);
	f->profile = pd_profile_new(f->tree, err);
	return f->profile == NULL ? -1 : 1;
}

static int
weigh(const struct pd_fold *f, const struct pd_sample *s, uint64_t period,
    uint64_t *weight, struct pd_error *err)
{
	*weight = 1;
	if (f->opts.weight == PD_WEIGHT_TIME)
		return pd_sample_duration(f->event, s, period, weight, err);
	if (f->opts.weight == PD_WEIGHT_PERIOD && period != 0)
		*weight = period;
	return 0;
}

/* Tell the caller of a sample. */
static int
tell(struct pd_fold *f, const struct pd_record *rec,
    const struct pd_sample *s, const struct pd_thread *th, uint64_t period,
    struct pd_fold_sample *out, struct pd_error *err)
{
	out->event = f->event;
	out->thread = th;
	out->tree = f->tree;
	out->cpu = rec->cpu;
	out->time = rec->time;
	out->duration = PD_NOTIME;
	out->first = f->fresh;
	f->fresh = false;
	/* What one sample of an event lacks, all of them lack. */
	if (!f->timeless && pd_sample_duration(f->event, s, period,
	    &out->duration, err) == -1)
		f->timeless = true;
	return f->opts.sample(f->opts.sample_ctx, out, err);
}

/* One event of a sample: mostly there is one. */
static int
count_member(struct pd_fold *f, const struct pd_record *rec,
    const struct pd_sample *s, bool deferred, const struct pd_event *ev,
    uint64_t period, struct pd_error *err)
{
	struct pd_fold_sample out;
	const struct pd_thread *th;
	struct pd_stack stack;
	int r;

	th = pd_session_thread(f->session, rec->pid, rec->tid, err);
	if (th == NULL)
		return -1;
	if (f->opts.filter != NULL &&
	    !pd_filter_match(f->opts.filter, rec, th))
		return 0;
	if (is_work(f, ev))
		return 0;
	if ((r = choose(f, ev, err)) <= 0)
		return r;
	note_time(f, rec->time);
	if (weigh(f, s, period, &out.weight, err) == -1 ||
	    pd_stacker_run(f->stacker, rec, ev, s, th, &stack, err) == -1)
		return -1;
	f->counts.deep += stack.deep;
	f->counts.stopped += stack.stopped;
	if (s->user_stack != NULL) {
		f->counts.unwound++;
		f->counts.truncated += stack.truncated;
	} else {
		f->counts.deferred += deferred;
		f->counts.unfinished += stack.truncated;
	}
	out.node = stack.node;
	if (f->opts.sample != NULL &&
	    tell(f, rec, s, th, period, &out, err) == -1)
		return -1;
	return pd_profile_add(f->profile, out.node, out.weight, err);
}

/*
 * Count a sample that waited.  Its user addresses were read when its
 * CALLCHAIN_DEFERRED was written, so they are looked up in the maps that are
 * now, and the thread has the name that it has now: only an exec or prctl(2)
 * that it was in itself can have changed that.
 */
static int
count_deferred(struct pd_fold *f, struct pd_deferred_sample *w,
    struct pd_error *err)
{
	struct pd_sample s;
	int r = pd_sample_decode(&w->rec, &s, err);

	if (r == 0 && pd_deferred_merge(&f->deferred, &s, err) == -1)
		r = -1;
	if (r == 0)
		r = count_member(f, &w->rec, &s, true, w->ev, w->period, err);
	free(w);
	return r;
}

static int
count_thread(struct pd_fold *f, uint32_t tid, struct pd_error *err)
{
	struct pd_deferred_sample *w;

	while ((w = pd_deferred_take(&f->deferred, tid)) != NULL)
		if (count_deferred(f, w, err) == -1)
			return -1;
	return 0;
}

static int
count_oldest(struct pd_fold *f, uint64_t max, struct pd_error *err)
{
	struct pd_deferred_sample *w;

	while ((w = pd_deferred_take_oldest(&f->deferred, max)) != NULL)
		if (count_deferred(f, w, err) == -1)
			return -1;
	return 0;
}

/*
 * Count a sample, now or when its callchain is complete.  A sample on the
 * last steps to user mode comes behind its CALLCHAIN_DEFERRED
 * (unwind_deferred_request() in kernel/unwind/deferred.c).
 */
static int
fold_member(struct pd_fold *f, const struct pd_record *rec,
    const struct pd_sample *s, const struct pd_event *ev, uint64_t period,
    struct pd_error *err)
{
	struct pd_sample whole = *s;
	int r;

	/* perf 6.1 knows nothing of it, and shows no callchain. */
	if (!pd_deferred_waits(s) || f->opts.stack.perf_compat)
		return count_member(f, rec, s, false, ev, period, err);
	r = pd_deferred_merge(&f->deferred, &whole, err);
	if (r != 0)
		return r == -1 ? -1 :
		    count_member(f, rec, &whole, true, ev, period, err);
	if (pd_deferred_put(&f->deferred, rec, ev, period, err) == -1)
		return -1;
	return count_oldest(f, PD_DEFERRED_MAX_BYTES, err);
}

/*
 * Before a record is applied: it may be the user part that samples of its
 * thread wait for, or say that it never comes.  Those with another cookie
 * were in the kernel before: theirs is lost.
 */
static int
fold_deferred(struct pd_fold *f, const struct pd_record *rec,
    struct pd_error *err)
{
	struct pd_cursor c = pd_cursor(rec->data, rec->size, rec->swapped);

	switch (rec->type) {
	case PD_RECORD_CALLCHAIN_DEFERRED:
		if (pd_deferred_apply(&f->deferred, rec, err) == -1)
			return -1;
		return count_thread(f, rec->tid, err);
	case PD_RECORD_FORK:		/* the number is reused */
	case PD_RECORD_EXIT:
		pd_get_bytes(&c, 16);	/* header, pid, ppid */
		return count_thread(f, pd_get_u32(&c), err);
	}
	return 0;
}

static int
fold_sample(struct pd_fold *f, const struct pd_record *rec,
    struct pd_error *err)
{
	const struct pd_event *ev;
	struct pd_sample s;
	uint64_t period;
	size_t i;
	int r;

	if (!pd_reader_sample(f->rd, rec, &s))
		return 0;
	if (rec->time != PD_NOTIME)
		f->time = rec->time;
	for (i = 0; (r = pd_reader_member(f->rd, rec, &s, i, &ev, &period,
	    err)) == 1; i++) {
		/* A counter that stood still has no sample, as in perf. */
		if (ev == NULL || (s.read != NULL && period == 0))
			continue;
		if (fold_member(f, rec, &s, ev, period, err) == -1)
			return -1;
	}
	return r;
}

/* At the end: an event that is not in the recording is a mistake. */
static int
check_event(const struct pd_fold *f, struct pd_error *err)
{
	const struct pd_event *ev;
	char names[160] = "";
	size_t i, n = 0;

	if (f->opts.event == NULL || f->event != NULL)
		return 0;
	for (i = 0; (ev = pd_reader_event(f->rd, i)) != NULL; i++) {
		if (fnmatch(f->opts.event, ev->name, 0) == 0)
			return 0;
		if (n < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n,
			    "%s%s", i > 0 ? ", " : "", ev->name);
	}
	return pd_fail(err, PD_EARG, PD_NOWHERE,
	    "no event matches '%s'; there are: %s", f->opts.event, names);
}

int
pd_fold_next(struct pd_fold *f, struct pd_error *err)
{
	struct pd_record rec;
	int r = pd_reader_next(f->rd, &rec, err);

	if (r == 0) {
		if (count_oldest(f, 0, err) == -1)
			return -1;
		pd_stacker_trim(f->stacker);
		return check_event(f, err);
	}
	if (r == -1 || fold_deferred(f, &rec, err) == -1)
		return -1;
	r = pd_session_apply(f->session, &rec, err);
	if (r == 0 && rec.type == PD_RECORD_SAMPLE)
		r = fold_sample(f, &rec, err);
	return r == -1 ? -1 : 1;
}

const struct pd_profile *
pd_fold_profile(const struct pd_fold *f)
{
	return f->profile;
}

const struct pd_tree *
pd_fold_tree(const struct pd_fold *f)
{
	return f->tree;
}

int
pd_fold_forget(struct pd_fold *f, struct pd_error *err)
{
	struct pd_profile *p = pd_profile_new(f->tree, err);

	if (p == NULL)
		return -1;
	pd_profile_free(f->profile);
	f->profile = p;
	pd_stacker_forget(f->stacker);
	return 0;
}

/* Everything but the session, which knows who runs and where. */
static int
renew(struct pd_fold *f, struct pd_error *err)
{
	pd_profile_free(f->profile);
	pd_stacker_free(f->stacker);
	pd_tree_free(f->tree);
	f->profile = NULL;
	f->stacker = NULL;
	f->usual = 0;
	f->renewed = f->time;
	return (f->tree = pd_tree_new(err)) == NULL ||
	    (f->stacker = pd_stacker_new(f->session, f->tree, &f->opts.stack,
	    err)) == NULL ||
	    (f->profile = pd_profile_new(f->tree, err)) == NULL ? -1 : 0;
}

/*
 * Programs come and go, and each leaves its symbols, often some MB.  There are
 * too many when there are twice as many as in the first seconds.
 */
static bool
many_names(struct pd_fold *f)
{
	uint64_t age = f->time - f->renewed;
	size_t files;

	if (f->renewed == 0)
		f->renewed = f->time;
	if (f->tree->nframes > MANY_FRAMES)
		return true;
	if (age < USUAL_AFTER)
		return false;
	files = pd_stacker_files(f->stacker);
	if (f->usual == 0)
		f->usual = files + 1;
	return age > RENEW_AFTER && files > 2 * f->usual + FEW_FILES;
}

bool
pd_fold_large(struct pd_fold *f)
{
	return f->tree->len > MANY_STACKS || many_names(f);
}

int
pd_fold_trim(struct pd_fold *f, struct pd_error *err)
{
	return many_names(f) ? renew(f, err) : pd_fold_forget(f, err);
}

const struct pd_event *
pd_fold_event(const struct pd_fold *f)
{
	return f->event;
}

struct pd_fold_counts
pd_fold_counts(const struct pd_fold *f)
{
	return f->counts;
}

/* Text that may be absent into a field of struct pd_run. */
static void
set_text(char *field, const char *s)
{
	snprintf(field, PD_RUN_TEXT, "%s", s ? s : "");
	pd_printable(field);
}

/* PERF_SAMPLE_CALLCHAIN, _STACK_USER, _BRANCH_STACK of perf_event_open(2) */
static const char *
callgraph_of(const struct pd_event *ev)
{
	return ev->stack_user > 0 ? "dwarf" : ev->sample_type & 1u << 11 ?
	    "lbr" : ev->sample_type & 1u << 5 ? "fp" : "none";
}

void
pd_fold_run(const struct pd_fold *f, struct pd_run *run)
{
	const struct pd_info *info = pd_reader_info(f->rd);
	struct pd_counts n = pd_reader_counts(f->rd);

	*run = (struct pd_run){ .known = true, .weight = f->opts.weight,
	    .start = f->first, .lost = n.lost, .throttled = n.throttled,
	    .samples = pd_profile_samples(f->profile),
	    .work = (double)f->counts.work };
	if (f->first != PD_NOTIME)
		run->dur = f->last - f->first;
	/* The wall clock's offset makes starts of all machines comparable. */
	if (f->first != PD_NOTIME && info->clock_wall > 0) {
		run->wall = true;
		run->start += info->clock_wall - info->clock_mono;
	}
	set_text(run->host, info->hostname);
	set_text(run->kernel, info->osrelease);
	set_text(run->cpu, info->cpudesc);
	if (f->event == NULL)
		return;
	set_text(run->event, f->event->name);
	set_text(run->callgraph, callgraph_of(f->event));
	if (f->event->is_freq)
		run->freq = f->event->period_or_freq;
}

const struct pd_session *
pd_fold_session(const struct pd_fold *f)
{
	return f->session;
}

const char *
pd_fold_why(const struct pd_fold *f, const char *dso)
{
	return pd_stacker_why(f->stacker, dso);
}

const struct pd_note *
pd_fold_note(const struct pd_fold *f, size_t i)
{
	return pd_stacker_note(f->stacker, i);
}
