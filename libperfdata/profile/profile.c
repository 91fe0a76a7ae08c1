/* Counts samples by their stack. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profile/profile.h"

struct pd_profile *
pd_profile_new(const struct pd_tree *tree, struct pd_error *err)
{
	struct pd_profile *p = pd_calloc(1, sizeof(*p), err);

	if (p != NULL)
		p->tree = tree;
	return p;
}

void
pd_profile_free(struct pd_profile *p)
{
	if (p == NULL)
		return;
	free(p->tallies);
	free(p);
}

int
pd_profile_add(struct pd_profile *p, uint32_t node, uint64_t weight,
    struct pd_error *err)
{
	return pd_profile_add_many(p, node, weight, 1, err);
}

int
pd_profile_add_many(struct pd_profile *p, uint32_t node, uint64_t weight,
    uint64_t samples, struct pd_error *err)
{
	if (node >= p->len) {
		if (pd_grow(&p->tallies, &p->cap, (size_t)node + 1,
		    sizeof(*p->tallies), err) == -1)
			return -1;
		memset(p->tallies + p->len, 0,
		    (node + 1 - p->len) * sizeof(*p->tallies));
		p->len = (size_t)node + 1;
	}
	p->tallies[node].weight += weight;
	p->tallies[node].samples += samples;
	p->weight += weight;
	p->samples += samples;
	return 0;
}

uint64_t
pd_profile_samples(const struct pd_profile *p)
{
	return p->samples;
}

uint64_t
pd_profile_total(const struct pd_profile *p)
{
	return p->weight;
}

static int
by_unknown(const void *a, const void *b)
{
	const struct pd_blame *x = a, *y = b;

	if (x->unknown != y->unknown)
		return x->unknown < y->unknown ? 1 : -1;
	return strcmp(x->dso ? x->dso : "", y->dso ? y->dso : "");
}

/* Count a frame without name that so many samples have. */
static int
blame(struct pd_blame **list, size_t *len, size_t *cap,
    const struct pd_frame *f, uint64_t samples, struct pd_error *err)
{
	size_t i;

	/* DSOs are interned, and few: equal names are equal pointers. */
	for (i = 0; i < *len; i++)
		if ((*list)[i].dso == f->dso)
			break;
	if (i == *len) {
		if (pd_grow(list, cap, *len + 1, sizeof(**list), err) == -1)
			return -1;
		(*list)[(*len)++] = (struct pd_blame){ f->dso, 0 };
	}
	(*list)[i].unknown += samples;
	return 0;
}

struct pd_blame *
pd_profile_unknown(const struct pd_profile *p, uint64_t *frames,
    uint64_t *unknown, size_t *len, struct pd_error *err)
{
	const struct pd_tree *t = p->tree;
	uint64_t *below = pd_calloc(t->len, sizeof(*below), err);
	struct pd_blame *list = NULL;
	const struct pd_frame *f;
	size_t cap = 0, i;

	*frames = *unknown = 0;
	*len = 0;
	if (below == NULL || pd_grow(&list, &cap, 1, sizeof(*list), err) == -1)
		goto fail;
	/* A node comes after its parent, so sums flow up in one pass. */
	for (i = t->len; i-- > 1;) {
		below[i] += pd_profile_tally(p, (uint32_t)i).samples;
		below[t->nodes[i].parent] += below[i];
		f = &t->frames[t->nodes[i].frame];
		if (below[i] == 0 || f->kind >= PD_FRAME_ROOT)
			continue;
		*frames += below[i];
		if (f->name != NULL)
			continue;
		*unknown += below[i];
		if (blame(&list, len, &cap, f, below[i], err) == -1)
			goto fail;
	}
	free(below);
	qsort(list, *len, sizeof(*list), by_unknown);
	return list;

fail:
	free(below);
	free(list);
	return NULL;
}
