/*
 * Makes LBR call stacks longer: the processor keeps the last 16 or 32 calls,
 * and writes deeper ones over the outermost.  What it kept of those is in an
 * earlier sample.
 */
#ifndef PD_UNWIND_STITCH_H
#define PD_UNWIND_STITCH_H

#include "base/hash.h"
#include "unwind/callchain.h"

/* Zero is empty. */
struct pd_stitcher {
	struct pd_map64		by_tid;
	struct pd_stitched	*threads;
	size_t			len, cap;
};

/*
 * Put on top of a chain that was just built what earlier samples of the thread
 * had there.  registers: how many calls the processor keeps.  Ask for every
 * sample, in order.  perf_compat: go wrong as perf 6.1 does.
 */
int pd_stitcher_run(struct pd_stitcher *st, uint32_t tid, uint32_t registers,
    const struct pd_sample *s, struct pd_chain *c, bool perf_compat,
    struct pd_error *err);
void pd_stitcher_free(struct pd_stitcher *st);

#endif
