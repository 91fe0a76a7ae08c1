/* Makes LBR call stacks longer by what earlier samples have. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "unwind/stitch.h"

#define BRANCH_SIZE	24		/* from, to, flags */
/* More is no stack that anybody could look at; it is marked as cut. */
#define MAX_ABOVE	1024

struct pd_stitched {
	uint64_t	index;		/* of the last sample: its register */
	uint8_t		*last;		/* its branches */
	size_t		len, cap;
	uint64_t	*above;		/* callers that it has no more */
	size_t		nabove, above_cap;
	bool		cut;		/* there were even more of them */
};

static struct pd_stitched *
thread_of(struct pd_stitcher *st, uint32_t tid, struct pd_error *err)
{
	uint32_t i = pd_map64_find(&st->by_tid, tid);

	if (i == PD_NOID) {
		i = (uint32_t)st->len;
		if (pd_grow_zeroed(&st->threads, &st->cap, st->len + 1,
		    sizeof(*st->threads), err) == -1 ||
		    pd_map64_put(&st->by_tid, tid, i, err) == -1)
			return NULL;
		st->len++;
	}
	return &st->threads[i];
}

/*
 * Which branch of the last sample is in the register of the outermost one of
 * this sample; SIZE_MAX: none is.  Branch i is in register index - i.
 */
static size_t
same_register(const struct pd_stitched *t, uint64_t registers,
    const struct pd_sample *s, bool perf_compat)
{
	uint64_t base = registers - s->branches_len + s->branch_index + 1, i;

	if (perf_compat) {
		/* It leaves the circle when less than all are in use. */
		i = t->index > base ? t->index - base :
		    registers + t->index - base;
	} else {
		if (s->branches_len > registers || t->index >= registers ||
		    s->branch_index >= registers)
			return SIZE_MAX;
		i = (t->index + registers - base % registers) % registers;
	}
	return i < t->len ? (size_t)i : SIZE_MAX;
}

/* The callers of the last sample from n on are nearer than those above. */
static int
keep_above(struct pd_stitched *t, size_t n, bool swapped,
    struct pd_error *err)
{
	size_t more = t->len - n, i;

	if (pd_grow(&t->above, &t->above_cap, t->nabove + more,
	    sizeof(*t->above), err) == -1)
		return -1;
	if (t->nabove > 0)
		memmove(t->above + more, t->above,
		    t->nabove * sizeof(*t->above));
	for (i = 0; i < more; i++)
		t->above[i] = pd_load_u64(t->last + BRANCH_SIZE * (n + i),
		    swapped);
	t->nabove += more;
	if (t->nabove > MAX_ABOVE) {
		t->nabove = MAX_ABOVE;
		t->cut = true;
	}
	return 0;
}

/* Whether this sample goes on from the last one; then t->above is set. */
static int
stitch(struct pd_stitched *t, uint64_t registers, const struct pd_sample *s,
    bool perf_compat, bool *stitched, struct pd_error *err)
{
	size_t i = s->branches_len > 0 && t->len > 0 ?
	    same_register(t, registers, s, perf_compat) : SIZE_MAX;

	/* Equal branches in one register are one. */
	*stitched = i != SIZE_MAX && memcmp(t->last + BRANCH_SIZE * i,
	    s->branches + BRANCH_SIZE * (s->branches_len - 1),
	    BRANCH_SIZE) == 0;
	if (*stitched)
		return keep_above(t, i + 1, s->swapped, err);
	t->nabove = 0;
	t->cut = false;
	return 0;
}

static int
remember(struct pd_stitched *t, const struct pd_sample *s,
    struct pd_error *err)
{
	t->len = 0;
	if (pd_grow(&t->last, &t->cap, s->branches_len, BRANCH_SIZE, err) == -1)
		return -1;
	if (s->branches_len > 0)
		memcpy(t->last, s->branches, BRANCH_SIZE * s->branches_len);
	t->len = s->branches_len;
	t->index = s->branch_index;
	return 0;
}

int
pd_stitcher_run(struct pd_stitcher *st, uint32_t tid, uint32_t registers,
    const struct pd_sample *s, struct pd_chain *c, bool perf_compat,
    struct pd_error *err)
{
	struct pd_stitched *t;
	bool stitched;

	if (!c->lbr || registers == 0 || s->branch_index == PD_NOWHERE)
		return 0;
	t = thread_of(st, tid, err);
	if (t == NULL ||
	    stitch(t, registers, s, perf_compat, &stitched, err) == -1 ||
	    remember(t, s, err) == -1)
		return -1;
	if (!stitched)
		return 0;
	c->truncated |= t->cut;
	return pd_chain_put_above(c, t->above, t->nabove, err);
}

void
pd_stitcher_free(struct pd_stitcher *st)
{
	size_t i;

	for (i = 0; i < st->len; i++) {
		free(st->threads[i].last);
		free(st->threads[i].above);
	}
	free(st->threads);
	pd_map64_free(&st->by_tid);
}
