/* Decompression of the zstd stream that perf record -z writes. */
#ifndef PD_INPUT_UNZSTD_H
#define PD_INPUT_UNZSTD_H

#include "input/block.h"

struct pd_unzstd {
	void			*dctx;	/* ZSTD_DCtx */
	const uint8_t		*in;	/* in block, which is held */
	size_t			in_size, in_pos;
	struct pd_block		*block;
	uint64_t		offset;	/* of the payload in the input */
	bool			more;	/* output is waiting inside dctx */
	bool			inside;	/* the input ended inside a zstd block */
};

/*
 * Give it the next payload, which is in block.  The last one must have been
 * read to its end.
 */
int pd_unzstd_feed(struct pd_unzstd *z, struct pd_block *block,
    const uint8_t *in, size_t size, uint64_t offset, struct pd_error *err);

/* A pd_fill_fn: 0 when the payload is used up. */
ssize_t pd_unzstd_fill(void *z, uint8_t *buf, size_t room,
    struct pd_error *err);
void pd_unzstd_free(struct pd_unzstd *z);

#endif
