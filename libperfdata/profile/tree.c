/* Counts stacks in the calling-context tree. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profile/tree.h"

struct pd_profile *
pd_profile_new(const struct pd_frames *frames, struct pd_error *err)
{
	struct pd_profile *p = pd_calloc(1, sizeof(*p), err);

	if (p == NULL)
		return NULL;
	p->frames = frames;
	if (pd_grow(&p->nodes, &p->cap, 1, sizeof(*p->nodes), err) == -1) {
		free(p);
		return NULL;
	}
	p->nodes[0] = (struct pd_node){ .frame = PD_NOID };
	p->len = 1;
	return p;
}

void
pd_profile_free(struct pd_profile *p)
{
	size_t i;

	if (p == NULL)
		return;
	for (i = 0; i < PD_STACK_SLOTS; i++)
		free(p->slots[i].nodes);
	pd_map64_free(&p->children);
	free(p->nodes);
	free(p);
}

static uint32_t
child_of(struct pd_profile *p, uint32_t parent, uint32_t frame,
    struct pd_error *err)
{
	uint64_t key = (uint64_t)parent << 32 | frame;
	uint32_t node = pd_map64_find(&p->children, key);

	if (node != PD_NOID)
		return node;
	if (pd_grow(&p->nodes, &p->cap, p->len + 1, sizeof(*p->nodes), err) ||
	    pd_map64_put(&p->children, key, (uint32_t)p->len, err) == -1)
		return PD_NOID;
	p->nodes[p->len] = (struct pd_node){ parent, frame, 0, 0 };
	return (uint32_t)p->len++;
}

int
pd_profile_add(struct pd_profile *p, const struct pd_stack *st,
    uint64_t weight, struct pd_error *err)
{
	uint32_t node, **nodes = &p->slots[st->slot].nodes;
	size_t i;

	if (pd_grow(nodes, &p->slots[st->slot].cap, st->len, sizeof(**nodes),
	    err) == -1)
		return -1;
	node = st->same > 0 ? (*nodes)[st->same - 1] : 0;
	for (i = st->same; i < st->len; i++) {
		node = child_of(p, node, st->frames[i], err);
		if (node == PD_NOID)
			return -1;
		(*nodes)[i] = node;
	}
	p->nodes[node].weight += weight;
	p->nodes[node].samples++;
	p->weight += weight;
	p->samples++;
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

/* Count the frames of one node, which `samples` samples have. */
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
	uint64_t *total = pd_calloc(p->len, sizeof(*total), err);
	struct pd_blame *list = NULL;
	const struct pd_frame *f;
	size_t cap = 0, i;

	*frames = *unknown = 0;
	*len = 0;
	if (total == NULL || pd_grow(&list, &cap, 1, sizeof(*list), err) == -1)
		goto fail;
	/* A node comes after its parent, so sums flow up in one pass. */
	for (i = p->len; i-- > 1;) {
		total[i] += p->nodes[i].samples;
		total[p->nodes[i].parent] += total[i];
		f = pd_frames_get(p->frames, p->nodes[i].frame);
		if (f->kind == PD_FRAME_ROOT || f->kind == PD_FRAME_MARK)
			continue;
		*frames += total[i];
		if (f->name != NULL)
			continue;
		*unknown += total[i];
		if (blame(&list, len, &cap, f, total[i], err) == -1)
			goto fail;
	}
	free(total);
	qsort(list, *len, sizeof(*list), by_unknown);
	return list;

fail:
	free(total);
	free(list);
	return NULL;
}
