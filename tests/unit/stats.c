/* Statistics: special functions against a table, and worked examples. */
#include <math.h>
#include <stdlib.h>

#include "profile/special.h"
#include "profile/stats.h"
#include "tap.h"

static struct pd_error err;

#define LEN(a)	(sizeof(a) / sizeof((a)[0]))

/* |got - want| <= rel |want| */
static void
near(double got, double want, double rel, const char *what)
{
	if (fabs(got - want) <= rel * fabs(want) || (want == 0 && got == 0))
		return;
	tap_bad = true;
	printf("# %s: %.17g, want %.17g\n", what, got, want);
}

#define NEAR(got, want)		near((got), (want), 1e-8, #got)

/* Computed to 40 digits by mpmath 1.2. */
/* t, df, P(|T| >= t) */
static const double t_tails[][3] = {
	{ 9.9999999999999995e-07, 1, 0.99999936338022766 },
	{ 0.01, 1, 0.99363401447018351 },
	{ 0.5, 1, 0.70483276469913347 },
	{ 2.2999999999999998, 1, 0.26109517417724554 },
	{ 5, 1, 0.12566591637800237 },
	{ 12, 1, 0.052929352119179748 },
	{ 300, 1, 0.0021220580484409717 },
	{ 9.9999999999999995e-07, 2, 0.99999929289321876 },
	{ 0.01, 2, 0.99292910895820097 },
	{ 0.5, 2, 0.66666666666666663 },
	{ 2.2999999999999998, 2, 0.14814814814814817 },
	{ 5, 2, 0.037749551350623724 },
	{ 12, 2, 0.0068729336771584599 },
	{ 300, 2, 1.1110925929355214e-05 },
	{ 9.9999999999999995e-07, 3, 0.99999926489480606 },
	{ 0.01, 3, 0.99264911141285195 },
	{ 0.5, 3, 0.65144796484815104 },
	{ 2.2999999999999998, 3, 0.10498836064447004 },
	{ 5, 3, 0.015392438073302301 },
	{ 12, 3, 0.0012450158007893367 },
	{ 300, 3, 8.1675087859786768e-08 },
	{ 9.9999999999999995e-07, 3.7499495700000001, 0.99999925302637682 },
	{ 0.01, 3.7499495700000001, 0.99253042145901893 },
	{ 0.5, 3.7499495700000001, 0.64498087084749745 },
	{ 2.2999999999999998, 3.7499495700000001, 0.087350207773177618 },
	{ 5, 3.7499495700000001, 0.0088544999871671883 },
	{ 12, 3.7499495700000001, 0.0003966408159417255 },
	{ 300, 3.7499495700000001, 2.3630229729841022e-09 },
	{ 9.9999999999999995e-07, 4, 0.99999925000000001 },
	{ 0.01, 4, 0.9925001562458986 },
	{ 0.5, 4, 0.64332996318186331 },
	{ 2.2999999999999998, 4, 0.082939037112382388 },
	{ 5, 4, 0.0074904338812745242 },
	{ 12, 4, 0.00027642854850297297 },
	{ 300, 4, 7.4068587425680229e-10 },
	{ 9.9999999999999995e-07, 5.5, 0.99999923738696916 },
	{ 0.01, 5.5, 0.99237401989955265 },
	{ 0.5, 5.5, 0.63644034871541311 },
	{ 2.2999999999999998, 5.5, 0.065027788540526446 },
	{ 5, 5.5, 0.0031432458910638618 },
	{ 12, 5.5, 3.7480500629233415e-05 },
	{ 300, 5.5, 8.3924762313392277e-13 },
	{ 9.9999999999999995e-07, 7.99885834, 0.99999922660538143 },
	{ 0.01, 7.99885834, 0.99226619882533562 },
	{ 0.5, 7.99885834, 0.63053795182800776 },
	{ 2.2999999999999998, 7.99885834, 0.050475318309637932 },
	{ 5, 7.99885834, 0.001053275329255033 },
	{ 12, 7.99885834, 2.1464481334095996e-06 },
	{ 300, 7.99885834, 1.7147576747995238e-17 },
	{ 9.9999999999999995e-07, 10, 0.99999922178323208 },
	{ 0.01, 10, 0.99221797499097142 },
	{ 0.5, 10, 0.62789360574297293 },
	{ 2.2999999999999998, 10, 0.044254313284287139 },
	{ 5, 10, 0.00053733360275645258 },
	{ 12, 10, 2.9214088247699871e-07 },
	{ 300, 10, 4.1654975234292345e-21 },
	{ 9.9999999999999995e-07, 18.300000000000001, 0.99999921293605332 },
	{ 0.01, 18.300000000000001, 0.99212949887612967 },
	{ 0.5, 18.300000000000001, 0.62303407682606216 },
	{ 2.2999999999999998, 18.300000000000001, 0.033417371554049898 },
	{ 5, 18.300000000000001, 8.8525205562407059e-05 },
	{ 12, 18.300000000000001, 4.1218648515501924e-10 },
	{ 300, 18.300000000000001, 3.0487713866007044e-35 },
	{ 9.9999999999999995e-07, 60.700000000000003, 0.99999920539471343 },
	{ 0.01, 60.700000000000003, 0.99205408174852316 },
	{ 0.5, 60.700000000000003, 0.61888292388049948 },
	{ 2.2999999999999998, 60.700000000000003, 0.024901152218007223 },
	{ 5, 60.700000000000003, 5.1809658202918979e-06 },
	{ 12, 60.700000000000003, 1.146597912952717e-17 },
	{ 300, 60.700000000000003, 5.7322972658570678e-98 },
	{ 9.9999999999999995e-07, 200, 0.99999920311216761 },
	{ 0.01, 200, 0.99203125515328117 },
	{ 0.5, 200, 0.61762475231646063 },
	{ 2.2999999999999998, 200, 0.022480066624461347 },
	{ 5, 200, 1.2501981277715394e-06 },
	{ 12, 200, 2.4221360052466313e-25 },
	{ 300, 200, 2.1562804555262737e-267 },
	{ 9.9999999999999995e-07, 10000, 0.99999920213538607 },
	{ 0.01, 10000, 0.99202148684935576 },
	{ 0.5, 10000, 0.61708607932323345 },
	{ 2.2999999999999998, 10000, 0.021468713374767183 },
	{ 5, 10000, 5.8303266136626474e-07 },
	{ 12, 10000, 5.979779607811325e-33 },
	{ 300, 10000, 0 },
};

/* q, df, t: P(T >= t) = q */
static const double t_upper[][3] = {
	{ 0.90000000000000002, 1, -3.077683537175254 },
	{ 0.5, 1, 0 },
	{ 0.20000000000000001, 1, 1.3763819204711734 },
	{ 0.025000000000000001, 1, 12.706204736174705 },
	{ 0.00050000000000000001, 1, 636.61924876871956 },
	{ 9.9999999999999995e-07, 1, 318309.88618274347 },
	{ 1e-10, 1, 3183098861.8379068 },
	{ 0.90000000000000002, 2, -1.8856180831641269 },
	{ 0.5, 2, 0 },
	{ 0.20000000000000001, 2, 1.0606601717798212 },
	{ 0.025000000000000001, 2, 4.3026527297494637 },
	{ 0.00050000000000000001, 2, 31.599054576443621 },
	{ 9.9999999999999995e-07, 2, 707.10572052593386 },
	{ 1e-10, 2, 70710.678108048145 },
	{ 0.90000000000000002, 3.5, -1.5765766051364052 },
	{ 0.5, 3.5, 0 },
	{ 0.20000000000000001, 3.5, 0.95675883393231087 },
	{ 0.025000000000000001, 3.5, 2.9400886379827296 },
	{ 0.00050000000000000001, 3.5, 10.20482863165588 },
	{ 9.9999999999999995e-07, 3.5, 61.045121207720626 },
	{ 1e-10, 3.5, 848.54334563347629 },
	{ 0.90000000000000002, 4, -1.5332062740589441 },
	{ 0.5, 4, 0 },
	{ 0.20000000000000001, 4, 0.94096457723518112 },
	{ 0.025000000000000001, 4, 2.7764451051977943 },
	{ 0.00050000000000000001, 4, 8.6103015813792751 },
	{ 9.9999999999999995e-07, 4, 41.577854150450975 },
	{ 1e-10, 4, 416.17514032960412 },
	{ 0.90000000000000002, 8, -1.3968153097438649 },
	{ 0.5, 8, 0 },
	{ 0.20000000000000001, 8, 0.88888951776701974 },
	{ 0.025000000000000001, 8, 2.3060041352041667 },
	{ 0.00050000000000000001, 8, 5.0413054333733678 },
	{ 9.9999999999999995e-07, 8, 12.109834665556214 },
	{ 1e-10, 8, 39.129562973382647 },
	{ 0.90000000000000002, 18, -1.3303909435699093 },
	{ 0.5, 18, 0 },
	{ 0.20000000000000001, 18, 0.86204866798959867 },
	{ 0.025000000000000001, 18, 2.1009220402410387 },
	{ 0.00050000000000000001, 18, 3.9216458250851596 },
	{ 9.9999999999999995e-07, 18, 6.8686381739325979 },
	{ 1e-10, 18, 12.705880035472047 },
	{ 0.90000000000000002, 18.25, -1.3296968922117003 },
	{ 0.5, 18.25, 0 },
	{ 0.20000000000000001, 18.25, 0.86176260922147896 },
	{ 0.025000000000000001, 18.25, 2.0988610199561593 },
	{ 0.00050000000000000001, 18.25, 3.9116331130554816 },
	{ 9.9999999999999995e-07, 18.25, 6.8303929716147653 },
	{ 1e-10, 18.25, 12.56754889630586 },
	{ 0.90000000000000002, 40, -1.3030770526071949 },
	{ 0.5, 40, 0 },
	{ 0.20000000000000001, 40, 0.85069979579045429 },
	{ 0.025000000000000001, 40, 2.0210753903062733 },
	{ 0.00050000000000000001, 40, 3.5509657608633112 },
	{ 9.9999999999999995e-07, 40, 5.553969751815039 },
	{ 1e-10, 40, 8.4435862467736378 },
	{ 0.90000000000000002, 1000, -1.2823987214609245 },
	{ 0.5, 1000, 0 },
	{ 0.20000000000000001, 1000, 0.84198082216242853 },
	{ 0.025000000000000001, 1000, 1.9623390808264085 },
	{ 0.00050000000000000001, 1000, 3.3002826484239129 },
	{ 9.9999999999999995e-07, 1000, 4.7816086204583508 },
	{ 1e-10, 1000, 6.4278762831342133 },
};

/* z, P(Z >= z) */
static const double normal[][2] = {
	{ -3, 0.9986501019683699 },
	{ 0, 0.5 },
	{ 0.1, 0.46017216272297101 },
	{ 1, 0.15865525393145705 },
	{ 1.959963984540054, 0.025000000000000012 },
	{ 3, 0.0013498980316300946 },
	{ 6, 9.8658764503769809e-10 },
	{ 10, 7.6198530241605255e-24 },
	{ 30, 4.9067139271481872e-198 },
};

static void
special_functions_are_right_to_nine_digits(void)
{
	for (size_t i = 0; i < LEN(t_tails); i++)
		near(pd_t_tails(t_tails[i][0], t_tails[i][1]), t_tails[i][2],
		    1e-9, "pd_t_tails");
	for (size_t i = 0; i < LEN(t_upper); i++)
		near(pd_t_upper(t_upper[i][0], t_upper[i][1]), t_upper[i][2],
		    1e-9, "pd_t_upper");
	for (size_t i = 0; i < LEN(normal); i++) {
		near(pd_normal_tail(normal[i][0]), normal[i][1], 1e-9,
		    "pd_normal_tail");
		if (normal[i][0] > 0)
			near(pd_normal_upper(normal[i][1]), normal[i][0], 1e-9,
			    "pd_normal_upper");
	}
}

static void
far_out_nothing_breaks(void)
{
	CHECK(pd_t_tails(0, 3) == 1);
	CHECK(pd_t_tails(INFINITY, 3) == 0);
	CHECK(pd_t_tails(1e200, 3) == 0);
	CHECK(pd_t_tails(-2, 5) == pd_t_tails(2, 5));
	CHECK(pd_t_tails(1e-200, 5) == 1);
	CHECK(pd_t_upper(1e-100, 1) > 1e99);
	/* As df grows it becomes the normal distribution. */
	near(pd_t_tails(2, 1e6), 2 * pd_normal_tail(2), 1e-5, "df 1e6");
	CHECK(pd_normal_tail(50) == 0);
}

/* ---- worked examples, computed with scipy 1.10 ------------------------------------- */

static const double base[] = { 1000, 1010, 990, 1005, 995 };
static const double slow[] = { 1050, 1062, 1041, 1049, 1058 };

/* Logarithms of n counts, with h added. */
static void
logs(const double *counts, size_t n, double h, double *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = log(counts[i] + h);
}

/* Both groups with a floor of kappa times the Poisson variance. */
static struct pd_groups
groups(const double *a, const double *b, size_t n, double h, double kappa)
{
	static double ya[16], yb[16];
	double k = 0;

	for (size_t i = 0; i < n; i++)
		k += a[i] + b[i];
	k = k / (double)(2 * n) + .5;
	logs(a, n, h, ya);
	logs(b, n, h, yb);
	return (struct pd_groups){ ya, yb, n, n, kappa / k, kappa / k };
}

/* e^(diff +- t se) - 1, in percent */
static void
check_interval(const struct pd_effect *e, double lo, double hi)
{
	double half = pd_t_upper(.025, e->df) * e->se;

	near(100 * (exp(e->diff - half) - 1), lo, 2e-5, "lower end");
	near(100 * (exp(e->diff + half) - 1), hi, 2e-5, "upper end");
}

static void
welch_without_a_floor(void)
{
	struct pd_groups g = groups(base, slow, 5, 0, 0);
	struct pd_effect e;

	CHECK(pd_stat_welch(&g, 0, &e));
	NEAR(e.diff, 0.0506937090);
	NEAR(e.se, 0.00497056038);
	NEAR(e.df, 7.99885834);
	NEAR(e.t, 10.1987915);
	NEAR(e.p, 7.3343027e-06);
	check_interval(&e, 4.00110, 6.41285);
}

static void
welch_with_a_floor_and_a_least_effect(void)
{
	struct pd_groups g = groups(base, slow, 5, .5, .5);
	struct pd_effect e;

	NEAR(g.floor_a, 4.87092060e-04);
	CHECK(pd_stat_welch(&g, log(1.01), &e));
	NEAR(e.diff, 0.0506690044);
	NEAR(e.se, 0.0139583962);
	NEAR(e.df, 8);
	NEAR(e.t, 3.63000188);
	NEAR(e.p, 0.00668501490);
	NEAR(e.pf, 0.0193758062);
	check_interval(&e, 1.86527, 8.63866);
}

static void
equal_counts_are_no_proof_of_equality(void)
{
	static const double same[] = { 100, 100, 100 };
	struct pd_groups g = groups(same, same, 3, .5, .5);
	struct pd_effect e;

	CHECK(pd_stat_welch(&g, log(1.01), &e));
	NEAR(e.diff, 0);
	NEAR(e.se, 0.0575912284);
	NEAR(e.df, 4);
	NEAR(e.p, 1);
	NEAR(e.pf, 1);
	check_interval(&e, -14.777, 17.339);
}

static void
what_was_not_there_before(void)
{
	static const double none[5], some[] = { 40, 38, 45, 41, 39 };
	struct pd_groups g = groups(none, some, 5, .5, .5);
	struct pd_effect e;

	CHECK(pd_stat_welch(&g, 0, &e));
	NEAR(e.diff, 4.40748051);
	NEAR(e.se, 0.0980580676);
	NEAR(e.t, 44.9476582);
	NEAR(e.df, 8);
	near(e.p, 6.628e-11, 1e-4, "p");
}

static void
unequal_variances_cost_degrees_of_freedom(void)
{
	static const double a[] = { 500, 480, 520 }, b[] = { 560, 545, 575 };
	struct pd_groups g = groups(a, b, 3, .5, .5);
	struct pd_effect e;

	CHECK(pd_stat_welch(&g, 0, &e));
	NEAR(e.diff, 0.113515520);
	NEAR(e.se, 0.0291045622);
	NEAR(e.df, 3.74994957);
	NEAR(e.t, 3.90026551);
	NEAR(e.p, 0.0198171283);
	check_interval(&e, 3.1009, 21.7127);
}

static void
pairs(void)
{
	struct pd_groups g = groups(base, slow, 5, .5, .5);
	struct pd_effect e;

	NEAR(g.floor_a + g.floor_b, 9.74184121e-04);
	CHECK(pd_stat_paired(&g, 0, &e));
	NEAR(e.diff, 0.0506690044);
	NEAR(e.df, 4);
	NEAR(e.t, 3.63000188);
	NEAR(e.p, 0.0221598530);
	g.floor_a = g.floor_b = 0;
	CHECK(pd_stat_paired(&g, 0, &e));
	NEAR(e.se * e.se * 5, 4.49751167e-05);
}

/* The interval of one more run, and none of one run against a few. */
static void
one_run_against_many(void)
{
	static const double a[] = { 1, 2, 3, 4, 5 }, one[] = { 9 };
	struct pd_groups g = { a, one, 5, 1, 0, 0 };
	struct pd_effect e;

	CHECK(pd_stat_welch(&g, 0, &e));
	NEAR(e.diff, 6);
	NEAR(e.se, sqrt(2.5 * 1.2));
	NEAR(e.df, 4);
	g = (struct pd_groups){ one, a, 1, 5, 0, 0 };
	CHECK(pd_stat_welch(&g, 0, &e));
	NEAR(e.diff, -6);
	g.m = 4;
	CHECK(!pd_stat_welch(&g, 0, &e));
	NEAR(e.diff, -6.5);
	CHECK(e.p == 1 && e.pf == 1);
	g.m = 1;
	CHECK(!pd_stat_welch(&g, 0, &e));
}

static void
no_variance_is_no_evidence(void)
{
	static const double a[] = { 1, 1, 1 }, b[] = { 2, 2, 2 };
	struct pd_groups g = { a, b, 3, 3, 0, 0 };
	struct pd_effect e;

	CHECK(pd_stat_welch(&g, 0, &e));
	CHECK(e.se == 0 && e.p == 1 && e.pf == 1);
	CHECK(pd_stat_paired(&g, 0, &e));
	CHECK(e.se == 0 && e.p == 1 && e.pf == 1);
}

static void
families(void)
{
	static const double p[] = { .0005, .004, .019, .03, .2, .5 };
	static const double q[] = { .003, .012, .038, .045, .24, .5 };
	static const double holm[] = { .003, .02, .076, .09, .4, .5 };
	double got[6], w[] = { 1, 1, 1, 1, 1, 1 };

	CHECK_EQ(pd_stat_bh(p, 6, got, &err), 0);
	for (size_t i = 0; i < 6; i++)
		near(got[i], q[i], 1e-12, "q");
	CHECK_EQ(pd_stat_holm(p, NULL, 6, got, &err), 0);
	for (size_t i = 0; i < 6; i++)
		near(got[i], holm[i], 1e-12, "Holm");
	CHECK_EQ(pd_stat_holm(p, w, 6, got, &err), 0);
	for (size_t i = 0; i < 6; i++)
		near(got[i], holm[i], 1e-12, "Holm, equal weights");
	/* Of 10 shares the second has 5, and of the 9 that are left then. */
	w[1] = 5;
	CHECK_EQ(pd_stat_holm(p, w, 6, got, &err), 0);
	near(got[0], .0005 * 10, 1e-12, "light");
	near(got[1], .004 * 9 / 5, 1e-12, "heavy");
	CHECK_EQ(pd_stat_bh(p, 0, got, &err), 0);
	CHECK_EQ(pd_stat_holm(p, NULL, 0, got, &err), 0);
}

static void
chi_square(void)
{
	double x = pd_stat_chi2(1000, 20000, 1100, 20000);

	NEAR(x, 5.02575700);
	NEAR(pd_chi2_tail(x), 0.0249730068);
	CHECK(pd_stat_chi2(0, 0, 1, 2) == 0);
	CHECK(pd_stat_chi2(0, 5, 0, 2) == 0);
}

static void
mann_whitney_is_exact(void)
{
	static const struct { size_t n; double p; } least[] = {
		{ 3, 0.1 }, { 4, 0.0285714286 }, { 5, 0.00793650794 },
		{ 6, 0.00216450216 }, { 7, 0.000582750583 },
		{ 8, 0.000155400155 }, { 10, 1.08250882e-05 },
	};
	static const double a[] = { 1.5, 2, 7, 3 }, b[] = { 4, 5, 6, 9, 1 };
	static const double ta[] = { 1, 1, 2, 3 }, tb[] = { 2, 2, 3, 4, 4 };
	double v[20], p;

	for (size_t i = 0; i < 20; i++)
		v[i] = (double)i;
	for (size_t i = 0; i < LEN(least); i++) {
		CHECK_EQ(pd_mwu(v, least[i].n, v + least[i].n, least[i].n,
		    &p, &err), 0);
		NEAR(p, least[i].p);
	}
	CHECK_EQ(pd_mwu(a, 4, b, 5, &p, &err), 0);
	NEAR(p, 5. / 9);
	CHECK_EQ(pd_mwu(ta, 4, tb, 5, &p, &err), 0);
	NEAR(p, 1. / 7);		/* by counting all 126 */
	CHECK_EQ(pd_mwu(a, 4, a, 4, &p, &err), 0);
	NEAR(p, 1);
}

static void
correlation_of_ranks(void)
{
	static const double x[] = { 1, 2, 3, 4, 5, 6 };
	static const double y[] = { 2, 1, 4, 3, 7, 5 };
	double r, p;

	CHECK_EQ(pd_stat_spearman(x, y, 6, &r, &p, &err), 0);
	NEAR(r, 0.82857142857142);
	NEAR(p, 0.04156268221574334);
	CHECK_EQ(pd_stat_spearman(x, x, 6, &r, &p, &err), 0);
	CHECK(r == 1 && p == 0);
	CHECK_EQ(pd_stat_spearman(x, x, 2, &r, &p, &err), 0);
	CHECK(p == 1);
}

/* What would be found with power .8 is found that often. */
static void
the_detectable_effect_is_one(void)
{
	near(pd_stat_mde(.02, 8, .05, .8, 0), .02 * (2.306004135 + .8888903),
	    1e-6, "mde");
	CHECK(pd_stat_mde(.02, 8, .01, .8, 0) > pd_stat_mde(.02, 8, .05, .8, 0));
	near(pd_stat_mde(.02, 8, .05, .8, .5) - pd_stat_mde(.02, 8, .05, .8, 0),
	    .5, 1e-9, "shifted by the least effect");
}

int
main(void)
{
	RUN(special_functions_are_right_to_nine_digits);
	RUN(far_out_nothing_breaks);
	RUN(welch_without_a_floor);
	RUN(welch_with_a_floor_and_a_least_effect);
	RUN(equal_counts_are_no_proof_of_equality);
	RUN(what_was_not_there_before);
	RUN(unequal_variances_cost_degrees_of_freedom);
	RUN(pairs);
	RUN(one_run_against_many);
	RUN(no_variance_is_no_evidence);
	RUN(families);
	RUN(chi_square);
	RUN(mann_whitney_is_exact);
	RUN(correlation_of_ranks);
	RUN(the_detectable_effect_is_one);
	return tap_done();
}
