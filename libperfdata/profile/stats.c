/* Tests of a difference, and corrections for many of them. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "profile/special.h"
#include "profile/stats.h"

static double
mean(const double *v, size_t n)
{
	double s = 0;
	size_t i;

	for (i = 0; i < n; i++)
		s += v[i];
	return s / (double)n;
}

/* Of a sample: divided by n - 1. */
static double
variance(const double *v, size_t n)
{
	double m = mean(v, n), s = 0;
	size_t i;

	for (i = 0; i < n; i++)
		s += (v[i] - m) * (v[i] - m);
	return s / (double)(n - 1);
}

void
pd_stat_judge(struct pd_effect *e, double min_effect)
{
	double over = fabs(e->diff) - min_effect;

	e->t = e->se > 0 ? e->diff / e->se : 0;
	e->p = e->se > 0 ? pd_t_tails(e->t, e->df) : 1;
	/* Both tails, so that it is the same p with min_effect 0. */
	e->pf = over <= 0 ? 1 : e->se > 0 ?
	    pd_t_tails(over / e->se, e->df) : 1;
}

/* One run against many: where the next run would lie. */
static bool
predict(const struct pd_groups *g, double min_effect, struct pd_effect *e)
{
	bool one_new = g->m == 1;
	size_t n = one_new ? g->n : g->m;
	double v;

	if (n < 5)
		return false;
	v = fmax(variance(one_new ? g->a : g->b, n),
	    one_new ? g->floor_a : g->floor_b);
	e->se = sqrt(v * (1 + 1 / (double)n));
	e->df = (double)n - 1;
	pd_stat_judge(e, min_effect);
	return true;
}

bool
pd_stat_welch(const struct pd_groups *g, double min_effect,
    struct pd_effect *e)
{
	double va, vb;

	*e = (struct pd_effect){ .p = 1, .pf = 1 };
	e->diff = mean(g->b, g->m) - mean(g->a, g->n);
	if (g->n == 1 || g->m == 1)
		return predict(g, min_effect, e);
	va = fmax(variance(g->a, g->n), g->floor_a) / (double)g->n;
	vb = fmax(variance(g->b, g->m), g->floor_b) / (double)g->m;
	e->se = sqrt(va + vb);
	e->df = va + vb > 0 ? (va + vb) * (va + vb) /
	    (va * va / (double)(g->n - 1) + vb * vb / (double)(g->m - 1)) :
	    (double)(g->n + g->m - 2);
	pd_stat_judge(e, min_effect);
	return true;
}

bool
pd_stat_paired(const struct pd_groups *g, double min_effect,
    struct pd_effect *e)
{
	double d, s = 0, n = (double)g->n;
	size_t i;

	*e = (struct pd_effect){ .p = 1, .pf = 1, .paired = true };
	for (i = 0; i < g->n; i++)
		e->diff += g->b[i] - g->a[i];
	e->diff /= n;
	if (g->n < 2)
		return false;
	for (i = 0; i < g->n; i++) {
		d = g->b[i] - g->a[i] - e->diff;
		s += d * d;
	}
	e->se = sqrt(fmax(s / (n - 1), g->floor_a + g->floor_b) / n);
	e->df = n - 1;
	pd_stat_judge(e, min_effect);
	return true;
}

double
pd_stat_mde(double se, double df, double alpha, double power,
    double min_effect)
{
	return (pd_t_upper(alpha / 2, df) + pd_t_upper(1 - power, df)) * se +
	    min_effect;
}

/* ---- families ------------------------------------------------------------ */

struct ranked {
	double	key;
	size_t	at;
};

static int
by_key(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Places sorted by v[i] / w[i]; free(3) it. */
static struct ranked *
rank(const double *v, const double *w, size_t len, struct pd_error *err)
{
	struct ranked *r = pd_calloc(len + 1, sizeof(*r), err);
	size_t i;

	if (r == NULL)
		return NULL;
	for (i = 0; i < len; i++)
		r[i] = (struct ranked){ w ? v[i] / w[i] : v[i], i };
	qsort(r, len, sizeof(*r), by_key);
	return r;
}

int
pd_stat_holm(const double *p, const double *w, size_t len, double *adj,
    struct pd_error *err)
{
	struct ranked *r = rank(p, w, len, err);
	double left = 0, max = 0;
	size_t i;

	if (r == NULL)
		return -1;
	/* Those that are left share the level: summed up from the end. */
	for (i = len; i-- > 0;) {
		left += w ? w[r[i].at] : 1;
		adj[r[i].at] = r[i].key * left;
	}
	for (i = 0; i < len; i++) {
		max = fmin(1, fmax(max, adj[r[i].at]));
		adj[r[i].at] = max;
	}
	free(r);
	return 0;
}

int
pd_stat_bh(const double *p, size_t len, double *q, struct pd_error *err)
{
	struct ranked *r = rank(p, NULL, len, err);
	double min = 1;
	size_t i;

	if (r == NULL)
		return -1;
	for (i = len; i-- > 0;) {
		min = fmin(min, r[i].key * (double)len / (double)(i + 1));
		q[r[i].at] = min;
	}
	free(r);
	return 0;
}

/* Middle ranks of v into out. */
static int
ranks_of(const double *v, size_t len, double *out, struct pd_error *err)
{
	struct ranked *r = rank(v, NULL, len, err);
	size_t i, j, k;

	if (r == NULL)
		return -1;
	for (i = 0; i < len; i = j) {
		for (j = i; j < len && r[j].key == r[i].key; j++)
			;
		for (k = i; k < j; k++)
			out[r[k].at] = (double)(i + j - 1) / 2;
	}
	free(r);
	return 0;
}

int
pd_stat_spearman(const double *x, const double *y, size_t len, double *r,
    double *p, struct pd_error *err)
{
	double *rx = pd_calloc(2 * len + 1, sizeof(*rx), err), *ry, m;
	double sxy = 0, sxx = 0, syy = 0, df = (double)len - 2;
	size_t i;

	*r = 0;
	*p = 1;
	if (rx == NULL)
		return -1;
	ry = rx + len;
	if (ranks_of(x, len, rx, err) == -1 ||
	    ranks_of(y, len, ry, err) == -1) {
		free(rx);
		return -1;
	}
	m = ((double)len - 1) / 2;
	for (i = 0; i < len; i++) {
		sxy += (rx[i] - m) * (ry[i] - m);
		sxx += (rx[i] - m) * (rx[i] - m);
		syy += (ry[i] - m) * (ry[i] - m);
	}
	if (len > 2 && sxx > 0 && syy > 0) {
		*r = sxy / sqrt(sxx * syy);
		*p = fabs(*r) >= 1 ? 0 :
		    pd_t_tails(*r * sqrt(df / (1 - *r * *r)), df);
	}
	free(rx);
	return 0;
}

double
pd_stat_chi2(double ka, double na, double kb, double nb)
{
	double n = na + nb, yes = ka + kb, no = n - yes;
	double d = ka * (nb - kb) - kb * (na - ka);

	return na <= 0 || nb <= 0 || yes <= 0 || no <= 0 ? 0 :
	    d * d * n / (na * nb * yes * no);
}
