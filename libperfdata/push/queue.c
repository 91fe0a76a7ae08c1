/*
 * The order of requests: the oldest first, but one that must wait lets others
 * by.  While the server fails, one request at a time finds out whether it is
 * back.
 */
#include "push/queue.h"

void
pd_queue_init(struct pd_queue *q)
{
	*q = (struct pd_queue){ 0 };
	q->last = &q->first;
}

void
pd_queue_put(struct pd_queue *q, struct pd_entry *e, uint64_t now)
{
	e->next = NULL;
	e->born = now;
	*q->last = e;
	q->last = &e->next;
	q->len++;
}

void
pd_queue_put_behind(struct pd_queue *q, struct pd_entry *at,
    struct pd_entry *e)
{
	e->born = at->born;
	e->next = at->next;
	at->next = e;
	if (q->last == &at->next)
		q->last = &e->next;
	q->len++;
}

void
pd_queue_take_out(struct pd_queue *q, struct pd_entry *e)
{
	struct pd_entry **p;

	for (p = &q->first; *p != e; p = &(*p)->next)
		;
	*p = e->next;
	if (q->last == &e->next)
		q->last = p;
	q->len--;
}

void
pd_queue_end(struct pd_queue *q, uint64_t now)
{
	if (q->ending_since == 0)
		q->ending_since = now;
}

struct pd_entry *
pd_queue_next(const struct pd_queue *q, uint64_t now, uint64_t *wait)
{
	size_t parallel = q->failing_since != 0 ? 1 : q->parallel;
	struct pd_entry *e;

	*wait = PD_NOTIME;
	if (q->sending >= parallel)
		return NULL;
	if (now < q->not_before && q->len > 0) {
		*wait = q->not_before - now;
		return NULL;
	}
	for (e = q->first; e != NULL; e = e->next) {
		if (e->sending)
			continue;
		if (e->not_before <= now)
			return e;
		if (e->not_before - now < *wait)
			*wait = e->not_before - now;
	}
	return NULL;
}

/*
 * A bucket as the server has one: it fills with rate, up to burst.  What is
 * sent together passes or fails one by one there, and what is sent again is
 * counted twice until the server has merged it: so better not be refused.
 */
uint64_t
pd_queue_pace(struct pd_queue *q, uint64_t raw, uint64_t now)
{
	uint64_t need = raw < q->burst ? raw : q->burst, more;

	if (q->rate == 0)
		return 0;
	more = (uint64_t)((unsigned __int128)(now - q->allowance_time) *
	    q->rate / 1000000000);
	if (q->allowance_time == 0 || more > q->burst - q->allowance)
		q->allowance = q->burst;
	else
		q->allowance += more;
	q->allowance_time = now;
	if (q->allowance >= need)
		return 0;
	return (need - q->allowance) * 1000000000 / q->rate + 1;
}

void
pd_queue_sent(struct pd_queue *q, struct pd_entry *e, uint64_t raw,
    uint64_t now)
{
	e->sending = true;
	if (e->tries++ == 0)
		e->first_try = now;
	q->sending++;
	q->allowance -= raw < q->allowance ? raw : q->allowance;
}

static uint64_t
later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* What is in the spool can wait as long as we are there. */
bool
pd_queue_hopeless(const struct pd_queue *q, const struct pd_entry *e,
    uint64_t now)
{
	uint64_t since = e->born;

	if (e->sending || (e->spooled && q->ending_since == 0))
		return false;
	if (e->spooled)
		since = later(since, q->ending_since);
	if (q->failing_since != 0 &&
	    now - later(since, q->failing_since) >= q->budget)
		return true;
	return e->tries > 0 &&
	    now - later(since, e->first_try) >= q->budget;
}

static void
fail(struct pd_queue *q, struct pd_entry *e, uint64_t retry_after,
    uint64_t now, uint64_t random)
{
	if (q->failures++ == 0)
		q->failing_since = now;
	e->not_before = now + pd_retry_delay(e->tries, retry_after, random);
	/* One that fails by itself must not hold up the others for long. */
	q->not_before = now + pd_retry_delay(q->failures, retry_after,
	    random / 3);
}

enum pd_queue_outcome
pd_queue_answered(struct pd_queue *q, struct pd_entry *e,
    enum pd_verdict verdict, uint64_t retry_after, uint64_t now,
    uint64_t random)
{
	e->sending = false;
	q->sending--;
	if (verdict == PD_RETRY) {
		fail(q, e, retry_after, now, random);
		return PD_AGAIN;
	}
	/* Whatever it said, it is there. */
	q->failures = 0;
	q->failing_since = q->not_before = 0;
	if (verdict == PD_SPLIT)
		return PD_HALVE;
	return PD_GONE;
}
