/* The calling-context tree. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/tree.h"

/* Twice as many slots, at most half of them in use. */
static int
grow_slots(struct pd_tree *t, struct pd_error *err)
{
	size_t n = t->slots ? (t->mask + 1) * 2 : 1024, i, at;
	uint32_t *slots = pd_calloc(n, sizeof(*slots), err);

	if (slots == NULL)
		return -1;
	free(t->slots);
	t->slots = slots;
	t->mask = n - 1;
	for (i = 1; i < t->len; i++) {
		at = pd_tree_slot(t, t->nodes[i].parent, t->nodes[i].frame);
		while (slots[at] != 0)
			at = (at + 1) & t->mask;
		slots[at] = (uint32_t)i;
	}
	return 0;
}

struct pd_tree *
pd_tree_new(struct pd_error *err)
{
	struct pd_tree *t = pd_calloc(1, sizeof(*t), err);

	if (t == NULL)
		return NULL;
	if (pd_grow(&t->nodes, &t->cap, 1, sizeof(*t->nodes), err) == -1 ||
	    grow_slots(t, err) == -1) {
		pd_tree_free(t);
		return NULL;
	}
	t->nodes[t->len++] = (struct pd_node){ 0, PD_NOID };
	return t;
}

void
pd_tree_free(struct pd_tree *t)
{
	if (t == NULL)
		return;
	pd_strtab_free(&t->strs);
	pd_strtab_free(&t->keys);
	pd_strtab_free(&t->map_keys);
	free(t->frames);
	free(t->maps);
	free(t->nodes);
	free(t->slots);
	free(t);
}

static uint32_t
string_id(struct pd_tree *t, const char *s, const char **copy,
    struct pd_error *err)
{
	uint32_t id;

	*copy = NULL;
	if (s == NULL)
		return 0;
	id = pd_strtab_add(&t->strs, s, strlen(s), err);
	if (id == PD_NOID)
		return PD_NOID;
	*copy = pd_strtab_get(&t->strs, id);
	return id + 1;
}

uint32_t
pd_tree_add_frame(struct pd_tree *t, const struct pd_frame *f,
    struct pd_error *err)
{
	struct pd_frame new = *f;
	uint32_t name, dso, file, id;
	char key[96];
	int n;

	name = string_id(t, f->name, &new.name, err);
	dso = string_id(t, f->dso, &new.dso, err);
	file = string_id(t, f->file, &new.file, err);
	if (name == PD_NOID || dso == PD_NOID || file == PD_NOID ||
	    pd_grow(&t->frames, &t->frames_cap, t->nframes + 1, sizeof(new),
	    err) == -1)
		return PD_NOID;
	n = snprintf(key, sizeof(key), "%x %x %" PRIx64 " %x %x %x %" PRIx64
	    " %x %x", name, dso, f->ip, f->kind, f->inlined, f->map, f->place,
	    file, f->line);
	id = pd_strtab_add(&t->keys, key, (size_t)n, err);
	if (id == PD_NOID || id < t->nframes)
		return id;
	t->frames[t->nframes++] = new;
	return id;
}

uint32_t
pd_tree_add_map(struct pd_tree *t, uint32_t dso, const struct pd_mapping *m,
    struct pd_error *err)
{
	struct pd_mapping new = *m, *old;
	uint32_t id;
	char key[32];
	int n;

	if (string_id(t, m->dso, &new.dso, err) == PD_NOID ||
	    pd_grow(&t->maps, &t->maps_cap, t->nmaps + 1, sizeof(new),
	    err) == -1)
		return 0;
	n = snprintf(key, sizeof(key), "%" PRIx32 " %" PRIx64, dso, m->pgoff);
	id = pd_strtab_add(&t->map_keys, key, (size_t)n, err);
	if (id == PD_NOID)
		return 0;
	if (id == t->nmaps) {
		t->maps[t->nmaps++] = new;
		return id + 1;
	}
	old = &t->maps[id];
	if (m->end - m->start > old->end - old->start)
		old->end = old->start + (m->end - m->start);
	return id + 1;
}

uint32_t
pd_tree_new_child(struct pd_tree *t, uint32_t parent, uint32_t frame,
    struct pd_error *err)
{
	size_t at;

	if ((t->len > t->mask / 2 && grow_slots(t, err) == -1) ||
	    pd_grow(&t->nodes, &t->cap, t->len + 1, sizeof(*t->nodes), err))
		return PD_NOID;
	for (at = pd_tree_slot(t, parent, frame); t->slots[at] != 0;)
		at = (at + 1) & t->mask;
	t->slots[at] = (uint32_t)t->len;
	t->nodes[t->len] = (struct pd_node){ parent, frame };
	return (uint32_t)t->len++;
}

void
pd_tree_forget(struct pd_tree *t)
{
	memset(t->slots, 0, (t->mask + 1) * sizeof(*t->slots));
	t->len = 1;
}

int
pd_tree_link(const struct pd_tree *t, uint32_t **first, uint32_t **next,
    struct pd_error *err)
{
	size_t i;

	*first = pd_calloc(t->len, sizeof(**first), err);
	*next = pd_calloc(t->len, sizeof(**next), err);
	if (*first == NULL || *next == NULL)
		return -1;
	for (i = t->len; i-- > 1;) {
		(*next)[i] = (*first)[t->nodes[i].parent];
		(*first)[t->nodes[i].parent] = (uint32_t)i;
	}
	return 0;
}

uint32_t
pd_tree_parent(const struct pd_tree *t, uint32_t node)
{
	return t->nodes[node].parent;
}

const struct pd_frame *
pd_tree_leaf(const struct pd_tree *t, uint32_t node)
{
	return node == 0 ? NULL : &t->frames[t->nodes[node].frame];
}

const struct pd_mapping *
pd_tree_map(const struct pd_tree *t, uint32_t map)
{
	return map == 0 || map > t->nmaps ? NULL : &t->maps[map - 1];
}
