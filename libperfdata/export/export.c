/* Takes the samples of a fold, and writes them in the format that was chosen. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "export/export.h"

static int
add_pprof(void *ctx, const struct pd_fold_sample *s, struct pd_error *err)
{
	struct pd_export *e = ctx;
	uint64_t start = s->time;
	uint32_t labels;

	if (e->pprof == NULL && (e->pprof = pd_pprof_new(s->tree,
	    &e->opts.text, err)) == NULL)
		return -1;
	if (s->first) {
		pd_pprof_clear(e->pprof);
		e->start = PD_NOTIME;
		e->end = e->samples = e->weight = 0;
	}
	if (s->time != PD_NOTIME) {
		if (s->duration != PD_NOTIME)
			start -= s->duration < start ? s->duration : start;
		if (start < e->start)
			e->start = start;
		if (s->time > e->end)
			e->end = s->time;
	}
	e->samples++;
	e->weight += s->weight;
	labels = pd_pprof_sample_labels(e->pprof, s, NULL, 0, err);
	return labels == PD_NOID ? -1 :
	    pd_pprof_add(e->pprof, s->node, labels, 1, s->weight, err);
}

static int
add_moment(void *ctx, const struct pd_fold_sample *s, struct pd_error *err)
{
	struct pd_export *e = ctx;

	if (s->first)
		pd_timeline_clear(&e->timeline);
	return pd_timeline_add(&e->timeline, s, err);
}

struct pd_export *
pd_export_new(const struct pd_export_opts *opts, struct pd_fold_opts *fold,
    struct pd_error *err)
{
	struct pd_export *e = pd_calloc(1, sizeof(*e), err);
	bool pprof = opts->format == PD_EXPORT_PPROF;

	if (e == NULL)
		return NULL;
	e->opts = *opts;
	e->start = PD_NOTIME;
	pd_timeline_init(&e->timeline);
	fold->stack.places = pprof;
	fold->sample = pprof ? add_pprof : add_moment;
	fold->sample_ctx = e;
	return e;
}

void
pd_export_free(struct pd_export *e)
{
	if (e == NULL)
		return;
	pd_pprof_free(e->pprof);
	pd_timeline_free(&e->timeline);
	free(e);
}

static int
write_pprof(struct pd_export *e, const struct pd_reader *rd,
    const struct pd_fold *fold, FILE *out, struct pd_error *err)
{
	struct pd_pprof_head h;
	int r;

	if (e->pprof == NULL && (e->pprof = pd_pprof_new(pd_fold_tree(fold),
	    &e->opts.text, err)) == NULL)
		return -1;
	if (pd_pprof_head_init(&h, rd, pd_fold_event(fold), e->opts.weight,
	    err) == -1)
		return -1;
	if (h.period == 0 && e->samples > 0)
		h.period = (int64_t)(e->weight / e->samples);
	if (e->start != PD_NOTIME) {
		h.time = (int64_t)pd_info_wall(pd_reader_info(rd), e->start);
		h.duration = (int64_t)(e->end - e->start);
	}
	r = pd_pprof_write(e->pprof, &h, out, NULL, err);
	pd_pprof_head_free(&h);
	return r;
}

/* ---- sample by sample ------------------------------------------------------- */

int
pd_stretches_open(struct pd_stretches *r, struct pd_export_source *s,
    const struct pd_track *track, bool merge, struct pd_error *err)
{
	int more;

	*r = (struct pd_stretches){ .source = s, .merge = merge };
	if (pd_timeline_open(s->timeline, track, err) == -1)
		return -1;
	more = pd_timeline_next(s->timeline, &r->ahead, err);
	r->has_ahead = more == 1;
	return more == -1 ? -1 : 0;
}

/* The gap before the next sample; 0: there is none. */
static uint64_t
gap(const struct pd_stretches *r)
{
	uint64_t start;

	if (!r->source->timed || r->ahead.time == PD_NOTIME)
		return 0;
	start = pd_export_start(r->source, &r->ahead);
	return start > r->at && start - r->at > r->ahead.duration / 2 ?
	    start - r->at : 0;
}

int
pd_stretches_next(struct pd_stretches *r, struct pd_stretch *run, struct pd_error *err)
{
	int more;

	if (!r->has_ahead)
		return 0;
	run->last = r->ahead;
	run->node = 0;
	run->weight = gap(r);
	if (run->weight > 0) {
		r->at += run->weight;
		return 1;
	}
	run->node = r->ahead.node;
	do {
		run->last = r->ahead;
		run->weight += pd_export_weight(r->source, &r->ahead);
		r->at += pd_export_weight(r->source, &r->ahead);
		more = pd_timeline_next(r->source->timeline, &r->ahead, err);
		r->has_ahead = more == 1;
	} while (more == 1 && r->merge && r->ahead.node == run->node &&
	    gap(r) == 0);
	return more == -1 ? -1 : 1;
}

/* The heaviest first. */
static int
by_weight(const void *a, const void *b)
{
	const struct pd_track *x = *(const struct pd_track *const *)a;
	const struct pd_track *y = *(const struct pd_track *const *)b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* Whether samples can be weighed by time, and are to be. */
static bool
is_timed(const struct pd_export *e, const struct pd_event *ev)
{
	const struct pd_timeline *t = &e->timeline;

	/* What one sample of an event has, all of them have. */
	if (ev == NULL || t->len == 0 ||
	    t->tracks[0].last.duration == PD_NOTIME)
		return false;
	return e->opts.prefer_time || e->opts.weight == PD_WEIGHT_TIME ||
	    (e->opts.weight == PD_WEIGHT_PERIOD && pd_event_is_clock(ev));
}

static int
write_moments(struct pd_export *e, const struct pd_reader *rd,
    const struct pd_fold *fold, FILE *out, struct pd_error *err)
{
	const struct pd_timeline *t = &e->timeline;
	struct pd_export_source s = {
		.rd = rd, .event = pd_fold_event(fold),
		.tree = pd_fold_tree(fold), .timeline = &e->timeline,
		.weight = e->opts.weight,
	};
	size_t i;
	int r = -1;

	s.timed = is_timed(e, s.event);
	s.tracks = pd_calloc(t->len, sizeof(*s.tracks), err);
	if (s.tracks == NULL || pd_labels_init(&s.labels, s.tree,
	    &e->opts.text, err) == -1) {
		free(s.tracks);
		return -1;
	}
	for (i = 0; i < t->len; i++)
		s.tracks[i] = &t->tracks[i];
	qsort(s.tracks, t->len, sizeof(*s.tracks), by_weight);
	switch (e->opts.format) {
	case PD_EXPORT_SPEEDSCOPE: r = pd_export_speedscope(&s, out, err); break;
	case PD_EXPORT_JSON: r = pd_export_jsonlines(&s, out, err); break;
	case PD_EXPORT_FIREFOX: r = pd_export_firefox(&s, out, err); break;
	case PD_EXPORT_PPROF: break;
	}
	pd_labels_free(&s.labels);
	free(s.tracks);
	if (r == 0 && ferror(out))
		return pd_fail(err, PD_EIO, PD_NOWHERE, "write");
	return r;
}

int
pd_export_write(struct pd_export *e, const struct pd_reader *rd,
    const struct pd_fold *fold, FILE *out, struct pd_error *err)
{
	return e->opts.format == PD_EXPORT_PPROF ?
	    write_pprof(e, rd, fold, out, err) :
	    write_moments(e, rd, fold, out, err);
}
