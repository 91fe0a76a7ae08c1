/* What to do after an answer of the server, and how long to wait. */
#ifndef PD_PUSH_RETRY_H
#define PD_PUSH_RETRY_H

#include "perfdata.h"

enum pd_push_api { PD_PUSH_CONNECT, PD_PUSH_INGEST };

/* How a request ended. */
struct pd_answer {
	bool		unreached;	/* no answer: text says why */
	bool		hopeless;	/* and that will stay so: TLS, bad URL */
	unsigned	status;		/* of HTTP */
	uint64_t	retry_after;	/* ns, 0 when not asked for */
	bool		html;		/* who speaks is no profile server */
	char		text[512];	/* what was said, printable */
};

enum pd_verdict {
	PD_STORED,
	PD_RETRY,		/* the same again, later */
	PD_SPLIT,		/* again in two halves */
	PD_REJECTED,		/* this one will never be taken */
	PD_REFUSED,		/* nor will any other from us */
};

/*
 * profiles is how many the request had, tries how often it was sent.  Part of
 * them may be stored whatever the answer is: what is sent again must be the
 * same, as the server keeps one of two profiles with equal labels and time.
 */
enum pd_verdict pd_answer_judge(const struct pd_answer *a,
    enum pd_push_api api, size_t profiles, unsigned tries);

/*
 * How long to wait before the next try, in ns: at random up to twice as much
 * after each failure (full jitter, so that clients do not come back together),
 * but not less than the server asked for.  random is any number.
 */
uint64_t pd_retry_delay(unsigned failures, uint64_t retry_after,
    uint64_t random);

#endif
