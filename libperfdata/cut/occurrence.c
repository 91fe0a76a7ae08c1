/* Occurrences: which of them count, and which one a moment is in. */
#include <fnmatch.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "cut/occurrence.h"
#include "cut/window.h"

struct pd_occgroup {
	size_t	first, len;		/* of spans */
};

int
pd_occurrences_add(struct pd_occurrences *os, const struct pd_occurrence *o,
    struct pd_error *err)
{
	if (pd_grow(&os->list, &os->cap, os->len + 1, sizeof(*o), err) == -1)
		return -1;
	os->list[os->len++] = *o;
	return 0;
}

void
pd_occurrences_free(struct pd_occurrences *os)
{
	free(os->list);
	free(os->groups);
	free(os->spans);
	free(os->all);
	pd_map64_free(&os->group_of);
}

/* ---- choosing ------------------------------------------------------------------- */

static int
parse_count(const char *text, uint64_t *n, struct pd_error *err)
{
	const char *end;

	if (text[strspn(text, "0123456789")] != '\0' ||
	    pd_text_decimal(text, 1, &end, n) != 0 || *n == 0)
		return pd_fail(err, PD_EARG, PD_NOWHERE, "--slowest: '%s': "
		    "expected a number from 1 on", text);
	return 0;
}

static int
parse_quantile(const char *text, uint64_t *q, struct pd_error *err)
{
	const char *end;

	if (pd_text_decimal(text, PD_CHOICE_ONE, &end, q) != 0 ||
	    *end != '\0' || *q == 0 || *q > PD_CHOICE_ONE)
		return pd_fail(err, PD_EARG, PD_NOWHERE, "--quantile: '%s': "
		    "expected a number above 0 and up to 1, as in 0.99", text);
	return 0;
}

int
pd_choice_add(struct pd_choice *c, enum pd_choose how, const char *text,
    struct pd_error *err)
{
	switch (how) {
	case PD_CHOOSE_NAME:
		free(c->name);
		c->name = pd_strdup(text, err);
		return c->name ? 0 : -1;
	case PD_CHOOSE_NTH:
		return pd_text_ranges(text, "--nth", &c->nth, &c->nnth,
		    &c->nth_cap, err);
	case PD_CHOOSE_SLOWEST: return parse_count(text, &c->slowest, err);
	case PD_CHOOSE_LONGER:
		return pd_duration_parse(text, "--longer-than",
		    &c->longer_than, err);
	case PD_CHOOSE_QUANTILE: return parse_quantile(text, &c->quantile, err);
	}
	return 0;
}

void
pd_choice_free(struct pd_choice *c)
{
	free(c->name);
	free(c->nth);
}

#define ORDER(a, b)	(((a) > (b)) - ((a) < (b)))

/* By time, and always the same. */
static int
by_time(const void *va, const void *vb)
{
	const struct pd_occurrence *a = va, *b = vb;
	int r;

	if ((r = ORDER(a->start, b->start)) != 0 ||
	    (r = ORDER(a->stop, b->stop)) != 0 ||
	    (r = ORDER(a->tid, b->tid)) != 0 ||
	    (r = ORDER(a->pid, b->pid)) != 0 ||
	    (r = ORDER(a->cpu, b->cpu)) != 0)
		return r;
	return strcmp(a->name, b->name);
}

static int
longest_first(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return ORDER(*b, *a);
}

/* All that can be counted and compared. */
static void
keep_candidates(struct pd_occurrences *os, const struct pd_choice *c,
    bool unfinished)
{
	size_t i, n = 0;

	for (i = 0; i < os->len; i++) {
		const struct pd_occurrence *o = &os->list[i];

		if ((!o->unfinished || unfinished) && (c->name == NULL ||
		    fnmatch(c->name, o->name, 0) == 0))
			os->list[n++] = *o;
	}
	os->len = n;
}

/* A duration, and how many that are exactly so long are still wanted. */
struct limit {
	uint64_t	least, ties;
};

/*
 * The limits of the n slowest, and of a quantile by its nearest rank: the
 * shortest duration that so large a share of all is not longer than.
 */
static int
find_limits(const struct pd_occurrences *os, const struct pd_choice *c,
    struct limit *slowest, uint64_t *quantile, struct pd_error *err)
{
	uint64_t *d, rank;
	size_t i, n = os->len;

	*slowest = (struct limit){ 0, n };
	*quantile = 0;
	if (n == 0 || (c->slowest == 0 && c->quantile == 0))
		return 0;
	if ((d = pd_calloc(n, sizeof(*d), err)) == NULL)
		return -1;
	for (i = 0; i < n; i++)
		d[i] = os->list[i].duration;
	qsort(d, n, sizeof(*d), longest_first);
	if (c->slowest > 0 && c->slowest < n) {
		slowest->least = d[c->slowest - 1];
		for (i = 0; d[i] > slowest->least; i++)
			continue;
		slowest->ties = c->slowest - i;
	}
	rank = (uint64_t)(((unsigned __int128)c->quantile * n +
	    PD_CHOICE_ONE - 1) / PD_CHOICE_ONE);
	if (rank > 0)
		*quantile = d[n - (rank < n ? rank : n)];
	free(d);
	return 0;
}

int
pd_occurrences_choose(struct pd_occurrences *os, const struct pd_choice *c,
    bool unfinished, struct pd_error *err)
{
	struct limit slowest;
	uint64_t quantile;
	size_t i, n = 0;

	if (os->len > 1)
		qsort(os->list, os->len, sizeof(*os->list), by_time);
	keep_candidates(os, c, unfinished);
	if (find_limits(os, c, &slowest, &quantile, err) == -1)
		return -1;
	for (i = 0; i < os->len; i++) {
		struct pd_occurrence o = os->list[i];
		bool tie = o.duration == slowest.least && slowest.ties > 0;

		slowest.ties -= tie;
		if ((tie || o.duration > slowest.least) &&
		    o.duration >= quantile &&
		    (c->longer_than == 0 || o.duration > c->longer_than) &&
		    pd_ranges_match(c->nth, c->nnth, i + 1))
			os->list[n++] = o;
	}
	os->len = n;
	return 0;
}

/* ---- finding -------------------------------------------------------------------- */

enum { OF_THREAD, OF_PROCESS, OF_CPU, OF_ALL, KINDS };

static uint64_t
key_of(unsigned kind, uint32_t id)
{
	return (uint64_t)kind << 32 | id;
}

static uint64_t
key(const struct pd_occurrence *o)
{
	return o->tid != PD_NOID ? key_of(OF_THREAD, o->tid) :
	    o->pid != PD_NOID ? key_of(OF_PROCESS, o->pid) :
	    o->cpu != PD_NOID ? key_of(OF_CPU, o->cpu) : key_of(OF_ALL, 0);
}

struct keyed {
	uint64_t		key;
	struct pd_window	span;
};

static int
by_key(const void *va, const void *vb)
{
	const struct keyed *a = va, *b = vb;
	int r = ORDER(a->key, b->key);

	return r != 0 ? r : ORDER(a->span.start, b->span.start);
}

/* A new group, behind the others. */
static int
add_group(struct pd_occurrences *os, uint64_t k, size_t first,
    struct pd_error *err)
{
	if (pd_grow(&os->groups, &os->groups_cap, os->ngroups + 1,
	    sizeof(*os->groups), err) == -1 ||
	    pd_map64_put(&os->group_of, k, (uint32_t)os->ngroups, err) == -1)
		return -1;
	os->groups[os->ngroups++] = (struct pd_occgroup){ first, 0 };
	os->kinds |= 1u << (k >> 32);
	return 0;
}

/* Add to s[first..n), which begin earlier; touching ones become one. */
static size_t
merge(struct pd_window *s, size_t first, size_t n, struct pd_window w)
{
	if (n == first || w.start > s[n - 1].stop)
		s[n++] = w;
	else if (w.stop > s[n - 1].stop)
		s[n - 1].stop = w.stop;
	return n;
}

static int
group(struct pd_occurrences *os, const struct keyed *ks, struct pd_error *err)
{
	struct pd_occgroup *g = NULL;
	size_t i, n = 0;

	for (i = 0; i < os->len; i++) {
		if (i == 0 || ks[i].key != ks[i - 1].key) {
			if (add_group(os, ks[i].key, n, err) == -1)
				return -1;
			g = &os->groups[os->ngroups - 1];
		}
		n = merge(os->spans, g->first, n, ks[i].span);
		g->len = n - g->first;
	}
	return 0;
}

int
pd_occurrences_index(struct pd_occurrences *os, struct pd_error *err)
{
	struct keyed *ks;
	size_t i;
	int r;

	if (os->len == 0)
		return 0;
	ks = pd_calloc(os->len, sizeof(*ks), err);
	os->spans = pd_calloc(os->len, sizeof(*os->spans), err);
	os->all = pd_calloc(os->len, sizeof(*os->all), err);
	if (ks == NULL || os->spans == NULL || os->all == NULL) {
		free(ks);
		return -1;
	}
	for (i = 0; i < os->len; i++) {
		ks[i] = (struct keyed){ key(&os->list[i]),
		    { os->list[i].start, os->list[i].stop } };
		os->nall = merge(os->all, 0, os->nall, ks[i].span);
	}
	qsort(ks, os->len, sizeof(*ks), by_key);
	r = group(os, ks, err);
	free(ks);
	return r;
}

static bool
group_match(const struct pd_occurrences *os, uint64_t k, uint64_t time)
{
	uint32_t at = pd_map64_find(&os->group_of, k);

	return at != PD_NOID && pd_window_match(os->spans +
	    os->groups[at].first, os->groups[at].len, time);
}

bool
pd_occurrences_match(const struct pd_occurrences *os, uint64_t time,
    uint32_t pid, uint32_t tid, uint32_t cpu)
{
	const uint32_t ids[KINDS] = { tid, pid, cpu, 0 };
	unsigned kind;

	for (kind = 0; kind < KINDS; kind++)
		if (os->kinds & 1u << kind && ids[kind] != PD_NOID &&
		    group_match(os, key_of(kind, ids[kind]), time))
			return true;
	return false;
}
