/*
 * One zstd stream over the payloads of COMPRESSED and COMPRESSED2 records.
 * It is decoded as far as the reader asks for bytes, never by a length that
 * the input claims.
 */
#include <zstd.h>

#include "base/error.h"
#include "input/unzstd.h"

/*
 * The largest window that zstd's levels use (22: 128 MiB), which perf record
 * -z22 writes.  A frame that asks for more is refused.
 */
#define WINDOW_LOG_MAX	27

/*
 * perf flushes zstd blocks and never ends its frame: between two blocks the
 * decoder asks for this much (RFC 8878, 3.1.1.2), inside one for more.
 */
#define BLOCK_HEADER	3

static int
start(struct pd_unzstd *z, struct pd_error *err)
{
	z->dctx = ZSTD_createDCtx();
	if (z->dctx == NULL)
		return pd_fail_nomem(err);
	ZSTD_DCtx_setParameter(z->dctx, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	return 0;
}

int
pd_unzstd_feed(struct pd_unzstd *z, struct pd_block *block, const uint8_t *in,
    size_t size, uint64_t offset, struct pd_error *err)
{
	if (z->dctx == NULL && start(z, err) == -1)
		return -1;
	pd_block_unref(z->block);
	z->block = pd_block_ref(block);
	z->in = in;
	z->in_size = size;
	z->in_pos = 0;
	z->offset = offset;
	return 0;
}

ssize_t
pd_unzstd_fill(void *ctx, uint8_t *buf, size_t room, struct pd_error *err)
{
	struct pd_unzstd *z = ctx;
	ZSTD_inBuffer in = { z->in, z->in_size, z->in_pos };
	ZSTD_outBuffer out = { buf, room, 0 };
	size_t r;

	while (out.pos == 0 && (in.pos < in.size || z->more)) {
		r = ZSTD_decompressStream(z->dctx, &out, &in);
		if (ZSTD_isError(r)) {
			z->in_pos = z->in_size;
			z->more = false;
			return pd_fail(err, PD_EFORMAT, z->offset,
			    "compressed data: %s", ZSTD_getErrorName(r));
		}
		z->more = out.pos == out.size;
		z->inside = r > BLOCK_HEADER;
	}
	z->in_pos = in.pos;
	return (ssize_t)out.pos;
}

void
pd_unzstd_free(struct pd_unzstd *z)
{
	ZSTD_freeDCtx(z->dctx);
	pd_block_unref(z->block);
	*z = (struct pd_unzstd){ 0 };
}
