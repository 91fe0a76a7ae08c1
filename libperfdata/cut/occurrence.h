/* Occurrences of critical sections: choosing among them, and finding them. */
#ifndef PD_CUT_OCCURRENCE_H
#define PD_CUT_OCCURRENCE_H

#include "base/hash.h"
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
	uint64_t		stop;		/* the last of all */
};

int pd_occurrences_add(struct pd_occurrences *os,
    const struct pd_occurrence *o, struct pd_error *err);
void pd_occurrences_free(struct pd_occurrences *os);

/* Sort by time, and leave only those that are chosen. */
int pd_occurrences_choose(struct pd_occurrences *os,
    const struct pd_marker_choice *choice, struct pd_error *err);

/* After the last change, before _match(). */
int pd_occurrences_index(struct pd_occurrences *os, struct pd_error *err);
bool pd_occurrences_match(const struct pd_occurrences *os, uint64_t time,
    uint32_t pid, uint32_t tid, uint32_t cpu);

#endif
