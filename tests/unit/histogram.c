/* Quantiles of durations in space that does not grow. */
#include <stdlib.h>

#include "cut/histogram.h"
#include "tap.h"

static struct pd_error err;

static int
by_value(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

static void
without_values_there_are_no_quantiles(void)
{
	struct pd_histogram h = { 0 };

	CHECK_EQ(pd_histogram_quantile(&h, 500), 0);
	pd_histogram_free(&h);
}

static void
small_values_are_exact(void)
{
	struct pd_histogram h = { 0 };

	for (uint64_t v = 0; v <= 100; v++)
		CHECK(pd_histogram_add(&h, v, &err) == 0);
	CHECK_EQ(pd_histogram_quantile(&h, 0), 0);
	CHECK_EQ(pd_histogram_quantile(&h, 500), 50);
	CHECK_EQ(pd_histogram_quantile(&h, 990), 99);
	CHECK_EQ(pd_histogram_quantile(&h, 1000), 100);
	pd_histogram_free(&h);
}

static void
one_value_is_all_quantiles(void)
{
	static const uint64_t values[] = { 0, 1, 127, 128, 129, 1000003,
		UINT64_MAX - 1, UINT64_MAX };

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		struct pd_histogram h = { 0 };

		CHECK(pd_histogram_add(&h, values[i], &err) == 0);
		CHECK_EQ(pd_histogram_quantile(&h, 10), values[i]);
		CHECK_EQ(pd_histogram_quantile(&h, 1000), values[i]);
		CHECK_EQ(h.min, values[i]);
		CHECK_EQ(h.max, values[i]);
		pd_histogram_free(&h);
	}
}

/* Of all magnitudes, against the sorted values. */
static void
quantiles_are_within_a_fifth_of_a_percent(void)
{
	enum { N = 5000 };
	static uint64_t v[N];
	struct pd_histogram h = { 0 };
	uint64_t state = 1;

	for (size_t i = 0; i < N; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		v[i] = (state >> 8) >> (state >> 58);
		CHECK(pd_histogram_add(&h, v[i], &err) == 0);
	}
	qsort(v, N, sizeof(*v), by_value);
	for (unsigned q = 1; q <= 1000; q++) {
		uint64_t want = v[((uint64_t)q * N + 999) / 1000 - 1];
		uint64_t got = pd_histogram_quantile(&h, q);
		uint64_t off = got > want ? got - want : want - got;

		if (!CHECK(off <= want / 500))
			printf("# %u: got %llu, want %llu\n", q,
			    (unsigned long long)got, (unsigned long long)want);
	}
	CHECK_EQ(pd_histogram_quantile(&h, 1000), v[N - 1]);
	pd_histogram_free(&h);
}

int
main(void)
{
	RUN(without_values_there_are_no_quantiles);
	RUN(small_values_are_exact);
	RUN(one_value_is_all_quantiles);
	RUN(quantiles_are_within_a_fifth_of_a_percent);
	return tap_done();
}
