/* Stacks of a run, sorted by node. */
#include <stdlib.h>

#include "base/alloc.h"
#include "profile/run.h"
#include "profile/stacks.h"

int
pd_stacks_add(struct pd_stacks *s, uint32_t node, uint64_t weight,
    uint64_t samples, struct pd_error *err)
{
	if (pd_grow(&s->list, &s->cap, s->len + 1, sizeof(*s->list), err))
		return -1;
	s->list[s->len++] = (struct pd_entry){ node, weight, samples };
	s->weight += weight;
	s->samples += samples;
	return 0;
}

static int
by_node(const void *a, const void *b)
{
	const struct pd_entry *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

/* Those of a file that is sorted, and new here, are in order. */
static bool
is_sorted(const struct pd_stacks *s)
{
	size_t i;

	for (i = 1; i < s->len; i++)
		if (s->list[i].node <= s->list[i - 1].node)
			return false;
	return true;
}

void
pd_stacks_end(struct pd_stacks *s, const struct pd_run *run)
{
	size_t i, n = 0;

	if (!is_sorted(s)) {
		qsort(s->list, s->len, sizeof(*s->list), by_node);
		for (i = 0; i < s->len; i++) {
			if (n > 0 && s->list[n - 1].node == s->list[i].node) {
				s->list[n - 1].weight += s->list[i].weight;
				s->list[n - 1].samples += s->list[i].samples;
			} else {
				s->list[n++] = s->list[i];
			}
		}
		s->len = n;
	}
	if (!pd_run_has_samples(run))
		return;
	for (i = 0; i < s->len; i++)
		s->list[i].samples = pd_run_samples(run, s->weight,
		    s->list[i].weight);
	s->samples = run->samples;
}

uint64_t
pd_stacks_unit(const struct pd_stacks *s)
{
	uint64_t unit = 0, rest, t;
	size_t i;

	for (i = 0; i < s->len && unit != 1; i++)
		for (rest = s->list[i].weight; rest != 0; rest = t) {
			t = unit % rest;
			unit = rest;
		}
	return unit;
}

uint64_t
pd_stacks_weight(const struct pd_stacks *s, uint32_t node)
{
	size_t lo = 0, hi = s->len, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s->list[mid].node < node)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->len && s->list[lo].node == node ?
	    s->list[lo].weight : 0;
}
