/* The resolver: an address of a thread, or of the kernel, to its frames. */
#ifndef PD_SYMBOL_RESOLVER_H
#define PD_SYMBOL_RESOLVER_H

#include "base/notes.h"
#include "base/tree.h"
#include "session/session.h"
#include "symbol/dsosyms.h"
#include "symbol/jits.h"
#include "symbol/namer.h"
#include "unwind/callchain.h"

/*
 * What an address resolves to: the id of one frame, or, with this bit, the
 * place of a list of frames, which may be empty.
 */
#define PD_FRAME_LIST	(UINT32_C(1) << 31)

struct pd_inlines;
struct pd_perfmap;

struct pd_resolver {
	struct pd_session	*session;
	struct pd_tree		*tree;
	const struct pd_stack_opts *opts;
	struct pd_symopts	symopts;
	struct pd_symsources	*sources;
	struct pd_resolver_dso {
		struct pd_dsosyms	*syms;	/* NULL: not open */
		struct pd_inlines	*inlines;	/* likewise */
		struct pd_map64		inlined;	/* lists, by file offset */
		bool			gave_up;	/* ... on inlines; noted */
	}			*dsos;		/* by dso->id */
	size_t			dsos_cap;
	struct pd_perfmap	**perfmaps;	/* by place */
	size_t			nperfmaps, perfmaps_cap;
	struct pd_map64		perfmap_of;	/* pid -> place */
	struct pd_jits		jits;
	struct pd_map64		symbols;	/* struct pd_symbol * -> result */
	uint32_t		unmapped[PD_FRAME_ROOT];	/* + 1, by kind */
	struct pd_namer		namer;
	struct pd_notes		notes;
	uint32_t		*lists;		/* length, then ids, ... */
	size_t			nlists, lists_cap;
};

/* All pointers are borrowed for the life of the resolver. */
int pd_resolver_init(struct pd_resolver *r, struct pd_session *s,
    struct pd_tree *tree, const struct pd_stack_opts *opts,
    struct pd_error *err);
void pd_resolver_free(struct pd_resolver *r);

/*
 * Where the addresses of a mode are looked up for a thread; NULL for modes
 * that have no maps.
 */
static inline struct pd_space *
pd_resolver_space(const struct pd_resolver *r, const struct pd_thread *th,
    uint8_t mode)
{
	switch (mode) {
	case PD_CPUMODE_USER: return pd_thread_space(th);
	case PD_CPUMODE_KERNEL: return pd_session_kernel(r->session, false);
	case PD_CPUMODE_GUEST_KERNEL:
		return pd_session_kernel(r->session, true);
	}
	return NULL;
}

/*
 * Addresses of th are now looked up as of `time`, which never goes back; this
 * may change the version of its space.
 */
static inline int
pd_resolver_advance(struct pd_resolver *r, const struct pd_thread *th,
    uint64_t time, struct pd_error *err)
{
	/* perf reads no dumps: perf inject makes files of them. */
	if (pd_thread_space(th)->njits == 0 || r->opts->perf_compat)
		return 0;
	return pd_jits_advance(&r->jits, r->session, th, time, err);
}

/* pd_resolver_find() when the space does not know the address yet. */
uint32_t pd_resolver_find_new(struct pd_resolver *r, struct pd_space *sp,
    uint8_t mode, uint64_t addr, struct pd_error *err);

/* The frames of an entry of a thread's callchain; PD_NOID without memory. */
static inline uint32_t
pd_resolver_find(struct pd_resolver *r, const struct pd_thread *th,
    const struct pd_chain_entry *e, struct pd_error *err)
{
	struct pd_space *sp = pd_resolver_space(r, th, e->mode);
	uint64_t addr = e->ip - (!e->exact && e->ip != 0);
	uint32_t v = sp ? pd_map64_find(&sp->frames, addr) : PD_NOID;

	return v != PD_NOID ? v :
	    pd_resolver_find_new(r, sp, e->mode, addr, err);
}

/* The frames of a list. */
static inline const uint32_t *
pd_resolver_list(const struct pd_resolver *r, uint32_t list, size_t *len)
{
	const uint32_t *p = r->lists + (list & ~PD_FRAME_LIST);

	*len = p[0];
	return p + 1;
}

/* Close the debug information, which is opened again when it is needed. */
void pd_resolver_trim(struct pd_resolver *r);

/* Why a DSO has no names, or NULL. */
const char *pd_resolver_why(const struct pd_resolver *r, const char *dso);

#endif
