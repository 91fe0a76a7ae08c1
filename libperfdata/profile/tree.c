/* Counts stacks in the calling-context tree. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profile/tree.h"

static inline size_t
slot_of(const struct pd_profile *p, uint32_t parent, uint32_t frame)
{
	return pd_hash_u64((uint64_t)parent << 32 | frame) & p->mask;
}

/* Twice as many slots, at most half of them in use. */
static int
grow_slots(struct pd_profile *p, struct pd_error *err)
{
	size_t n = p->slots ? (p->mask + 1) * 2 : 1024, i, at;
	uint32_t *slots = pd_calloc(n, sizeof(*slots), err);

	if (slots == NULL)
		return -1;
	free(p->slots);
	p->slots = slots;
	p->mask = n - 1;
	for (i = 1; i < p->len; i++) {
		at = slot_of(p, p->nodes[i].parent, p->nodes[i].frame);
		while (slots[at] != 0)
			at = (at + 1) & p->mask;
		slots[at] = (uint32_t)i;
	}
	return 0;
}

struct pd_profile *
pd_profile_new(const struct pd_frames *frames, struct pd_error *err)
{
	struct pd_profile *p = pd_calloc(1, sizeof(*p), err);

	if (p == NULL)
		return NULL;
	p->frames = frames;
	if (pd_grow(&p->nodes, &p->cap, 1, sizeof(*p->nodes), err) == -1 ||
	    grow_slots(p, err) == -1) {
		pd_profile_free(p);
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
		free(p->last[i].nodes);
	free(p->slots);
	free(p->nodes);
	free(p);
}

static uint32_t
new_child(struct pd_profile *p, uint32_t parent, uint32_t frame,
    struct pd_error *err)
{
	size_t at;

	if (p->len > p->mask / 2 && grow_slots(p, err) == -1)
		return PD_NOID;
	if (pd_grow(&p->nodes, &p->cap, p->len + 1, sizeof(*p->nodes), err))
		return PD_NOID;
	for (at = slot_of(p, parent, frame); p->slots[at] != 0;)
		at = (at + 1) & p->mask;
	p->slots[at] = (uint32_t)p->len;
	p->nodes[p->len] = (struct pd_node){ parent, frame, 0, 0 };
	return (uint32_t)p->len++;
}

static inline uint32_t
child_of(struct pd_profile *p, uint32_t parent, uint32_t frame,
    struct pd_error *err)
{
	const struct pd_node *n;
	size_t at = slot_of(p, parent, frame);

	for (; p->slots[at] != 0; at = (at + 1) & p->mask) {
		n = &p->nodes[p->slots[at]];
		if (n->frame == frame && n->parent == parent)
			return p->slots[at];
	}
	return new_child(p, parent, frame, err);
}

int
pd_profile_add(struct pd_profile *p, const struct pd_stack *st,
    uint64_t weight, struct pd_error *err)
{
	uint32_t node, **nodes = &p->last[st->slot].nodes;
	size_t i;

	if (pd_grow(nodes, &p->last[st->slot].cap, st->len, sizeof(**nodes),
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
