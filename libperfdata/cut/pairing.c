/* Pairs begins with ends, in lanes. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cut/pairing.h"
#include "cut/point.h"

/* In each slot the link is first: index + 1 of another one, 0 for none. */
struct lane {
	uint32_t		last;		/* pair */
	uint32_t		top;		/* begin that waits for its end */
};

struct entry {				/* a begin, or a pair */
	uint32_t		below;		/* in its lane */
	struct pd_occurrence	occ;
};

static struct lane *
lane(const struct pd_pairing *p, uint32_t i)
{
	return (struct lane *)p->lanes.list + i - 1;
}

static struct entry *
entry(const struct pd_slots *s, uint32_t i)
{
	return (struct entry *)s->list + i - 1;
}

/* ---- slots ---------------------------------------------------------------------- */

/* Index + 1 of a slot of this size, 0 without memory. */
static uint32_t
take(struct pd_slots *s, size_t size, struct pd_error *err)
{
	uint32_t i = s->free;

	if (i == 0)
		return pd_grow(&s->list, &s->cap, s->len + 1, size, err) == -1 ?
		    0 : (uint32_t)++s->len;
	memcpy(&s->free, (char *)s->list + (i - 1) * size, sizeof(s->free));
	return i;
}

static void
give(struct pd_slots *s, size_t size, uint32_t i)
{
	memcpy((char *)s->list + (i - 1) * size, &s->free, sizeof(s->free));
	s->free = i;
}

/* Put one on top of those that *top leads to. */
static int
push(struct pd_slots *s, uint32_t *top, const struct pd_occurrence *o,
    struct pd_error *err)
{
	uint32_t i = take(s, sizeof(struct entry), err);

	if (i == 0)
		return -1;
	*entry(s, i) = (struct entry){ *top, *o };
	*top = i;
	return 0;
}

static struct pd_occurrence
pop(struct pd_slots *s, uint32_t *top)
{
	struct entry e = *entry(s, *top);

	give(s, sizeof(e), *top);
	*top = e.below;
	return e.occ;
}

/* ---- lanes ---------------------------------------------------------------------- */

static struct lane *
find_lane(const struct pd_pairing *p, uint64_t key)
{
	uint32_t i = pd_map64_find(&p->lane_of, key);

	return i == PD_NOID ? NULL : lane(p, i);
}

/* Hand over the pairs of a lane, the last one first. */
static int
hand_over(struct pd_pairing *p, struct lane *ln, struct pd_error *err)
{
	struct pd_occurrence o;

	while (ln->last != 0) {
		o = pop(&p->pairs, &ln->last);
		if ((p->done != NULL ? p->done(p->ctx, &o, err) :
		    pd_occurrences_add(p->occs, &o, err)) == -1)
			return -1;
	}
	return 0;
}

/* The last begin ends at this time; what is inside of the pair is part of it. */
static int
end_top(struct pd_pairing *p, struct lane *ln, uint64_t time, bool unfinished,
    struct pd_error *err)
{
	struct pd_occurrence o = pop(&p->begins, &ln->top);

	o.duration = pd_earlier(time, o.start);
	o.stop = pd_later(o.start, pd_later(o.duration, 1));
	o.unfinished = unfinished;
	while (!unfinished && ln->last != 0 &&
	    entry(&p->pairs, ln->last)->occ.start >= o.start) {
		pop(&p->pairs, &ln->last);
		p->counts.nested++;
		p->counts.found--;
	}
	if (unfinished)
		p->counts.unfinished++;
	else
		p->counts.found++;
	return push(&p->pairs, &ln->last, &o, err);
}

static int
close_lane(struct pd_pairing *p, struct lane *ln, uint64_t time,
    struct pd_error *err)
{
	while (ln->top != 0)
		if (end_top(p, ln, time, true, err) == -1)
			return -1;
	return hand_over(p, ln, err);
}

/* ---- use ------------------------------------------------------------------------ */

int
pd_pairing_begin(struct pd_pairing *p, uint64_t key,
    const struct pd_occurrence *o, struct pd_error *err)
{
	struct lane *ln = find_lane(p, key);
	uint32_t i;

	if (ln == NULL) {
		if ((i = take(&p->lanes, sizeof(*ln), err)) == 0)
			return -1;
		*(ln = lane(p, i)) = (struct lane){ 0, 0 };
		if (pd_map64_put(&p->lane_of, key, i, err) == -1)
			return -1;
	}
	return push(&p->begins, &ln->top, o, err);
}

bool
pd_pairing_open(const struct pd_pairing *p, uint64_t key)
{
	const struct lane *ln = find_lane(p, key);

	return ln != NULL && ln->top != 0;
}

int
pd_pairing_end(struct pd_pairing *p, uint64_t key, uint64_t time,
    struct pd_error *err)
{
	struct lane *ln = find_lane(p, key);

	if (ln == NULL || ln->top == 0) {
		p->counts.stray++;
		return 0;
	}
	if (end_top(p, ln, time, false, err) == -1)
		return -1;
	return ln->top == 0 ? hand_over(p, ln, err) : 0;
}

int
pd_pairing_close(struct pd_pairing *p, uint64_t key, uint64_t time,
    struct pd_error *err)
{
	uint32_t i = pd_map64_find(&p->lane_of, key);

	if (i == PD_NOID)
		return 0;
	if (close_lane(p, lane(p, i), time, err) == -1)
		return -1;
	pd_map64_del(&p->lane_of, key);
	give(&p->lanes, sizeof(struct lane), i);
	return 0;
}

int
pd_pairing_finish(struct pd_pairing *p, uint64_t time, struct pd_error *err)
{
	uint32_t i;

	/* Lanes in free slots are empty: only the link there is not 0. */
	for (i = 1; i <= p->lanes.len; i++)
		if (lane(p, i)->top != 0 &&
		    close_lane(p, lane(p, i), time, err) == -1)
			return -1;
	return 0;
}

void
pd_pairing_free(struct pd_pairing *p)
{
	pd_map64_free(&p->lane_of);
	free(p->lanes.list);
	free(p->begins.list);
	free(p->pairs.list);
}
