/* The inside of a comparison: runs, functions, and what was found of each. */
#ifndef PD_PROFILE_DIFF_H
#define PD_PROFILE_DIFF_H

#include "base/tree.h"
#include "profile/rules.h"
#include "profile/stacks.h"
#include "profile/stats.h"

#define PD_POWER	.8	/* how often a detectable effect is found */

/* What a function cost in a run. */
struct pd_cost {
	double	c;			/* ns, samples or events: the unit */
	double	k;			/* samples */
};

struct pd_diff_run {
	char			*name;
	struct pd_stacks	stacks;		/* of the diff's tree */
	struct pd_run		info;
	size_t			added;		/* its place among those of its side */
	bool			stored;		/* in a baseline */
	double			scale;		/* from weights to the unit */
	double			each;		/* the unit, a sample */
	double			units;		/* what costs are divided by */
	double			total;		/* of all samples, in the unit */
};

enum pd_unit { PD_UNIT_SAMPLES, PD_UNIT_NS, PD_UNIT_EVENTS };

enum pd_verdict {
	PD_SAME, PD_REGRESSION, PD_IMPROVEMENT,
	PD_SUSPECT,			/* may be chance, or the machine */
	PD_MOVED,			/* to or from other functions */
	PD_NO_DATA,			/* too little is known */
	PD_IGNORED,			/* by a rule */
};

/* How runs of both sides followed each other. */
enum pd_sequence {
	PD_SEQ_UNKNOWN, PD_SEQ_PAIRS, PD_SEQ_MIXED, PD_SEQ_SEPARATE,
};

struct pd_change {
	const char		*name;
	uint32_t		frame;
	struct pd_effect	e;
	double			base, new;	/* mean cost, of a unit of work */
	double			k;		/* samples a run */
	double			k_base, k_new;	/* of all runs of a side */
	double			min_effect;	/* on the log scale */
	double			weight;		/* in the family */
	double			holm, q;
	double			holm_drift;	/* as if the machine had drifted */
	double			lo, hi;		/* interval of the change */
	double			mde;		/* all three as ratio - 1 */
	double			impact;		/* of the total */
	size_t			group;		/* of moved cost, from 1; 0: none */
	bool			tested, has_test;
	enum pd_verdict		verdict;
};

/* Functions between which cost moved. */
struct pd_move {
	struct pd_change	net;
	size_t			len;
	bool			renamed, regression;
	uint32_t		from, to;	/* frames, when renamed */
};

/* The functions of one kind of cost. */
struct pd_family {
	struct pd_change	*list;		/* by name */
	size_t			len;
	size_t			tested;
	double			lambda;		/* drift, 1: none is seen */
};

struct pd_warning {
	const char	*code;
	char		text[256];
};

struct pd_diff {
	struct pd_diff_opts	opts;
	struct pd_tree		*tree;
	bool			*roots;		/* by frame: a thread or the like */
	bool			*leaves;	/* by frame: a sample ends in it */
	size_t			roots_cap;
	struct pd_strtab	raws;		/* names before matching */
	uint32_t		*raw_frames;
	size_t			raw_cap;
	struct pd_diff_run	*runs[2];
	size_t			len[2], cap[2];
	enum pd_unit		unit;
	enum pd_norm		norm;
	enum pd_sequence	seq;
	struct pd_cost		*cost;		/* by run, both sides, and frame */
	struct pd_family	self, whole;
	struct pd_change	total;
	struct pd_move		*moves;
	size_t			nmoves;
	struct pd_warning	*warnings;
	size_t			nwarnings, warnings_cap;
	enum pd_outcome		outcome;
	size_t			regressions, improvements, suspects, moved;
	bool			lossy;		/* too much was lost to decide */
	double			judged;		/* part of the cost that is "same" */
};

/* The i-th of all runs, base first. */
static inline const struct pd_diff_run *
pd_diff_run_at(const struct pd_diff *d, size_t i)
{
	return i < d->len[0] ? &d->runs[0][i] : &d->runs[1][i - d->len[0]];
}

/* A new run of a side, without stacks; NULL without memory. */
struct pd_diff_run *pd_diff_new_run(struct pd_diff *d, enum pd_side side,
    const char *name, struct pd_error *err);
/* As pd_stack_parser.frame: the frame of a name, after matching. */
uint32_t pd_diff_frame(void *diff, const char *name, struct pd_error *err);

/* "ns", "samples", or what the event counts. */
const char *pd_diff_unit(const struct pd_diff *d);

int pd_diff_warn(struct pd_diff *d, struct pd_error *err, const char *code,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* diffcheck.c: units and divisors, the sequence of runs, what is suspicious. */
int pd_diff_check(struct pd_diff *d, struct pd_error *err);

/*
 * Without a word about it, counts may still be periods: where many stacks have
 * a multiple of a large number, that is the period of a sample.  Either so in
 * all runs that do not tell, or in none.
 */
int pd_diff_guess_units(struct pd_diff *d, struct pd_error *err);

/* diffcost.c: for each function what it cost in each run, into d->cost. */
int pd_diff_count(struct pd_diff *d, bool whole, struct pd_error *err);

/*
 * difftest.c: test what is in d->cost, for d->self; `total` gets the sum.
 * Runs have their units.
 */
int pd_diff_test(struct pd_diff *d, struct pd_family *f, struct pd_error *err);
/* Test one function or group, whose costs by run these are. */
int pd_diff_test_one(const struct pd_diff *d, const struct pd_cost *cost,
    struct pd_change *c, double alpha, struct pd_error *err);
/* diff.c: the verdict on each function and the total, but for moved cost. */
void pd_diff_judge(struct pd_diff *d);

/* The next number that is not random, but looks it; *state is not 0. */
uint64_t pd_diff_random(uint64_t *state);

/* The logarithm of a cost of a run by unit of work, as it is tested. */
double pd_diff_value(const struct pd_diff *d, const struct pd_diff_run *r,
    double cost);

/* Interval and detectable effect of a test. */
void pd_diff_interval(const struct pd_diff *d, struct pd_change *c,
    double alpha, double inflate);

/* diffmove.c: find cost that only moved, among what changed. */
int pd_diff_find_moves(struct pd_diff *d, struct pd_error *err);

#endif
