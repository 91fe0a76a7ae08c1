/*
 * From a sample to its stack: the callchain, the roots on top, and the frames
 * of each address; what the last stack of the thread shares is taken over.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "record/record.h"
#include "symbol/resolver.h"

/* The last stack of a thread: threads share slots by their tid. */
struct slot {
	uint64_t		user, kernel;	/* versions of the maps then */
	const char		*comm, *leader;	/* interned */
	uint32_t		pid, tid, cpu;
	const struct pd_event	*event;
	struct pd_chain_entry	*chain;		/* outermost first */
	uint32_t		*upto;		/* frames up to each entry */
	size_t			len, cap, upto_cap;
	uint32_t		*frames;
	size_t			nframes, frames_cap;
};

struct pd_stacker {
	struct pd_resolver	resolver;
	struct pd_stack_opts	opts;
	struct pd_chain		chain;
	bool			by_cpu, by_event;	/* a root says so */
	struct slot		slots[PD_STACK_SLOTS];
};

static const enum pd_root default_roots[] = { PD_ROOT_COMM };

struct pd_stacker *
pd_stacker_new(struct pd_session *s, struct pd_frames *frames,
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
	if (pd_resolver_init(&st->resolver, s, frames, &st->opts, err) == -1) {
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
	for (i = 0; i < PD_STACK_SLOTS; i++) {
		free(st->slots[i].chain);
		free(st->slots[i].upto);
		free(st->slots[i].frames);
	}
	pd_chain_free(&st->chain);
	pd_resolver_free(&st->resolver);
	free(st);
}

const char *
pd_stacker_why(const struct pd_stacker *st, const char *dso)
{
	return pd_resolver_why(&st->resolver, dso);
}

void
pd_stacker_forget(struct pd_stacker *st)
{
	size_t i;

	for (i = 0; i < PD_STACK_SLOTS; i++)
		st->slots[i].comm = NULL;
}

static uint32_t
root_frame(struct pd_stacker *st, enum pd_root root,
    const struct pd_record *rec, const struct pd_thread *th,
    struct pd_error *err)
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
		snprintf(text, sizeof(text), "%s", rec->event->name);
		break;
	}
	f.name = text;
	return pd_frames_add(st->resolver.frames, &f, err);
}

/* Whether the slot's roots and names of addresses still hold. */
static bool
slot_holds(const struct pd_stacker *st, const struct slot *sl,
    const struct pd_record *rec, const struct pd_thread *th)
{
	return sl->comm == th->comm && sl->leader == th->leader_comm &&
	    sl->tid == th->tid && sl->pid == th->pid &&
	    (!st->by_cpu || sl->cpu == rec->cpu) &&
	    (!st->by_event || sl->event == rec->event) &&
	    sl->user == pd_thread_space(th)->version &&
	    sl->kernel == pd_session_kernel(st->resolver.session,
	    false)->version;
}

static int
slot_renew(struct pd_stacker *st, struct slot *sl,
    const struct pd_record *rec, const struct pd_thread *th,
    struct pd_error *err)
{
	uint32_t id;
	size_t i;

	sl->comm = NULL;		/* not valid until it is complete */
	sl->len = sl->nframes = 0;
	for (i = 0; i < st->opts.nroots; i++) {
		id = root_frame(st, st->opts.roots[i], rec, th, err);
		if (id == PD_NOID || pd_grow(&sl->frames, &sl->frames_cap,
		    i + 1, sizeof(*sl->frames), err) == -1)
			return -1;
		sl->frames[sl->nframes++] = id;
	}
	sl->leader = th->leader_comm;
	sl->pid = th->pid;
	sl->tid = th->tid;
	sl->cpu = rec->cpu;
	sl->event = rec->event;
	sl->user = pd_thread_space(th)->version;
	sl->kernel = pd_session_kernel(st->resolver.session, false)->version;
	sl->comm = th->comm;
	return 0;
}

/* How many entries, outermost first, are those of the last stack. */
static size_t
common(const struct slot *sl, const struct pd_chain *c)
{
	size_t n = sl->len < c->len ? sl->len : c->len, i;

	for (i = 0; i < n; i++)
		if (sl->chain[i].ip != c->entries[i].ip ||
		    sl->chain[i].mode != c->entries[i].mode ||
		    sl->chain[i].exact != c->entries[i].exact)
			break;
	return i;
}

/* Append the frames of one address. */
static int
push_frames(struct pd_stacker *st, struct slot *sl,
    const struct pd_thread *th, const struct pd_chain_entry *e,
    struct pd_error *err)
{
	uint32_t v = pd_resolver_find(&st->resolver, th, e, err);
	const uint32_t *ids;
	size_t n = 1;

	if (v == PD_NOID)
		return -1;
	if (v & PD_FRAME_LIST)
		ids = pd_resolver_list(&st->resolver, v, &n);
	if (pd_grow(&sl->frames, &sl->frames_cap, sl->nframes + n,
	    sizeof(*sl->frames), err) == -1)
		return -1;
	if (v & PD_FRAME_LIST)
		memcpy(sl->frames + sl->nframes, ids, n * sizeof(*ids));
	else
		sl->frames[sl->nframes] = v;
	sl->nframes += n;
	return 0;
}

int
pd_stacker_run(struct pd_stacker *st, const struct pd_record *rec,
    const struct pd_sample *smp, const struct pd_thread *th,
    struct pd_stack *out, struct pd_error *err)
{
	uint32_t at = pd_hash_u64(th->tid) % PD_STACK_SLOTS;
	struct slot *sl = &st->slots[at];
	struct pd_chain *c = &st->chain;
	bool held = slot_holds(st, sl, rec, th);
	size_t i, same;

	if (pd_chain_build(c, rec->event, smp, st->opts.max_stack,
	    st->opts.perf_compat, err) == -1 ||
	    (!held && slot_renew(st, sl, rec, th, err) == -1) ||
	    pd_grow(&sl->chain, &sl->cap, c->len, sizeof(*sl->chain), err) ||
	    pd_grow(&sl->upto, &sl->upto_cap, c->len, sizeof(*sl->upto), err))
		return -1;
	same = common(sl, c);
	sl->nframes = same > 0 ? sl->upto[same - 1] : st->opts.nroots;
	out->same = held ? sl->nframes : 0;
	sl->len = same;
	for (i = same; i < c->len; i++) {
		if (push_frames(st, sl, th, &c->entries[i], err) == -1)
			return -1;
		sl->upto[i] = (uint32_t)sl->nframes;
		sl->chain[i] = c->entries[i];
		sl->len = i + 1;
	}
	if (sl->nframes == 0 && push_frames(st, sl, th,
	    &(struct pd_chain_entry){ .mode = PD_CPUMODE_UNKNOWN }, err) == -1)
		return -1;
	out->frames = sl->frames;
	out->len = sl->nframes;
	out->slot = at;
	out->truncated = c->truncated;
	return 0;
}
