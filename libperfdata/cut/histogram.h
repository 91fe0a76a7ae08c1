/* Counts of durations, in space that does not grow, for their quantiles. */
#ifndef PD_CUT_HISTOGRAM_H
#define PD_CUT_HISTOGRAM_H

#include "perfdata.h"

enum {
	PD_HISTOGRAM_BITS = 8,		/* of a value that count, below its first */
	PD_HISTOGRAM_STEPS = 1 << PD_HISTOGRAM_BITS,
	PD_HISTOGRAM_OCTAVES = 64 - PD_HISTOGRAM_BITS + 1,
};

/* Zero is empty. */
struct pd_histogram {
	uint64_t	*octaves[PD_HISTOGRAM_OCTAVES];	/* NULL: nothing there */
	uint64_t	len, min, max;	/* of values */
};

int pd_histogram_add(struct pd_histogram *h, uint64_t v, struct pd_error *err);

/*
 * The value that so many thousandths of all are not larger than, by nearest
 * rank, within 0.2 %; exact up to 511 and for the largest.  0 when there is none.
 */
uint64_t pd_histogram_quantile(const struct pd_histogram *h,
    unsigned thousandths);
void pd_histogram_free(struct pd_histogram *h);

#endif
