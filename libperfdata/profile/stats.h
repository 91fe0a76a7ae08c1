/*
 * Tests of a difference between two groups of runs, on logarithms of costs,
 * and corrections for testing many functions.
 */
#ifndef PD_PROFILE_STATS_H
#define PD_PROFILE_STATS_H

#include "perfdata.h"

/*
 * Two groups of values.  floor_a and floor_b are the least variances that are
 * believed: a few runs may agree by luck, but counts vary as such.
 */
struct pd_groups {
	const double	*a, *b;
	size_t		n, m;
	double		floor_a, floor_b;
};

/* What a test found; diff is mean(b) - mean(a). */
struct pd_effect {
	double	diff, se, df;
	double	t, p;		/* of "there is no difference" */
	double	pf;		/* of "it is not larger than min_effect" */
	bool	paired;
};

/* Two of each group, or one and five; else false, and only diff is set. */
bool pd_stat_welch(const struct pd_groups *g, double min_effect,
    struct pd_effect *e);

/* Values of one index belong together; n == m >= 2. */
bool pd_stat_paired(const struct pd_groups *g, double min_effect,
    struct pd_effect *e);

/* Set t, p and pf anew for another standard error. */
void pd_stat_judge(struct pd_effect *e, double min_effect);

/*
 * The difference that the test finds with this power at level alpha
 * (two-sided), on the scale of the values.
 */
double pd_stat_mde(double se, double df, double alpha, double power,
    double min_effect);

/*
 * Holm's adjusted p of a family of len hypotheses.  w are weights, however
 * scaled, or NULL: the level is shared in proportion.  -1 without memory.
 */
int pd_stat_holm(const double *p, const double *w, size_t len, double *adj,
    struct pd_error *err);

/* Benjamini and Hochberg's q. */
int pd_stat_bh(const double *p, size_t len, double *q, struct pd_error *err);

/* p of the correlation of ranks (Spearman) of x and y, by Student's t. */
int pd_stat_spearman(const double *x, const double *y, size_t len, double *r,
    double *p, struct pd_error *err);

/* Chi-square of a part ka of na against kb of nb, without correction. */
double pd_stat_chi2(double ka, double na, double kb, double nb);

#endif
