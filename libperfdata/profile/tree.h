/* The calling-context tree: one node for each distinct stack prefix. */
#ifndef PD_PROFILE_TREE_H
#define PD_PROFILE_TREE_H

#include "base/hash.h"
#include "perfdata.h"

/* Node 0 is above all roots and has no frame. */
struct pd_node {
	uint32_t	parent, frame;
	uint64_t	weight, samples;	/* of stacks that end here */
};

struct pd_profile {
	const struct pd_frames	*frames;
	struct pd_node		*nodes;
	size_t			len, cap;
	/*
	 * The child of a node by its frame: a hash table of node numbers, 0
	 * for a free slot.  The key is in the node itself, which is needed
	 * anyway: so the table stays small enough for the processor's cache.
	 */
	uint32_t		*slots;
	size_t			mask;
	uint64_t		weight, samples;
	struct {			/* nodes of the slot's last stack */
		uint32_t	*nodes;
		size_t		cap;
	}			last[PD_STACK_SLOTS];
};

#endif
