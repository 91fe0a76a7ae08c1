/* The stacks of one run with their counts: only those that have some. */
#ifndef PD_PROFILE_STACKS_H
#define PD_PROFILE_STACKS_H

#include "perfdata.h"

struct pd_entry {
	uint32_t	node;
	uint64_t	weight, samples;
};

/* Zero is empty; free(3) list. */
struct pd_stacks {
	struct pd_entry	*list;		/* by node, after pd_stacks_end() */
	size_t		len, cap;
	uint64_t	weight, samples;	/* of all */
};

int pd_stacks_add(struct pd_stacks *s, uint32_t node, uint64_t weight,
    uint64_t samples, struct pd_error *err);

/*
 * After the last: sort, and make one of those of a node.  Where weights are no
 * counts, how many samples each has follows from those of the run.
 */
void pd_stacks_end(struct pd_stacks *s, const struct pd_run *run);

/* The largest number that all weights are multiples of. */
uint64_t pd_stacks_unit(const struct pd_stacks *s);

/* What a node has, 0 when it is not there. */
uint64_t pd_stacks_weight(const struct pd_stacks *s, uint32_t node);

#endif
