/* The profile: what was counted for each stack of a tree. */
#ifndef PD_PROFILE_PROFILE_H
#define PD_PROFILE_PROFILE_H

#include "base/tree.h"

/* Of the stacks that end at a node. */
struct pd_tally {
	uint64_t	weight, samples;
};

struct pd_profile {
	const struct pd_tree	*tree;
	struct pd_tally		*tallies;	/* by node; none past len */
	size_t			len, cap;
	uint64_t		weight, samples;
};

static inline struct pd_tally
pd_profile_tally(const struct pd_profile *p, uint32_t node)
{
	return node < p->len ? p->tallies[node] : (struct pd_tally){ 0, 0 };
}

#endif
