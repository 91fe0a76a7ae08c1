/* Takes the samples of a fold and writes them in a format that was chosen. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/tree.h"

struct pd_export {
	struct pd_export_opts	opts;
	struct pd_pprof		*pprof;
	uint64_t		start, end;	/* of all samples */
	uint64_t		samples, weight;
};

static int
add(void *ctx, const struct pd_fold_sample *s, struct pd_error *err)
{
	struct pd_export *e = ctx;
	uint64_t before = s->duration == PD_NOTIME ? 0 : s->duration;
	uint32_t labels;

	if (e->pprof == NULL &&
	    (e->pprof = pd_pprof_new(s->tree, &e->opts.text, err)) == NULL)
		return -1;
	if (s->first) {
		pd_pprof_clear(e->pprof);
		e->start = PD_NOTIME;
		e->end = e->samples = e->weight = 0;
	}
	if (s->time != PD_NOTIME) {
		if (before > s->time)
			before = s->time;
		if (s->time - before < e->start)
			e->start = s->time - before;
		if (s->time > e->end)
			e->end = s->time;
	}
	e->samples++;
	e->weight += s->weight;
	labels = pd_pprof_sample_labels(e->pprof, s, NULL, 0, err);
	return labels == PD_NOID ? -1 :
	    pd_pprof_add(e->pprof, s->node, labels, 1, s->weight, err);
}

struct pd_export *
pd_export_new(const struct pd_export_opts *opts, struct pd_fold_opts *fold,
    struct pd_error *err)
{
	struct pd_export *e = pd_calloc(1, sizeof(*e), err);

	if (e == NULL)
		return NULL;
	e->opts = *opts;
	e->start = PD_NOTIME;
	fold->stack.places = opts->format == PD_EXPORT_PPROF;
	fold->sample = add;
	fold->sample_ctx = e;
	return e;
}

void
pd_export_free(struct pd_export *e)
{
	if (e == NULL)
		return;
	pd_pprof_free(e->pprof);
	free(e);
}

int
pd_export_write(struct pd_export *e, const struct pd_reader *rd,
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
