/*
 * Samples whose user part comes later (Linux 6.19).  The kernel walks the
 * user stack when the thread is about to return to user mode, once for all
 * samples since it was there last, and writes CALLCHAIN_DEFERRED.  In their
 * callchain stands PERF_CONTEXT_USER_DEFERRED and a cookie, which the record
 * has too (get_perf_callchain() in kernel/events/callchain.c).
 */
#ifndef PD_FOLD_DEFERRED_H
#define PD_FOLD_DEFERRED_H

#include <sys/queue.h>

#include "base/hash.h"
#include "perfdata.h"

/* A sample that waits; free(3). */
struct pd_deferred_sample {
	TAILQ_ENTRY(pd_deferred_sample) all, near;
	struct pd_record	rec;		/* with a copy of its bytes */
	const struct pd_event	*ev;		/* what it is counted for, */
	uint64_t		period;		/* and how much */
	uint8_t			data[];
};

TAILQ_HEAD(pd_deferred_list, pd_deferred_sample);

/* The user part that a thread had last. */
struct pd_deferred_chain {
	uint32_t	tid;
	uint64_t	cookie;
	uint8_t		*ips;		/* u64 each, as recorded */
	size_t		len, cap;
};

#define PD_DEFERRED_BUCKETS	1024
#define PD_DEFERRED_CHAINS	64

/* Samples take no more than this; beyond it the oldest wait no longer. */
#define PD_DEFERRED_MAX_BYTES	(UINT64_C(32) << 20)

struct pd_deferred {
	struct pd_deferred_list	all;		/* oldest first */
	/* By hash of the tid: few threads of many return at a time. */
	struct pd_deferred_list	near[PD_DEFERRED_BUCKETS];
	struct pd_deferred_chain chains[PD_DEFERRED_CHAINS];
	uint64_t		bytes;
	uint8_t			*buf;		/* a merged callchain */
	size_t			cap;
};

void pd_deferred_init(struct pd_deferred *d);
void pd_deferred_free(struct pd_deferred *d);

/* Whether the user part of a sample comes later. */
bool pd_deferred_waits(const struct pd_sample *s);

/* Keep a copy of a sample. */
int pd_deferred_put(struct pd_deferred *d, const struct pd_record *rec,
    const struct pd_event *ev, uint64_t period, struct pd_error *err);

/* The first sample of a thread that waits, or NULL; it does no more. */
struct pd_deferred_sample *pd_deferred_take(struct pd_deferred *d,
    uint32_t tid);

/* The oldest one, while all together take more than max bytes. */
struct pd_deferred_sample *pd_deferred_take_oldest(struct pd_deferred *d,
    uint64_t max);

/* Remember the user part in a CALLCHAIN_DEFERRED record, for its thread. */
int pd_deferred_apply(struct pd_deferred *d, const struct pd_record *rec,
    struct pd_error *err);

/*
 * Give a sample that pd_deferred_waits() the user part, if that is the last
 * one of its thread: 1, 0 if it is not, -1.  Its callchain is then borrowed
 * until the next call.
 */
int pd_deferred_merge(struct pd_deferred *d, struct pd_sample *s,
    struct pd_error *err);

#endif
