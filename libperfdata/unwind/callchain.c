/* Takes callchains and LBR call stacks apart. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "record/event.h"
#include "unwind/callchain.h"

#define BRANCH_CALL_STACK	(1 << 11)	/* PERF_SAMPLE_BRANCH_CALL_STACK */

/* kernel.perf_event_max_stack where the attribute does not say. */
#define DEFAULT_MAX_STACK	127

static uint8_t
mode_of_context(uint64_t marker)
{
	switch (marker) {
	case PD_CONTEXT_HV: return PD_CPUMODE_HYPERVISOR;
	case PD_CONTEXT_KERNEL: return PD_CPUMODE_KERNEL;
	case PD_CONTEXT_USER:
	case PD_CONTEXT_USER_DEFERRED: return PD_CPUMODE_USER;
	case PD_CONTEXT_GUEST:
	case PD_CONTEXT_GUEST_USER: return PD_CPUMODE_GUEST_USER;
	case PD_CONTEXT_GUEST_KERNEL: return PD_CPUMODE_GUEST_KERNEL;
	}
	return PD_CPUMODE_UNKNOWN;
}

/* Put an entry in front of those that are there: samples are leaf first. */
static void
push(struct pd_chain *c, uint64_t ip, uint8_t mode, bool exact)
{
	*--c->entries = (struct pd_chain_entry){ ip, mode, exact };
	c->len++;
}

/*
 * The user part out of the LBR: where the last call went, then where each call
 * came from (lbr_callchain_add_*() in tools/perf/util/machine.c).
 */
static void
push_lbr(struct pd_chain *c, const struct pd_sample *s, size_t max)
{
	size_t i;

	push(c, pd_load_u64(s->branches + 8, s->swapped), PD_CPUMODE_USER,
	    true);
	for (i = 0; i < s->branches_len && c->len < max; i++)
		push(c, pd_load_u64(s->branches + 24 * i, s->swapped),
		    PD_CPUMODE_USER, true);
}

static void
push_callchain(struct pd_chain *c, const struct pd_sample *s, size_t max,
    bool lbr, bool perf_compat)
{
	uint8_t mode = PD_CPUMODE_USER;
	bool first = true;
	bool user = false;
	uint64_t ip;
	size_t i;

	for (i = 0; i < s->callchain_len && c->len < max; i++) {
		ip = pd_sample_ip(s, i);
		if (ip < PD_CONTEXT_MAX) {
			push(c, ip, mode, first || perf_compat);
			first = false;
			continue;
		}
		mode = mode_of_context(ip);
		first = true;
		if (perf_compat && (ip == PD_CONTEXT_USER_DEFERRED ||
		    (mode != PD_CPUMODE_USER && mode != PD_CPUMODE_KERNEL &&
		    mode != PD_CPUMODE_HYPERVISOR))) {
			/* perf takes it for corruption: nothing is left */
			c->entries += c->len;
			c->len = 0;
			return;
		}
		if (ip == PD_CONTEXT_USER && lbr) {
			push_lbr(c, s, max);
			c->lbr = true;
			return;
		}
		/*
		 * The kernel either walks the user stack or defers it.  What
		 * it finds there without frame pointers may look like this.
		 */
		if (ip == PD_CONTEXT_USER_DEFERRED && !user) {
			i++;		/* a cookie for a later record */
			c->truncated = true;
		}
		user |= ip == PD_CONTEXT_USER;
	}
}

int
pd_chain_build(struct pd_chain *c, const struct pd_event *ev,
    const struct pd_sample *s, size_t max, bool perf_compat,
    struct pd_error *err)
{
	size_t room = s->callchain_len + s->branches_len + 1;
	bool lbr = (ev->branch_type & BRANCH_CALL_STACK) &&
	    s->branches_len > 0;
	size_t depth = ev->max_stack ? ev->max_stack : DEFAULT_MAX_STACK;

	if (pd_grow(&c->buf, &c->cap, room, sizeof(*c->buf), err) == -1)
		return -1;
	c->entries = c->buf + c->cap;
	c->len = 0;
	c->lbr = c->bare = c->deep = c->truncated = c->stopped = false;
	if (s->has_callchain)
		push_callchain(c, s, max > 0 ? max : SIZE_MAX, lbr,
		    perf_compat);
	if (c->len == 0 && (ev->sample_type & PD_SAMPLE_IP) &&
	    !(perf_compat && s->has_callchain)) {
		push(c, s->ip, s->cpumode, true);
		c->bare = true;
	}
	/* Deeper than the default: then the default was not the limit. */
	c->deep = !lbr &&
	    (ev->max_stack ? c->len >= depth : c->len == depth);
	return 0;
}

/*
 * Where among the user entries, outermost first, is what unwinding reached: n
 * is its distance from the leaf.  Recursion has the same address many times;
 * the best is the one as far from the leaf.
 */
static size_t
find_reached(const struct pd_chain *c, size_t user, uint64_t ip, size_t n)
{
	size_t best = SIZE_MAX, least = SIZE_MAX, i, far, off;

	for (i = 0; i < user; i++) {
		far = user - 1 - i;
		off = far > n ? far - n : n - far;
		if (c->entries[i].ip == ip && off < least) {
			best = i;
			least = off;
		}
	}
	return best;
}

int
pd_chain_set_user(struct pd_chain *c, const struct pd_chain_entry *e,
    size_t n, bool cut, struct pd_error *err)
{
	size_t user = 0, above = 0, rest, i;

	while (user < c->len && c->entries[user].mode == PD_CPUMODE_USER)
		user++;
	i = cut && n > 0 && !c->bare ? find_reached(c, user, e[n - 1].ip, n - 1) :
	    SIZE_MAX;
	c->deep = false;
	c->truncated = cut && i == SIZE_MAX;
	if (i != SIZE_MAX)
		above = i;
	c->bare = false;
	rest = c->len - user;
	/* The old entries stay at the end while the new ones go before. */
	i = (size_t)(c->entries - c->buf);
	if (pd_grow(&c->buf, &c->cap, c->len + n + 1, sizeof(*c->buf), err))
		return -1;
	memmove(c->buf + c->cap - c->len, c->buf + i,
	    c->len * sizeof(*c->buf));
	c->entries = c->buf + c->cap - rest - n - above;
	memmove(c->entries, c->buf + c->cap - c->len,
	    above * sizeof(*c->buf));
	for (i = 0; i < n; i++)
		c->entries[above + i] = e[n - 1 - i];
	c->len = above + n + rest;
	return 0;
}

int
pd_chain_put_above(struct pd_chain *c, const uint64_t *ips, size_t n,
    struct pd_error *err)
{
	size_t i = (size_t)(c->entries - c->buf);

	/* One more for the mark. */
	if (pd_grow(&c->buf, &c->cap, c->len + n + 1, sizeof(*c->buf), err))
		return -1;
	memmove(c->buf + c->cap - c->len, c->buf + i,
	    c->len * sizeof(*c->buf));
	c->entries = c->buf + c->cap - c->len;
	for (i = 0; i < n; i++)
		push(c, ips[i], PD_CPUMODE_USER, true);
	return 0;
}

void
pd_chain_mark_truncated(struct pd_chain *c)
{
	if (c->entries > c->buf)
		push(c, 0, PD_MODE_TRUNCATED, true);
}

void
pd_chain_free(struct pd_chain *c)
{
	free(c->buf);
	*c = (struct pd_chain){ 0 };
}
