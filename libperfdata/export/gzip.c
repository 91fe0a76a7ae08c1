/* Compresses a stream. */
#include "base/error.h"
#include "export/gzip.h"

#define GZIP	(15 + 16)		/* a window of 32 kB, and this format */

int
pd_gzip_open(struct pd_gzip *g, FILE *out, bool raw, struct pd_error *err)
{
	g->z = (z_stream){ 0 };
	g->out = out;
	g->raw = raw;
	g->size = 0;
	if (!raw && deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 9,
	    Z_DEFAULT_STRATEGY) != Z_OK)
		return pd_fail_nomem(err);
	return 0;
}

static void
run(struct pd_gzip *g, int flush)
{
	do {
		g->z.next_out = g->buf;
		g->z.avail_out = sizeof(g->buf);
		deflate(&g->z, flush);
		fwrite_unlocked(g->buf, 1, sizeof(g->buf) - g->z.avail_out,
		    g->out);
	} while (g->z.avail_out == 0);
}

void
pd_gzip_put(struct pd_gzip *g, const void *data, size_t size)
{
	size_t n;

	g->size += size;
	if (g->raw) {
		fwrite_unlocked(data, 1, size, g->out);
		return;
	}
	g->z.next_in = (Bytef *)data;
	for (; size > 0; size -= n) {
		n = size < UINT32_MAX ? size : UINT32_MAX;
		g->z.avail_in = (uInt)n;
		run(g, Z_NO_FLUSH);
	}
}

int
pd_gzip_finish(struct pd_gzip *g, struct pd_error *err)
{
	if (!g->raw) {
		run(g, Z_FINISH);
		deflateEnd(&g->z);
	}
	return ferror(g->out) ? pd_fail(err, PD_EIO, PD_NOWHERE, "write") : 0;
}
