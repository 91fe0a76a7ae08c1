/* A stream: bytes in order, in blocks, from a source or out of a decoder. */
#ifndef PD_INPUT_STREAM_H
#define PD_INPUT_STREAM_H

#include "input/block.h"

/*
 * More bytes for a stream: up to room at buf.  The count, 0 when there are
 * none (for now, if the filler is fed from outside), or -1.
 */
typedef ssize_t (*pd_fill_fn)(void *ctx, uint8_t *buf, size_t room,
    struct pd_error *err);

struct pd_stream {
	struct pd_blocks *pool;
	struct pd_block	*block;		/* NULL before the first byte */
	size_t		pos;		/* next byte in block */
	uint64_t	offset;		/* of the next byte in the stream */
	uint64_t	limit;		/* no byte at or after it is read */
	pd_fill_fn	fill;
	void		*ctx;
};

void pd_stream_init(struct pd_stream *s, struct pd_blocks *pool,
    pd_fill_fn fill, void *ctx, uint64_t offset, uint64_t limit);
void pd_stream_free(struct pd_stream *s);

/* Bytes that are there without reading. */
static inline size_t
pd_stream_ready(const struct pd_stream *s)
{
	return s->block ? s->block->used - s->pos : 0;
}

/* pd_stream_peek() when they are not there yet. */
int pd_stream_more(struct pd_stream *s, size_t n, struct pd_error *err);

/*
 * Make the next n bytes (at most 64 KiB) contiguous: 1, 0 when the stream
 * has fewer, or -1.  They are at pd_stream_at(), in s->block.
 */
static inline int
pd_stream_peek(struct pd_stream *s, size_t n, struct pd_error *err)
{
	return pd_stream_ready(s) >= n ? 1 : pd_stream_more(s, n, err);
}

static inline const uint8_t *
pd_stream_at(const struct pd_stream *s)
{
	return s->block->data + s->pos;
}

/* Pass over n bytes that were peeked at. */
static inline void
pd_stream_take(struct pd_stream *s, size_t n)
{
	s->pos += n;
	s->offset += n;
}

/* Pass over n bytes: 1, 0 when the stream ends before, or -1. */
int pd_stream_skip(struct pd_stream *s, uint64_t n, struct pd_error *err);

#endif
