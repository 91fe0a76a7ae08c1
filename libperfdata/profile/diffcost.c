/* What each function cost in each run: itself, and with all it calls. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profile/diff.h"

/*
 * Mark the nodes whose function is not further up in the stack.  The tree is
 * walked, not searched upwards, so that deep recursion takes no longer.
 */
static int
mark_outermost(const struct pd_diff *d, bool *outermost, struct pd_error *err)
{
	const struct pd_tree *t = d->tree;
	uint32_t *above = pd_calloc(t->nframes, sizeof(*above), err);
	uint32_t *first = NULL, *next = NULL, node = 0, frame;
	int r = above == NULL ? -1 : pd_tree_link(t, &first, &next, err);

	while (r == 0) {
		if (first[node] != 0) {
			node = first[node];
		} else {
			for (; node != 0 && next[node] == 0;
			    node = t->nodes[node].parent)
				above[t->nodes[node].frame]--;
			if (node == 0)
				break;
			above[t->nodes[node].frame]--;
			node = next[node];
		}
		frame = t->nodes[node].frame;
		outermost[node] = above[frame]++ == 0;
	}
	free(above);
	free(first);
	free(next);
	return r;
}

/* The costs of one run by frame, added to list. */
static void
count_self(const struct pd_diff *d, const struct pd_diff_run *r,
    struct pd_cost *list)
{
	const struct pd_entry *e = r->stacks.list, *end = e + r->stacks.len;
	struct pd_cost *f;

	for (; e < end; e++) {
		f = &list[d->tree->nodes[e->node].frame];
		f->c += (double)e->weight;
		f->k += (double)e->samples;
	}
}

/* The same with all that is called; below has room for all nodes. */
static void
count_whole(const struct pd_diff *d, const struct pd_diff_run *r,
    const bool *outermost, struct pd_cost *below, struct pd_cost *list)
{
	const struct pd_entry *e = r->stacks.list, *end = e + r->stacks.len;
	const struct pd_tree *t = d->tree;
	struct pd_cost *f;
	size_t i;

	memset(below, 0, t->len * sizeof(*below));
	for (; e < end; e++)
		below[e->node] = (struct pd_cost){ (double)e->weight,
		    (double)e->samples };
	/* A node comes after its parent, so sums flow up in one pass. */
	for (i = t->len; i-- > 1;) {
		f = &list[t->nodes[i].frame];
		if (outermost[i]) {
			f->c += below[i].c;
			f->k += below[i].k;
		}
		below[t->nodes[i].parent].c += below[i].c;
		below[t->nodes[i].parent].k += below[i].k;
	}
}

static int
count_all_whole(struct pd_diff *d, struct pd_error *err)
{
	size_t n = d->len[0] + d->len[1], i;
	struct pd_cost *below = pd_calloc(d->tree->len, sizeof(*below), err);
	bool *outermost = pd_calloc(d->tree->len, sizeof(*outermost), err);
	int r = -1;

	if (below != NULL && outermost != NULL)
		r = mark_outermost(d, outermost, err);
	for (i = 0; i < n && r == 0; i++)
		count_whole(d, pd_diff_run_at(d, i), outermost, below,
		    d->cost + i * d->tree->nframes);
	free(below);
	free(outermost);
	return r;
}

/* What is only ever outermost and calls something is a thread or the like. */
static int
find_roots(struct pd_diff *d, struct pd_error *err)
{
	const struct pd_tree *t = d->tree;
	bool *deeper = pd_calloc(t->nframes, sizeof(*deeper), err);
	bool *calls = pd_calloc(t->nframes, sizeof(*calls), err);
	uint32_t i;
	int r = deeper == NULL || calls == NULL ? -1 : 0;

	for (i = 1; i < t->len && r == 0; i++) {
		if (t->nodes[i].parent == 0)
			continue;
		deeper[t->nodes[i].frame] = true;
		calls[t->nodes[t->nodes[i].parent].frame] = true;
	}
	for (i = 0; i < t->nframes && r == 0; i++)
		d->roots[i] |= !deeper[i] && calls[i];
	free(deeper);
	free(calls);
	return r;
}

static int
find_leaves(struct pd_diff *d, struct pd_error *err)
{
	const struct pd_stacks *s;
	size_t i, n;

	free(d->leaves);
	d->leaves = pd_calloc(d->tree->nframes, sizeof(*d->leaves), err);
	if (d->leaves == NULL)
		return -1;
	for (i = 0; i < d->len[0] + d->len[1]; i++) {
		s = &pd_diff_run_at(d, i)->stacks;
		for (n = 0; n < s->len; n++)
			d->leaves[d->tree->nodes[s->list[n].node].frame] = true;
	}
	return 0;
}

int
pd_diff_count(struct pd_diff *d, bool whole, struct pd_error *err)
{
	size_t n = d->len[0] + d->len[1], frames = d->tree->nframes, i;

	free(d->cost);
	d->cost = pd_calloc(n * frames, sizeof(*d->cost), err);
	if (d->cost == NULL || find_roots(d, err) == -1 ||
	    find_leaves(d, err) == -1)
		return -1;
	if (whole && count_all_whole(d, err) == -1)
		return -1;
	for (i = 0; i < n && !whole; i++)
		count_self(d, pd_diff_run_at(d, i), d->cost + i * frames);
	/* Sums of whole numbers do not depend on their order: scaled last. */
	for (i = 0; i < n * frames; i++)
		d->cost[i].c *= pd_diff_run_at(d, i / frames)->scale;
	return 0;
}
