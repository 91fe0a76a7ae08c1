/*
 * From a sample to its stack: the callchain, the roots on top, and the frames
 * of each address; what the last stack of the thread shares is taken over.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "symbol/cfifile.h"
#include "symbol/resolver.h"
#include "unwind/stitch.h"

/*
 * The last stack of a thread: the next one mostly differs near the leaf only.
 * Threads share slots by their tid.
 */
struct slot {
	uint64_t		user, kernel, guest;	/* versions of the maps */
	const char		*comm, *leader;	/* interned */
	uint32_t		pid, tid, cpu;
	const struct pd_event	*event;
	uint32_t		root;		/* the stack of the roots */
	struct pd_chain		chain;
	uint32_t		*nodes;		/* the stack up to each entry */
	size_t			nodes_cap;
};

#define SLOTS	256

/* Frames of an unwound stack: 64 kB, the most that is copied, hold no more. */
#define MAX_UNWOUND	4096
/* What perf script takes: PERF_MAX_STACK_DEPTH. */
#define PERF_MAX_STACK	127

struct pd_stacker {
	struct pd_resolver	resolver;
	struct pd_stack_opts	opts;
	struct pd_chain		chain;
	struct pd_stitcher	stitcher;
	struct pd_unwinder	*unwinder;
	struct pd_chain_entry	*unwound;
	uint64_t		*recorded;	/* of pd_stacker_callchain() */
	size_t			recorded_cap;
	bool			by_cpu, by_event;	/* a root says so */
	struct slot		slots[SLOTS];
};

static const enum pd_root default_roots[] = { PD_ROOT_COMM };

struct pd_stacker *
pd_stacker_new(struct pd_session *s, struct pd_tree *tree,
    const struct pd_stack_opts *opts, struct pd_error *err)
{
	struct pd_stacker *st = pd_calloc(1, sizeof(*st), err);
	size_t i;

	if (st == NULL)
		return NULL;
	st->opts = *opts;
	if (opts->roots == NULL) {
		st->opts.roots = default_roots;
		st->opts.nroots = 1;
	}
	for (i = 0; i < st->opts.nroots; i++) {
		st->by_cpu |= st->opts.roots[i] == PD_ROOT_CPU;
		st->by_event |= st->opts.roots[i] == PD_ROOT_EVENT;
	}
	if (pd_resolver_init(&st->resolver, s, tree, &st->opts, err) == -1) {
		pd_stacker_free(st);
		return NULL;
	}
	return st;
}

void
pd_stacker_free(struct pd_stacker *st)
{
	size_t i;

	if (st == NULL)
		return;
	/* What the session caches for us must not outlive us. */
	if (st->resolver.session != NULL)
		pd_session_forget(st->resolver.session);
	for (i = 0; i < SLOTS; i++) {
		pd_chain_free(&st->slots[i].chain);
		free(st->slots[i].nodes);
	}
	pd_chain_free(&st->chain);
	pd_stitcher_free(&st->stitcher);
	pd_unwinder_free(st->unwinder);
	free(st->unwound);
	free(st->recorded);
	pd_resolver_free(&st->resolver);
	free(st);
}

void
pd_stacker_trim(struct pd_stacker *st)
{
	pd_unwinder_free(st->unwinder);
	st->unwinder = NULL;
	pd_resolver_trim(&st->resolver);
}

void
pd_stacker_forget(struct pd_stacker *st)
{
	size_t i;

	pd_tree_forget(st->resolver.tree);
	for (i = 0; i < SLOTS; i++)
		st->slots[i].comm = NULL;
}

size_t
pd_stacker_files(const struct pd_stacker *st)
{
	const struct pd_resolver *r = &st->resolver;
	size_t i, n = 0;

	for (i = 0; i < r->dsos_cap; i++)
		n += r->dsos[i].syms != NULL;
	return n;
}

const char *
pd_stacker_why(const struct pd_stacker *st, const char *dso)
{
	return pd_resolver_why(&st->resolver, dso);
}

const struct pd_note *
pd_stacker_note(const struct pd_stacker *st, size_t i)
{
	return pd_notes_get(&st->resolver.notes, i);
}

static uint32_t
root_frame(struct pd_stacker *st, enum pd_root root,
    const struct pd_record *rec, const struct pd_event *ev,
    const struct pd_thread *th, struct pd_error *err)
{
	struct pd_frame f = { .kind = PD_FRAME_ROOT };
	/* stackcollapse-perf.pl knows only the name of the thread itself. */
	const char *leader = st->opts.perf_compat ? th->comm : th->leader_comm;
	char text[320];

	switch (root) {
	case PD_ROOT_COMM:
		snprintf(text, sizeof(text), "%s", th->comm);
		break;
	case PD_ROOT_PID:
		snprintf(text, sizeof(text), "%s-%" PRId32, leader,
		    (int32_t)th->pid);
		break;
	case PD_ROOT_TID:
		snprintf(text, sizeof(text), "%s-%" PRId32 "/%" PRId32,
		    th->comm, (int32_t)th->pid, (int32_t)th->tid);
		break;
	case PD_ROOT_THREAD:
		snprintf(text, sizeof(text), "%s-%" PRId32, th->comm,
		    (int32_t)th->tid);
		break;
	case PD_ROOT_CPU:
		snprintf(text, sizeof(text), rec->cpu == PD_NOID ?
		    "cpu-unknown" : "cpu-%03" PRIu32, rec->cpu);
		break;
	case PD_ROOT_EVENT:
		snprintf(text, sizeof(text), "%s", ev->name);
		break;
	}
	f.name = text;
	return pd_tree_add_frame(st->resolver.tree, &f, err);
}

/* Whether the slot's roots and names of addresses still hold. */
static bool
slot_holds(const struct pd_stacker *st, const struct slot *sl,
    const struct pd_record *rec, const struct pd_event *ev,
    const struct pd_thread *th)
{
	struct pd_session *s = st->resolver.session;

	return sl->comm == th->comm && sl->leader == th->leader_comm &&
	    sl->tid == th->tid && sl->pid == th->pid &&
	    (!st->by_cpu || sl->cpu == rec->cpu) &&
	    (!st->by_event || sl->event == ev) &&
	    sl->user == pd_thread_space(th)->version &&
	    sl->kernel == pd_session_kernel(s, false)->version &&
	    sl->guest == pd_session_kernel(s, true)->version;
}

static int
slot_renew(struct pd_stacker *st, struct slot *sl,
    const struct pd_record *rec, const struct pd_event *ev,
    const struct pd_thread *th, struct pd_error *err)
{
	struct pd_tree *tree = st->resolver.tree;
	uint32_t id;
	size_t i;

	sl->comm = NULL;		/* not valid until it is complete */
	sl->chain.len = 0;
	sl->root = 0;
	for (i = 0; i < st->opts.nroots; i++) {
		id = root_frame(st, st->opts.roots[i], rec, ev, th, err);
		if (id == PD_NOID)
			return -1;
		sl->root = pd_tree_child(tree, sl->root, id, err);
		if (sl->root == PD_NOID)
			return -1;
	}
	sl->leader = th->leader_comm;
	sl->pid = th->pid;
	sl->tid = th->tid;
	sl->cpu = rec->cpu;
	sl->event = ev;
	sl->user = pd_thread_space(th)->version;
	sl->kernel = pd_session_kernel(st->resolver.session, false)->version;
	sl->guest = pd_session_kernel(st->resolver.session, true)->version;
	sl->comm = th->comm;
	return 0;
}

/* How many entries, outermost first, two chains have in common. */
static size_t
common(const struct pd_chain *a, const struct pd_chain *b)
{
	size_t n = a->len < b->len ? a->len : b->len, i;

	for (i = 0; i < n; i++)
		if (!pd_chain_entry_equal(&a->entries[i], &b->entries[i]))
			break;
	return i;
}

/* The stack of node with the frames of one more address. */
static uint32_t
extend(struct pd_stacker *st, uint32_t node, const struct pd_thread *th,
    const struct pd_chain_entry *e, struct pd_error *err)
{
	struct pd_resolver *r = &st->resolver;
	uint32_t v = pd_resolver_find(r, th, e, err);
	size_t n, i;

	if (v == PD_NOID)
		return PD_NOID;
	if (!(v & PD_FRAME_LIST))
		return pd_tree_child(r->tree, node, v, err);
	pd_resolver_list(r, v, &n);
	for (i = 0; i < n && node != PD_NOID; i++)
		node = pd_tree_child(r->tree, node,
		    pd_resolver_list(r, v, &n)[i], err);
	return node;
}

/*
 * Whether a process that called exec runs its new program already: then the
 * innermost user address is in one of the new maps.
 */
static bool
runs_new_program(const struct pd_chain *c, struct pd_space *sp)
{
	size_t i = c->len;

	while (i > 0 && c->entries[i - 1].mode == PD_CPUMODE_KERNEL)
		i--;
	return i > 0 && c->entries[i - 1].mode == PD_CPUMODE_USER &&
	    pd_space_has(sp, c->entries[i - 1].ip);
}

/* The unwinder, made when the first sample needs it. */
static int
unwinder_open(struct pd_stacker *st, struct pd_error *err)
{
	struct pd_unwind_files files = pd_cfifiles(st->resolver.sources);

	if (st->unwound == NULL)
		st->unwound = pd_calloc(MAX_UNWOUND, sizeof(*st->unwound), err);
	if (st->unwound == NULL)
		return -1;
	files.jit = pd_jits_cfi;
	files.jit_ctx = &st->resolver.jits;
	st->unwinder = pd_unwinder_new(st->resolver.session, &files, err);
	return st->unwinder == NULL ? -1 : 0;
}

/* The user part of a chain from the copied stack. */
static int
unwind(struct pd_stacker *st, struct pd_chain *c,
    const struct pd_record *rec, const struct pd_sample *smp,
    const struct pd_thread *th, struct pd_error *err)
{
	size_t max = st->opts.max_stack, len, kernel = c->len;
	enum pd_unwind_end end;
	bool cut;

	/* perf does not look at a process before it has maps. */
	if (st->opts.perf_compat && pd_thread_space(th)->len == 0)
		return 0;
	if (st->unwinder == NULL && unwinder_open(st, err) == -1)
		return -1;
	if (max == 0 || max > MAX_UNWOUND)
		max = st->opts.perf_compat ? PERF_MAX_STACK : MAX_UNWOUND;
	while (kernel > 0 &&
	    c->entries[c->len - kernel].mode == PD_CPUMODE_USER)
		kernel--;
	if (st->opts.max_stack > 0)
		max = kernel < max ? max - kernel : 0;
	if (pd_unwinder_run(st->unwinder, th, rec->event, smp, st->unwound,
	    max, &len, &end, err) == -1)
		return -1;
	/* Recorded frames are better than unwinding that did not get far. */
	if (end != PD_UNWIND_COMPLETE && !c->bare &&
	    len <= c->len - kernel)
		return 0;
	/* perf shows that the copied bytes ended: by the address -1. */
	if (st->opts.perf_compat && end == PD_UNWIND_TRUNCATED && len < max)
		st->unwound[len++] = (struct pd_chain_entry){ UINT64_MAX,
			PD_CPUMODE_USER, true };
	/* No more was asked for, or so much that it cannot be a stack. */
	cut = end == PD_UNWIND_TRUNCATED ||
	    (end == PD_UNWIND_FULL && (st->opts.max_stack == 0 ||
	    len + kernel < st->opts.max_stack));
	if (len > 0 && pd_chain_set_user(c, st->unwound, len, cut, err) == -1)
		return -1;
	c->stopped = end == PD_UNWIND_STOPPED;
	return 0;
}

/* The callers that the LBR had no room for, as far as --max-stack goes. */
static int
stitch(struct pd_stacker *st, struct pd_chain *c, const struct pd_sample *smp,
    const struct pd_thread *th, struct pd_error *err)
{
	size_t max = st->opts.max_stack;

	if (pd_stitcher_run(&st->stitcher, th->tid,
	    st->resolver.symopts.info->lbr_registers, smp, c,
	    st->opts.perf_compat, err) == -1)
		return -1;
	if (max > 0 && c->len > max) {
		c->entries += c->len - max;
		c->len = max;
		c->truncated = false;
	}
	return 0;
}

/* The chain of a sample, unwound where that is called for. */
static int
build_chain(struct pd_stacker *st, const struct pd_record *rec,
    const struct pd_sample *smp, const struct pd_thread *th,
    struct pd_stack *out, struct pd_error *err)
{
	struct pd_chain *c = &st->chain;

	if (pd_chain_build(c, rec->event, smp, st->opts.max_stack,
	    st->opts.perf_compat, err) == -1)
		return -1;
	if (pd_thread_space(th)->old_len > 0 &&
	    runs_new_program(c, pd_thread_space(th)))
		pd_session_settle(st->resolver.session, th);
	if (pd_resolver_advance(&st->resolver, th, rec->time, err) == -1)
		return -1;
	if (pd_unwinder_can(rec->event, smp) &&
	    unwind(st, c, rec, smp, th, err) == -1)
		return -1;
	if (st->opts.stitch_lbr && stitch(st, c, smp, th, err) == -1)
		return -1;
	out->deep = c->deep;
	out->truncated = c->truncated;
	out->stopped = c->stopped;
	return 0;
}

static uint64_t
context_of_mode(uint8_t mode)
{
	switch (mode) {
	case PD_CPUMODE_HYPERVISOR: return PD_CONTEXT_HV;
	case PD_CPUMODE_KERNEL: return PD_CONTEXT_KERNEL;
	case PD_CPUMODE_GUEST_KERNEL: return PD_CONTEXT_GUEST_KERNEL;
	case PD_CPUMODE_GUEST_USER: return PD_CONTEXT_GUEST_USER;
	}
	return PD_CONTEXT_USER;
}

int
pd_stacker_callchain(struct pd_stacker *st, const struct pd_record *rec,
    const struct pd_sample *smp, const struct pd_thread *th,
    const uint64_t **chain, size_t *len, struct pd_stack *out,
    struct pd_error *err)
{
	const struct pd_chain *c = &st->chain;
	const struct pd_chain_entry *e;
	int mode = -1;
	size_t i;

	*len = 0;
	if (build_chain(st, rec, smp, th, out, err) == -1 ||
	    pd_grow(&st->recorded, &st->recorded_cap, 2 * c->len + 1,
	    sizeof(*st->recorded), err) == -1)
		return -1;
	/* What comes first behind a marker is read as exact. */
	for (i = c->len; i-- > 0; mode = e->mode) {
		e = &c->entries[i];
		if (e->mode != mode || e->exact)
			st->recorded[(*len)++] = context_of_mode(e->mode);
		st->recorded[(*len)++] = e->ip;
	}
	*chain = st->recorded;
	return 0;
}

int
pd_stacker_run(struct pd_stacker *st, const struct pd_record *rec,
    const struct pd_event *ev, const struct pd_sample *smp,
    const struct pd_thread *th, struct pd_stack *out, struct pd_error *err)
{
	static const struct pd_chain_entry nowhere = { 0 };
	struct slot *sl = &st->slots[pd_hash_u64(th->tid) % SLOTS];
	struct pd_chain last, *c = &st->chain;
	uint32_t node;
	size_t i;

	if (build_chain(st, rec, smp, th, out, err) == -1)
		return -1;
	if (c->truncated && !st->opts.perf_compat)
		pd_chain_mark_truncated(c);
	if ((!slot_holds(st, sl, rec, ev, th) &&
	    slot_renew(st, sl, rec, ev, th, err) == -1) ||
	    pd_grow(&sl->nodes, &sl->nodes_cap, c->len, sizeof(*sl->nodes),
	    err) == -1)
		return -1;
	i = common(&sl->chain, c);
	node = i > 0 ? sl->nodes[i - 1] : sl->root;
	sl->chain.len = i;		/* should the rest fail */
	for (; i < c->len && node != PD_NOID; i++)
		sl->nodes[i] = node = extend(st, node, th, &c->entries[i], err);
	if (node == 0)
		node = extend(st, node, th, &nowhere, err);
	if (node == PD_NOID)
		return -1;
	out->node = node;
	last = sl->chain;
	sl->chain = *c;
	*c = last;			/* its memory serves the next one */
	return 0;
}
