/* Writes a comparison for people: a table, and the verdict as last line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profile/difftext.h"

#define ROWS	15		/* of a table, unless asked for more */
#define NAME_SIZE ((size_t)200)	/* of a name that is not shown whole: bytes */

/* ---- words --------------------------------------------------------------- */

const char *
pd_verdict_name(enum pd_verdict v)
{
	static const char *const names[] = {
		[PD_SAME] = "same", [PD_REGRESSION] = "REGRESSION",
		[PD_IMPROVEMENT] = "improvement", [PD_SUSPECT] = "suspect",
		[PD_MOVED] = "moved", [PD_NO_DATA] = "not enough data",
		[PD_IGNORED] = "ignored",
	};

	return names[v];
}

/* With as many digits as matter. */
void
pd_diff_put_percent(double ratio, char *buf, size_t size)
{
	double p = 100 * ratio;

	snprintf(buf, size, fabs(p) < 99.95 ? "%+.1f%%" : fabs(p) < 1e6 ?
	    "%+.0f%%" : "%+.0e%%", p);
}

bool
pd_diff_has_interval(const struct pd_change *c)
{
	/* One of what is new or gone would be that of the pseudo-count. */
	return c->has_test && c->e.se > 0 && c->k_base > 0 && c->k_new > 0;
}

void
pd_diff_put_seen(double mde, char *buf, size_t size)
{
	if (isinf(mde))
		*buf = '\0';
	else
		snprintf(buf, size, mde < .9995 ? "%.1f%%" :
		    mde < 9.995 ? "%.0f%%" : ">999%%", 100 * mde);
}

void
pd_diff_put_change(const struct pd_change *c, char *buf, size_t size)
{
	if (c->k_base == 0 && c->k_new > 0)
		snprintf(buf, size, "new");
	else if (c->k_new == 0 && c->k_base > 0)
		snprintf(buf, size, "gone");
	else if (!c->has_test && c->base > 0)	/* as the columns say */
		pd_diff_put_percent(c->new / c->base - 1, buf, size);
	else
		pd_diff_put_percent(expm1(c->e.diff), buf, size);
}

size_t
pd_diff_name_len(const char *name)
{
	size_t n = strnlen(name, NAME_SIZE);

	/* Not inside a character. */
	while (n > 0 && (name[n] & 0xc0) == 0x80)
		n--;
	return n;
}

void
pd_diff_put_cost(const struct pd_diff *d, double cost, char *buf, size_t size)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t i;

	if (d->norm == PD_NORM_CPUTIME || (d->norm == PD_NORM_WALL &&
	    d->unit == PD_UNIT_NS)) {
		snprintf(buf, size, "%.2f%%", 100 * cost);
		return;
	}
	if (d->unit != PD_UNIT_NS) {
		snprintf(buf, size, cost < 999.5 ? "%.3g" : cost < 1e9 ?
		    "%.0f" : "%.4g", cost);
		return;
	}
	for (i = 0; i < 3 && cost >= 999.5; i++)
		cost /= 1000;
	snprintf(buf, size, "%.3g %s", cost, units[i]);
}

void
pd_diff_put_subject(const struct pd_diff *d, FILE *out)
{
	static const char *const per[] = {
		[PD_NORM_WORK] = " per unit of work",
		[PD_NORM_CPUTIME] = ", as a share of all",
		[PD_NORM_WALL] = " per second of wall time",
		[PD_NORM_NONE] = " per run",
	};
	static const char *const seqs[] = {
		[PD_SEQ_UNKNOWN] = "", [PD_SEQ_PAIRS] = " in pairs",
		[PD_SEQ_MIXED] = ", interleaved",
		[PD_SEQ_SEPARATE] = ", one after the other",
	};

	fprintf(out, "%zu base and %zu new run%s%s: %s%s", d->len[0],
	    d->len[1], d->len[1] == 1 ? "" : "s", d->len[0] + d->len[1] == 2 ?
	    "" : seqs[d->seq], d->unit == PD_UNIT_NS ? "CPU time" :
	    pd_diff_unit(d), d->opts.fixed_work && d->norm == PD_NORM_WORK ?
	    " per run" : per[d->norm]);
}

/* ---- order --------------------------------------------------------------- */

/* What a change costs at least, in absolute terms, as far as is known. */
static double
certain(const struct pd_change *c)
{
	double by = c->e.diff > 0 ? fmax(0, c->lo) : fmax(0, -c->hi);

	if (!c->has_test || isinf(c->hi))
		return fabs(c->new - c->base);
	/* What is new has no base to multiply. */
	return fmin(c->base * by, fabs(c->new - c->base)) +
	    (c->k_base == 0 ? c->new : 0);
}

static int
by_interest(const void *a, const void *b)
{
	static const int order[] = { [PD_REGRESSION] = 0,
		[PD_IMPROVEMENT] = 1, [PD_SUSPECT] = 2, [PD_MOVED] = 3,
		[PD_SAME] = 4, [PD_NO_DATA] = 4, [PD_IGNORED] = 5 };
	const struct pd_change *x = *(const struct pd_change *const *)a;
	const struct pd_change *y = *(const struct pd_change *const *)b;
	double cx, cy;

	if (order[x->verdict] != order[y->verdict])
		return order[x->verdict] - order[y->verdict];
	cx = order[x->verdict] == 4 && x->has_test ? x->base : certain(x);
	cy = order[y->verdict] == 4 && y->has_test ? y->base : certain(y);
	if (cx != cy)
		return cx > cy ? -1 : 1;
	return strcmp(x->name, y->name);
}

const struct pd_change **
pd_diff_sorted(const struct pd_family *f, struct pd_error *err)
{
	const struct pd_change **list = pd_calloc(f->len + 1, sizeof(*list),
	    err);
	size_t i;

	if (list == NULL)
		return NULL;
	for (i = 0; i < f->len; i++)
		list[i] = &f->list[i];
	qsort(list, f->len, sizeof(*list), by_interest);
	return list;
}

/* ---- verdict ------------------------------------------------------------- */

/* The regression, or improvement, that costs most for certain. */
static const struct pd_change *
worst(const struct pd_diff *d, enum pd_verdict v)
{
	const struct pd_change *c, *w = NULL;
	size_t i;

	for (i = 0; i < d->self.len; i++) {
		c = &d->self.list[i];
		if (c->verdict == v && (w == NULL || certain(c) > certain(w)))
			w = c;
	}
	if (w == NULL && d->total.verdict == v)
		w = &d->total;
	for (i = 0; i < d->nmoves && w == NULL; i++)
		if (v == PD_REGRESSION && d->moves[i].regression)
			w = &d->moves[i].net;
	return w;
}

static void
put_worst(const struct pd_diff *d, enum pd_verdict v, const char *word,
    FILE *out)
{
	const struct pd_change *c = worst(d, v);
	size_t len = pd_diff_name_len(c->name);
	char change[32], lo[32], hi[32], impact[32];

	pd_diff_put_change(c, change, sizeof(change));
	pd_diff_put_percent(c->lo, lo, sizeof(lo));
	pd_diff_put_percent(c->hi, hi, sizeof(hi));
	pd_diff_put_percent(c->impact, impact, sizeof(impact));
	fprintf(out, " (%s: %.*s%s %s", word, (int)len, c->name,
	    c->name[len] ? "..." : "", change);
	if (pd_diff_has_interval(c))
		fprintf(out, " [%s,%s]", lo, hi);
	fprintf(out, ", %s of total)", impact);
}

static int
by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* "a change of 4.9% would be seen in 9 functions, 25% in 31, of 38" */
static int
put_power(const struct pd_diff *d, FILE *out, struct pd_error *err)
{
	double *mde = pd_calloc(d->self.len + 1, sizeof(*mde), err), same = 0;
	size_t n = 0, nsame = 0, i, most;
	const struct pd_change *c;
	char seen[32];

	if (mde == NULL)
		return -1;
	for (i = 0; i < d->self.len; i++) {
		c = &d->self.list[i];
		if (!c->tested || isinf(c->mde))
			continue;
		mde[n++] = c->mde;
		if (c->mde > d->opts.want)
			continue;
		nsame++;
		same = fmax(same, c->mde);
	}
	if (n > 0)
		qsort(mde, n, sizeof(*mde), by_number);
	most = (n * 4 + 4) / 5;			/* four in five */
	if (nsame > 0)
		fprintf(out, "; would have seen %.1f%% in %zu function%s",
		    100 * same, nsame, nsame == 1 ? "" : "s");
	if (n > 0)
		pd_diff_put_seen(mde[nsame > 0 ? most - 1 : 0], seen,
		    sizeof(seen));
	if (nsame > 0 && most > nsame)
		fprintf(out, ", %s in %zu of %zu", seen, most, n);
	else if (n > 0 && nsame == 0)
		fprintf(out, "; would have seen %s at best", seen);
	free(mde);
	return 0;
}

int
pd_diff_put_verdict(const struct pd_diff *d, FILE *out, struct pd_error *err)
{
	size_t n = d->len[0], m = d->len[1];
	int r = 0;

	if (d->outcome == PD_HAS_REGRESSION) {
		if (d->regressions > 0)
			fprintf(out, "REGRESSION %zu function%s",
			    d->regressions, d->regressions == 1 ? "" : "s");
		else
			fprintf(out, "REGRESSION of the total");
		put_worst(d, PD_REGRESSION, "worst", out);
		fprintf(out, ", %zu tested", d->self.tested);
	} else if (n == 1 && m == 1) {
		fprintf(out, "INCONCLUSIVE not enough data (1 run each; no "
		    "run-to-run variance)");
	} else if (d->outcome == PD_UNDECIDED && d->regressions > 0) {
		fprintf(out, "INCONCLUSIVE shares only: %zu function%s take%s "
		    "more of the time", d->regressions, d->regressions == 1 ?
		    "" : "s", d->regressions == 1 ? "s" : "");
		put_worst(d, PD_REGRESSION, "worst", out);
	} else {
		fprintf(out, "%s", d->outcome == PD_UNDECIDED ?
		    "INCONCLUSIVE " : "OK ");
		if (d->improvements > 0) {
			fprintf(out, "%zu function%s improved",
			    d->improvements, d->improvements == 1 ? "" : "s");
			put_worst(d, PD_IMPROVEMENT, "best", out);
		} else if (d->suspects > 0) {
			fprintf(out, "no change is certain, %zu suspect",
			    d->suspects);
		} else {
			fprintf(out, "no change found");
		}
		if (d->outcome == PD_UNDECIDED && d->lossy)
			fprintf(out, ", but too many samples were lost");
		else if (d->outcome == PD_UNDECIDED)
			fprintf(out, ", but only %.0f%% of the cost could be "
			    "judged to %.3g%%", 100 * d->judged,
			    100 * d->opts.want);
		r = put_power(d, out, err);
	}
	fprintf(out, ", n=%zu+%zu, alpha=%.3g%s", n, m, d->opts.alpha,
	    d->opts.fdr ? " fdr" : "");
	return r;
}

/* ---- the table ----------------------------------------------------------- */

static const char *
color_of(enum pd_verdict v)
{
	return v == PD_REGRESSION ? "\033[31m" : v == PD_IMPROVEMENT ?
	    "\033[32m" : v == PD_SUSPECT ? "\033[33m" : "";
}

static void
put_row(const struct pd_diff *d, const struct pd_change *c, bool verdict,
    bool color, FILE *out)
{
	char change[32], lo[32] = "", hi[32] = "", base[32], new[32];
	char impact[32], mde[32];
	const char *on = color && verdict ? color_of(c->verdict) : "";

	pd_diff_put_change(c, change, sizeof(change));
	if (pd_diff_has_interval(c)) {
		pd_diff_put_percent(c->lo, lo, sizeof(lo));
		pd_diff_put_percent(c->hi, hi, sizeof(hi));
	}
	pd_diff_put_seen(c->mde, mde, sizeof(mde));
	pd_diff_put_cost(d, c->base, base, sizeof(base));
	pd_diff_put_cost(d, c->new, new, sizeof(new));
	pd_diff_put_percent(c->impact, impact, sizeof(impact));
	fprintf(out, "%s%8s  %8s %-8s %9s %9s %7s", on, change, lo, hi, base,
	    new, impact);
	if (verdict)
		fprintf(out, " %7s  %-15s", mde, pd_verdict_name(c->verdict));
	fprintf(out, "  %s%s\n", c->name, *on ? "\033[m" : "");
}

static void
put_head(const struct pd_diff *d, bool verdict, FILE *out)
{
	char interval[32] = "";

	if (d->len[0] + d->len[1] > 2)
		snprintf(interval, sizeof(interval), "%.3g%% interval",
		    100 * (1 - d->opts.alpha));
	fprintf(out, "%8s  %17s %9s %9s %7s", "change", interval, "base",
	    "new", "impact");
	if (verdict)
		fprintf(out, " %7s  %-15s", "sees", "verdict");
	fprintf(out, "  function\n");
}

static size_t
count(const struct pd_diff *d, enum pd_verdict v)
{
	size_t n = 0, i;

	for (i = 0; i < d->self.len; i++)
		n += d->self.list[i].verdict == v;
	return n;
}

/* How many functions there are beside those of the table. */
static void
put_counts(const struct pd_diff *d, size_t shown, FILE *out)
{
	static const struct { enum pd_verdict v; const char *name; } words[] = {
		{ PD_REGRESSION, "regression" },
		{ PD_IMPROVEMENT, "improvement" }, { PD_SUSPECT, "suspect" },
		{ PD_MOVED, "moved" }, { PD_SAME, "same" },
		{ PD_IGNORED, "ignored" },
	};
	size_t i, n, without;

	fprintf(out, "%zu function%s, %zu tested", d->self.len,
	    d->self.len == 1 ? "" : "s", d->self.tested);
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if ((n = count(d, words[i].v)) > 0)
			fprintf(out, ", %zu %s", n, words[i].name);
	without = count(d, PD_NO_DATA);
	if (without > 0)
		fprintf(out, ", %zu without enough data", without);
	if (shown < d->self.len)
		fprintf(out, "; %zu shown", shown);
	fputc('\n', out);
}

static void
put_moves(const struct pd_diff *d, FILE *out)
{
	const struct pd_move *m;
	char change[32], lo[32], hi[32];
	size_t i, j, n;

	for (i = 0; i < d->nmoves; i++) {
		m = &d->moves[i];
		pd_diff_put_change(&m->net, change, sizeof(change));
		pd_diff_put_percent(m->net.lo, lo, sizeof(lo));
		pd_diff_put_percent(m->net.hi, hi, sizeof(hi));
		if (m->renamed)
			fprintf(out, "renamed? %s -> %s",
			    d->tree->frames[m->from].name,
			    d->tree->frames[m->to].name);
		else
			fprintf(out, "moved: ");
		for (j = n = 0; j < d->self.len && !m->renamed; j++)
			if (d->self.list[j].group == i + 1)
				fprintf(out, "%s%s", n++ ? ", " : "",
				    d->self.list[j].name);
		fprintf(out, ": together %s [%s,%s]%s\n", change, lo, hi,
		    m->regression ? " REGRESSION" : "");
	}
}

/* A name as it was, and the frame that it became. */
struct merged {
	const char	*raw, *name;
};

static int
by_names(const void *a, const void *b)
{
	const struct merged *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : strcmp(x->raw, y->raw);
}

static int
put_merged(const struct pd_diff *d, FILE *out, struct pd_error *err)
{
	size_t n = d->raws.len, i, j, k;
	struct merged *list = pd_calloc(n + 1, sizeof(*list), err);

	if (list == NULL)
		return -1;
	for (i = 0; i < n; i++)
		list[i] = (struct merged){ d->raws.strs[i],
		    d->tree->frames[d->raw_frames[i]].name };
	if (n > 0)
		qsort(list, n, sizeof(*list), by_names);
	for (i = 0; i < n; i = j) {
		for (j = i; j < n && strcmp(list[j].name, list[i].name) == 0;
		    j++)
			;
		if (j - i == 1)
			continue;
		fprintf(out, "merged: %s <-", list[i].name);
		for (k = i; k < j; k++)
			fprintf(out, "%s %s", k > i ? "," : "", list[k].raw);
		fputc('\n', out);
	}
	free(list);
	return 0;
}

int
pd_diff_write_text(const struct pd_diff *d, const struct pd_diff_text *how,
    FILE *out, struct pd_error *err)
{
	const struct pd_family *f = how->total ? &d->whole : &d->self;
	const struct pd_change **list = pd_diff_sorted(f, err);
	size_t rows = how->top ? how->top : ROWS, n;
	bool verdict = !how->total && d->len[0] + d->len[1] > 2;

	if (list == NULL)
		return -1;
	pd_diff_put_subject(d, out);
	fputs("\n\n", out);
	put_head(d, verdict, out);
	if (d->norm != PD_NORM_CPUTIME)
		put_row(d, &d->total, verdict, how->color, out);
	for (n = 0; n < f->len; n++) {
		if (n >= rows && (how->top || list[n]->verdict == PD_SAME ||
		    list[n]->verdict >= PD_NO_DATA))
			break;
		put_row(d, list[n], verdict, how->color, out);
	}
	fputc('\n', out);
	free(list);
	put_moves(d, out);
	if (how->merged && put_merged(d, out, err) == -1)
		return -1;
	put_counts(d, n, out);
	fputs("pd-diff: ", out);
	if (pd_diff_put_verdict(d, out, err) == -1)
		return -1;
	fputc('\n', out);
	return 0;
}

int
pd_diff_write(const struct pd_diff *d, enum pd_diff_format format,
    const struct pd_diff_text *how, FILE *out, struct pd_error *err)
{
	int r = -1;

	switch (format) {
	case PD_DIFF_TEXT:
		r = pd_diff_write_text(d, how, out, err);
		break;
	case PD_DIFF_FOLDED:
		r = pd_diff_write_folded(d, how, out, err);
		break;
	case PD_DIFF_JSON:
		r = pd_diff_write_json(d, out, err);
		break;
	case PD_DIFF_MARKDOWN:
		r = pd_diff_write_markdown(d, how, out, err);
		break;
	case PD_DIFF_GITHUB:
		r = pd_diff_write_github(d, out, err);
		break;
	case PD_DIFF_JUNIT:
		r = pd_diff_write_junit(d, out, err);
		break;
	case PD_DIFF_BENCHMARK:
		r = pd_diff_write_benchmark(d, out, err);
		break;
	}
	return r == 0 && ferror(out) ?
	    pd_fail(err, PD_EIO, PD_NOWHERE, "write") : r;
}
