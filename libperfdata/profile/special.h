/*
 * Special functions of statistics.  The well-kept library for them, GSL, is
 * under the GPL, which this library cannot link; these are checked against it.
 */
#ifndef PD_PROFILE_SPECIAL_H
#define PD_PROFILE_SPECIAL_H

#include "perfdata.h"

/* P(|T| >= |t|) of Student's t, 0 < df <= 1e6 degrees of freedom. */
double pd_t_tails(double t, double df);

/* The t with P(T >= t) = q, 0 < q < 1. */
double pd_t_upper(double q, double df);

/* P(Z >= z) of the normal distribution, and the z with P(Z >= z) = q. */
double pd_normal_tail(double z);
double pd_normal_upper(double q);

/* P(X >= x) of chi-square with one degree of freedom. */
double pd_chi2_tail(double x);

/*
 * Exact two-sided p of the Mann-Whitney U test; ties have middle ranks and the
 * distribution that goes with them.  -1 without memory.
 */
int pd_mwu(const double *a, size_t n, const double *b, size_t m, double *p,
    struct pd_error *err);

#endif
