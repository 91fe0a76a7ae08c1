/* Student's t, the normal distribution, and exact Mann-Whitney. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/special.h"

/*
 * The continued fraction of the incomplete beta function (DLMF 8.17.22), by
 * the modified Lentz method.  It converges in O(sqrt(max(a, b))) steps for
 * x < (a + 1) / (a + b + 2).
 */
static double
beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f, n, del;
	int m;

	if (fabs(d) < tiny)
		d = tiny;
	f = d = 1 / d;
	for (m = 1; m < 100000; m++) {
		n = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 + n * d;
		c = 1 + n / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		f *= d * c;
		n = -(a + m) * (a + b + m) * x /
		    ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 + n * d;
		c = 1 + n / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		del = d * c;
		f *= del;
		if (fabs(del - 1) < DBL_EPSILON)
			break;
	}
	return f;
}

/* ln(gamma(x + 1/2) / gamma(x)), where the difference would lose digits. */
static double
half_step(double x)
{
	double r = 1 / x;
	int sign;

	/* The quotient's asymptotic series, from Stirling's (DLMF 5.11.13). */
	if (x > 1e4)
		return .5 * log(x) + r * (-1. / 8 + r * r * (1. / 192));
	return lgamma_r(x + .5, &sign) - lgamma_r(x, &sign);
}

double
pd_t_tails(double t, double df)
{
	double a = df / 2, t2 = t * t, x, y, front;

	if (t2 == 0)
		return 1;
	if (isinf(t2))
		return 0;
	/* I_x(df/2, 1/2); x and y = 1 - x each without cancellation. */
	x = df / (df + t2);
	y = t2 / (df + t2);
	/* x^a y^(1/2) / B(a, 1/2), gamma(1/2) = sqrt(pi) */
	front = exp(half_step(a) - .5 * log(M_PI) +
	    a * (x < .5 ? log(x) : log1p(-y)) +
	    .5 * log(y));
	if (x < (a + 1) / (a + 2.5))
		return front * beta_fraction(a, .5, x) / a;
	return 1 - front * beta_fraction(.5, a, y) / .5;
}

double
pd_t_upper(double q, double df)
{
	double lo = 0, hi = 1, mid, p;
	int i;

	if (q == .5)
		return 0;
	if (q > .5)
		return -pd_t_upper(1 - q, df);
	while (pd_t_tails(hi, df) > 2 * q && hi < 1e300)
		hi *= 2;
	/* Bisection: it cannot fail, and nobody asks for many. */
	for (i = 0; i < 200; i++) {
		mid = lo + (hi - lo) / 2;
		if (mid == lo || mid == hi)
			break;
		p = pd_t_tails(mid, df);
		if (p > 2 * q)
			lo = mid;
		else
			hi = mid;
	}
	return lo + (hi - lo) / 2;
}

double
pd_normal_tail(double z)
{
	return .5 * erfc(z / M_SQRT2);
}

double
pd_normal_upper(double q)
{
	double lo = -40, hi = 40, mid;
	int i;

	for (i = 0; i < 200; i++) {
		mid = lo + (hi - lo) / 2;
		if (mid == lo || mid == hi)
			break;
		if (pd_normal_tail(mid) > q)
			lo = mid;
		else
			hi = mid;
	}
	return lo + (hi - lo) / 2;
}

double
pd_chi2_tail(double x)
{
	return erfc(sqrt(x / 2));
}

/* ---- Mann-Whitney -------------------------------------------------------- */

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Twice the middle rank of v among all[0..len), which is sorted. */
static size_t
rank2(const double *all, size_t len, double v)
{
	size_t below = 0, upto;

	while (below < len && all[below] < v)
		below++;
	for (upto = below; upto < len && all[upto] == v; upto++)
		;
	return below + upto + 1;
}

/*
 * Counts, for subsets of n of the ranks, by their sum: ways[k * width + s] of
 * k of those so far.  Doubles hold the counts of 2 * 30 values exactly.
 */
static void
count_sums(double *ways, size_t width, const size_t *ranks, size_t len,
    size_t n)
{
	size_t i, k, s;

	ways[0] = 1;
	for (i = 0; i < len; i++)
		for (k = i + 1 < n ? i + 1 : n; k > 0; k--)
			for (s = width; s-- > ranks[i];)
				ways[k * width + s] +=
				    ways[(k - 1) * width + s - ranks[i]];
}

int
pd_mwu(const double *a, size_t n, const double *b, size_t m, double *p,
    struct pd_error *err)
{
	size_t len = n + m, sum = 0, width = 1, i, s, middle;
	double *all = pd_calloc(len, sizeof(*all), err), *ways = NULL;
	size_t *ranks = pd_calloc(len, sizeof(*ranks), err);
	double total = 0, far = 0;

	if (all == NULL || ranks == NULL)
		goto out;
	memcpy(all, a, n * sizeof(*a));
	memcpy(all + n, b, m * sizeof(*b));
	qsort(all, len, sizeof(*all), by_value);
	for (i = 0; i < len; i++) {
		ranks[i] = rank2(all, len, all[i]);
		width += ranks[i];
	}
	for (i = 0; i < n; i++)
		sum += rank2(all, len, a[i]);
	ways = pd_calloc((n + 1) * width, sizeof(*ways), err);
	if (ways == NULL)
		goto out;
	count_sums(ways, width, ranks, len, n);
	/* Sums lie symmetrically around n (len + 1), these being doubled. */
	middle = n * (len + 1);
	for (s = 0; s < width; s++) {
		total += ways[n * width + s];
		if ((s > middle ? s - middle : middle - s) >=
		    (sum > middle ? sum - middle : middle - sum))
			far += ways[n * width + s];
	}
	*p = far / total;
out:
	free(all);
	free(ranks);
	free(ways);
	return ways == NULL ? -1 : 0;
}
