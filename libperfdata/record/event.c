/* Attributes and ids: which event a record belongs to. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "record/event.h"
#include "record/record.h"

static uint64_t
reverse_bits(uint64_t v)
{
	uint64_t r = 0;
	int i;

	for (i = 0; i < 64; i++)
		r |= (v >> i & 1) << (63 - i);
	return r;
}

static bool
flag(const struct pd_event *ev, int bit)
{
	return ev->flags >> bit & 1;
}

/* struct perf_event_attr, as far as its size goes; the rest reads as 0. */
static void
decode_attr(struct pd_cursor *c, struct pd_evt *evt)
{
	struct pd_event *ev = &evt->pub;

	ev->type = pd_get_u32(c);
	pd_get_u32(c);			/* size */
	ev->config = pd_get_u64(c);
	ev->period_or_freq = pd_get_u64(c);
	ev->sample_type = pd_get_u64(c);
	ev->read_format = pd_get_u64(c);
	ev->flags = pd_get_u64(c);
	/* A bit field fills from the other end in the other byte order. */
	if (c->swapped)
		ev->flags = reverse_bits(ev->flags);
	pd_get_u32(c);			/* wakeup_events */
	evt->bp_type = pd_get_u32(c);
	evt->bp_addr = pd_get_u64(c);	/* or config1 */
	pd_get_u64(c);			/* config2, 72 */
	ev->branch_type = pd_get_u64(c);
	ev->regs_user = pd_get_u64(c);
	ev->stack_user = pd_get_u32(c);
	evt->clockid = (int32_t)pd_get_u32(c);
	ev->regs_intr = pd_get_u64(c);
	pd_get_u32(c);			/* aux_watermark */
	ev->max_stack = pd_get_u16(c);
	if (!flag(ev, PD_ATTR_USE_CLOCKID))
		evt->clockid = -1;
	ev->is_freq = flag(ev, PD_ATTR_FREQ);
	ev->sample_id_all = flag(ev, PD_ATTR_SAMPLE_ID_ALL);
}

/*
 * Where the kernel puts the identity: perf_output_sample() at the start of a
 * SAMPLE, __perf_event__output_id_sample() at the end of other records
 * (kernel/events/core.c; perf_event_open(2)).
 */
static void
find_positions(struct pd_evt *evt)
{
	static const struct { uint32_t bit; uint8_t which; } head[] = {
		{ PD_SAMPLE_IDENTIFIER, 1 }, { PD_SAMPLE_IP, 0 },
		{ PD_SAMPLE_TID, 2 }, { PD_SAMPLE_TIME, 3 },
		{ PD_SAMPLE_ADDR, 0 }, { PD_SAMPLE_ID, 1 },
		{ PD_SAMPLE_STREAM_ID, 0 }, { PD_SAMPLE_CPU, 4 },
	}, tail[] = {
		{ PD_SAMPLE_IDENTIFIER, 1 }, { PD_SAMPLE_CPU, 4 },
		{ PD_SAMPLE_STREAM_ID, 0 }, { PD_SAMPLE_ID, 1 },
		{ PD_SAMPLE_TIME, 3 }, { PD_SAMPLE_TID, 2 },
	};
	uint8_t pos[5], n;
	size_t i;

	memset(pos, PD_NOPOS, sizeof(pos));
	for (i = 0, n = 0; i < sizeof(head) / sizeof(head[0]); i++) {
		if (!(evt->pub.sample_type & head[i].bit))
			continue;
		if (pos[head[i].which] == PD_NOPOS)
			pos[head[i].which] = n;
		n++;
	}
	evt->s_id = pos[1], evt->s_tid = pos[2];
	evt->s_time = pos[3], evt->s_cpu = pos[4];
	evt->s_fixed = n + !!(evt->pub.sample_type & PD_SAMPLE_PERIOD);

	memset(pos, PD_NOPOS, sizeof(pos));
	for (i = 0, n = 0; i < sizeof(tail) / sizeof(tail[0]); i++) {
		if (!evt->pub.sample_id_all ||
		    !(evt->pub.sample_type & tail[i].bit))
			continue;
		n++;
		if (pos[tail[i].which] == PD_NOPOS)
			pos[tail[i].which] = n;
	}
	evt->t_id = pos[1], evt->t_tid = pos[2];
	evt->t_time = pos[3], evt->t_cpu = pos[4];
	evt->t_words = n;
}

struct pd_evt *
pd_events_add(struct pd_events *es, struct pd_cursor *c, size_t room,
    bool whole, uint64_t offset, struct pd_error *err)
{
	uint8_t attr[512] = { 0 };	/* zeros: what an older attr lacks */
	struct pd_cursor in;
	const uint8_t *p;
	struct pd_evt *evt;
	uint32_t size;

	if (pd_left(c) < room)
		room = pd_left(c);
	if (room < PD_ATTR_SIZE_VER0) {
		pd_fail(err, PD_ETRUNC, offset, "attribute of %zu bytes, "
		    "at least %d expected", room, PD_ATTR_SIZE_VER0);
		return NULL;
	}
	size = pd_load_u32(c->p + 4, c->swapped);
	if (size == 0)			/* the first ABI did not write it */
		size = PD_ATTR_SIZE_VER0;
	if (size < PD_ATTR_SIZE_VER0 || size > room) {
		pd_fail(err, PD_EFORMAT, offset, "attribute says it has %"
		    PRIu32 " bytes, %zu are there", size, room);
		return NULL;
	}
	p = pd_get_bytes(c, whole ? room : size);
	memcpy(attr, p, size < sizeof(attr) ? size : sizeof(attr));

	if (pd_load_u64(attr + 24, c->swapped) & PD_SAMPLE_KERNEL_ONLY) {
		pd_fail(err, PD_EFORMAT, offset,
		    "attribute: sample_type has a bit that no recording has");
		return NULL;
	}
	if (pd_grow(&es->evts, &es->cap, es->len + 1, sizeof(evt), err) == -1)
		return NULL;
	if ((evt = pd_calloc(1, sizeof(*evt), err)) == NULL ||
	    (evt->attr = pd_calloc(1, size, err)) == NULL) {
		free(evt);
		return NULL;
	}
	memcpy(evt->attr, p, size);
	evt->attr_size = size;
	in = pd_cursor(attr, sizeof(attr), c->swapped);
	decode_attr(&in, evt);
	find_positions(evt);
	evt->pub.index = (uint32_t)es->len;
	evt->pub.name = "";
	es->evts[es->len++] = evt;
	return evt;
}

int
pd_events_add_id(struct pd_events *es, struct pd_evt *ev, uint64_t id,
    struct pd_notes *notes, uint64_t offset, struct pd_error *err)
{
	uint32_t owner = pd_map64_find(&es->by_id, id);

	if (owner == PD_NOID) {
		if (pd_grow(&ev->ids, &ev->ids_cap, ev->nids + 1,
		    sizeof(*ev->ids), err) == -1)
			return -1;
		ev->ids[ev->nids++] = id;
		return pd_map64_put(&es->by_id, id, ev->pub.index, err);
	}
	if (owner != ev->pub.index)
		pd_note_add(notes, true, offset,
		    "two events claim id %" PRIu64 ": its samples are counted "
		    "for the first", id);
	return 0;
}

struct pd_evt *
pd_events_by_id(const struct pd_events *es, uint64_t id)
{
	uint32_t i = pd_map64_find(&es->by_id, id);

	return i == PD_NOID ? NULL : es->evts[i];
}

struct pd_evt *
pd_events_of(const struct pd_events *es, uint32_t type, const uint8_t *data,
    size_t size, bool swapped)
{
	const struct pd_evt *first;
	size_t words = (size - PD_HEADER_SIZE) / 8, pos;
	uint64_t id;

	if (es->len == 0)
		return NULL;
	first = es->evts[0];
	if (es->len == 1)
		return es->evts[0];
	/* All events of a recording have their id at the same place. */
	if (type == PD_RECORD_SAMPLE) {
		pos = first->s_id;
		if (pos == PD_NOPOS)
			return es->evts[0];
		if (pos >= words)
			return NULL;
		id = pd_load_u64(data + PD_HEADER_SIZE + 8 * pos, swapped);
	} else {
		pos = first->t_id;
		if (pos == PD_NOPOS)
			return es->evts[0];
		if (pos > words)
			return NULL;
		id = pd_load_u64(data + size - 8 * pos, swapped);
	}
	return id == 0 ? es->evts[0] : pd_events_by_id(es, id);
}

void
pd_events_free(struct pd_events *es)
{
	size_t i;

	for (i = 0; i < es->len; i++) {
		free(es->evts[i]->name);
		free(es->evts[i]->attr);
		free(es->evts[i]->ids);
		free(es->evts[i]);
	}
	free(es->evts);
	pd_map64_free(&es->by_id);
	memset(es, 0, sizeof(*es));
}
