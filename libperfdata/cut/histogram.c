/*
 * Histograms with buckets that grow with the values: 64 to each power of two,
 * so that every value of a bucket is within 1/128 of its middle.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "cut/histogram.h"

enum {
	STEP_BITS = 6,
	STEPS = 1 << STEP_BITS,
	BUCKETS = (64 - STEP_BITS + 1) * STEPS,
};

/* Values below 2 * STEPS have a bucket each. */
static unsigned
shift_of(uint64_t v)
{
	return v < 2 * STEPS ? 0 : 63 - (unsigned)__builtin_clzll(v) - STEP_BITS;
}

int
pd_histogram_add(struct pd_histogram *h, uint64_t v, struct pd_error *err)
{
	unsigned shift = shift_of(v);

	if (h->buckets == NULL && (h->buckets = pd_calloc(BUCKETS,
	    sizeof(*h->buckets), err)) == NULL)
		return -1;
	h->buckets[shift * STEPS + (v >> shift)]++;
	if (h->len == 0 || v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
	h->len++;
	return 0;
}

/* The middle of a bucket. */
static uint64_t
value_of(size_t bucket)
{
	unsigned shift = bucket < 2 * STEPS ? 0 :
	    (unsigned)(bucket / STEPS) - 1;
	uint64_t low = (uint64_t)(bucket - shift * STEPS) << shift;

	return low + ((UINT64_C(1) << shift) - 1) / 2;
}

uint64_t
pd_histogram_quantile(const struct pd_histogram *h, unsigned thousandths)
{
	uint64_t rank = (uint64_t)(((unsigned __int128)h->len * thousandths +
	    999) / 1000), n = 0, v;
	size_t i;

	if (h->len == 0)
		return 0;
	if (rank >= h->len)
		return h->max;
	for (i = 0; (n += h->buckets[i]) < rank; i++)
		continue;
	v = value_of(i);
	return v < h->min ? h->min : v > h->max ? h->max : v;
}

void
pd_histogram_free(struct pd_histogram *h)
{
	free(h->buckets);
}
