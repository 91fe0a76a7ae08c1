/* Writes a comparison for programs: JSON, and that of github-action-benchmark. */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "profile/difftext.h"

static const char *
word_of(enum pd_verdict v)
{
	return v == PD_REGRESSION ? "regression" : pd_verdict_name(v);
}

static void
put_if(struct pd_json *j, const char *key, bool known, double v)
{
	if (known)
		pd_json_double(j, key, v);
	else
		pd_json_null(j, key);
}

/* The fields of a change. */
static void
put_change(struct pd_json *j, const struct pd_change *c)
{
	bool test = c->has_test && c->e.se > 0;

	pd_json_double(j, "base", c->base);
	pd_json_double(j, "new", c->new);
	pd_json_double(j, "samples_base", c->k_base);
	pd_json_double(j, "samples_new", c->k_new);
	pd_json_double(j, "diff", c->e.diff);
	pd_json_double(j, "change", expm1(c->e.diff));
	pd_json_double(j, "impact", c->impact);
	if (test) {
		pd_json_array(j, "ci");
		pd_json_double(j, NULL, c->lo);
		pd_json_double(j, NULL, c->hi);
		pd_json_array_end(j);
	} else {
		pd_json_null(j, "ci");
	}
	pd_json_bool(j, "paired", c->e.paired);
	put_if(j, "se", test, c->e.se);
	put_if(j, "df", test, c->e.df);
	put_if(j, "t", test, c->e.t);
	put_if(j, "p", test, c->e.p);
	put_if(j, "p_effect", test, c->e.pf);
	put_if(j, "holm", test && c->tested, c->holm);
	put_if(j, "holm_drift", test && c->tested, c->holm_drift);
	put_if(j, "q", test && c->tested, c->q);
	pd_json_double(j, "mde", c->mde);
}

static void
put_group(struct pd_json *j, const struct pd_diff *d, enum pd_side side)
{
	const struct pd_diff_run *r;
	size_t i;

	pd_json_object(j, NULL);
	pd_json_u64(j, "n", d->len[side]);
	pd_json_array(j, "runs");
	for (i = 0; i < d->len[side]; i++) {
		r = &d->runs[side][i];
		pd_json_object(j, NULL);
		pd_json_string(j, "name", r->name);
		pd_json_double(j, "total", r->total);
		pd_json_u64(j, "samples", r->stacks.samples);
		pd_json_double(j, "units", r->units);
		pd_json_object_end(j);
	}
	pd_json_array_end(j);
	pd_json_object_end(j);
}

static void
put_function(struct pd_json *j, const struct pd_change *self,
    const struct pd_change *whole)
{
	pd_json_object(j, NULL);
	pd_json_string(j, "name", whole->name);
	if (self->group > 0)
		pd_json_u64(j, "moved", self->group - 1);
	else
		pd_json_null(j, "moved");
	pd_json_object(j, "self");
	pd_json_string(j, "verdict", word_of(self->verdict));
	put_change(j, self);
	pd_json_object_end(j);
	pd_json_object(j, "total");
	put_change(j, whole);
	pd_json_object_end(j);
	pd_json_object_end(j);
}

static void
put_move(struct pd_json *j, const struct pd_diff *d, size_t group)
{
	const struct pd_move *m = &d->moves[group];
	size_t i;

	pd_json_object(j, NULL);
	pd_json_array(j, "functions");
	for (i = 0; i < d->self.len; i++)
		if (d->self.list[i].group == group + 1)
			pd_json_string(j, NULL, d->self.list[i].name);
	pd_json_array_end(j);
	pd_json_bool(j, "renamed", m->renamed);
	pd_json_bool(j, "regression", m->regression);
	pd_json_object(j, "net");
	put_change(j, &m->net);
	pd_json_object_end(j);
	pd_json_object_end(j);
}

static void
put_settings(struct pd_json *j, const struct pd_diff *d)
{
	static const char *const outcomes[] = { "ok", "regression",
		"undecided" };
	static const char *const seqs[] = { "unknown", "pairs", "interleaved",
		"separate" };
	static const char *const norms[] = { "auto", "work", "cputime", "wall",
		"none" };

	pd_json_string(j, "schema", "pd-diff/1");
	pd_json_string(j, "verdict", outcomes[d->outcome]);
	pd_json_string(j, "sequence", seqs[d->seq]);
	pd_json_string(j, "unit", pd_diff_unit(d));
	pd_json_string(j, "norm", norms[d->norm]);
	pd_json_double(j, "alpha", d->opts.alpha);
	pd_json_double(j, "min_effect", d->opts.min_effect);
	pd_json_double(j, "kappa", d->opts.kappa);
	pd_json_u64(j, "family", d->self.tested);
	pd_json_double(j, "judged", d->judged);
	pd_json_double(j, "drift", d->self.lambda);
}

int
pd_diff_write_json(const struct pd_diff *d, FILE *out, struct pd_error *err)
{
	static const struct pd_change none = { .verdict = PD_NO_DATA,
		.lo = -1, .hi = INFINITY, .mde = INFINITY };
	struct pd_json json = { .out = out }, *j = &json;
	size_t i, own = 0;

	(void)err;
	pd_json_object(j, NULL);
	put_settings(j, d);
	pd_json_array(j, "groups");
	put_group(j, d, PD_BASE);
	put_group(j, d, PD_NEW);
	pd_json_array_end(j);
	pd_json_object(j, "total");
	pd_json_string(j, "verdict", word_of(d->total.verdict));
	put_change(j, &d->total);
	pd_json_object_end(j);
	pd_json_array(j, "functions");
	/* Both families are sorted by name; who only calls has no own cost. */
	for (i = 0; i < d->whole.len; i++) {
		if (own < d->self.len &&
		    d->self.list[own].frame == d->whole.list[i].frame)
			put_function(j, &d->self.list[own++],
			    &d->whole.list[i]);
		else
			put_function(j, &none, &d->whole.list[i]);
	}
	pd_json_array_end(j);
	pd_json_array(j, "moved");
	for (i = 0; i < d->nmoves; i++)
		put_move(j, d, i);
	pd_json_array_end(j);
	pd_json_array(j, "warnings");
	for (i = 0; i < d->nwarnings; i++) {
		pd_json_object(j, NULL);
		pd_json_string(j, "code", d->warnings[i].code);
		pd_json_string(j, "text", d->warnings[i].text);
		pd_json_object_end(j);
	}
	pd_json_array_end(j);
	pd_json_object_end(j);
	fputc('\n', out);
	return 0;
}

static void
put_benchmark(struct pd_json *j, const struct pd_diff *d,
    const struct pd_change *c)
{
	double half = c->new * (c->hi - c->lo) / 2;
	char text[64];

	pd_json_object(j, NULL);
	pd_json_string(j, "name", c->name);
	pd_json_string(j, "unit", d->norm == PD_NORM_CPUTIME ? "share" :
	    pd_diff_unit(d));
	pd_json_double(j, "value", c->new);
	if (isfinite(half)) {
		snprintf(text, sizeof(text), "%.3g", half);
		pd_json_string(j, "range", text);
	}
	snprintf(text, sizeof(text), "%+.1f%%, %s", 100 * expm1(c->e.diff),
	    pd_verdict_name(c->verdict));
	pd_json_string(j, "extra", text);
	pd_json_object_end(j);
}

int
pd_diff_write_benchmark(const struct pd_diff *d, FILE *out,
    struct pd_error *err)
{
	struct pd_json json = { .out = out }, *j = &json;
	size_t i;

	(void)err;
	pd_json_array(j, NULL);
	put_benchmark(j, d, &d->total);
	for (i = 0; i < d->self.len; i++)
		if (d->self.list[i].tested)
			put_benchmark(j, d, &d->self.list[i]);
	pd_json_array_end(j);
	fputc('\n', out);
	return 0;
}
