/* Compares groups of runs: collects them, and says what came out. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profile/diff.h"
#include "profile/foldedread.h"
#include "profile/label.h"
#include "profile/match.h"
#include "profile/profile.h"

void
pd_diff_opts_init(struct pd_diff_opts *o)
{
	*o = (struct pd_diff_opts){ .alpha = .05, .min_effect = .005,
	    .min_impact = .001, .min_samples = 10, .want = .1, .kappa = .25,
	    .pseudo = .5, .match = PD_MATCH_NORM, .seed = 1 };
}

struct pd_diff *
pd_diff_new(const struct pd_diff_opts *opts, struct pd_error *err)
{
	struct pd_diff *d = pd_calloc(1, sizeof(*d), err);

	if (d == NULL)
		return NULL;
	d->opts = *opts;
	if ((d->tree = pd_tree_new(err)) == NULL) {
		free(d);
		return NULL;
	}
	return d;
}

static void
run_free(struct pd_diff_run *r)
{
	free(r->name);
	free(r->stacks.list);
}

void
pd_diff_free(struct pd_diff *d)
{
	size_t side, i;

	if (d == NULL)
		return;
	for (side = 0; side < 2; side++) {
		for (i = 0; i < d->len[side]; i++)
			run_free(&d->runs[side][i]);
		free(d->runs[side]);
	}
	pd_strtab_free(&d->raws);
	free(d->raw_frames);
	free(d->roots);
	free(d->leaves);
	free(d->cost);
	free(d->self.list);
	free(d->whole.list);
	free(d->moves);
	free(d->warnings);
	pd_tree_free(d->tree);
	free(d);
}

int
pd_diff_warn(struct pd_diff *d, struct pd_error *err, const char *code,
    const char *fmt, ...)
{
	struct pd_warning *w;
	va_list ap;

	if (pd_grow(&d->warnings, &d->warnings_cap, d->nwarnings + 1,
	    sizeof(*d->warnings), err) == -1)
		return -1;
	w = &d->warnings[d->nwarnings++];
	w->code = code;
	va_start(ap, fmt);
	vsnprintf(w->text, sizeof(w->text), fmt, ap);
	va_end(ap);
	pd_printable(w->text);
	return 0;
}

const char *
pd_diff_warning(const struct pd_diff *d, size_t i, const char **code)
{
	if (i >= d->nwarnings)
		return NULL;
	*code = d->warnings[i].code;
	return d->warnings[i].text;
}

enum pd_outcome
pd_diff_outcome(const struct pd_diff *d)
{
	return d->outcome;
}

size_t
pd_diff_improved(const struct pd_diff *d)
{
	return d->improvements;
}

const char *
pd_diff_unit(const struct pd_diff *d)
{
	return d->unit == PD_UNIT_NS ? "ns" : d->unit == PD_UNIT_SAMPLES ?
	    "samples" : pd_diff_run_at(d, 0)->info.event;
}

/* ---- runs ---------------------------------------------------------------- */

/* Remember that a name was written otherwise. */
static int
remember(struct pd_diff *d, const char *raw, uint32_t frame,
    struct pd_error *err)
{
	size_t before = d->raws.len;
	uint32_t id = pd_strtab_add(&d->raws, raw, strlen(raw), err);

	if (id == PD_NOID || pd_grow(&d->raw_frames, &d->raw_cap,
	    d->raws.len, sizeof(*d->raw_frames), err) == -1)
		return -1;
	if (d->raws.len > before)
		d->raw_frames[id] = frame;
	return 0;
}

/* The diff's frame of a label, PD_NOID without memory. */
static uint32_t
frame_of(struct pd_diff *d, const char *label, bool root,
    struct pd_error *err)
{
	size_t len = strlen(label);
	char small[512], *name = small;
	struct pd_frame f = { .kind = PD_FRAME_USER };
	uint32_t id;

	if (len + PD_MATCH_ROOM > sizeof(small) &&
	    (name = malloc(len + PD_MATCH_ROOM)) == NULL) {
		pd_fail_nomem(err);
		return PD_NOID;
	}
	memcpy(name, label, len + 1);
	pd_printable(name);
	pd_match_name(name, d->opts.match);
	f.name = name;
	id = pd_tree_add_frame(d->tree, &f, err);
	if (id != PD_NOID && (pd_grow_zeroed(&d->roots, &d->roots_cap,
	    (size_t)id + 1, sizeof(*d->roots), err) == -1 ||
	    (d->opts.match != 0 && remember(d, label, id, err) == -1)))
		id = PD_NOID;
	if (id != PD_NOID && root)
		d->roots[id] = true;
	if (name != small)
		free(name);
	return id;
}

uint32_t
pd_diff_frame(void *diff, const char *name, struct pd_error *err)
{
	return frame_of(diff, name, false, err);
}

/* By node of the source: whether a sample ended there or below. */
static bool *
used_nodes(const struct pd_profile *p, struct pd_error *err)
{
	const struct pd_tree *t = p->tree;
	bool *used = pd_calloc(t->len, sizeof(*used), err);
	size_t i;

	for (i = t->len; used != NULL && i-- > 1;) {
		used[i] |= pd_profile_tally(p, (uint32_t)i).samples > 0;
		used[t->nodes[i].parent] |= used[i];
	}
	return used;
}

/* Copy the stacks of p into the diff's tree, and their counts into to. */
static int
copy_stacks(struct pd_diff *d, const struct pd_profile *p,
    struct pd_labels *labels, struct pd_stacks *to, struct pd_error *err)
{
	const struct pd_tree *t = p->tree;
	uint32_t *frames = pd_calloc(t->nframes, sizeof(*frames), err);
	uint32_t *nodes = pd_calloc(t->len, sizeof(*nodes), err);
	bool *used = used_nodes(p, err);
	struct pd_tally tally;
	const char *label;
	uint32_t i, f;
	int r = -1;

	if (frames == NULL || nodes == NULL || used == NULL)
		goto out;
	for (i = 1; i < t->len; i++) {
		if (!used[i])
			continue;
		f = t->nodes[i].frame;
		if (frames[f] == 0) {		/* ids, from 1 */
			label = pd_label(labels, f, err);
			if (label == NULL || (frames[f] = frame_of(d, label,
			    t->frames[f].kind == PD_FRAME_ROOT, err) + 1) == 0)
				goto out;
		}
		nodes[i] = pd_tree_child(d->tree, nodes[t->nodes[i].parent],
		    frames[f] - 1, err);
		if (nodes[i] == PD_NOID)
			goto out;
		tally = pd_profile_tally(p, i);
		if (tally.samples > 0 && pd_stacks_add(to, nodes[i],
		    tally.weight, tally.samples, err) == -1)
			goto out;
	}
	r = 0;
out:
	free(frames);
	free(nodes);
	free(used);
	return r;
}

struct pd_diff_run *
pd_diff_new_run(struct pd_diff *d, enum pd_side side, const char *name,
    struct pd_error *err)
{
	struct pd_diff_run *r;
	char *copy;

	if (pd_grow(&d->runs[side], &d->cap[side], d->len[side] + 1,
	    sizeof(*r), err) == -1 || (copy = pd_strdup(name, err)) == NULL)
		return NULL;
	pd_printable(copy);
	r = &d->runs[side][d->len[side]];
	*r = (struct pd_diff_run){ .name = copy, .added = d->len[side]++ };
	return r;
}

int
pd_diff_add(struct pd_diff *d, enum pd_side side, const char *name,
    const struct pd_profile *p, const struct pd_text_opts *text,
    const struct pd_run *run, struct pd_error *err)
{
	struct pd_diff_run *r = pd_diff_new_run(d, side, name, err);
	struct pd_labels labels;
	int ok;

	if (r == NULL || pd_labels_init(&labels, p->tree, text, err) == -1)
		return -1;
	r->info = *run;
	ok = copy_stacks(d, p, &labels, &r->stacks, err);
	pd_labels_free(&labels);
	if (ok == 0 && r->stacks.weight == 0)
		ok = pd_fail(err, PD_EFORMAT, PD_NOWHERE, "no samples");
	if (ok == 0) {
		r->info.samples = r->stacks.samples;
		pd_stacks_end(&r->stacks, &r->info);
	}
	return ok;
}

static int
add_to_stacks(void *ctx, uint32_t node, uint64_t count, struct pd_error *err)
{
	return pd_stacks_add(ctx, node, count, count, err);
}

int
pd_diff_add_folded(struct pd_diff *d, enum pd_side side, const char *name,
    int fd, const struct pd_run *known, struct pd_error *err)
{
	struct pd_diff_run *r = pd_diff_new_run(d, side, name, err);
	struct pd_stack_parser stacks = { .tree = d->tree,
		.frame = pd_diff_frame, .ctx = d };
	int ok;

	if (r == NULL)
		return -1;
	ok = pd_folded_parse(fd, &stacks, add_to_stacks, &r->stacks, &r->info,
	    err);
	pd_stack_parser_free(&stacks);
	if (ok == -1)
		return -1;
	if (known->work > 0)
		r->info.work = known->work;
	if (known->freq > 0 && r->info.weight == PD_WEIGHT_SAMPLES)
		r->info.freq = known->freq;
	pd_stacks_end(&r->stacks, &r->info);
	return 0;
}

/* ---- the result ---------------------------------------------------------- */

/* Whether cost in this direction is a regression of a function. */
static enum pd_verdict
judge(const struct pd_diff *d, const struct pd_change *c)
{
	bool sure = c->holm <= d->opts.alpha &&
	    c->holm_drift <= d->opts.alpha;
	bool maybe = c->holm <= d->opts.alpha || c->q <= d->opts.alpha;
	double own = expm1(c->min_effect) - d->opts.min_effect;

	if (!c->tested || c->e.se == 0)
		return PD_NO_DATA;
	if (fabs(c->impact) >= d->opts.min_impact &&
	    d->opts.test != PD_TEST_CHI2) {
		if (sure || (maybe && d->opts.fdr))
			return c->e.diff > 0 ? PD_REGRESSION : PD_IMPROVEMENT;
		if (maybe)
			return PD_SUSPECT;
	}
	/* What a rule allows is not asked to be seen. */
	return c->mde <= d->opts.want + fmax(own, 0) ? PD_SAME : PD_NO_DATA;
}

void
pd_diff_judge(struct pd_diff *d)
{
	struct pd_family *f = &d->self;
	size_t i;

	for (i = 0; i < f->len; i++)
		if (f->list[i].verdict != PD_IGNORED)
			f->list[i].verdict = judge(d, &f->list[i]);
	if (d->total.verdict != PD_IGNORED)
		d->total.verdict = judge(d, &d->total);
}

/* Count verdicts, and what part of the cost can be called the same. */
static void
sum_up(struct pd_diff *d)
{
	const struct pd_change *c;
	double known = 0, all = 0;
	size_t i;

	for (i = 0; i < d->self.len; i++) {
		c = &d->self.list[i];
		all += c->base + c->new;
		if (c->verdict == PD_SAME || c->verdict == PD_IMPROVEMENT ||
		    c->verdict == PD_MOVED)
			known += c->base + c->new;
		d->regressions += c->verdict == PD_REGRESSION;
		d->improvements += c->verdict == PD_IMPROVEMENT;
		d->suspects += c->verdict == PD_SUSPECT;
		d->moved += c->verdict == PD_MOVED;
	}
	for (i = 0; i < d->nmoves; i++)
		d->regressions += d->moves[i].regression;
	d->judged = all > 0 ? known / all : 0;
	if (d->regressions > 0 || d->total.verdict == PD_REGRESSION)
		d->outcome = d->norm == PD_NORM_CPUTIME && !d->opts.gate_share ?
		    PD_UNDECIDED : PD_HAS_REGRESSION;
	else
		d->outcome = d->judged >= .5 && !d->lossy ?
		    PD_NO_REGRESSION : PD_UNDECIDED;
}

int
pd_diff_run(struct pd_diff *d, struct pd_error *err)
{
	if (d->len[0] == 0 || d->len[1] == 0)
		return pd_fail(err, PD_EARG, PD_NOWHERE,
		    "two sides are needed: BASE... --vs NEW...");
	if (pd_diff_check(d, err) == -1 ||
	    (d->opts.whole && (pd_diff_count(d, true, err) == -1 ||
	    pd_diff_test(d, &d->whole, err) == -1)) ||
	    pd_diff_count(d, false, err) == -1 ||
	    pd_diff_test(d, &d->self, err) == -1)
		return -1;
	pd_diff_judge(d);
	if (pd_diff_find_moves(d, err) == -1)
		return -1;
	sum_up(d);
	return 0;
}
