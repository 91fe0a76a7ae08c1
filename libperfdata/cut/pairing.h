/*
 * Pairs begins with ends, like brackets: which occurrences of a critical
 * section that makes.
 *
 * An end belongs to the last begin of its lane, a thread mostly, that has none
 * yet.  A pair inside of another one is part of it.  A begin whose end is
 * missing does not hold back the pairs that follow.
 */
#ifndef PD_CUT_PAIRING_H
#define PD_CUT_PAIRING_H

#include "base/hash.h"
#include "cut/occurrence.h"

/* Elements of a list that come and go: a slot that was given back is reused. */
struct pd_slots {
	void		*list;
	size_t		len, cap;
	uint32_t	free;		/* index + 1 of one, 0: none */
};

/* Zero, but for the first three, is ready. */
struct pd_pairing {
	struct pd_occurrences	*occs;		/* where they go at the end */
	/*
	 * Instead, when not NULL: called as soon as an occurrence can be part
	 * of no other, so that only those are kept that still may be.
	 */
	int			(*done)(void *ctx,
	    const struct pd_occurrence *o, struct pd_error *err);
	void			*ctx;
	struct pd_map64		lane_of;	/* key -> lane */
	struct pd_slots		lanes, begins, pairs;
	struct pd_marker_counts	counts;
};

/* o, which has its start, begins in the lane of this key. */
int pd_pairing_begin(struct pd_pairing *p, uint64_t key,
    const struct pd_occurrence *o, struct pd_error *err);

/* Is there a begin that waits for its end? */
bool pd_pairing_open(const struct pd_pairing *p, uint64_t key);

/* The end of what began last; counted when there is nothing. */
int pd_pairing_end(struct pd_pairing *p, uint64_t key, uint64_t time,
    struct pd_error *err);

/* What a lane began is unfinished, and the lane ends, at this time. */
int pd_pairing_close(struct pd_pairing *p, uint64_t key, uint64_t time,
    struct pd_error *err);

/* The same for all lanes, and hand over all that was found. */
int pd_pairing_finish(struct pd_pairing *p, uint64_t time,
    struct pd_error *err);
void pd_pairing_free(struct pd_pairing *p);

#endif
