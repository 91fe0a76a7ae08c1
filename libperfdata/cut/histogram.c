/*
 * Histograms with buckets that grow with the values: 256 to each power of two,
 * so that every value of a bucket is within 1/512 of its middle.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "cut/histogram.h"

enum { BITS = PD_HISTOGRAM_BITS, STEPS = PD_HISTOGRAM_STEPS };

/* The first octave has one step a value, for those below STEPS. */
static unsigned
octave_of(uint64_t v)
{
	return v < STEPS ? 0 : 64 - (unsigned)__builtin_clzll(v) - BITS;
}

static unsigned
shift_of(unsigned octave)
{
	return octave > 0 ? octave - 1 : 0;
}

int
pd_histogram_add(struct pd_histogram *h, uint64_t v, struct pd_error *err)
{
	unsigned i = octave_of(v);

	if (h->octaves[i] == NULL && (h->octaves[i] = pd_calloc(STEPS,
	    sizeof(*h->octaves[i]), err)) == NULL)
		return -1;
	h->octaves[i][(v >> shift_of(i)) % STEPS]++;
	if (h->len == 0 || v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
	h->len++;
	return 0;
}

/* The middle of a bucket. */
static uint64_t
value_of(unsigned octave, unsigned step)
{
	unsigned shift = shift_of(octave);
	uint64_t low = octave > 0 ? (uint64_t)(STEPS + step) << shift : step;

	return low + ((UINT64_C(1) << shift) - 1) / 2;
}

uint64_t
pd_histogram_quantile(const struct pd_histogram *h, unsigned thousandths)
{
	uint64_t rank = (uint64_t)(((unsigned __int128)h->len * thousandths +
	    999) / 1000), n = 0, v;
	unsigned i, step;

	if (rank == 0)
		return h->min;
	for (i = 0; rank < h->len && i < PD_HISTOGRAM_OCTAVES; i++)
		for (step = 0; h->octaves[i] != NULL && step < STEPS; step++)
			if ((n += h->octaves[i][step]) >= rank) {
				v = value_of(i, step);
				return v < h->min ? h->min :
				    v > h->max ? h->max : v;
			}
	return h->max;
}

void
pd_histogram_free(struct pd_histogram *h)
{
	unsigned i;

	for (i = 0; i < PD_HISTOGRAM_OCTAVES; i++)
		free(h->octaves[i]);
}
