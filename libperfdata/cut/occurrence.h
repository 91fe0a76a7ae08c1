/* Occurrences of critical sections: choosing among them, and finding them. */
#ifndef PD_CUT_OCCURRENCE_H
#define PD_CUT_OCCURRENCE_H

#include "base/hash.h"
#include "base/text.h"
#include "perfdata.h"

/* Zero is empty. */
struct pd_occurrences {
	struct pd_occurrence	*list;
	size_t			len, cap;
	/* Spans of the same thread (...), merged; made by _index(). */
	struct pd_map64		group_of;
	struct pd_occgroup	*groups;
	size_t			ngroups, groups_cap;
	struct pd_window	*spans;
	unsigned		kinds;		/* of groups that there are */
	struct pd_window	*all;		/* of all groups */
	size_t			nall;
};

int pd_occurrences_add(struct pd_occurrences *os,
    const struct pd_occurrence *o, struct pd_error *err);
void pd_occurrences_free(struct pd_occurrences *os);

/* What was asked for, see pd_markers_choose(); zero is all. */
struct pd_choice {
	char		*name;		/* a glob, free(3) */
	struct pd_range	*nth;		/* free(3) */
	size_t		nnth, nth_cap;
	uint64_t	slowest;	/* 0: all */
	uint64_t	longer_than;	/* 0: all */
	uint64_t	quantile;	/* in PD_CHOICE_ONE; 0: all */
};
#define PD_CHOICE_ONE	UINT64_C(1000000000)

int pd_choice_add(struct pd_choice *c, enum pd_choose how, const char *text,
    struct pd_error *err);
void pd_choice_free(struct pd_choice *c);

/*
 * Sort by time, and leave only those that are chosen; unfinished ones are not,
 * unless they may.
 */
int pd_occurrences_choose(struct pd_occurrences *os,
    const struct pd_choice *choice, bool unfinished, struct pd_error *err);

/* After the last change, before _match(). */
int pd_occurrences_index(struct pd_occurrences *os, struct pd_error *err);
bool pd_occurrences_match(const struct pd_occurrences *os, uint64_t time,
    uint32_t pid, uint32_t tid, uint32_t cpu);

#endif
