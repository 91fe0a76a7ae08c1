/* Writes a comparison for the pages of a CI: Markdown, GitHub, JUnit. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "profile/difftext.h"

#define COMMENT_SIZE	60000	/* GitHub refuses comments of 65,536 */
#define ANNOTATIONS	10	/* that GitHub shows of a step and kind */

/* ---- Markdown ------------------------------------------------------------ */

/*
 * A name as code.  All that Markdown or HTML could take for something else is
 * written as a number.
 */
static size_t
put_name(const char *s, FILE *out)
{
	size_t n = 0, len = pd_diff_name_len(s), i;

	n += (size_t)fprintf(out, "<code>");
	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		n += (size_t)fprintf(out, isalnum(c) || c >= 0x80 ||
		    c == ' ' ? "%c" : "&#%d;", c);
	}
	return n + (size_t)fprintf(out, "%s</code>", s[len] ? "..." : "");
}

static size_t
put_table_row(const struct pd_diff *d, const struct pd_change *c, FILE *out)
{
	char change[32], base[32], new[32], lo[32] = "", hi[32] = "", mde[32];
	size_t n;

	pd_diff_put_change(c, change, sizeof(change));
	if (pd_diff_has_interval(c)) {
		pd_diff_put_percent(c->lo, lo, sizeof(lo));
		pd_diff_put_percent(c->hi, hi, sizeof(hi));
	}
	pd_diff_put_seen(c->mde, mde, sizeof(mde));
	pd_diff_put_cost(d, c->base, base, sizeof(base));
	pd_diff_put_cost(d, c->new, new, sizeof(new));
	n = (size_t)fprintf(out, "| ");
	n += put_name(c->name, out);
	n += (size_t)fprintf(out, " | %s | %s%s%s | %s | %s | %+.1f%% | %s | %s |\n",
	    change, lo, *lo ? " to " : "", hi, base, new, 100 * c->impact, mde,
	    c->verdict == PD_REGRESSION ? "**REGRESSION**" :
	    pd_verdict_name(c->verdict));
	return n;
}

static size_t
put_table_head(const struct pd_diff *d, FILE *out)
{
	return (size_t)fprintf(out, "| function | change | %.3g%% interval | "
	    "base | new | impact | sees | verdict |\n"
	    "|---|--:|:-:|--:|--:|--:|--:|---|\n",
	    100 * (1 - d->opts.alpha));
}

/* Text of ours around names of theirs. */
static void
put_text(const char *s, FILE *out)
{
	for (; *s != '\0'; s++)
		fprintf(out, strchr("\\`*_<>[]&|~@#", *s) ? "&#%d;" : "%c",
		    (unsigned char)*s);
}

/* The verdict as text; free(3) it. */
static char *
verdict_of(const struct pd_diff *d, struct pd_error *err)
{
	char *s = NULL;
	size_t size;
	FILE *f = open_memstream(&s, &size);
	int r;

	if (f == NULL) {
		pd_fail_nomem(err);
		return NULL;
	}
	r = pd_diff_put_verdict(d, f, err);
	if (fclose(f) != 0)
		r = pd_fail_nomem(err);
	if (r == 0)
		return s;
	free(s);
	return NULL;
}

int
pd_diff_write_markdown(const struct pd_diff *d, const struct pd_diff_text *how,
    FILE *out, struct pd_error *err)
{
	const struct pd_change **list = pd_diff_sorted(&d->self, err);
	char *verdict = verdict_of(d, err);
	size_t rows = how->top ? how->top : 20, size = 4096, i;

	if (list == NULL || verdict == NULL) {
		free(list);
		free(verdict);
		return -1;
	}
	fputs("**pd-diff: ", out);
	put_text(verdict, out);
	fputs("**\n\n", out);
	free(verdict);
	pd_diff_put_subject(d, out);
	fputs("\n\n", out);
	for (i = 0; i < d->nwarnings; i++) {
		fputs("> ", out);
		put_text(d->warnings[i].text, out);
		fputs("\n>\n", out);
		size += 6 * strlen(d->warnings[i].text);
	}
	fputc('\n', out);
	size += put_table_head(d, out);
	if (d->norm != PD_NORM_CPUTIME)
		size += put_table_row(d, &d->total, out);
	for (i = 0; i < d->self.len && i < rows && size < COMMENT_SIZE; i++)
		size += put_table_row(d, list[i], out);
	if (i < d->self.len && size < COMMENT_SIZE && !how->top) {
		fprintf(out, "\n<details><summary>%zu more</summary>\n\n",
		    d->self.len - i);
		put_table_head(d, out);
		for (; i < d->self.len && size < COMMENT_SIZE; i++)
			size += put_table_row(d, list[i], out);
		fputs("\n</details>\n", out);
	}
	if (i < d->self.len)
		fprintf(out, "\n%zu more functions are not shown.\n",
		    d->self.len - i);
	free(list);
	return 0;
}

/* ---- GitHub -------------------------------------------------------------- */

/* As actions/toolkit escapes data of workflow commands, and properties. */
static void
put_escaped(const char *s, bool property, FILE *out)
{
	for (; *s != '\0'; s++)
		fprintf(out, *s == '%' || *s == '\r' || *s == '\n' ||
		    (property && (*s == ':' || *s == ',')) ? "%%%02X" : "%c",
		    (unsigned char)*s);
}

static void
annotate(const struct pd_diff *d, const char *kind, const struct pd_change *c,
    FILE *out)
{
	char change[32], base[32], new[32], text[256];

	pd_diff_put_change(c, change, sizeof(change));
	pd_diff_put_cost(d, c->base, base, sizeof(base));
	pd_diff_put_cost(d, c->new, new, sizeof(new));
	fprintf(out, "::%s title=pd-diff%%3A ", kind);
	put_escaped(pd_verdict_name(c->verdict), true, out);
	fputs("::", out);
	put_escaped(c->name, false, out);
	snprintf(text, sizeof(text), " %s (%s to %s, %+.1f%% of the total)",
	    change, base, new, 100 * c->impact);
	put_escaped(text, false, out);
	fputc('\n', out);
}

int
pd_diff_write_github(const struct pd_diff *d, FILE *out, struct pd_error *err)
{
	const struct pd_change **list = pd_diff_sorted(&d->self, err);
	char *verdict = verdict_of(d, err);
	size_t i, errors = 0, warnings = 0;
	bool gates = d->outcome == PD_HAS_REGRESSION;

	if (list == NULL || verdict == NULL) {
		free(list);
		free(verdict);
		return -1;
	}
	for (i = 0; i < d->self.len; i++) {
		if (list[i]->verdict == PD_REGRESSION && gates &&
		    errors++ < ANNOTATIONS)
			annotate(d, "error", list[i], out);
		else if ((list[i]->verdict == PD_SUSPECT ||
		    list[i]->verdict == PD_REGRESSION) &&
		    list[i]->e.diff > 0 && warnings++ < ANNOTATIONS)
			annotate(d, "warning", list[i], out);
	}
	for (i = 0; i < d->nwarnings; i++) {
		fprintf(out, "::notice title=pd-diff%%3A %s::",
		    d->warnings[i].code);
		put_escaped(d->warnings[i].text, false, out);
		fputc('\n', out);
	}
	fprintf(out, "::%s title=pd-diff::", gates ? "error" : "notice");
	put_escaped(verdict, false, out);
	fputc('\n', out);
	free(verdict);
	free(list);
	return 0;
}

/* ---- JUnit --------------------------------------------------------------- */

/* XML has no U+FFFE and U+FFFF, though UTF-8 has. */
static void
put_xml(const char *s, FILE *out)
{
	for (; *s != '\0'; s++) {
		if (strncmp(s, "\xef\xbf\xbe", 3) == 0 ||
		    strncmp(s, "\xef\xbf\xbf", 3) == 0) {
			fputc('?', out);
			s += 2;
		} else {
			fprintf(out, strchr("&<>\"'", *s) ? "&#%d;" : "%c",
			    (unsigned char)*s);
		}
	}
}

/* The element of a test case that did not succeed, else NULL. */
static const char *
trouble_of(const struct pd_diff *d, enum pd_verdict v)
{
	if (v == PD_REGRESSION && d->outcome == PD_HAS_REGRESSION)
		return "failure";
	return v == PD_NO_DATA || v == PD_SUSPECT || v == PD_REGRESSION ?
	    "skipped" : NULL;
}

static void
put_case(const struct pd_diff *d, const struct pd_change *c,
    enum pd_verdict verdict, FILE *out)
{
	const char *trouble = trouble_of(d, verdict);
	char change[32], lo[32], hi[32], interval[80] = "", text[200];

	pd_diff_put_change(c, change, sizeof(change));
	pd_diff_put_percent(c->lo, lo, sizeof(lo));
	pd_diff_put_percent(c->hi, hi, sizeof(hi));
	if (pd_diff_has_interval(c))
		snprintf(interval, sizeof(interval), " [%s, %s]", lo, hi);
	snprintf(text, sizeof(text), "%s: %s%s, %+.1f%% of the total",
	    pd_verdict_name(verdict), change, interval, 100 * c->impact);
	fputs("<testcase classname=\"pd-diff\" name=\"", out);
	put_xml(c->name, out);
	if (trouble == NULL) {
		fputs("\"/>\n", out);
		return;
	}
	fprintf(out, "\"><%s message=\"", trouble);
	put_xml(text, out);
	fputs("\"/></testcase>\n", out);
}

/* Calls put_case() for all, if there is an output, and counts cases. */
static size_t
put_cases(const struct pd_diff *d, const char *trouble, FILE *out)
{
	const struct pd_change *c;
	enum pd_verdict v;
	size_t n = 0, len = d->self.len, i;

	/* All functions, then the total, then groups of moved cost. */
	for (i = 0; i <= len + d->nmoves; i++) {
		c = i < len ? &d->self.list[i] : i == len ? &d->total :
		    &d->moves[i - len - 1].net;
		if (i < len && !c->tested)
			continue;
		v = i <= len ? c->verdict : d->moves[i - len - 1].regression ?
		    PD_REGRESSION : PD_MOVED;
		if (out != NULL)
			put_case(d, c, v, out);
		n += trouble == NULL || (trouble_of(d, v) != NULL &&
		    strcmp(trouble_of(d, v), trouble) == 0);
	}
	return n;
}

int
pd_diff_write_junit(const struct pd_diff *d, FILE *out, struct pd_error *err)
{
	(void)err;
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<testsuite name=\"pd-diff\" tests=\"%zu\" failures=\"%zu\" "
	    "errors=\"0\" skipped=\"%zu\">\n", put_cases(d, NULL, NULL),
	    put_cases(d, "failure", NULL), put_cases(d, "skipped", NULL));
	put_cases(d, NULL, out);
	fputs("</testsuite>\n", out);
	return 0;
}
