/*
 * Whether runs can be compared: their units, what their cost is divided by,
 * the sequence in which they ran, and what was lost.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "profile/diff.h"

static struct pd_diff_run *
at(struct pd_diff *d, size_t i)
{
	return i < d->len[0] ? &d->runs[0][i] : &d->runs[1][i - d->len[0]];
}

static size_t
nruns(const struct pd_diff *d)
{
	return d->len[0] + d->len[1];
}

/* ---- order of the arguments ---------------------------------------------- */

static int
by_name(const void *a, const void *b)
{
	const struct pd_diff_run *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : x->added < y->added ? -1 : x->added > y->added;
}

static int
by_start(const void *a, const void *b)
{
	const struct pd_diff_run *x = a, *y = b;

	return x->info.start != y->info.start ?
	    x->info.start < y->info.start ? -1 : 1 : by_name(a, b);
}

/* Put the new side in the order that the base side was added in. */
static int
keep_pairs(struct pd_diff *d, struct pd_error *err)
{
	struct pd_diff_run *sorted;
	size_t i, n = d->len[0];

	if (n != d->len[1])
		return pd_fail(err, PD_EARG, PD_NOWHERE,
		    "pairs need as many runs on both sides");
	sorted = pd_calloc(n, sizeof(*sorted), err);
	if (sorted == NULL)
		return -1;
	for (i = 0; i < n; i++)
		sorted[i] = d->runs[1][d->runs[0][i].added];
	memcpy(d->runs[1], sorted, n * sizeof(*sorted));
	free(sorted);
	return 0;
}

/* Sums of fractions depend on their order: it must not be the command's. */
static int
sort_runs(struct pd_diff *d, struct pd_error *err)
{
	qsort(d->runs[0], d->len[0], sizeof(*d->runs[0]), by_name);
	if (d->opts.pairs)
		return keep_pairs(d, err);
	if (d->len[1] > 0)
		qsort(d->runs[1], d->len[1], sizeof(*d->runs[1]), by_name);
	return 0;
}

/* ---- units --------------------------------------------------------------- */

/* Whether the period of an event is nanoseconds. */
static bool
is_clock(const char *event)
{
	return pd_starts(event, "cpu-clock") || pd_starts(event, "task-clock");
}

static enum pd_unit
unit_of(const struct pd_run *info)
{
	switch (info->weight) {
	case PD_WEIGHT_TIME:
		return PD_UNIT_NS;
	case PD_WEIGHT_PERIOD:
		return is_clock(info->event) ? PD_UNIT_NS : PD_UNIT_EVENTS;
	default:
		return info->freq > 0 ? PD_UNIT_NS : PD_UNIT_SAMPLES;
	}
}

int
pd_diff_guess_units(struct pd_diff *d, struct pd_error *err)
{
	struct pd_diff_run *r, *first = NULL;
	uint64_t unit = 0;
	size_t i;

	for (i = 0; i < nruns(d); i++) {
		r = at(d, i);
		if (r->info.known)
			continue;
		unit = pd_stacks_unit(&r->stacks);
		if (r->stacks.len < 8 || unit < 1000)
			return 0;
		first = first ? first : r;
	}
	if (first == NULL)
		return 0;
	for (i = 0; i < nruns(d); i++) {
		r = at(d, i);
		if (r->info.known)
			continue;
		unit = pd_stacks_unit(&r->stacks);
		r->info.weight = PD_WEIGHT_TIME;
		r->info.samples = r->stacks.weight / unit;
		pd_stacks_end(&r->stacks, &r->info);
	}
	return pd_diff_warn(d, err, "unit", "%s: counts are multiples of %"
	    PRIu64 ", which is taken for the nanoseconds of a sample (pd-fold "
	    "--meta tells)", first->name, pd_stacks_unit(&first->stacks));
}

static int
set_units(struct pd_diff *d, struct pd_error *err)
{
	static const char *const names[] = { "samples without a known rate",
		"time", "events" };
	struct pd_diff_run *r;
	uint64_t sum = 0;
	size_t i;

	d->unit = unit_of(&at(d, 0)->info);
	for (i = 0; i < nruns(d); i++) {
		r = at(d, i);
		if (__builtin_add_overflow(sum, r->stacks.weight, &sum))
			return pd_fail(err, PD_EARG, PD_NOWHERE, "%s: with it "
			    "the counts of all runs add up to more than 2^64",
			    r->name);
		if (unit_of(&r->info) != d->unit && !d->opts.force)
			return pd_fail(err, PD_EARG, PD_NOWHERE, "%s counts "
			    "%s, %s counts %s: give --freq, or fold with "
			    "--meta", at(d, 0)->name, names[d->unit], r->name,
			    names[unit_of(&r->info)]);
		r->scale = r->info.weight == PD_WEIGHT_SAMPLES &&
		    r->info.freq > 0 ? 1e9 / (double)r->info.freq : 1;
		r->total = (double)r->stacks.weight * r->scale;
		r->each = r->total / (double)r->stacks.samples;
	}
	return 0;
}

static int
set_divisor(struct pd_diff *d, struct pd_diff_run *r, struct pd_error *err)
{
	switch (d->norm) {
	case PD_NORM_WORK:
		r->units = d->opts.fixed_work ? 1 : r->info.work;
		if (r->units <= 0)
			return pd_fail(err, PD_EARG, PD_NOWHERE, "%s: its work "
			    "is not known (--work, --work-file, --fixed-work)",
			    r->name);
		break;
	case PD_NORM_WALL:
		r->units = (double)r->info.dur;
		if (r->units <= 0)
			return pd_fail(err, PD_EARG, PD_NOWHERE, "%s: its "
			    "duration is not known (fold with --meta)",
			    r->name);
		break;
	case PD_NORM_CPUTIME:
		r->units = r->total;
		break;
	default:
		r->units = 1;
	}
	return 0;
}

static int
set_divisors(struct pd_diff *d, struct pd_error *err)
{
	size_t i;

	d->norm = d->opts.norm;
	if (d->norm == PD_NORM_AUTO) {
		d->norm = PD_NORM_WORK;
		for (i = 0; i < nruns(d); i++)
			if (at(d, i)->info.work <= 0 && !d->opts.fixed_work)
				d->norm = PD_NORM_CPUTIME;
	}
	for (i = 0; i < nruns(d); i++)
		if (set_divisor(d, at(d, i), err) == -1)
			return -1;
	if (d->norm == PD_NORM_CPUTIME)
		return pd_diff_warn(d, err, "shares", "the work of each run is "
		    "not known, so shares are compared: one function's change "
		    "moves all others (--work, --work-file, --fixed-work)");
	return 0;
}

/* ---- sequence ------------------------------------------------------------ */

/* Another clock than the wall's began when the machine did. */
static bool
same_boot(const struct pd_diff_run *a, const struct pd_diff_run *b)
{
	return a->stored == b->stored &&
	    strcmp(a->info.host, b->info.host) == 0;
}

/* All runs by start, if that is *known; free(3) it. */
static struct pd_diff_run **
by_time(struct pd_diff *d, bool *known, struct pd_error *err)
{
	struct pd_diff_run **list, *r;
	size_t i, j, n = nruns(d);

	*known = false;
	if ((list = pd_calloc(n, sizeof(*list), err)) == NULL)
		return NULL;
	for (i = 0; i < n; i++) {
		r = at(d, i);
		if (r->info.start == PD_NOTIME ||
		    r->info.wall != at(d, 0)->info.wall ||
		    (!r->info.wall && !same_boot(r, at(d, 0))))
			return list;
		for (j = i; j > 0 && list[j - 1]->info.start > r->info.start;
		    j--)
			list[j] = list[j - 1];
		list[j] = r;
	}
	*known = true;
	return list;
}

static bool
is_new(const struct pd_diff *d, const struct pd_diff_run *r)
{
	return r >= d->runs[1] && r < d->runs[1] + d->len[1];
}

/*
 * How often a new run came after one of the base, of all n m couples: about
 * half of them when they were mixed.
 */
static double
later(const struct pd_diff *d, struct pd_diff_run **list)
{
	double base = 0, sum = 0;
	size_t i;

	for (i = 0; i < nruns(d); i++)
		if (is_new(d, list[i]))
			sum += base;
		else
			base++;
	return sum / ((double)d->len[0] * (double)d->len[1]);
}

/* Each two that follow each other are one of each side. */
static bool
alternates(const struct pd_diff *d, struct pd_diff_run **list)
{
	size_t i;

	if (d->len[0] != d->len[1])
		return false;
	for (i = 0; i < nruns(d); i += 2)
		if (is_new(d, list[i]) == is_new(d, list[i + 1]))
			return false;
	return true;
}

static int
find_sequence(struct pd_diff *d, struct pd_error *err)
{
	struct pd_diff_run **list;
	bool known;

	d->seq = d->opts.pairs ? PD_SEQ_PAIRS : PD_SEQ_UNKNOWN;
	if ((list = by_time(d, &known, err)) == NULL)
		return -1;
	if (known && nruns(d) > 2) {
		if (fabs(later(d, list) - .5) >= .4)
			d->seq = PD_SEQ_SEPARATE;
		else if (!d->opts.pairs)
			d->seq = alternates(d, list) ? PD_SEQ_PAIRS :
			    PD_SEQ_MIXED;
	}
	free(list);
	if (d->seq == PD_SEQ_PAIRS && !d->opts.pairs) {
		qsort(d->runs[0], d->len[0], sizeof(*d->runs[0]), by_start);
		qsort(d->runs[1], d->len[1], sizeof(*d->runs[1]), by_start);
	}
	if (d->opts.test == PD_TEST_PAIRED && d->seq != PD_SEQ_PAIRS &&
	    !d->opts.pairs)
		return pd_fail(err, PD_EARG, PD_NOWHERE, "which runs are pairs "
		    "is not known (--pairs, or pd-fold --meta)");
	if (nruns(d) == 2)
		return 0;
	if (d->seq == PD_SEQ_SEPARATE)
		return pd_diff_warn(d, err, "not-interleaved", "the runs of "
		    "base and new are not interleaved: a change of the machine "
		    "looks like a change of the program, so more is asked of "
		    "a regression");
	if (d->seq == PD_SEQ_UNKNOWN)
		return pd_diff_warn(d, err, "sequence-unknown", "it is not "
		    "known when the runs were made, so more is asked of a "
		    "regression (--pairs, or pd-fold --meta)");
	return 0;
}

/* ---- what is suspicious -------------------------------------------------- */

/* The first run whose text differs from that of the first run of all. */
static const struct pd_diff_run *
different(struct pd_diff *d, size_t offset)
{
	const char *first = (const char *)&at(d, 0)->info + offset, *text;
	size_t i;

	for (i = 1; i < nruns(d); i++) {
		text = (const char *)&at(d, i)->info + offset;
		if (*text != '\0' && *first != '\0' && strcmp(text, first) != 0)
			return at(d, i);
	}
	return NULL;
}

/* "cpu-clock/freq=1000/u" is "cpu-clock:u", at whichever rate. */
static void
event_without_rate(const char *name, char *out, size_t size)
{
	const char *slash = strchr(name, '/'), *end;

	if (slash == NULL || (end = strchr(slash + 1, '/')) == NULL ||
	    memchr(slash, ',', (size_t)(end - slash)) != NULL ||
	    !(pd_starts(slash + 1, "freq=") || pd_starts(slash + 1, "period=")))
		snprintf(out, size, "%s", name);
	else
		snprintf(out, size, "%.*s%s%s", (int)(slash - name), name,
		    end[1] ? ":" : "", end + 1);
}

/* The first run of another event than the first run of all. */
static const struct pd_diff_run *
other_event(struct pd_diff *d)
{
	char first[PD_RUN_TEXT], event[PD_RUN_TEXT];
	size_t i;

	event_without_rate(at(d, 0)->info.event, first, sizeof(first));
	for (i = 1; i < nruns(d); i++) {
		event_without_rate(at(d, i)->info.event, event, sizeof(event));
		if (*first != '\0' && *event != '\0' &&
		    strcmp(first, event) != 0)
			return at(d, i);
	}
	return NULL;
}

static int
check_alike(struct pd_diff *d, struct pd_error *err)
{
	static const struct { const char *code, *what; size_t at; } texts[] = {
		{ "host", "host", offsetof(struct pd_run, host) },
		{ "cpu", "CPU", offsetof(struct pd_run, cpu) },
		{ "kernel", "kernel", offsetof(struct pd_run, kernel) },
		{ "callgraph", "way to record call chains",
		    offsetof(struct pd_run, callgraph) },
	};
	const struct pd_diff_run *r;
	const char *first;
	size_t i;

	r = other_event(d);
	if (r != NULL && !d->opts.force)
		return pd_fail(err, PD_EARG, PD_NOWHERE, "%s counts %s, %s "
		    "counts %s (--force compares them all the same)",
		    at(d, 0)->name, at(d, 0)->info.event, r->name,
		    r->info.event);
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if ((r = different(d, texts[i].at)) == NULL)
			continue;
		first = (const char *)&at(d, 0)->info + texts[i].at;
		if (pd_diff_warn(d, err, texts[i].code, "the %s is not the "
		    "same: %s in %s, %s in %s", texts[i].what, first,
		    at(d, 0)->name, (const char *)&r->info + texts[i].at,
		    r->name) == -1)
			return -1;
	}
	return 0;
}

/* Samples by the mean of a side, to compare rates. */
static double
mean_each(const struct pd_diff *d, enum pd_side side)
{
	double s = 0;
	size_t i;

	for (i = 0; i < d->len[side]; i++)
		s += d->runs[side][i].each;
	return s / (double)d->len[side];
}

static int
check_rate(struct pd_diff *d, struct pd_error *err)
{
	double a = mean_each(d, PD_BASE), b = mean_each(d, PD_NEW);

	if (d->unit == PD_UNIT_SAMPLES || fabs(log(b / a)) < log(1.05))
		return 0;
	return pd_diff_warn(d, err, "rate", "a sample stands for %.4g %s in "
	    "the base, %.4g in the new runs", a, pd_diff_unit(d), b);
}

static int
check_lost(struct pd_diff *d, struct pd_error *err)
{
	const struct pd_diff_run *r, *worst = NULL, *throttled = NULL;
	double part, most = .01;
	size_t i;

	for (i = 0; i < nruns(d); i++) {
		r = at(d, i);
		part = (double)r->info.lost /
		    ((double)r->info.lost + (double)r->stacks.samples);
		if (part > most) {
			most = part;
			worst = r;
		}
		if (r->info.throttled > 0)
			throttled = r;
	}
	d->lossy = most > .1;
	if (worst != NULL && pd_diff_warn(d, err, "lost", "%s: %.0f%% of the "
	    "samples were lost", worst->name, 100 * most) == -1)
		return -1;
	return throttled == NULL ? 0 : pd_diff_warn(d, err, "throttled",
	    "%s: the kernel throttled sampling", throttled->name);
}

/* The part of a side's samples that end in a frame without a name. */
static double
unknown_part(const struct pd_diff *d, enum pd_side side)
{
	const struct pd_tree *t = d->tree;
	const struct pd_entry *e, *end;
	double unknown = 0, all = 0;
	const char *name;
	size_t i;

	for (i = 0; i < d->len[side]; i++) {
		e = d->runs[side][i].stacks.list;
		end = e + d->runs[side][i].stacks.len;
		for (; e < end; e++) {
			name = t->frames[t->nodes[e->node].frame].name;
			all += (double)e->samples;
			if (name[0] == '[' && name[strlen(name) - 1] == ']')
				unknown += (double)e->samples;
		}
	}
	return unknown / all;
}

static int
check_unknown(struct pd_diff *d, struct pd_error *err)
{
	double a = unknown_part(d, PD_BASE), b = unknown_part(d, PD_NEW);

	if (fmax(a, b) < .01 || (fmax(a, b) < .1 && fmax(a, b) < 2 *
	    fmin(a, b)))
		return 0;
	return pd_diff_warn(d, err, "unknown", "functions without a name have "
	    "%.1f%% of the base's samples and %.1f%% of the new ones (are all "
	    "symbols there?)", 100 * a, 100 * b);
}

/* Whether the whole cost rose or fell with time. */
static int
check_drift(struct pd_diff *d, struct pd_error *err)
{
	size_t n = nruns(d), i;
	double *x = pd_calloc(2 * n, sizeof(*x), err), r, p = 1;
	bool known = d->norm != PD_NORM_CPUTIME;
	const struct pd_diff_run *run;
	int ok = 0;

	if (x == NULL)
		return -1;
	for (i = 0; i < n; i++) {
		run = at(d, i);
		known &= run->info.start != PD_NOTIME &&
		    run->info.wall == at(d, 0)->info.wall;
		x[i] = (double)run->info.start;
		x[n + i] = run->total / run->units;
	}
	if (known)
		ok = pd_stat_spearman(x, x + n, n, &r, &p, err);
	free(x);
	if (ok == 0 && p < .01)
		return pd_diff_warn(d, err, "drift", "the machine became %s "
		    "during the runs (p=%.2g)", r > 0 ? "slower" : "faster", p);
	return ok;
}

static int
check_number(struct pd_diff *d, struct pd_error *err)
{
	size_t n = d->len[0], m = d->len[1];

	if (n == 1 && m == 1)
		return pd_diff_warn(d, err, "one-run", "one run a side: the "
		    "difference is shown, but whether it is chance cannot be "
		    "told");
	if (n == 1 || m == 1)
		return pd_diff_warn(d, err, "one-run", "one %s run: it is "
		    "compared with where one more of the others would lie",
		    n == 1 ? "base" : "new");
	if (n < 5 || m < 5)
		return pd_diff_warn(d, err, "few-runs", "%zu and %zu runs "
		    "are few: five a side is the least that finds much", n, m);
	return 0;
}

int
pd_diff_check(struct pd_diff *d, struct pd_error *err)
{
	if (sort_runs(d, err) == -1 || pd_diff_guess_units(d, err) == -1 ||
	    set_units(d, err) == -1 ||
	    check_alike(d, err) == -1 || set_divisors(d, err) == -1 ||
	    check_lost(d, err) == -1)
		return -1;
	/* What is left is about both sides. */
	return d->len[1] == 0 ? 0 : check_number(d, err) == -1 ||
	    find_sequence(d, err) == -1 || check_drift(d, err) == -1 ||
	    check_rate(d, err) == -1 || check_unknown(d, err) == -1 ? -1 : 0;
}
