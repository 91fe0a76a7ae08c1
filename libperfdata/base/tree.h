/*
 * The calling-context tree: frames, and the stacks that they make.  A node is
 * a stack; its parent is the stack without the leaf.  Frames and nodes have
 * small ids, so that a stack travels as one number.
 */
#ifndef PD_BASE_TREE_H
#define PD_BASE_TREE_H

#include "base/hash.h"
#include "base/intern.h"

struct pd_node {
	uint32_t	parent, frame;
};

struct pd_tree {
	struct pd_strtab	strs;	/* names and DSOs of frames */
	struct pd_strtab	keys;	/* a frame as text; ids are the frames' */
	struct pd_frame		*frames;
	size_t			nframes, frames_cap;

	struct pd_strtab	map_keys;	/* ids are the maps' */
	struct pd_mapping	*maps;
	size_t			nmaps, maps_cap;

	struct pd_node		*nodes;	/* 0: the empty stack */
	size_t			len, cap;
	/*
	 * The child of a node by its frame: a hash table of node numbers, 0
	 * for a free slot.  The key is in the node itself: so the table, which
	 * every frame of every sample goes through, stays small.
	 */
	uint32_t		*slots;
	size_t			mask;
};

/*
 * The id of a frame equal to *f, added when it is new; its strings are
 * copied.  PD_NOID without memory.
 */
uint32_t pd_tree_add_frame(struct pd_tree *t, const struct pd_frame *f,
    struct pd_error *err);

/*
 * The number of the mapping of a DSO with this id and this pgoff, from 1 on;
 * added when it is new, else made as long as *m.  0 without memory.
 */
uint32_t pd_tree_add_map(struct pd_tree *t, uint32_t dso,
    const struct pd_mapping *m, struct pd_error *err);

/* Forget all nodes but 0; frames and mappings stay. */
void pd_tree_forget(struct pd_tree *t);

/* pd_tree_child() when there is none yet. */
uint32_t pd_tree_new_child(struct pd_tree *t, uint32_t parent,
    uint32_t frame, struct pd_error *err);

/*
 * The first child of each node and its next sibling, 0 for none: two arrays of
 * t->len to free(3), also after -1.
 */
int pd_tree_link(const struct pd_tree *t, uint32_t **first, uint32_t **next,
    struct pd_error *err);

static inline size_t
pd_tree_slot(const struct pd_tree *t, uint32_t parent, uint32_t frame)
{
	return pd_hash_u64((uint64_t)parent << 32 | frame) & t->mask;
}

/* The stack of parent with one more frame as leaf; PD_NOID without memory. */
static inline uint32_t
pd_tree_child(struct pd_tree *t, uint32_t parent, uint32_t frame,
    struct pd_error *err)
{
	const struct pd_node *n;
	size_t at = pd_tree_slot(t, parent, frame);

	for (; t->slots[at] != 0; at = (at + 1) & t->mask) {
		n = &t->nodes[t->slots[at]];
		if (n->frame == frame && n->parent == parent)
			return t->slots[at];
	}
	return pd_tree_new_child(t, parent, frame, err);
}

#endif
