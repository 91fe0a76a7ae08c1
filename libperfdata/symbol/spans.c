/* Which of many ranges of addresses that may overlap owns an address. */
#include <stdlib.h>

#include "base/alloc.h"
#include "symbol/spans.h"

int
pd_spans_add(struct pd_spans *s, uint64_t lo, uint64_t hi, uint64_t rank,
    uint32_t owner, struct pd_error *err)
{
	if (pd_grow(&s->v, &s->cap, s->len + 1, sizeof(*s->v), err) == -1)
		return -1;
	s->v[s->len++] = (struct pd_span){ lo, hi, rank, owner };
	return 0;
}

void
pd_spans_free(struct pd_spans *s)
{
	free(s->v);
}

static int
by_start(const void *a, const void *b)
{
	const struct pd_span *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* The spans around an address: a heap with the highest rank on top. */
struct heap {
	const struct pd_span	**v;
	size_t			len;
};

static void
push(struct heap *h, const struct pd_span *s)
{
	size_t i = h->len++, up;

	for (; i > 0; i = up) {
		up = (i - 1) / 2;
		if (h->v[up]->rank >= s->rank)
			break;
		h->v[i] = h->v[up];
	}
	h->v[i] = s;
}

static void
pop(struct heap *h)
{
	const struct pd_span *s = h->v[--h->len];
	size_t i = 0, kid;

	for (; (kid = 2 * i + 1) < h->len; i = kid) {
		if (kid + 1 < h->len && h->v[kid + 1]->rank > h->v[kid]->rank)
			kid++;
		if (s->rank >= h->v[kid]->rank)
			break;
		h->v[i] = h->v[kid];
	}
	h->v[i] = s;
}

static void
step(struct pd_spanmap *m, uint64_t start, uint32_t owner)
{
	if (m->len > 0 && m->owners[m->len - 1] == owner)
		return;
	m->starts[m->len] = start;
	m->owners[m->len++] = owner;
}

/* From one place where spans start or end to the next. */
static void
sweep(struct pd_spanmap *m, const struct pd_spans *s, struct heap *h)
{
	uint64_t at = 0, end;
	size_t i = 0;

	for (;;) {
		while (h->len > 0 && h->v[0]->hi <= at)
			pop(h);
		if (h->len == 0) {
			if (m->len > 0)
				step(m, at, PD_NOID);
			if (i == s->len)
				break;
			at = s->v[i].lo;
		}
		for (; i < s->len && s->v[i].lo == at; i++)
			push(h, &s->v[i]);
		end = h->v[0]->hi;
		if (i < s->len && s->v[i].lo < end)
			end = s->v[i].lo;
		step(m, at, h->v[0]->owner);
		at = end;
	}
}

static void
shrink(struct pd_spanmap *m)
{
	void *p;

	if ((p = realloc(m->starts, m->len * sizeof(*m->starts))) != NULL)
		m->starts = p;
	if ((p = realloc(m->owners, m->len * sizeof(*m->owners))) != NULL)
		m->owners = p;
}

int
pd_spanmap_make(struct pd_spanmap *m, struct pd_spans *s,
    struct pd_error *err)
{
	struct heap h = { .len = 0 };

	if (s->len == 0)
		return 0;
	/* Each turn of the sweep passes a start or an end. */
	m->starts = pd_calloc(2 * s->len + 1, sizeof(*m->starts), err);
	m->owners = pd_calloc(2 * s->len + 1, sizeof(*m->owners), err);
	h.v = pd_calloc(s->len, sizeof(*h.v), err);
	if (m->starts == NULL || m->owners == NULL || h.v == NULL) {
		free(h.v);
		return -1;
	}
	qsort(s->v, s->len, sizeof(*s->v), by_start);
	sweep(m, s, &h);
	free(h.v);
	shrink(m);
	return 0;
}

void
pd_spanmap_free(struct pd_spanmap *m)
{
	free(m->starts);
	free(m->owners);
}

uint32_t
pd_spanmap_find(const struct pd_spanmap *m, uint64_t addr)
{
	size_t lo = 0, hi = m->len, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (m->starts[mid] <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo == 0 ? PD_NOID : m->owners[lo - 1];
}
