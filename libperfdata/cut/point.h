/* A point in time as people write it: see pd-time(7). */
#ifndef PD_CUT_POINT_H
#define PD_CUT_POINT_H

#include "perfdata.h"

#define PD_POINT_WHOLE	UINT64_C(100000000000000)	/* 100 % */

enum pd_point_kind {
	PD_POINT_TIME,			/* ns of the recording's clock */
	PD_POINT_FIRST,			/* ns after the first sample */
	PD_POINT_LAST,			/* ns before the last sample */
	PD_POINT_PART,			/* of PD_POINT_WHOLE, of the recording */
	PD_POINT_WALL,			/* ns since 1970 */
};

struct pd_point {
	enum pd_point_kind	kind;
	uint64_t		value;
};

/* What a recording says of its time. */
struct pd_timebase {
	const struct pd_info	*info;
	uint64_t		first, last;	/* samples; or PD_NOTIME */
};

/* what names the text in messages. */
int pd_point_parse(const char *text, const char *what, struct pd_point *pt,
    struct pd_error *err);

/* PD_WINDOWS_* */
unsigned pd_point_needs(struct pd_point pt);

/*
 * The time of the recording's clock, moved into what can be told.  PD_EARG
 * when the recording lacks the wall clock.
 */
int pd_point_resolve(struct pd_point pt, const struct pd_timebase *base,
    uint64_t *time, struct pd_error *err);

/* a + b, at most UINT64_MAX; a - b, at least 0. */
static inline uint64_t
pd_later(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t
pd_earlier(uint64_t a, uint64_t b)
{
	return a < b ? 0 : a - b;
}

#endif
