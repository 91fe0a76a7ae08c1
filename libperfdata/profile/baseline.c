/*
 * Baselines: runs of one side as one text file, which can be compared line by
 * line and kept under version control.
 *
 *	pd-baseline 1
 *	run NAME KEY=VALUE...
 *	stack COUNT COUNT ... root;...;leaf
 *
 * Fields are separated by tabs; there is a count for each run, in their order.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "profile/diff.h"
#include "profile/folded.h"
#include "profile/foldedread.h"
#include "profile/run.h"

static const char magic[] = "pd-baseline 1";

/* ---- writing ------------------------------------------------------------- */

struct writer {
	const struct pd_diff	*d;
	enum pd_side		side;
	FILE			*out;
};

static int
write_stack(void *ctx, const char *stack, const uint32_t *nodes, size_t n,
    bool last, struct pd_error *err)
{
	const struct writer *w = ctx;
	const struct pd_diff_run *runs = w->d->runs[w->side];
	uint64_t sum = 0;
	size_t i;

	/* Frames of this tree have different texts: it is one node. */
	(void)n, (void)last, (void)err;
	for (i = 0; i < w->d->len[w->side]; i++)
		sum |= pd_stacks_weight(&runs[i].stacks, nodes[0]);
	if (sum == 0)
		return 0;
	fputs("stack", w->out);
	for (i = 0; i < w->d->len[w->side]; i++)
		fprintf(w->out, "\t%" PRIu64,
		    pd_stacks_weight(&runs[i].stacks, nodes[0]));
	fprintf(w->out, "\t%s\n", stack);
	return 0;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct pd_diff_run *)a)->name,
	    ((const struct pd_diff_run *)b)->name);
}

int
pd_diff_write_baseline(struct pd_diff *d, enum pd_side side, FILE *out,
    struct pd_error *err)
{
	struct writer w = { d, side, out };
	struct pd_text_opts opts = { 0 };
	struct pd_run info;
	size_t i;

	if (pd_diff_guess_units(d, err) == -1)
		return -1;
	qsort(d->runs[side], d->len[side], sizeof(*d->runs[side]), by_name);
	fprintf(out, "%s\n", magic);
	for (i = 0; i < d->len[side]; i++) {
		info = d->runs[side][i].info;
		info.samples = d->runs[side][i].stacks.samples;
		fprintf(out, "run\t%s\t", d->runs[side][i].name);
		pd_run_write_keys(&info, out);
		fputc('\n', out);
	}
	if (pd_tree_write_lines(d->tree, &opts, write_stack, &w, err) == -1)
		return -1;
	return ferror(out) ? pd_fail(err, PD_EIO, PD_NOWHERE, "write") : 0;
}

/* ---- reading ------------------------------------------------------------- */

struct reader {
	struct pd_diff		*d;
	enum pd_side		side;
	struct pd_stack_parser	stacks;
	size_t			before, len;	/* runs of the side, and of it */
	size_t			line;
};

static int
bad(const struct reader *r, const char *what, struct pd_error *err)
{
	return pd_fail(err, PD_EFORMAT, PD_NOWHERE, "line %zu: %s", r->line,
	    what);
}

static int
read_run(struct reader *r, const char *s, struct pd_error *err)
{
	const char *tab = strchr(s, '\t');
	struct pd_diff_run *run;
	char *name;

	if (tab == NULL || tab == s)
		return bad(r, "expected run NAME KEY=VALUE...", err);
	if ((name = strndup(s, (size_t)(tab - s))) == NULL)
		return pd_fail_nomem(err);
	run = pd_diff_new_run(r->d, r->side, name, err);
	free(name);
	if (run == NULL)
		return -1;
	r->len++;
	run->stored = true;
	pd_run_init(&run->info);
	return pd_run_parse_keys(&run->info, tab + 1, strlen(tab + 1), err);
}

/* Counts come before the stack, whose names may hold anything. */
static int
read_stack(struct reader *r, char *s, struct pd_error *err)
{
	char *counts = s, *end;
	struct pd_stacks *to;
	struct pd_error why;
	uint32_t node;
	uint64_t v;
	size_t i;

	for (i = 0; i < r->len; i++) {
		s = strchr(s, '\t');
		if (s == NULL)
			return bad(r, "expected a count for each run", err);
		s++;
	}
	node = pd_stack_parse(&r->stacks, s, strlen(s), &why);
	if (node == PD_NOID) {
		*err = why;
		return why.code == PD_EFORMAT ? bad(r, why.msg, err) : -1;
	}
	for (i = 0; i < r->len; i++, counts = end + 1) {
		errno = 0;
		v = *counts >= '0' && *counts <= '9' ?
		    strtoull(counts, &end, 10) : UINT64_MAX;
		to = &r->d->runs[r->side][r->before + i].stacks;
		if (v > INT64_MAX - to->weight || *end != '\t')
			return bad(r, "a count is not a whole number, or too "
			    "large", err);
		if (v > 0 && pd_stacks_add(to, node, v, v, err) == -1)
			return -1;
	}
	return 0;
}

static int
read_line(struct reader *r, char *s, size_t len, struct pd_error *err)
{
	r->line++;
	if (len > 0 && s[len - 1] == '\n')
		s[--len] = '\0';
	if (strlen(s) != len || (len > 0 && s[len - 1] == '\r'))
		return bad(r, "has a NUL byte or ends in CR LF", err);
	if (r->line == 1)
		return strcmp(s, magic) == 0 ? 0 : bad(r,
		    "not a baseline of this version (expected pd-baseline 1)",
		    err);
	if (pd_starts(s, "run\t") && r->stacks.depth == 0)
		return read_run(r, s + 4, err);
	if (pd_starts(s, "stack\t") && r->len > 0)
		return read_stack(r, s + 6, err);
	return bad(r, "expected run or stack", err);
}

static int
read_all(struct reader *r, FILE *in, struct pd_error *err)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int ok = 0;

	errno = 0;
	while (ok == 0 && (n = getline(&line, &cap, in)) > 0)
		ok = read_line(r, line, (size_t)n, err);
	if (ok == 0 && (ferror(in) || errno == ENOMEM))
		ok = pd_fail(err, PD_EIO, PD_NOWHERE, "read");
	free(line);
	if (ok == 0 && r->len == 0)
		ok = pd_fail(err, PD_EFORMAT, PD_NOWHERE,
		    "the baseline has no runs");
	return ok;
}

int
pd_diff_read_baseline(struct pd_diff *d, enum pd_side side, FILE *in,
    struct pd_error *err)
{
	struct reader r = { .d = d, .side = side, .before = d->len[side],
		.stacks = { .tree = d->tree, .frame = pd_diff_frame, .ctx = d } };
	struct pd_diff_run *run;
	int ok = read_all(&r, in, err);
	size_t i;

	pd_stack_parser_free(&r.stacks);
	for (i = 0; i < r.len && ok == 0; i++) {
		run = &d->runs[side][r.before + i];
		if (run->stacks.weight == 0)
			ok = pd_fail(err, PD_EFORMAT, PD_NOWHERE,
			    "run %s: no samples", run->name);
		pd_stacks_end(&run->stacks, &run->info);
	}
	return ok;
}
