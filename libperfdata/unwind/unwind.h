/*
 * The unwinder: from the registers and the copied stack of a sample (perf
 * record --call-graph dwarf) to its user-space callchain.
 */
#ifndef PD_UNWIND_UNWIND_H
#define PD_UNWIND_UNWIND_H

#include "session/session.h"
#include "unwind/callchain.h"
#include "unwind/cfi.h"
#include "unwind/image.h"

/* Where the files of DSOs come from. */
struct pd_unwind_files {
	/*
	 * Read what unwinding needs of the file that a DSO was, or of the
	 * image of the vdso, into *img, which is zero and is freed by the
	 * unwinder.  Left zero: there is no such file.  -1 only without
	 * memory.  Called once for a DSO, when its code is first met.
	 */
	int	(*read)(void *ctx, const struct pd_dso *dso,
	    struct pd_image *img, struct pd_error *err);
	void	*ctx;
	/*
	 * The call frame information that a JIT compiler gave for its code at
	 * an address, *cfi NULL when it gave none; it lives as long as the
	 * unwinder.  -1 only without memory.  NULL: there is no such thing.
	 */
	int	(*jit)(void *ctx, const struct pd_space *sp, uint64_t ip,
	    struct pd_cfi **cfi, struct pd_error *err);
	void	*jit_ctx;
};

enum pd_unwind_end {
	PD_UNWIND_COMPLETE,	/* the outermost frame was reached */
	PD_UNWIND_TRUNCATED,	/* the copied bytes ran out */
	PD_UNWIND_FULL,		/* the room for entries ran out */
	PD_UNWIND_STOPPED,	/* code that tells nothing of its caller */
};

struct pd_unwinder;

/* s and what files point to must outlive the unwinder. */
struct pd_unwinder *pd_unwinder_new(struct pd_session *s,
    const struct pd_unwind_files *files, struct pd_error *err);
void pd_unwinder_free(struct pd_unwinder *u);

/* Has this sample of ev what is needed?  Kernel threads have no such thing. */
bool pd_unwinder_can(const struct pd_event *ev, const struct pd_sample *smp);

/*
 * The user part of the callchain of a sample of thread th, as the session is
 * now: at most max entries, leaf first, into out; *len is their number, 0 (and
 * COMPLETE) where pd_unwinder_can() says no.  -1 only without memory.
 */
int pd_unwinder_run(struct pd_unwinder *u, const struct pd_thread *th,
    const struct pd_event *ev, const struct pd_sample *smp,
    struct pd_chain_entry *out, size_t max, size_t *len,
    enum pd_unwind_end *end, struct pd_error *err);

#endif
