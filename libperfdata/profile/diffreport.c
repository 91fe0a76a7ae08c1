/* Writes a comparison for the pages of a CI: Markdown, GitHub, JUnit. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "profile/difftext.h"

#define COMMENT_SIZE	60000	/* GitHub refuses comments of 65,536 */
#define NAME_SIZE	200	/* of a name in a table: bytes */
#define ANNOTATIONS	10	/* that GitHub shows of a step and kind */

/* ---- Markdown ------------------------------------------------------------ */

/*
 * A name as code.  All that Markdown or HTML could take for something else is
 * written as a number.
 */
static size_t
put_name(const char *s, FILE *out)
{
	size_t n = 0, i;

	n += (size_t)fprintf(out, "<code>");
	for (i = 0; s[i] != '\0'; i++) {
		unsigned char c = (unsigned char)s[i];

		/* Not inside a character. */
		if (i >= NAME_SIZE && (c & 0xc0) != 0x80) {
			n += (size_t)fprintf(out, "...");
			break;
		}
		n += (size_t)fprintf(out, isalnum(c) || c >= 0x80 ||
		    c == ' ' ? "%c" : "&#%d;", c);
	}
	return n + (size_t)fprintf(out, "</code>");
}

static size_t
put_table_row(const struct pd_diff *d, const struct pd_change *c, FILE *out)
{
	char change[32], base[32], new[32], interval[64] = "", mde[32] = "";
	size_t n;

	pd_diff_put_change(c, change, sizeof(change));
	if (c->has_test && c->e.se > 0 && c->k_base > 0 && c->k_new > 0)
		snprintf(interval, sizeof(interval), "%+.1f%% to %+.1f%%",
		    100 * c->lo, 100 * c->hi);
	if (isfinite(c->mde))
		snprintf(mde, sizeof(mde), "%.1f%%", 100 * c->mde);
	pd_diff_put_cost(d, c->base, base, sizeof(base));
	pd_diff_put_cost(d, c->new, new, sizeof(new));
	n = (size_t)fprintf(out, "| ");
	n += put_name(c->name, out);
	n += (size_t)fprintf(out, " | %s | %s | %s | %s | %+.1f%% | %s | %s |\n",
	    change, interval, base, new, 100 * c->impact, mde,
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
		size += 4 * strlen(d->warnings[i].text);
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

static void
put_case(const struct pd_diff *d, const struct pd_change *c, FILE *out)
{
	char change[32], text[160];
	bool fails = c->verdict == PD_REGRESSION &&
	    d->outcome == PD_HAS_REGRESSION;
	bool skipped = !fails && (c->verdict == PD_NO_DATA ||
	    c->verdict == PD_SUSPECT || c->verdict == PD_REGRESSION);

	pd_diff_put_change(c, change, sizeof(change));
	snprintf(text, sizeof(text), "%s: %s [%+.1f%%, %+.1f%%], %+.1f%% of "
	    "the total", pd_verdict_name(c->verdict), change, 100 * c->lo,
	    100 * c->hi, 100 * c->impact);
	fputs("<testcase classname=\"pd-diff\" name=\"", out);
	put_xml(c->name, out);
	if (!fails && !skipped) {
		fputs("\"/>\n", out);
		return;
	}
	fprintf(out, "\"><%s message=\"", fails ? "failure" : "skipped");
	put_xml(text, out);
	fputs("\"/></testcase>\n", out);
}

static size_t
count_cases(const struct pd_diff *d, bool failures)
{
	bool gates = d->outcome == PD_HAS_REGRESSION;
	const struct pd_change *c;
	size_t n = 0, i;

	for (i = 0; i <= d->self.len; i++) {
		c = i < d->self.len ? &d->self.list[i] : &d->total;
		if (c != &d->total && !c->tested)
			continue;
		n += (c->verdict == PD_REGRESSION && gates) ? failures :
		    (c->verdict == PD_NO_DATA || c->verdict == PD_SUSPECT ||
		    c->verdict == PD_REGRESSION) && !failures;
	}
	return n;
}

int
pd_diff_write_junit(const struct pd_diff *d, FILE *out, struct pd_error *err)
{
	size_t i;

	(void)err;
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<testsuite name=\"pd-diff\" tests=\"%zu\" failures=\"%zu\" "
	    "errors=\"0\" skipped=\"%zu\">\n", d->self.tested + 1,
	    count_cases(d, true), count_cases(d, false));
	put_case(d, &d->total, out);
	for (i = 0; i < d->self.len; i++)
		if (d->self.list[i].tested)
			put_case(d, &d->self.list[i], out);
	fputs("</testsuite>\n", out);
	return 0;
}
