/* Streams of blocks. */
#include <string.h>

#include "base/error.h"
#include "input/stream.h"

void
pd_stream_init(struct pd_stream *s, struct pd_blocks *pool, pd_fill_fn fill,
    void *ctx, uint64_t offset, uint64_t limit)
{
	*s = (struct pd_stream){ pool, NULL, 0, offset, limit, fill, ctx };
}

void
pd_stream_free(struct pd_stream *s)
{
	pd_block_unref(s->block);
	s->block = NULL;
}

/* Go on in a new block; the bytes not taken yet move to its start. */
static int
next_block(struct pd_stream *s, struct pd_error *err)
{
	struct pd_block *old = s->block, *b = pd_block_new(s->pool, err);

	if (b == NULL)
		return -1;
	if (old != NULL) {
		b->used = old->used - s->pos;
		memcpy(b->data, old->data + s->pos, b->used);
		if (old->refs > 1)
			pd_block_seal(old);
		pd_block_unref(old);
	}
	s->block = b;
	s->pos = 0;
	return 0;
}

int
pd_stream_more(struct pd_stream *s, size_t n, struct pd_error *err)
{
	uint64_t room, left;
	ssize_t got;

	while (pd_stream_ready(s) < n) {
		if (s->block == NULL || PD_BLOCK_SIZE - s->pos < n)
			if (next_block(s, err) == -1)
				return -1;
		room = PD_BLOCK_SIZE - s->block->used;
		left = s->limit - s->offset - pd_stream_ready(s);
		if (room > left)
			room = left;
		if (room == 0)
			return 0;
		got = s->fill(s->ctx, s->block->data + s->block->used,
		    (size_t)room, err);
		if (got <= 0)
			return (int)got;
		s->block->used += (size_t)got;
	}
	return 1;
}

int
pd_stream_skip(struct pd_stream *s, uint64_t n, struct pd_error *err)
{
	size_t ready;
	int r;

	while (n > 0) {
		if ((r = pd_stream_peek(s, 1, err)) <= 0)
			return r;
		ready = pd_stream_ready(s);
		if (ready > n)
			ready = (size_t)n;
		pd_stream_take(s, ready);
		n -= ready;
	}
	return 1;
}
