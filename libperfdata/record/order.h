/*
 * Time order: records wait here until none that is earlier can follow.
 *
 * perf record writes one ring buffer after the other, so the file is a
 * sequence of runs, each in order by itself, and marks with FINISHED_ROUND
 * that every buffer was read once: what was written before the previous mark
 * is then complete.
 */
#ifndef PD_RECORD_ORDER_H
#define PD_RECORD_ORDER_H

#include "input/block.h"
#include "perfdata.h"
#include "record/event.h"

/* A record that waits; it holds a reference to its block. */
struct pd_waiting {
	uint64_t		time, offset;
	const uint8_t		*data;
	struct pd_block		*block;
	const struct pd_evt	*evt;
};

struct pd_order_queue {
	struct pd_waiting	*q, *tmp;	/* q[head..len) wait */
	size_t			head, len, cap, tmp_cap;
	size_t			sorted;		/* q[head..sorted) is in order */
	bool			drained;	/* nothing that waits is complete */
	bool			swapped;	/* byte order of the records */
	uint64_t		limit;		/* up to here all are complete */
	uint64_t		newest;		/* latest time put in */
	uint64_t		last_round;	/* newest at the last mark */
	uint64_t		bytes;		/* that waiting records cost */
	uint64_t		delivered;	/* time of the last one taken */
	uint64_t		late;		/* came after a later one was taken */
	uint64_t		forced;		/* times the queue had to give way */
};

/*
 * Without marks the queue would hold the whole input.  Beyond this many bytes
 * the earlier half goes, as in perf.  The records themselves wait on disk when
 * there are many (block.h); what a place in the queue costs is memory.
 */
#define PD_ORDER_MAX_BYTES	(UINT64_C(512) << 20)
#define PD_ORDER_COST		(2 * sizeof(struct pd_waiting))

/* Takes a reference to w->block. */
int pd_order_put(struct pd_order_queue *oq, const struct pd_waiting *w,
    uint32_t size, struct pd_error *err);

/* FINISHED_ROUND was read. */
void pd_order_round(struct pd_order_queue *oq);

/* All records up to this time are in. */
void pd_order_complete(struct pd_order_queue *oq, uint64_t time);

/*
 * The earliest record, if it is complete: 1, 0 for none now, -1 on error.
 * The reference to its block passes to the caller.
 */
int pd_order_take(struct pd_order_queue *oq, struct pd_waiting *w,
    struct pd_error *err);

void pd_order_free(struct pd_order_queue *oq);

#endif
