/*
 * Cuts samples into windows.  They come in the order of time, but for a few
 * that waited for their callchain: those count in the window that is open.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profile/profile.h"
#include "push/window.h"

#define MS		1000000ll
#define MAX_PARTS_SIZE	(PD_SERVER_SIZE / 10 * 9)
#define MAX_PARTS_LEN	(PD_SERVER_SAMPLES / 10 * 9)
#define DRIFT		(100 * MS)	/* of a clock that is left as it is */
#define LIVE		(60000 * MS)	/* old at most: of a stream that begins */
#define STEP		(1000 * MS)	/* that the wall clock was set by */
#define FAR		(10000 * MS)

struct pd_push_windows {
	const struct pd_reader	*rd;
	struct pd_push_window_opts	opts;
	struct pd_push_window_counts	counts;
	struct pd_pprof		*pprof;
	const struct pd_event	*event;
	bool			is_time;	/* samples stand for nanoseconds */

	bool			begun;	/* the clock is known */
	bool			has_clock;
	uint64_t		offset;	/* of the wall clock; wraps around */
	bool			live;	/* samples come from this machine, now */
	clockid_t		clock;	/* theirs */
	int64_t			ahead;	/* the wall clock, of that one */
	int64_t			delay;	/* the least of live samples */
	uint64_t		adjusted;	/* when that was looked at */
	uint64_t		below;	/* ns below a millisecond, of all times */
	uint64_t		last;	/* time of the last profile */

	bool			open;
	uint64_t		index, start;	/* of the open window */
	uint64_t		end;		/* of its last sample */
	uint64_t		samples;
	uint64_t		span;		/* of the last sample */
	uint32_t		span_labels;
};

struct pd_push_windows *
pd_push_windows_new(const struct pd_reader *rd, const struct pd_push_window_opts *opts,
    struct pd_error *err)
{
	struct pd_push_windows *w = pd_calloc(1, sizeof(*w), err);

	if (w == NULL)
		return NULL;
	w->rd = rd;
	w->opts = *opts;
	w->span = PD_NOTIME;
	w->delay = INT64_MAX;
	return w;
}

void
pd_push_windows_free(struct pd_push_windows *w)
{
	if (w == NULL)
		return;
	pd_pprof_free(w->pprof);
	free(w);
}

/* ---- writing a profile ---------------------------------------------------------- */

/* "cache-misses" is no type of samples, "cache_misses" is. */
static void
make_legal(char *name)
{
	for (; *name != '\0'; name++)
		if (!((*name >= 'a' && *name <= 'z') || *name == '_' ||
		    (*name >= 'A' && *name <= 'Z') ||
		    (*name >= '0' && *name <= '9')))
			*name = '_';
}

struct sum {
	const struct pd_push_window_opts *opts;
	const struct pd_push_part	*part;
};

/* One of several parts, of which only a look inside tells the sum. */
static int
put_counted(void *ctx, const struct pd_push_part *part, struct pd_error *err)
{
	const struct sum *s = ctx;
	struct pd_push_part p = *s->part;

	p.samples = part->samples;
	return s->opts->put(s->opts->put_ctx, &p, err);
}

/* Write what the encoder has, as many profiles as the limits make of it. */
static int
put_all(struct pd_pprof *pprof, struct pd_pprof_head *h, const char *name,
    const struct pd_push_window_opts *opts, uint64_t samples, uint64_t *last,
    struct pd_error *err)
{
	static const struct pd_parts_opts any = { SIZE_MAX, SIZE_MAX, SIZE_MAX,
		false, 0 };
	struct pd_parts_seen seen = { 0 };
	struct pd_push_part part;
	struct sum sum = { opts, &part };
	char *data;
	size_t size, raw;
	bool several = false;
	FILE *f;
	int more, r;

	h->max_samples = MAX_PARTS_LEN;
	h->max_size = MAX_PARTS_SIZE;
	do {
		data = NULL;
		if ((f = open_memstream(&data, &size)) == NULL)
			return pd_fail_nomem(err);
		more = pd_pprof_write(pprof, h, f, &raw, err);
		/* The last allocation of all is not in the result of fclose(). */
		if ((fclose(f) != 0 || data == NULL) && more != -1)
			more = pd_fail_nomem(err);
		several |= more == 1;
		*last = (uint64_t)h->time;
		part = (struct pd_push_part){ (uint8_t *)data, size, raw,
			(uint64_t)h->time, (uint64_t)h->duration, samples,
			name };
		if (more == -1)
			r = -1;
		else if (several)
			r = pd_pprof_split(data, size, &any, put_counted, &sum,
			    &seen, err);
		else
			r = opts->put(opts->put_ctx, &part, err);
		free(data);
		h->time++;
	} while (r == 0 && more == 1);
	return r;
}

static int
put_window(struct pd_push_windows *w, uint64_t time, uint64_t duration,
    struct pd_error *err)
{
	struct pd_pprof_head h;
	char name[128];
	int r;

	if (pd_pprof_head_init(&h, w->rd, w->event, w->is_time ?
	    PD_WEIGHT_TIME : PD_WEIGHT_PERIOD, err) == -1)
		return -1;
	if (!w->is_time) {
		snprintf(name, sizeof(name), "%s", w->event->name);
		make_legal(name);
		h.weight.type = h.period_type.type = name;
	}
	h.time = (int64_t)time;
	h.duration = (int64_t)duration;
	r = put_all(w->pprof, &h, w->is_time ? "process_cpu" : "perf",
	    &w->opts, w->samples, &w->last, err);
	pd_pprof_head_free(&h);
	return r;
}

int
pd_push_windows_flush(struct pd_push_windows *w, struct pd_error *err)
{
	uint64_t time = w->start, duration;

	if (!w->open || w->samples == 0)
		return 0;
	/* A window that begins when the one before had many parts. */
	if (time <= w->last)
		time = w->last + 1;
	duration = w->end - w->start;
	if (w->opts.size != 0 && w->start - w->index * w->opts.size < MS)
		duration = w->opts.size;
	w->open = false;
	w->counts.windows++;
	if (put_window(w, time, duration, err) == -1)
		return -1;
	w->samples = 0;
	/* Labels of spans are never the same again. */
	if (w->opts.span != 0)
		pd_push_windows_forget(w);
	return 0;
}

void
pd_push_windows_forget(struct pd_push_windows *w)
{
	pd_pprof_free(w->pprof);
	w->pprof = NULL;
	w->span = PD_NOTIME;
}

bool
pd_push_windows_over(const struct pd_push_windows *w, uint64_t wall)
{
	return w->open && w->opts.size != 0 && w->opts.base == 0 &&
	    wall / w->opts.size > w->index + 1;
}

struct pd_push_window_counts
pd_push_windows_counts(const struct pd_push_windows *w)
{
	return w->counts;
}

bool
pd_push_windows_has_clock(const struct pd_push_windows *w)
{
	return w->has_clock;
}

/* ---- taking samples --------------------------------------------------------------- */

static uint64_t
clock_now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/*
 * Whether a sample was taken here, just now.  The kernel's clock for samples
 * (sched_clock()) is close to CLOCK_MONOTONIC, but for what that was corrected
 * since the machine started.
 */
static bool
is_live(const struct pd_push_windows *w, uint64_t time)
{
	uint64_t now = clock_now(w->clock);
	uint64_t away = now > time ? now - time : time - now;

	return away < LIVE + (w->has_clock ? 0 : now / 10000);
}

/* The wall clock at a sample that just came, of a recording that does not say. */
static uint64_t
guess_wall(const struct pd_push_windows *w, uint64_t time)
{
	uint64_t wall = clock_now(CLOCK_REALTIME);
	uint64_t mono = clock_now(w->clock);

	return w->live && mono > time && mono - time < 5000 * MS ?
	    wall - (mono - time) : wall;
}

/* The first sample tells how the recording's clock and the wall clock differ. */
static void
begin(struct pd_push_windows *w, uint64_t time)
{
	const struct pd_info *info = pd_reader_info(w->rd);
	uint64_t wall = pd_info_wall(info, time);

	w->has_clock = wall != 0;
	w->clock = w->has_clock && info->clockid >= 0 ? info->clockid :
	    CLOCK_MONOTONIC;
	w->live = w->opts.base == 0 && w->opts.guess == 0 && is_live(w, time);
	if (w->opts.base != 0)
		wall = w->opts.base;
	else if (wall == 0 && w->opts.guess != 0)
		wall = w->opts.guess;
	else if (wall == 0)
		wall = guess_wall(w, time);
	w->offset = wall - time;
	w->below = wall % MS;
	w->adjusted = wall;
	w->ahead = (int64_t)(clock_now(CLOCK_REALTIME) - clock_now(w->clock));
	w->begun = true;
}

/*
 * Without a recorded clock, the time of a live sample is known by when it
 * arrives, which is late by what perf buffers.  The clock of the kernel's
 * samples is not corrected as the wall clock is, and they part by seconds a
 * day: so the least delay of a window is watched.
 */
static void
follow(struct pd_push_windows *w, uint64_t time)
{
	int64_t delay = (int64_t)(clock_now(CLOCK_REALTIME) - (time + w->offset));

	if (delay < w->delay)
		w->delay = delay;
}

/* What comes now may be of windows that were already sent. */
static void
go_back(struct pd_push_windows *w)
{
	w->below = (w->below + 1) % MS;
	w->last = 0;
}

/*
 * The wall clock of this machine may be set, and it goes on while the machine
 * sleeps and the clock of samples stands still.  Whether it was, the two
 * clocks tell at any time, however late samples are.
 */
static bool
heed_step(struct pd_push_windows *w)
{
	int64_t ahead = (int64_t)(clock_now(CLOCK_REALTIME) -
	    clock_now(w->clock));
	int64_t step = ahead - w->ahead;

	if (step < STEP && step > -STEP)
		return false;
	w->ahead = ahead;
	w->offset += (uint64_t)step;
	w->adjusted += (uint64_t)step;
	if (step < 0)
		go_back(w);
	return true;
}

/*
 * No sample comes before its time.  When all are late, that is mostly perf, and
 * it may be the clock: believe no more of it than clocks drift.
 */
static void
adjust(struct pd_push_windows *w)
{
	int64_t most = w->end < w->adjusted ? 0 :
	    (int64_t)((w->end - w->adjusted) / 5000);
	int64_t d = w->delay;

	w->delay = INT64_MAX;
	if (heed_step(w) || w->has_clock)
		return;
	w->adjusted = w->end;
	if (d == INT64_MAX || (d >= 0 && d <= DRIFT))
		return;
	if (d > DRIFT)
		d = d - DRIFT < most ? d - DRIFT : most;
	w->offset += (uint64_t)d;
}

static void
open_window(struct pd_push_windows *w, uint64_t wall, bool first)
{
	w->open = true;
	w->start = wall;
	w->index = 0;
	if (w->opts.size == 0)
		return;
	w->index = wall / w->opts.size;
	if (!first)
		w->start = w->index * w->opts.size + (w->opts.size >= MS ?
		    w->below : 0);
}

/* A number for the label that tells the span of a sample. */
static uint32_t
labels_of(struct pd_push_windows *w, uint64_t wall, struct pd_error *err)
{
	struct pd_pprof_label label = { "span_id", NULL, 0, NULL };
	uint64_t span;
	char text[20];

	if (w->opts.span == 0)
		return 0;
	span = wall - wall % w->opts.span;
	if (span == w->span)
		return w->span_labels;
	snprintf(text, sizeof(text), "%016" PRIx64, span);
	label.text = text;
	w->span = span;
	w->span_labels = pd_pprof_labels(w->pprof, &label, 1, err);
	return w->span_labels;
}

/* When a sample is, by the wall clock. */
static uint64_t
wall_of(const struct pd_push_windows *w, uint64_t time)
{
	if (time != PD_NOTIME)
		return time + w->offset;
	return w->open ? w->end : w->opts.base != 0 ? w->opts.base :
	    clock_now(CLOCK_REALTIME);
}

/* Let the window of this time be the one that is open: *wall is the time. */
static int
move_to(struct pd_push_windows *w, uint64_t time, uint64_t *wall,
    struct pd_error *err)
{
	bool first = w->counts.samples == 0;

	*wall = wall_of(w, time);
	if (w->open && w->opts.size != 0) {
		/* A time that was damaged leads to a window that is far. */
		if (*wall + FAR < w->start) {
			if (pd_push_windows_flush(w, err) == -1)
				return -1;
			go_back(w);
		} else if (*wall / w->opts.size > w->index &&
		    pd_push_windows_flush(w, err) == -1) {
			return -1;
		}
	}
	if (w->open)
		return 0;
	if (w->live && !first) {
		adjust(w);
		*wall = wall_of(w, time);
	}
	open_window(w, *wall, first);
	return 0;
}

int
pd_push_windows_sample(void *ctx, const struct pd_fold_sample *s,
    struct pd_error *err)
{
	struct pd_push_windows *w = ctx;
	uint64_t wall;
	uint32_t labels;

	/* Another event takes the place of that of the samples so far. */
	if (s->first) {
		w->event = s->event;
		w->is_time = s->duration != PD_NOTIME;
		w->open = false;
		w->counts = (struct pd_push_window_counts){ 0 };
		w->samples = 0;
		if (w->pprof != NULL)
			pd_pprof_clear(w->pprof);
	}
	if (s->time == PD_NOTIME)
		w->counts.timeless++;
	else if (!w->begun)
		begin(w, s->time);
	if (w->live && !w->has_clock && s->time != PD_NOTIME)
		follow(w, s->time);
	if (move_to(w, s->time, &wall, err) == -1)
		return -1;
	if (w->pprof == NULL && (w->pprof = pd_pprof_new(s->tree,
	    &w->opts.text, err)) == NULL)
		return -1;
	if (wall > w->end || w->samples == 0)
		w->end = wall > w->start ? wall : w->start;
	w->samples++;
	w->counts.samples++;
	labels = labels_of(w, wall, err);
	return labels == PD_NOID ? -1 : pd_pprof_add(w->pprof, s->node, labels,
	    1, w->is_time ? s->duration : s->weight, err);
}

/* ---- folded stacks ------------------------------------------------------------------ */

static int
add_stacks(struct pd_pprof *pprof, const struct pd_tree *tree,
    const struct pd_profile *p, struct pd_error *err)
{
	struct pd_tally t;
	uint32_t i;

	for (i = 0; i < tree->len; i++) {
		t = pd_profile_tally(p, i);
		if (t.samples > 0 && pd_pprof_add(pprof, i, 0, t.samples,
		    t.weight, err) == -1)
			return -1;
	}
	return 0;
}

int
pd_folded_put(const struct pd_tree *tree, const struct pd_profile *p,
    const struct pd_run *run, uint64_t time, const struct pd_push_window_opts *opts,
    struct pd_error *err)
{
	struct pd_pprof *pprof = pd_pprof_new(tree, &opts->text, err);
	bool clock = strstr(run->event, "-clock") != NULL ||
	    run->weight == PD_WEIGHT_TIME;
	char name[PD_RUN_TEXT];
	struct pd_pprof_head h = { .time = (int64_t)time,
		.duration = (int64_t)run->dur };
	uint64_t last;
	int r;

	if (pprof == NULL)
		return -1;
	snprintf(name, sizeof(name), "%s", run->event);
	make_legal(name);
	if (clock || !run->known || name[0] == '\0')
		h.period_type = (struct pd_pprof_type){ "cpu", "nanoseconds" };
	else
		h.period_type = (struct pd_pprof_type){ name, "count" };
	if (run->known && run->weight != PD_WEIGHT_SAMPLES)
		h.weight = h.period_type;
	r = add_stacks(pprof, tree, p, err);
	if (r == 0)
		r = put_all(pprof, &h, strcmp(h.period_type.type, "cpu") == 0 ?
		    "process_cpu" : "perf", opts, pd_profile_samples(p), &last,
		    err);
	pd_pprof_free(pprof);
	return r;
}
