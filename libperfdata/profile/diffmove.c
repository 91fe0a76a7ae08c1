/*
 * Recognises cost that moved from one function to another, by inlining,
 * splitting or a new name: the group is tested as one.
 *
 * What functions cost with all they call is no help: a leaf without a frame
 * hides its caller from unwinding by frame pointers, and the noise of a caller
 * is larger than what moves below it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "profile/diff.h"

#define MAX_MEMBERS	2000	/* each is compared with each other */

/* A function that changed, and those that call it most. */
struct member {
	struct pd_change	*c;
	uint32_t		callers[4];	/* frames; PD_NOID: none */
	size_t			group;		/* the least member of it */
};

struct movement {
	struct pd_diff		*d;
	struct member		*list;
	size_t			len;
	uint32_t		*place;		/* by frame: in list from 1 */
};

/* What a function costs below a caller that is at most two frames away. */
struct call {
	uint32_t	member, caller;
	double		k;
};

static bool
is_gone(const struct pd_change *c)
{
	return c->k_new == 0 || c->e.diff <= -log(100);
}

static bool
is_fresh(const struct pd_change *c)
{
	return c->k_base == 0 || c->e.diff >= log(100);
}

static int
by_size(const void *a, const void *b)
{
	const struct pd_change *x = ((const struct member *)a)->c;
	const struct pd_change *y = ((const struct member *)b)->c;
	double dx = fabs(x->new - x->base), dy = fabs(y->new - y->base);

	return dx != dy ? dx > dy ? -1 : 1 : strcmp(x->name, y->name);
}

/* The functions that changed, as far as a test or their absence tells. */
static int
collect(struct movement *mv, struct pd_error *err)
{
	struct pd_diff *d = mv->d;
	struct pd_change *c;
	size_t i;

	mv->list = pd_calloc(d->self.len + 1, sizeof(*mv->list), err);
	mv->place = pd_calloc(d->tree->nframes + (size_t)1,
	    sizeof(*mv->place), err);
	if (mv->list == NULL || mv->place == NULL)
		return -1;
	for (i = 0; i < d->self.len; i++) {
		c = &d->self.list[i];
		if (c->tested && c->e.se > 0 && (c->holm <= d->opts.alpha ||
		    c->q <= d->opts.alpha || c->k_base == 0 || c->k_new == 0))
			mv->list[mv->len++].c = c;
	}
	if (mv->len > MAX_MEMBERS) {
		if (pd_diff_warn(d, err, "many-changes", "%zu functions "
		    "changed: only the %d largest are looked through for cost "
		    "that moved", mv->len, MAX_MEMBERS) == -1)
			return -1;
		mv->len = MAX_MEMBERS;
	}
	if (mv->len > 0)
		qsort(mv->list, mv->len, sizeof(*mv->list), by_size);
	for (i = 0; i < mv->len; i++) {
		memset(mv->list[i].callers, 0xff, sizeof(mv->list[i].callers));
		mv->list[i].group = i;
		mv->place[mv->list[i].c->frame] = (uint32_t)i + 1;
	}
	return 0;
}

static int
by_call(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	return x->caller < y->caller ? -1 : x->caller > y->caller;
}

/* Keep the callers of which at least half of a member's samples come. */
static void
keep_callers(struct movement *mv, const struct call *calls, size_t len)
{
	struct member *m;
	size_t i, j, n;
	double k;

	for (i = 0; i < len; i = j) {
		k = 0;
		for (j = i; j < len && by_call(&calls[i], &calls[j]) == 0; j++)
			k += calls[j].k;
		m = &mv->list[calls[i].member];
		for (n = 0; n < 4 && m->callers[n] != PD_NOID; n++)
			;
		if (n < 4 && 2 * k >= m->c->k_base + m->c->k_new)
			m->callers[n] = calls[i].caller;
	}
}

/* Note the callers of the stacks of one run that end in a member. */
static int
note_calls(const struct movement *mv, const struct pd_stacks *stacks,
    struct call **calls, size_t *len, size_t *cap, struct pd_error *err)
{
	const struct pd_tree *t = mv->d->tree;
	const struct pd_entry *e = stacks->list, *end = e + stacks->len;
	uint32_t n, m;
	int far;

	for (; e < end; e++) {
		if ((m = mv->place[t->nodes[e->node].frame]) == 0)
			continue;
		n = t->nodes[e->node].parent;
		for (far = 0; far < 2 && n != 0; far++) {
			if (mv->d->roots[t->nodes[n].frame])
				break;
			if (pd_grow(calls, cap, *len + 1, sizeof(**calls),
			    err) == -1)
				return -1;
			(*calls)[(*len)++] = (struct call){ m - 1,
			    t->nodes[n].frame, (double)e->samples };
			n = t->nodes[n].parent;
		}
	}
	return 0;
}

static int
find_callers(struct movement *mv, struct pd_error *err)
{
	const struct pd_diff *d = mv->d;
	struct call *calls = NULL;
	size_t len = 0, cap = 0, i;
	int r = 0;

	for (i = 0; i < d->len[0] + d->len[1] && r == 0 && mv->len > 0; i++)
		r = note_calls(mv, &pd_diff_run_at(d, i)->stacks, &calls, &len,
		    &cap, err);
	if (len > 0)
		qsort(calls, len, sizeof(*calls), by_call);
	if (r == 0)
		keep_callers(mv, calls, len);
	free(calls);
	return r;
}

static bool
has_caller(const struct member *m, uint32_t frame)
{
	size_t i;

	for (i = 0; i < 4 && m->callers[i] != PD_NOID; i++)
		if (m->callers[i] == frame)
			return true;
	return false;
}

/* Whether cost may have moved between two functions. */
static bool
linked(const struct member *a, const struct member *b)
{
	size_t i;

	if (has_caller(a, b->c->frame) || has_caller(b, a->c->frame) ||
	    pd_starts(a->c->name, b->c->name) ||
	    pd_starts(b->c->name, a->c->name))
		return true;
	for (i = 0; i < 4 && a->callers[i] != PD_NOID; i++)
		if (has_caller(b, a->callers[i]))
			return true;
	return false;
}

/* Members that are linked, over others too, have one group. */
static void
connect(struct movement *mv)
{
	size_t i, j, k, from, to;

	for (i = 0; i < mv->len; i++)
		for (j = i + 1; j < mv->len; j++) {
			from = mv->list[j].group;
			to = mv->list[i].group;
			if (from == to || !linked(&mv->list[i], &mv->list[j]))
				continue;
			if (from < to) {
				k = from;
				from = to;
				to = k;
			}
			for (k = 0; k < mv->len; k++)
				if (mv->list[k].group == from)
					mv->list[k].group = to;
		}
}

/* ---- one group ----------------------------------------------------------- */

struct sums {
	double		gains, losses;
	bool		emptied;	/* some function is new, gone or halved */
	struct member	*from, *to;	/* the last that lost and gained */
};

static struct sums
sum_up(struct movement *mv, size_t group, struct pd_cost *cost, size_t *len)
{
	size_t runs = mv->d->len[0] + mv->d->len[1], i, r;
	struct sums s = { 0 };
	struct member *m;
	double by;

	*len = 0;
	memset(cost, 0, runs * sizeof(*cost));
	for (i = 0; i < mv->len; i++) {
		m = &mv->list[i];
		if (m->group != group)
			continue;
		++*len;
		by = m->c->new - m->c->base;
		if (by > 0) {
			s.gains += by;
			s.to = m;
		} else {
			s.losses -= by;
			s.from = m;
		}
		s.emptied |= fabs(m->c->e.diff) >= log(2);
		for (r = 0; r < runs; r++) {
			const struct pd_cost *x = &mv->d->cost[r *
			    mv->d->tree->nframes + m->c->frame];

			cost[r].c += x->c;
			cost[r].k += x->k;
		}
	}
	return s;
}

/*
 * Cost moved if the group as a whole shows no change that its size would not
 * show by chance, while that can be told from what its members gained and
 * lost.  Ordinary changes are a few percent: without a function that came,
 * went, or was halved, nothing has moved.
 */
static int
judge_group(struct movement *mv, size_t group, struct pd_cost *cost,
    struct pd_error *err)
{
	struct pd_diff *d = mv->d;
	struct pd_move *move = &d->moves[d->nmoves];
	size_t i, len;
	struct sums s = sum_up(mv, group, cost, &len);
	double half, level = d->opts.alpha /
	    (double)(d->self.tested > 0 ? d->self.tested : 1);

	if (len < 2 || s.gains == 0 || s.losses == 0 || !s.emptied)
		return 0;
	*move = (struct pd_move){ .len = len,
	    .net = { .name = "[moved]", .frame = PD_NOID } };
	if (pd_diff_test_one(d, cost, &move->net, level, err) == -1)
		return -1;
	half = move->net.base * (move->net.hi - move->net.lo) / 2;
	if (move->net.e.se == 0 || half >= .5 * fmin(s.gains, s.losses))
		return 0;
	move->regression = move->net.e.pf <= level && move->net.e.diff > 0 &&
	    fabs(move->net.impact) >= d->opts.min_impact;
	if (move->regression && d->seq != PD_SEQ_PAIRS &&
	    d->seq != PD_SEQ_MIXED)
		return 0;
	if (len == 2 && is_gone(s.from->c) && is_fresh(s.to->c)) {
		move->renamed = true;
		move->from = s.from->c->frame;
		move->to = s.to->c->frame;
	}
	d->nmoves++;
	for (i = 0; i < mv->len; i++)
		if (mv->list[i].group == group) {
			mv->list[i].c->group = d->nmoves;
			if (!d->opts.gate_moved)
				mv->list[i].c->verdict = PD_MOVED;
		}
	return 0;
}

int
pd_diff_find_moves(struct pd_diff *d, struct pd_error *err)
{
	struct movement mv = { .d = d };
	struct pd_cost *cost = NULL;
	size_t i;
	int r = -1;

	if (collect(&mv, err) == -1)
		goto out;
	cost = pd_calloc(d->len[0] + d->len[1], sizeof(*cost), err);
	d->moves = pd_calloc(mv.len + 1, sizeof(*d->moves), err);
	if (cost == NULL || d->moves == NULL || find_callers(&mv, err) == -1)
		goto out;
	connect(&mv);
	for (i = 0; i < mv.len; i++)
		if (mv.list[i].group == i &&
		    judge_group(&mv, i, cost, err) == -1)
			goto out;
	r = 0;
out:
	free(mv.list);
	free(mv.place);
	free(cost);
	return r;
}
