/* Counts of durations, in space that does not grow, for their quantiles. */
#ifndef PD_CUT_HISTOGRAM_H
#define PD_CUT_HISTOGRAM_H

#include "perfdata.h"

/* Zero is empty. */
struct pd_histogram {
	uint64_t	*buckets;
	uint64_t	len, min, max;	/* of values */
};

int pd_histogram_add(struct pd_histogram *h, uint64_t v, struct pd_error *err);

/*
 * The value that so many thousandths of all are not larger than, by nearest
 * rank, within 1 %; exact up to 127 and for the largest.  0 when there is none.
 */
uint64_t pd_histogram_quantile(const struct pd_histogram *h,
    unsigned thousandths);
void pd_histogram_free(struct pd_histogram *h);

#endif
