/*
 * The order in which requests are sent, and when.  It knows no clock and no
 * network: it is told the time, and what became of a request.
 */
#ifndef PD_PUSH_QUEUE_H
#define PD_PUSH_QUEUE_H

#include "push/request.h"

struct pd_entry {
	struct pd_entry	*next;
	struct pd_request *request;	/* NULL: it is in the spool only */
	uint64_t	spooled;	/* its number there; 0: it is not */
	bool		old;		/* it was there when we came */
	bool		sending;
	unsigned	tries;
	uint64_t	born, first_try, not_before;
};

struct pd_queue {
	/* set by the owner; all times are ns of one clock that is not 0 */
	size_t		parallel;	/* requests under way at most */
	uint64_t	budget;		/* how long to try in vain */
	uint64_t	rate, burst;	/* bytes a second; 0: no limit */

	struct pd_entry	*first, **last;
	size_t		len, sending;
	unsigned	failures;	/* since the last success */
	uint64_t	failing_since, not_before;	/* 0: not failing */
	uint64_t	ending_since;	/* 0: more is to come */
	uint64_t	allowance, allowance_time;
};

/* What becomes of an entry that was answered. */
enum pd_queue_outcome {
	PD_GONE,		/* delivered or rejected: take it away */
	PD_AGAIN,		/* it stays, for later; see pd_queue_hopeless() */
	PD_HALVE,		/* to be replaced by two */
};

void pd_queue_init(struct pd_queue *q);
void pd_queue_put(struct pd_queue *q, struct pd_entry *e, uint64_t now);
void pd_queue_put_behind(struct pd_queue *q, struct pd_entry *at,
    struct pd_entry *e);
void pd_queue_take_out(struct pd_queue *q, struct pd_entry *e);

/* No more will be put: from now on those in the spool have no more time. */
void pd_queue_end(struct pd_queue *q, uint64_t now);

/*
 * The first that may be sent now, or NULL: then *wait is for how long nothing
 * changes by itself (PD_NOTIME: until an answer comes).
 */
struct pd_entry *pd_queue_next(const struct pd_queue *q, uint64_t now,
    uint64_t *wait);
/* How long to wait before so many bytes are sent, for the rate. */
uint64_t pd_queue_pace(struct pd_queue *q, uint64_t raw, uint64_t now);

void pd_queue_sent(struct pd_queue *q, struct pd_entry *e, uint64_t raw,
    uint64_t now);
enum pd_queue_outcome pd_queue_answered(struct pd_queue *q, struct pd_entry *e,
    enum pd_verdict verdict, uint64_t retry_after, uint64_t now,
    uint64_t random);

/* Whether a waiting entry has been waiting for a dead server for too long. */
bool pd_queue_hopeless(const struct pd_queue *q, const struct pd_entry *e,
    uint64_t now);

#endif
