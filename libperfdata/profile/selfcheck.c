/*
 * Calibrates a comparison on runs of one program: how often would it claim a
 * change, and what would it see with more, or longer, runs?
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profile/difftext.h"
#include "profile/special.h"

#define SPLITS	400

/* The runs in another order, half of them as the new side. */
struct split {
	struct pd_diff		*d;
	struct pd_diff_run	*all;		/* the runs as they were */
	struct pd_cost		*cost;		/* theirs */
	size_t			len;
	size_t			*order;
	uint64_t		state;
};

struct tally {
	size_t	regression, any;
};

static void
shuffle(struct split *s)
{
	size_t i, j, t;

	for (i = s->len; i > 1; i--) {
		j = pd_diff_random(&s->state) % i;
		t = s->order[i - 1];
		s->order[i - 1] = s->order[j];
		s->order[j] = t;
	}
}

/* Hand the runs out by the order; an odd one is left out. */
static void
deal(struct split *s)
{
	struct pd_diff *d = s->d;
	size_t n = s->len / 2, frames = d->tree->nframes, i;

	for (i = 0; i < 2 * n; i++) {
		d->runs[i / n][i % n] = s->all[s->order[i]];
		memcpy(d->cost + i * frames, s->cost + s->order[i] * frames,
		    frames * sizeof(*d->cost));
	}
	d->len[0] = d->len[1] = n;
}

static void
count_claims(const struct pd_diff *d, struct tally *t)
{
	bool regression = d->total.verdict == PD_REGRESSION;
	bool any = d->total.verdict <= PD_SUSPECT && d->total.verdict > PD_SAME;
	size_t i;

	for (i = 0; i < d->self.len; i++) {
		enum pd_verdict v = d->self.list[i].verdict;

		regression |= v == PD_REGRESSION;
		any |= v > PD_SAME && v <= PD_SUSPECT;
	}
	t->regression += regression;
	t->any += any;
}

static int
try_splits(struct split *s, struct tally *t, struct pd_error *err)
{
	size_t i;

	for (i = 0; i < SPLITS; i++) {
		shuffle(s);
		deal(s);
		if (pd_diff_test(s->d, &s->d->self, err) == -1)
			return -1;
		pd_diff_judge(s->d);
		count_claims(s->d, t);
	}
	return 0;
}

/* ---- what would be seen -------------------------------------------------- */

/* A function's mean count of samples, and variance between runs. */
struct spread {
	const char	*name;
	double		k, cost, v, weight;
};

/* The change that n runs a side, `longer` times as long, would show. */
static double
would_see(const struct pd_diff *d, const struct spread *s, double weight,
    double n, double longer)
{
	double poisson = fmin(s->v, 1 / s->k), v;

	/* What counts do by chance shrinks with their number, the rest not. */
	v = fmax(s->v - poisson + poisson / longer,
	    d->opts.kappa / (s->k * longer));
	return expm1(pd_stat_mde(sqrt(2 * v / n), 2 * n - 2,
	    d->opts.alpha * s->weight / weight, PD_POWER,
	    log1p(d->opts.min_effect)));
}

static struct spread
spread_of(const struct split *s, const struct pd_change *c)
{
	struct spread sp = { .name = c->name };
	double sum = 0, sum2 = 0, y, n = (double)s->len;
	const struct pd_cost *x;
	size_t i;

	for (i = 0; i < s->len; i++) {
		x = &s->cost[i * s->d->tree->nframes + c->frame];
		y = pd_diff_value(s->d, &s->all[i], x->c);
		sum += y;
		sum2 += y * y;
		sp.k += x->k / n;
		sp.cost += x->c / s->all[i].units / n;
	}
	sp.v = fmax(0, (sum2 - sum * sum / n) / (n - 1));
	sp.weight = sp.k >= s->d->opts.min_samples ? sqrt(sp.k) : 0;
	return sp;
}

static int
by_cost(const void *a, const void *b)
{
	const struct spread *x = a, *y = b;

	return x->cost != y->cost ? x->cost > y->cost ? -1 : 1 :
	    strcmp(x->name, y->name);
}

struct seen {
	double	mde, cost;
};

static int
by_mde(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	return x->mde < y->mde ? -1 : x->mde > y->mde;
}

/* What would be seen in functions that make up half of the cost. */
static double
half_of_cost(const struct pd_diff *d, const struct spread *list, size_t len,
    double weight, double n, double longer, struct seen *seen)
{
	double all = 0, sum = 0;
	size_t i, m = 0;

	for (i = 0; i < len; i++) {
		all += list[i].cost;
		if (list[i].weight > 0)
			seen[m++] = (struct seen){ would_see(d, &list[i],
			    weight, n, longer), list[i].cost };
	}
	if (m > 0)
		qsort(seen, m, sizeof(*seen), by_mde);
	for (i = 0; i < m; i++)
		if ((sum += seen[i].cost) >= all / 2)
			return seen[i].mde;
	return INFINITY;
}

static void
put_share(double v, FILE *out)
{
	if (v < 9.995)
		fprintf(out, " %7.1f%%", 100 * v);
	else
		fprintf(out, " %8s", ">999%");
}

static int
put_table(const struct split *s, FILE *out, struct pd_error *err)
{
	static const double numbers[] = { 3, 5, 6, 8, 10, 15, 20, 30 };
	const struct pd_diff *d = s->d;
	size_t len = d->self.len, i;
	struct spread *list = pd_calloc(len + 1, sizeof(*list), err);
	struct seen *seen = pd_calloc(len + 1, sizeof(*seen), err);
	double weight = 0, heaviest = 0, longer;

	if (list == NULL || seen == NULL) {
		free(list);
		free(seen);
		return -1;
	}
	for (i = 0; i < len; i++) {
		list[i] = spread_of(s, &d->self.list[i]);
		weight += list[i].weight;
		heaviest = fmax(heaviest, list[i].weight);
	}
	weight += heaviest;		/* that of the total */
	qsort(list, len, sizeof(*list), by_cost);
	fputs("\nThe change that would be seen (4 times in 5), by runs a side "
	    "and their length:\n\n  in functions that make up half of the "
	    "cost\n      runs     as now  2x long  4x long\n", out);
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		fprintf(out, "    %6.0f  ", numbers[i]);
		for (longer = 1; longer <= 4; longer *= 2)
			put_share(half_of_cost(d, list, len, weight,
			    numbers[i], longer, seen), out);
		fputc('\n', out);
	}
	fputs("\n  in the most costly functions\n   samples   spread   5 runs  "
	    "10 runs  20 runs  function\n", out);
	for (i = 0; i < len && i < 10 && list[i].weight > 0; i++) {
		fprintf(out, "%10.0f ", list[i].k);
		put_share(sqrt(list[i].v), out);
		for (longer = 5; longer <= 20; longer *= 2)
			put_share(would_see(d, &list[i], weight, longer, 1),
			    out);
		fprintf(out, "  %s\n", list[i].name);
	}
	free(list);
	free(seen);
	return 0;
}

static void
put_rates(const struct split *s, const struct tally *t, FILE *out)
{
	size_t n = s->len / 2;

	fprintf(out, "%zu runs, split at random into %zu + %zu, %d times:\n"
	    "  a regression was claimed in %.1f%% (expected: at most %.1f%%)\n"
	    "  anything was claimed in %.1f%%\n", s->len, n, n, SPLITS,
	    100. * (double)t->regression / SPLITS, 50 * s->d->opts.alpha,
	    100. * (double)t->any / SPLITS);
}

int
pd_diff_self_check(struct pd_diff *d, FILE *out, struct pd_error *err)
{
	size_t n = d->len[0], frames, i;
	struct split s = { .d = d, .len = n, .state = d->opts.seed * 2 + 1 };
	struct tally t = { 0, 0 };
	int r = -1;

	if (n < 4)
		return pd_fail(err, PD_EARG, PD_NOWHERE,
		    "a self-check needs at least 4 runs of one program");
	d->opts.pairs = false;
	if (pd_diff_check(d, err) == -1 || pd_diff_count(d, false, err) == -1)
		return -1;
	/* Drawn at random, they are as good as interleaved. */
	d->seq = PD_SEQ_MIXED;
	frames = d->tree->nframes;
	s.all = pd_calloc(n, sizeof(*s.all), err);
	s.order = pd_calloc(n, sizeof(*s.order), err);
	s.cost = d->cost;
	d->cost = pd_calloc(n * frames, sizeof(*d->cost), err);
	if (s.all == NULL || s.order == NULL || d->cost == NULL ||
	    pd_grow(&d->runs[1], &d->cap[1], n, sizeof(*d->runs[1]), err))
		goto out;
	memcpy(s.all, d->runs[0], n * sizeof(*s.all));
	for (i = 0; i < n; i++)
		s.order[i] = i;
	r = try_splits(&s, &t, err);
	if (r == 0) {
		put_rates(&s, &t, out);
		r = put_table(&s, out, err);
	}
out:
	/* Each run has one owner again. */
	if (s.all != NULL)
		memcpy(d->runs[0], s.all, n * sizeof(*s.all));
	d->len[0] = n;
	d->len[1] = 0;
	free(s.all);
	free(s.order);
	free(s.cost);
	return r;
}
