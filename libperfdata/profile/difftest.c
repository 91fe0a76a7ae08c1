/*
 * Tests every function for a difference between the sides.
 *
 * A function is tested by the logarithm of its cost per unit of work.  Which
 * functions are tested, how the level is shared among them, and which of two
 * tests is taken is decided without looking at which run is of which side, so
 * that none of it makes false alarms more likely.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profile/diff.h"
#include "profile/special.h"

#define DRIFT_LEAST	12	/* functions that show a drift, if there is one */
#define PERM_EXACT	1000000	/* more permutations than that are drawn */
#define PERM_DRAWS	100000

/* Logarithms of costs of both sides, with room for a shifted copy. */
struct values {
	struct pd_groups	g;
	double			*a, *b;
};

static int
values_new(const struct pd_diff *d, struct values *v, struct pd_error *err)
{
	size_t n = d->len[0], m = d->len[1];

	v->a = pd_calloc(2 * (n + m), sizeof(*v->a), err);
	if (v->a == NULL)
		return -1;
	v->b = v->a + n;
	v->g = (struct pd_groups){ v->a, v->b, n, m, 0, 0 };
	return 0;
}

/*
 * The least variances are Poisson's of the mean count, times kappa: of both
 * sides together, unless their rates differ.
 */
static void
set_floors(const struct pd_diff *d, const struct pd_change *c,
    struct values *v)
{
	double n = (double)v->g.n, m = (double)v->g.m;
	double ka = c->k_base / n + .5, kb = c->k_new / m + .5;
	double k = c->k + .5, ratio;

	ratio = (pd_diff_run_at(d, d->len[0])->each /
	    pd_diff_run_at(d, 0)->each);
	if (fabs(log(ratio)) < log(1.05))
		ka = kb = k;
	v->g.floor_a = d->opts.kappa / ka;
	v->g.floor_b = d->opts.kappa / kb;
}

double
pd_diff_value(const struct pd_diff *d, const struct pd_diff_run *r, double cost)
{
	/* Without a pseudo-count, none is next to nothing. */
	return log(fmax(cost + d->opts.pseudo * r->each, DBL_MIN) / r->units);
}

/* What a function cost in each run; cost[i * step] is that of the i-th run. */
static void
set_values(const struct pd_diff *d, const struct pd_cost *cost, size_t step,
    struct pd_change *c, struct values *v)
{
	size_t n = d->len[0], m = d->len[1], i;
	const struct pd_diff_run *r;
	const struct pd_cost *x;

	c->base = c->new = c->k_base = c->k_new = 0;
	for (i = 0; i < n + m; i++) {
		r = pd_diff_run_at(d, i);
		x = &cost[i * step];
		v->a[i] = pd_diff_value(d, r, x->c);
		if (i < n) {
			c->base += x->c / r->units;
			c->k_base += x->k;
		} else {
			c->new += x->c / r->units;
			c->k_new += x->k;
		}
	}
	c->base /= (double)n;
	c->new /= (double)m;
	c->k = (c->k_base + c->k_new) / (double)(n + m);
	set_floors(d, c, v);
}

/* ---- tests of ranks and permutations ------------------------------------- */

static double
diff_of(const double *v, const bool *in_b, size_t n, size_t m)
{
	double a = 0, b = 0;
	size_t i;

	for (i = 0; i < n + m; i++)
		if (in_b[i])
			b += v[i];
		else
			a += v[i];
	return b / (double)m - a / (double)n;
}

/* xorshift64* (Vigna, 2016) */
uint64_t
pd_diff_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1du;
}

/* The next subset of the same size; false after the last. */
static bool
next_subset(bool *in, size_t len)
{
	size_t i, j, ones = 0;

	/* Move the last that can move, and all behind it next to it. */
	for (i = len; i-- > 0 && in[i];)
		ones++;
	for (i = len - ones; i-- > 0 && !in[i];)
		;
	if (i == SIZE_MAX)
		return false;
	in[i] = false;
	for (j = i + 1; j < len; j++)
		in[j] = j <= i + 1 + ones;
	return true;
}

static void
shuffle(bool *in, size_t len, uint64_t *state)
{
	size_t i, j;
	bool t;

	for (i = len; i > 1; i--) {
		j = pd_diff_random(state) % i;
		t = in[i - 1];
		in[i - 1] = in[j];
		in[j] = t;
	}
}

static double
choose(size_t n, size_t k)
{
	double c = 1;
	size_t i;

	for (i = 1; i <= k; i++)
		c *= (double)(n - k + i) / (double)i;
	return c;
}

/* The least p that the test can have, whatever the runs are. */
static double
least_p(const struct pd_diff *d)
{
	double ways = choose(d->len[0] + d->len[1], d->len[0]);

	if (d->len[0] == 1 || d->len[1] == 1)	/* they are not ranked */
		return 0;
	return d->opts.test == PD_TEST_MWU ? 2 / ways :
	    d->opts.test != PD_TEST_PERM ? 0 :
	    ways <= PERM_EXACT ? 2 / ways : 1. / PERM_DRAWS;
}

/* p of the difference of means among all ways to label the runs. */
static int
permute(const struct pd_diff *d, const double *v, size_t n, size_t m,
    double *p, struct pd_error *err)
{
	bool *in = pd_calloc(n + m, sizeof(*in), err);
	bool exact = choose(n + m, n) <= PERM_EXACT;
	uint64_t state = d->opts.seed * 2 + 1;
	double seen, far = 0, all = 0;
	size_t i;

	if (in == NULL)
		return -1;
	for (i = n; i < n + m; i++)
		in[i] = true;
	seen = fabs(diff_of(v, in, n, m)) * (1 - 1e-12);
	if (exact) {
		for (i = 0; i < n + m; i++)
			in[i] = i < m;
		do {
			all++;
			far += fabs(diff_of(v, in, n, m)) >= seen;
		} while (next_subset(in, n + m));
	} else {
		/* The labels as they are count as one, so p is never 0. */
		for (far = all = 1; all <= PERM_DRAWS; all++) {
			shuffle(in, n + m, &state);
			far += fabs(diff_of(v, in, n, m)) >= seen;
		}
	}
	*p = far / all;
	free(in);
	return 0;
}

/*
 * p of a test of ranks or permutations, and, with the new side moved by the
 * least effect towards the base, of there being more than that.
 */
static int
test_labels(const struct pd_diff *d, const struct values *v,
    struct pd_change *c, struct pd_error *err)
{
	size_t n = v->g.n, m = v->g.m, i;
	double *moved = v->b + m, by, *p;
	int r = 0, pass;

	for (pass = 0; pass < 2 && r == 0; pass++) {
		p = pass ? &c->e.pf : &c->e.p;
		by = pass ? copysign(c->min_effect, c->e.diff) : 0;
		for (i = 0; i < n + m; i++)
			moved[i] = v->a[i] - (i < n ? 0 : by);
		if (pass && fabs(c->e.diff) <= c->min_effect)
			*p = 1;
		else if (d->opts.test == PD_TEST_MWU)
			r = pd_mwu(moved, n, moved + n, m, p, err);
		else
			r = permute(d, moved, n, m, p, err);
	}
	return r;
}

/* Counts of a function against all others, as if samples were independent. */
static void
test_counts(const struct pd_diff *d, struct pd_change *c)
{
	double na = 0, nb = 0;
	size_t i;

	for (i = 0; i < d->len[0]; i++)
		na += (double)d->runs[0][i].stacks.samples;
	for (i = 0; i < d->len[1]; i++)
		nb += (double)d->runs[1][i].stacks.samples;
	c->e.p = c->e.pf = pd_chi2_tail(pd_stat_chi2(c->k_base, na, c->k_new,
	    nb));
}

/* ---- one function -------------------------------------------------------- */

/*
 * Pairs take out what both runs of a pair have in common, but have half the
 * degrees of freedom: the test that would see the smaller change is taken.
 * That follows from the variances alone, which say nothing of the difference.
 */
static void
test_means(const struct pd_diff *d, const struct values *v, double alpha,
    struct pd_change *c)
{
	struct pd_effect paired;
	double w, p;

	if (d->opts.test == PD_TEST_PAIRED) {
		c->has_test = pd_stat_paired(&v->g, c->min_effect, &c->e);
		return;
	}
	c->has_test = pd_stat_welch(&v->g, c->min_effect, &c->e);
	if (d->opts.test != PD_TEST_AUTO || d->seq != PD_SEQ_PAIRS ||
	    v->g.n < 2 || !c->has_test || c->e.se == 0)
		return;
	pd_stat_paired(&v->g, c->min_effect, &paired);
	w = pd_stat_mde(c->e.se, c->e.df, alpha, PD_POWER, 0);
	p = pd_stat_mde(paired.se, paired.df, alpha, PD_POWER, 0);
	if (p < w)
		c->e = paired;
}

static int
test_values(const struct pd_diff *d, const struct values *v, double alpha,
    struct pd_change *c, struct pd_error *err)
{
	test_means(d, v, alpha, c);
	if (!c->has_test)
		return 0;
	if (d->opts.test == PD_TEST_CHI2)
		test_counts(d, c);
	if ((d->opts.test == PD_TEST_MWU || d->opts.test == PD_TEST_PERM) &&
	    v->g.n > 1 && v->g.m > 1)
		return test_labels(d, v, c, err);
	return 0;
}

/*
 * The variance of a single run of each side, which a change of the machine
 * between two sessions is taken to be as large as.
 */
static double
session_variance(const struct pd_change *c, const struct values *v)
{
	double n = (double)v->g.n, m = (double)v->g.m;

	return c->e.se * c->e.se * (c->e.paired ? n : 2 * n * m / (n + m));
}

void
pd_diff_interval(const struct pd_diff *d, struct pd_change *c, double alpha,
    double inflate)
{
	double half, se = c->e.se * inflate;

	if (!c->has_test || c->e.se == 0) {
		c->lo = -1;
		c->hi = c->mde = INFINITY;
		return;
	}
	half = pd_t_upper(d->opts.alpha / 2, c->e.df) * c->e.se;
	c->lo = expm1(c->e.diff - half);
	c->hi = expm1(c->e.diff + half);
	c->mde = least_p(d) > alpha ? INFINITY : expm1(pd_stat_mde(se,
	    c->e.df, alpha, PD_POWER, c->min_effect));
}

int
pd_diff_test_one(const struct pd_diff *d, const struct pd_cost *cost,
    struct pd_change *c, double alpha, struct pd_error *err)
{
	struct values v;
	int r;

	if (values_new(d, &v, err) == -1)
		return -1;
	c->min_effect = log1p(d->opts.min_effect);
	set_values(d, cost, 1, c, &v);
	r = test_values(d, &v, alpha, c, err);
	pd_diff_interval(d, c, alpha, 1);
	c->impact = (c->new - c->base) / d->total.base;
	free(v.a);
	return r;
}

/* ---- the family ---------------------------------------------------------- */

static int
by_text(const void *a, const void *b)
{
	return strcmp(((const struct pd_change *)a)->name,
	    ((const struct pd_change *)b)->name);
}

/* Take over what the rules say of a function. */
static void
apply_rule(const struct pd_diff *d, struct pd_change *c)
{
	const struct pd_rule *rule = pd_rules_find(d->opts.rules, c->name);

	if (rule != NULL && rule->min_effect >= 0)
		c->min_effect = log1p(rule->min_effect);
	c->verdict = rule != NULL && rule->ignore ? PD_IGNORED : PD_NO_DATA;
	c->tested = c->k >= d->opts.min_samples && c->verdict != PD_IGNORED;
}

/* All functions that cost something anywhere, and their means. */
static int
list_functions(struct pd_diff *d, struct pd_family *f, struct values *v,
    struct pd_error *err)
{
	const struct pd_tree *t = d->tree;
	struct pd_change *c;
	uint32_t i;

	free(f->list);
	f->len = f->tested = 0;
	f->list = pd_calloc(t->nframes + (size_t)1, sizeof(*f->list), err);
	if (f->list == NULL)
		return -1;
	for (i = 0; i < t->nframes; i++) {
		c = &f->list[f->len];
		*c = (struct pd_change){ .name = t->frames[i].name, .frame = i,
		    .holm = 1, .q = 1, .holm_drift = 1, .e = { .p = 1, .pf = 1 },
		    .min_effect = log1p(d->opts.min_effect) };
		set_values(d, d->cost + i, t->nframes, c, v);
		/* A thread has no cost of its own; main may look like one. */
		if ((d->roots[i] && !d->leaves[i]) || c->k == 0)
			continue;
		f->len++;
		pd_stat_welch(&v->g, c->min_effect, &c->e);
		c->e.p = c->e.pf = 1;
		apply_rule(d, c);
		c->weight = c->tested ? sqrt(c->k) : 0;
	}
	qsort(f->list, f->len, sizeof(*f->list), by_text);
	return 0;
}

/* The sum of all samples but those that are ignored, by run; free(3) it. */
static struct pd_cost *
totals(const struct pd_diff *d, const struct pd_family *f,
    struct pd_error *err)
{
	size_t n = d->len[0] + d->len[1], i, j;
	struct pd_cost *t = pd_calloc(n, sizeof(*t), err), *c;
	const struct pd_diff_run *r;

	for (i = 0; t != NULL && i < n; i++) {
		r = pd_diff_run_at(d, i);
		t[i] = (struct pd_cost){ r->total,
		    (double)r->stacks.samples };
		for (j = 0; j < f->len && f == &d->self; j++) {
			if (f->list[j].verdict != PD_IGNORED)
				continue;
			c = &d->cost[i * d->tree->nframes + f->list[j].frame];
			t[i].c -= c->c;
			t[i].k -= c->k;
		}
	}
	return t;
}

/* The sum of all is a member, too, that weighs as much as the heaviest. */
static int
list_total(struct pd_diff *d, const struct pd_family *f, struct values *v,
    struct pd_error *err)
{
	struct pd_cost *t = totals(d, f, err);
	struct pd_change *c = &d->total;
	size_t i;

	if (t == NULL)
		return -1;
	*c = (struct pd_change){ .name = "[total]", .holm = 1, .q = 1,
	    .holm_drift = 1, .frame = PD_NOID, .e = { .p = 1, .pf = 1 },
	    .min_effect = log1p(d->opts.min_effect) };
	set_values(d, t, 1, c, v);
	free(t);
	apply_rule(d, c);
	c->tested &= d->norm != PD_NORM_CPUTIME;
	for (i = 0; i < f->len && c->tested; i++)
		c->weight = fmax(c->weight, f->list[i].weight);
	if (c->tested && c->weight == 0)
		c->weight = 1;
	return 0;
}

/* What to multiply standard errors with, so that they hold a drift. */
static int
find_lambda(const struct pd_diff *d, struct pd_family *f,
    struct pd_change **member, size_t len, struct pd_error *err)
{
	double *z, at;
	size_t n = 0, i, j;

	f->lambda = 1;
	if (d->seq == PD_SEQ_PAIRS || d->seq == PD_SEQ_MIXED ||
	    len < DRIFT_LEAST)
		return 0;
	if ((z = pd_calloc(len, sizeof(*z), err)) == NULL)
		return -1;
	/* In order of size, as if all were normally distributed. */
	for (i = 0; i < len; i++) {
		if (member[i] == &d->total || !member[i]->has_test ||
		    member[i]->e.se == 0)
			continue;
		at = pd_normal_upper(member[i]->e.p / 2);
		for (j = n++; j > 0 && z[j - 1] > at; j--)
			z[j] = z[j - 1];
		z[j] = at;
	}
	/* Three in four are as they would be by chance, or there is a drift. */
	if (n >= DRIFT_LEAST)
		f->lambda = fmax(1, z[(n - 1) * 3 / 4] /
		    pd_normal_upper(.125));
	free(z);
	return 0;
}

/* pf if the machine, not the program, may have changed. */
static double
drift_p(const struct pd_diff *d, const struct pd_family *f,
    const struct pd_change *c, const struct values *v)
{
	struct pd_effect e = c->e;

	if (!c->has_test || e.se == 0 || d->seq == PD_SEQ_PAIRS ||
	    d->seq == PD_SEQ_MIXED)
		return e.pf;
	if (d->seq == PD_SEQ_SEPARATE) {
		e.se = sqrt(e.se * e.se + session_variance(c, v));
		pd_stat_judge(&e, c->min_effect);
	}
	return fmin(1, 2 * pd_normal_tail(pd_normal_upper(e.pf / 2) /
	    f->lambda));
}

/* Adjust for the number of members: Holm, with drift, and for functions BH. */
static int
adjust(const struct pd_diff *d, const struct pd_family *f,
    struct pd_change **member, size_t len, const struct values *v,
    struct pd_error *err)
{
	double *x = pd_calloc(4 * len + 1, sizeof(*x), err);
	double *p = x, *w = x + len, *drift = x + 2 * len, *out = x + 3 * len;
	size_t i, n;
	int r = -1;

	if (x == NULL)
		return -1;
	for (i = 0; i < len; i++) {
		p[i] = member[i]->e.pf;
		w[i] = member[i]->weight;
		drift[i] = drift_p(d, f, member[i], v);
	}
	if (pd_stat_holm(p, w, len, out, err) == -1)
		goto out;
	for (i = 0; i < len; i++)
		member[i]->holm = out[i];
	if (pd_stat_holm(drift, w, len, out, err) == -1)
		goto out;
	for (i = 0; i < len; i++)
		member[i]->holm_drift = out[i];
	/* The sum of all is the last member, and not in this family. */
	n = len > 0 && member[len - 1] == &d->total ? len - 1 : len;
	if (pd_stat_bh(p, n, out, err) == -1)
		goto out;
	for (i = 0; i < n; i++)
		member[i]->q = out[i];
	if (n < len)
		member[n]->q = member[n]->holm;
	r = 0;
out:
	free(x);
	return r;
}

/* Interval, detectable effect and impact of all functions. */
static void
describe(const struct pd_diff *d, const struct pd_family *f,
    struct pd_change *c, double alpha, const struct values *v)
{
	double inflate = f->lambda;

	if (d->seq == PD_SEQ_SEPARATE && c->has_test && c->e.se > 0)
		inflate *= sqrt(1 + session_variance(c, v) /
		    (c->e.se * c->e.se));
	pd_diff_interval(d, c, alpha, inflate);
	c->impact = (c->new - c->base) /
	    (d->total.base > 0 ? d->total.base : 1);
}

/* The members of a family, the total last; free(3) it. */
static struct pd_change **
members(struct pd_diff *d, struct pd_family *f, size_t *len, double *weight,
    struct pd_error *err)
{
	struct pd_change **list = pd_calloc(f->len + 1, sizeof(*list), err);
	size_t i;

	*len = 0;
	*weight = 0;
	for (i = 0; list != NULL && i < f->len; i++)
		if (f->list[i].tested)
			list[(*len)++] = &f->list[i];
	f->tested = *len;
	if (list != NULL && f == &d->self && d->total.tested)
		list[(*len)++] = &d->total;
	for (i = 0; list != NULL && i < *len; i++)
		*weight += list[i]->weight;
	return list;
}

/* Whether labels can be so unlikely that even the heaviest member passes. */
static int
check_labels(struct pd_diff *d, struct pd_change **member, size_t len,
    double weight, struct pd_error *err)
{
	double least = least_p(d), most = 0;
	size_t i;

	for (i = 0; i < len; i++)
		most = fmax(most, d->opts.alpha * member[i]->weight / weight);
	if (least <= most || len == 0)
		return 0;
	return pd_diff_warn(d, err, "too-few-runs", "%zu and %zu runs cannot "
	    "show anything by this test: p is at least %.2g, and %zu "
	    "functions ask for %.2g", d->len[0], d->len[1], least, len, most);
}

int
pd_diff_test(struct pd_diff *d, struct pd_family *f, struct pd_error *err)
{
	struct pd_change **list = NULL, *c;
	struct pd_cost *sum = NULL;
	struct values v = { .a = NULL };
	double weight, alpha;
	size_t len, i;
	int r = -1;

	if (values_new(d, &v, err) == -1 ||
	    list_functions(d, f, &v, err) == -1 ||
	    list_total(d, f, &v, err) == -1 ||
	    (sum = totals(d, f, err)) == NULL ||
	    (list = members(d, f, &len, &weight, err)) == NULL)
		goto out;
	for (i = 0; i < len; i++) {
		c = list[i];
		alpha = d->opts.alpha * c->weight / weight;
		if (c == &d->total)
			set_values(d, sum, 1, c, &v);
		else
			set_values(d, d->cost + c->frame, d->tree->nframes, c,
			    &v);
		if (test_values(d, &v, alpha, c, err) == -1)
			goto out;
	}
	if ((f == &d->self && check_labels(d, list, len, weight, err) == -1) ||
	    find_lambda(d, f, list, len, err) == -1 ||
	    adjust(d, f, list, len, &v, err) == -1)
		goto out;
	for (i = 0; i < f->len; i++)
		describe(d, f, &f->list[i], f->list[i].tested ?
		    d->opts.alpha * f->list[i].weight / weight :
		    d->opts.alpha, &v);
	describe(d, f, &d->total, d->total.tested ? d->opts.alpha *
	    d->total.weight / weight : d->opts.alpha, &v);
	r = 0;
out:
	free(v.a);
	free(sum);
	free(list);
	return r;
}
