/* Frames the records of a lane. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "record/lane.h"
#include "record/record.h"

static ssize_t
fill_from_source(void *src, uint8_t *buf, size_t room, struct pd_error *err)
{
	return pd_source_read(src, buf, room, err);
}

void
pd_lane_start(struct pd_lane *ln, const struct pd_container *ct,
    struct pd_source *src, uint64_t from, uint64_t to,
    struct pd_blocks *pool, struct pd_notes *notes)
{
	ln->ct = ct;
	ln->notes = notes;
	ln->src = src;
	pd_stream_init(&ln->raw, pool, fill_from_source, src, from, to);
	pd_stream_init(&ln->z, pool, pd_unzstd_fill, &ln->unzstd, 0,
	    PD_NOWHERE);
}

void
pd_lane_free(struct pd_lane *ln)
{
	pd_stream_free(&ln->raw);
	pd_stream_free(&ln->z);
	pd_unzstd_free(&ln->unzstd);
	pd_source_close(&ln->own);
}

/*
 * The framing is damaged: nothing behind it in the stream can be trusted.
 * Records that are not compressed go on behind compressed ones.
 */
static int
end_in_damage(struct pd_lane *ln, struct pd_stream *st,
    const struct pd_framed *fr, struct pd_error *err)
{
	if (st == &ln->z)
		ln->z_dead = true;
	else
		ln->ended = true;
	if (ln->ct->killed && pd_container_table_at(ln->ct, fr->offset))
		return pd_fail(err, PD_EFORMAT, 48, "header: the data have no "
		    "size, yet features follow them at 0x%" PRIx64
		    ": the file contradicts itself", fr->offset);
	if (ln->ct->pipe && fr->size != 0 &&
	    (memcmp(fr->data, "PERFILE2", 8) == 0 ||
	    memcmp(fr->data, "2ELIFREP", 8) == 0))
		pd_note_add(ln->notes, true, fr->offset, "another recording "
		    "begins here: only the first one is read");
	else
		pd_note_add(ln->notes, true, fr->offset, "no record can be "
		    "here (type %" PRIu32 ", size %u): what follows is not "
		    "read", fr->type, fr->size);
	return 0;
}

static void
load_header(struct pd_framed *fr, const uint8_t *p, bool swapped)
{
	fr->type = pd_load_u32(p, swapped);
	fr->misc = pd_load_u16(p + 4, swapped);
	fr->size = pd_load_u16(p + 6, swapped);
	fr->data = p;
}

/*
 * The next whole record of a stream: 1; 0 when it has none (now, for a
 * decompressed one), or its framing is damaged, which ends the lane; -1.
 */
static int
frame_record(struct pd_lane *ln, struct pd_stream *st,
    struct pd_framed *fr, struct pd_error *err)
{
	int r;

	if ((r = pd_stream_peek(st, PD_HEADER_SIZE, err)) <= 0)
		return r;
	fr->unpacked = st == &ln->z;
	fr->offset = fr->unpacked ? ln->unzstd.offset : st->offset;
	load_header(fr, pd_stream_at(st), ln->ct->swapped);
	if (fr->size < PD_HEADER_SIZE ||
	    (ln->ct->pipe && memcmp(fr->data, ln->ct->swapped ? "2ELIFREP" :
	    "PERFILE2", 8) == 0))
		return end_in_damage(ln, st, fr, err);
	if ((r = pd_stream_peek(st, fr->size, err)) <= 0)
		return r;
	fr->data = pd_stream_at(st);
	fr->block = st->block;
	pd_stream_take(st, fr->size);
	return 1;
}

int
pd_lane_next(struct pd_lane *ln, struct pd_framed *fr, struct pd_error *err)
{
	int r;

	if (ln->unzstd.dctx != NULL && !ln->z_dead) {
		r = frame_record(ln, &ln->z, fr, err);
		if (r == 1 || ln->ended)
			return r;
		if (r == -1) {
			if (err->code != PD_EFORMAT)
				return -1;
			pd_note_error(ln->notes, err);
			ln->z_dead = true;
		}
	}
	r = frame_record(ln, &ln->raw, fr, err);
	if (r == 0 && !ln->ended) {
		ln->ended = true;
		if (pd_stream_ready(&ln->raw) > 0 || (!ln->z_dead &&
		    (pd_stream_ready(&ln->z) > 0 || ln->unzstd.inside)))
			pd_note_add(ln->notes, true, ln->raw.offset,
			    "the input ends in a record, which is left out");
	}
	return r;
}

/* The input ends in what follows a record: say so, and be done with the lane. */
static void
end_in_payload(struct pd_lane *ln, const struct pd_framed *fr)
{
	pd_note_add(ln->notes, true, fr->offset, "%s record: the input ends in "
	    "what follows it", pd_record_name(fr->type));
	ln->ended = true;
}

int
pd_lane_skip(struct pd_lane *ln, const struct pd_framed *fr, uint64_t size,
    struct pd_error *err)
{
	int r = pd_stream_skip(&ln->raw, size, err);

	if (r == 0)
		end_in_payload(ln, fr);
	return r < 0 ? -1 : 0;
}

int
pd_lane_read(struct pd_lane *ln, const struct pd_framed *fr, uint64_t size,
    uint8_t **buf, size_t *len, struct pd_error *err)
{
	size_t cap = 0, n;
	int r = 1;

	*buf = NULL;
	*len = 0;
	/* It grows with what is there, not by the size that is claimed. */
	while (*len < size && (r = pd_stream_peek(&ln->raw, 1, err)) > 0) {
		n = pd_stream_ready(&ln->raw);
		if (n > size - *len)
			n = (size_t)(size - *len);
		if ((r = pd_grow(buf, &cap, *len + n, 1, err)) == -1)
			break;
		memcpy(*buf + *len, pd_stream_at(&ln->raw), n);
		pd_stream_take(&ln->raw, n);
		*len += n;
	}
	if (r == 0 && *len < size)
		end_in_payload(ln, fr);
	return r < 0 ? -1 : 0;
}

int
pd_lane_feed(struct pd_lane *ln, const struct pd_framed *fr,
    struct pd_error *err)
{
	struct pd_cursor c = pd_cursor(fr->data + PD_HEADER_SIZE,
	    fr->size - PD_HEADER_SIZE, ln->ct->swapped);
	uint64_t size = pd_left(&c);

	if (fr->type == PD_REC_COMPRESSED2)	/* u64 size, then padded */
		size = pd_get_u64(&c);
	if (size > pd_left(&c)) {
		pd_note_add(ln->notes, true, fr->offset,
		    "COMPRESSED2 record: longer than it can be");
		size = pd_left(&c);
	}
	if (ln->z_dead)
		return 0;
	return pd_unzstd_feed(&ln->unzstd, fr->block, c.p, (size_t)size,
	    fr->offset, err);
}
