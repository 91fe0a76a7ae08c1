/*
 * Writes two columns, "stack BASE NEW", which difffolded.pl began and
 * flamegraph.pl draws in red and blue.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profile/difftext.h"
#include "profile/folded.h"

/* Counts of the stacks that have any, by place. */
struct columns {
	const struct pd_diff	*d;
	uint32_t		*place;		/* by node, from 1 */
	uint64_t		*count[2];
	size_t			len;
	const bool		*keep;		/* by frame: show the new count */
	FILE			*out;
};

/* What largest-remainder rounding is to give back, and to which place. */
struct rest {
	double		part;
	uint32_t	order, place;
};

struct ordered {
	const struct columns	*cl;
	uint32_t		*places;
	size_t			len;
};

static int
by_part(const void *a, const void *b)
{
	const struct rest *x = a, *y = b;

	return x->part != y->part ? x->part > y->part ? -1 : 1 :
	    x->order < y->order ? -1 : x->order > y->order;
}

static int
collect(void *ctx, const char *stack, const uint32_t *nodes, size_t n,
    bool last, struct pd_error *err)
{
	struct ordered *o = ctx;

	/* Frames of this tree have different texts: it is one node. */
	(void)stack, (void)n, (void)last, (void)err;
	if (o->cl->place[nodes[0]] > 0)
		o->places[o->len++] = o->cl->place[nodes[0]] - 1;
	return 0;
}

/* Places in the order of their text; free(3) it. */
static uint32_t *
in_order(const struct columns *cl, struct pd_error *err)
{
	struct pd_text_opts opts = { 0 };
	struct ordered o = { cl, pd_calloc(cl->len + 1, sizeof(*o.places),
	    err), 0 };

	if (o.places != NULL && pd_tree_write_lines(cl->d->tree, &opts,
	    collect, &o, err) == -1) {
		free(o.places);
		o.places = NULL;
	}
	return o.places;
}

/*
 * Scale counts so that they sum up to `to`: all are rounded down, and those
 * that lost most get one more; of equal ones the first in the order of text.
 */
static int
scale(const struct columns *cl, uint64_t *count, uint64_t from, uint64_t to,
    struct pd_error *err)
{
	uint32_t *places = in_order(cl, err), p;
	struct rest *rest = pd_calloc(cl->len + 1, sizeof(*rest), err);
	double exact, by = (double)to / (double)from;
	uint64_t sum = 0, down;
	size_t i, n = 0;

	for (i = 0; places != NULL && rest != NULL && i < cl->len; i++) {
		p = places[i];
		if (count[p] == 0)
			continue;
		exact = (double)count[p] * by;
		down = (uint64_t)exact;
		rest[n++] = (struct rest){ exact - (double)down, (uint32_t)i,
		    p };
		count[p] = down;
		sum += down;
	}
	if (n > 0)
		qsort(rest, n, sizeof(*rest), by_part);
	for (i = 0; sum < to && n > 0; i = (i + 1) % n, sum++)
		count[rest[i].place]++;
	/* Doubles may round up beyond 2^53. */
	for (i = 0; sum > to && i < n; i++)
		if (count[rest[i].place] > 0) {
			count[rest[i].place]--;
			sum--;
		}
	i = places != NULL && rest != NULL;
	free(places);
	free(rest);
	return i ? 0 : -1;
}

/* Give each node that has stacks a place. */
static int
find_places(struct columns *cl, struct pd_error *err)
{
	const struct pd_diff *d = cl->d;
	const struct pd_stacks *s;
	size_t i, n;

	cl->place = pd_calloc(d->tree->len, sizeof(*cl->place), err);
	if (cl->place == NULL)
		return -1;
	for (i = 0; i < d->len[0] + d->len[1]; i++) {
		s = &pd_diff_run_at(d, i)->stacks;
		for (n = 0; n < s->len; n++)
			if (cl->place[s->list[n].node] == 0)
				cl->place[s->list[n].node] =
				    (uint32_t)++cl->len;
	}
	return 0;
}

/* The sum of all runs of a side, as the mean of them. */
static int
fill(struct columns *cl, enum pd_side side, struct pd_error *err)
{
	const struct pd_diff *d = cl->d;
	uint64_t *count, total = 0;
	const struct pd_stacks *s;
	size_t i, n;

	count = cl->count[side] = pd_calloc(cl->len, sizeof(*count), err);
	if (count == NULL)
		return -1;
	for (i = 0; i < d->len[side]; i++) {
		s = &d->runs[side][i].stacks;
		total += s->weight;
		for (n = 0; n < s->len; n++)
			count[cl->place[s->list[n].node] - 1] +=
			    s->list[n].weight;
	}
	n = d->len[side];
	return n == 1 ? 0 : scale(cl, count, total, (total + n / 2) / n, err);
}

static uint64_t
sum_of(const struct columns *cl, enum pd_side side)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < cl->len; i++)
		sum += cl->count[side][i];
	return sum;
}

static int
write_columns(void *ctx, const char *stack, const uint32_t *nodes, size_t n,
    bool last, struct pd_error *err)
{
	struct columns *cl = ctx;
	uint32_t place = cl->place[nodes[0]];
	uint64_t base, new;

	(void)n, (void)last, (void)err;
	if (place == 0)
		return 0;
	base = cl->count[0][place - 1];
	new = cl->count[1][place - 1];
	if (cl->keep != NULL &&
	    !cl->keep[cl->d->tree->nodes[nodes[0]].frame])
		new = base;
	fprintf(cl->out, "%s %" PRIu64 " %" PRIu64 "\n", stack, base, new);
	return 0;
}

/* Frames of functions that certainly changed. */
static bool *
certain_frames(const struct pd_diff *d, struct pd_error *err)
{
	bool *keep = pd_calloc(d->tree->nframes + (size_t)1, sizeof(*keep),
	    err);
	size_t i;

	for (i = 0; keep != NULL && i < d->self.len; i++)
		keep[d->self.list[i].frame] =
		    d->self.list[i].verdict == PD_REGRESSION ||
		    d->self.list[i].verdict == PD_IMPROVEMENT ||
		    d->self.list[i].verdict == PD_MOVED;
	return keep;
}

int
pd_diff_write_folded(const struct pd_diff *d, const struct pd_diff_text *how,
    FILE *out, struct pd_error *err)
{
	struct pd_text_opts opts = { 0 };
	struct columns cl = { .d = d, .out = out };
	bool *keep = NULL;
	int r = -1;

	if (find_places(&cl, err) == -1 || fill(&cl, PD_BASE, err) == -1 ||
	    fill(&cl, PD_NEW, err) == -1 ||
	    (how->scaled && scale(&cl, cl.count[0], sum_of(&cl, PD_BASE),
	    sum_of(&cl, PD_NEW), err) == -1) ||
	    (how->significant_only &&
	    (cl.keep = keep = certain_frames(d, err)) == NULL))
		goto out;
	r = pd_tree_write_lines(d->tree, &opts, write_columns, &cl, err);
out:
	free(cl.count[0]);
	free(cl.count[1]);
	free(cl.place);
	free(keep);
	return r;
}
