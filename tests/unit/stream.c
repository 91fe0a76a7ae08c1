/* Streams: what was asked for is in one piece, wherever the blocks end. */
#include <stdlib.h>

#include "input/stream.h"
#include "tap.h"

static struct pd_error err;

/* A source of len bytes that hands out pieces of odd sizes. */
struct source {
	uint64_t	pos, len;
	uint32_t	seed;
	bool		fails;
};

static uint8_t
byte_at(uint64_t i)
{
	return (uint8_t)(i * 2654435761u >> 13);
}

static uint32_t
below(struct source *s, uint32_t n)
{
	s->seed = s->seed * 1664525 + 1013904223;
	return (s->seed >> 8) % n;
}

static ssize_t
fill(void *ctx, uint8_t *buf, size_t room, struct pd_error *e)
{
	struct source *s = ctx;
	size_t n = 1 + below(s, 5000);

	if (s->fails) {
		e->code = PD_EIO;
		return -1;
	}
	if (n > room)
		n = room;
	if (n > s->len - s->pos)
		n = (size_t)(s->len - s->pos);
	for (size_t i = 0; i < n; i++)
		buf[i] = byte_at(s->pos + i);
	s->pos += n;
	return (ssize_t)n;
}

static bool
holds(const uint8_t *p, uint64_t offset, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != byte_at(offset + i))
			return false;
	return true;
}

/* Records of all sizes, of which some are kept while the stream goes on. */
static void
a_record_across_blocks_is_in_one_piece_and_stays(void)
{
	struct {
		struct pd_block	*block;
		const uint8_t	*p;
		uint64_t	at;
		size_t		n;
	}			kept[32] = { 0 };
	struct source src = { .len = 8 << 20, .seed = 3 };
	struct pd_blocks pool;
	struct pd_stream s;
	size_t wrong = 0, n, k = 0;

	pd_blocks_init(&pool);
	pd_stream_init(&s, &pool, fill, &src, 0, PD_NOWHERE);
	for (;; k++) {
		n = k % 5 == 0 ? 65535 : 8 + below(&src, 3000);
		if (pd_stream_peek(&s, n, &err) != 1)
			break;
		wrong += !holds(pd_stream_at(&s), s.offset, n);
		if (k % 3 == 0) {
			pd_block_unref(kept[k % 32].block);
			kept[k % 32].block = pd_block_ref(s.block);
			kept[k % 32].p = pd_stream_at(&s);
			kept[k % 32].at = s.offset;
			kept[k % 32].n = n;
		}
		pd_stream_take(&s, n);
		for (size_t i = 0; i < 32; i++)
			if (kept[i].block != NULL && i % 8 == k % 8)
				wrong += !holds(kept[i].p, kept[i].at,
				    kept[i].n);
	}
	CHECK(k > 300);
	CHECK(s.offset + pd_stream_ready(&s) == src.len);
	CHECK_EQ(wrong, 0);
	for (size_t i = 0; i < 32; i++)
		pd_block_unref(kept[i].block);
	pd_stream_free(&s);
	CHECK_EQ(pool.live, 0);
	pd_blocks_free(&pool);
}

static void
no_byte_behind_the_limit_is_read(void)
{
	struct source src = { .len = 10000, .seed = 5 };
	struct pd_blocks pool;
	struct pd_stream s;

	pd_blocks_init(&pool);
	/* The stream begins at 16, as in a pipe: its limit is a position. */
	pd_stream_init(&s, &pool, fill, &src, 16, 116);
	CHECK_EQ(pd_stream_peek(&s, 100, &err), 1);
	CHECK_EQ(pd_stream_peek(&s, 101, &err), 0);
	CHECK_EQ(pd_stream_ready(&s), 100);
	CHECK_EQ(src.pos, 100);
	pd_stream_take(&s, 100);
	CHECK_EQ(s.offset, 116);
	CHECK_EQ(pd_stream_peek(&s, 1, &err), 0);
	pd_stream_free(&s);
	pd_blocks_free(&pool);
}

static void
skipping_passes_over_blocks_and_tells_the_end(void)
{
	struct source src = { .len = 1 << 20, .seed = 9 };
	struct pd_blocks pool;
	struct pd_stream s;

	pd_blocks_init(&pool);
	pd_stream_init(&s, &pool, fill, &src, 0, PD_NOWHERE);
	CHECK_EQ(pd_stream_skip(&s, 0, &err), 1);
	CHECK_EQ(pd_stream_skip(&s, 700001, &err), 1);
	CHECK_EQ(s.offset, 700001);
	CHECK_EQ(pd_stream_peek(&s, 50, &err), 1);
	CHECK(holds(pd_stream_at(&s), 700001, 50));
	CHECK_EQ(pd_stream_skip(&s, (1 << 20) - 700001, &err), 1);
	CHECK_EQ(pd_stream_skip(&s, 1, &err), 0);
	pd_stream_free(&s);
	pd_blocks_free(&pool);
}

/* A hostile length must not be read for ever, nor taken for memory. */
static void
skipping_more_than_there_is_ends_at_the_end(void)
{
	struct source src = { .len = 100000, .seed = 9 };
	struct pd_blocks pool;
	struct pd_stream s;

	pd_blocks_init(&pool);
	pd_stream_init(&s, &pool, fill, &src, 0, PD_NOWHERE);
	CHECK_EQ(pd_stream_skip(&s, UINT64_MAX, &err), 0);
	CHECK_EQ(s.offset, 100000);
	pd_stream_free(&s);
	pd_blocks_free(&pool);
}

static void
an_error_of_the_source_comes_through(void)
{
	struct source src = { .len = 100, .seed = 1, .fails = true };
	struct pd_blocks pool;
	struct pd_stream s;

	pd_blocks_init(&pool);
	pd_stream_init(&s, &pool, fill, &src, 0, PD_NOWHERE);
	CHECK_EQ(pd_stream_peek(&s, 1, &err), -1);
	CHECK_EQ(err.code, PD_EIO);
	CHECK_EQ(pd_stream_skip(&s, 1, &err), -1);
	pd_stream_free(&s);
	pd_blocks_free(&pool);
}

int
main(void)
{
	RUN(a_record_across_blocks_is_in_one_piece_and_stays);
	RUN(no_byte_behind_the_limit_is_read);
	RUN(skipping_passes_over_blocks_and_tells_the_end);
	RUN(skipping_more_than_there_is_ends_at_the_end);
	RUN(an_error_of_the_source_comes_through);
	return tap_done();
}
