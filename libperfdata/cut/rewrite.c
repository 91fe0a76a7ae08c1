/* Takes copied stacks out of samples, and adjusts their counters. */
#include <stdlib.h>

#include "base/alloc.h"
#include "cut/rewrite.h"

/* Where struct perf_event_attr has it: include/uapi/linux/perf_event.h. */
enum {
	ATTR_SAMPLE_TYPE = 24, ATTR_FLAGS = 40, ATTR_REGS_USER = 80,
	ATTR_STACK_USER = 88, ATTR_STACK_USER_END = 92,
};

#define EXCLUDE_CALLCHAIN_USER	22	/* a bit of the flags */

void
pd_rewrite_attr(uint8_t *attr, size_t size, bool swapped, bool unwound)
{
	uint64_t type, flags;

	if (size < ATTR_STACK_USER_END)
		return;
	type = pd_load_u64(attr + ATTR_SAMPLE_TYPE, swapped);
	flags = pd_load_u64(attr + ATTR_FLAGS, swapped);
	if (!(type & (PD_SAMPLE_STACK_USER | PD_SAMPLE_REGS_USER)))
		return;
	type &= ~(uint64_t)(PD_SAMPLE_STACK_USER | PD_SAMPLE_REGS_USER);
	/* The bit field fills from the other end in the other byte order. */
	if (unwound)
		flags &= ~(UINT64_C(1) << (swapped ? 63 -
		    EXCLUDE_CALLCHAIN_USER : EXCLUDE_CALLCHAIN_USER));
	pd_store_u64(attr + ATTR_SAMPLE_TYPE, type, swapped);
	pd_store_u64(attr + ATTR_FLAGS, flags, swapped);
	pd_store_u64(attr + ATTR_REGS_USER, 0, swapped);
	pd_store_u32(attr + ATTR_STACK_USER, 0, swapped);
}

/* u32 count and size of attributes; then each, u32 number of ids, name, ids. */
void
pd_rewrite_event_desc(uint8_t *data, size_t size, bool swapped, bool unwound)
{
	struct pd_cursor c = pd_cursor(data, size, swapped);
	uint32_t n = pd_get_u32(&c), attr_size = pd_get_u32(&c), nids;
	const uint8_t *attr;

	for (; n > 0; n--) {
		attr = pd_get_bytes(&c, attr_size);
		nids = pd_get_u32(&c);
		pd_get_bytes(&c, pd_get_u32(&c));
		if (c.bad || nids > pd_left(&c) / 8)
			return;
		pd_get_bytes(&c, (size_t)nids * 8);
		pd_rewrite_attr(data + (attr - data), attr_size, swapped,
		    unwound);
	}
}


size_t
pd_rewrite_sample(const struct pd_record *rec, const struct pd_sample *s,
    const uint64_t *chain, size_t len, uint8_t *out)
{
	const uint8_t *p = rec->data, *end = rec->data + rec->size;
	size_t size = rec->size - s->copied_size, n = 0, i;
	bool replace = chain != NULL && s->has_callchain;

	if (replace)
		size = size - 8 * s->callchain_len + 8 * len;
	if (size > UINT16_MAX)
		return 0;
	if (replace) {
		/* up to the number of addresses */
		n = (size_t)(s->callchain - 8 - p);
		memcpy(out, p, n);
		pd_store_u64(out + n, len, s->swapped);
		n += 8;
		for (i = 0; i < len; i++, n += 8)
			pd_store_u64(out + n, chain[i], s->swapped);
		p = s->callchain + 8 * s->callchain_len;
	}
	if (s->copied_size > 0) {
		memcpy(out + n, p, (size_t)(s->copied - p));
		n += (size_t)(s->copied - p);
		p = s->copied + s->copied_size;
	}
	memcpy(out + n, p, (size_t)(end - p));
	pd_store_u16(out + 6, (uint16_t)size, s->swapped);
	return size;
}

static struct pd_reading *
reading_of(struct pd_reads *r, uint64_t id, struct pd_error *err)
{
	uint32_t at = pd_map64_find(&r->index, id);

	if (at == PD_NOID) {
		at = (uint32_t)r->len;
		if (pd_grow(&r->readings, &r->cap, r->len + 1,
		    sizeof(*r->readings), err) == -1 ||
		    pd_map64_put(&r->index, id, at, err) == -1)
			return NULL;
		r->readings[r->len++] = (struct pd_reading){ 0, 0 };
	}
	return &r->readings[at];
}

/* struct read_format, see perf_event_open(2): times, then values with ids. */
int
pd_reads_apply(struct pd_reads *r, const struct pd_record *rec,
    const struct pd_sample *s, uint8_t *copy, struct pd_error *err)
{
	uint64_t rf = rec->event->read_format, nr = 1, value, id = s->id;
	struct pd_cursor c = pd_cursor(s->read, s->read_size, s->swapped);
	bool group = rf & PD_FORMAT_GROUP;
	size_t times = !!(rf & PD_FORMAT_TIME_ENABLED) +
	    !!(rf & PD_FORMAT_TIME_RUNNING);
	struct pd_reading *reading;
	const uint8_t *at;

	if (group) {
		nr = pd_get_u64(&c);
		pd_get_bytes(&c, 8 * times);
	}
	for (; nr > 0 && !c.bad; nr--) {
		at = c.p;
		value = pd_get_u64(&c);
		if (!group)
			pd_get_bytes(&c, 8 * times);
		if (rf & PD_FORMAT_ID)
			id = pd_get_u64(&c);
		if (rf & PD_FORMAT_LOST)
			pd_get_u64(&c);
		if (c.bad)
			return 0;
		reading = reading_of(r, pd_counter_key(rec, id), err);
		if (reading == NULL)
			return -1;
		if (copy != NULL) {
			if (value > reading->seen)
				reading->told += value - reading->seen;
			pd_store_u64(copy + (at - rec->data), reading->told,
			    s->swapped);
		}
		reading->seen = value;
	}
	return 0;
}

/* Another place to write to, which was told of nothing. */
int
pd_reads_copy(struct pd_reads *to, const struct pd_reads *from,
    struct pd_error *err)
{
	size_t i;

	for (i = 0; from->index.slots != NULL && i <= from->index.mask; i++) {
		const struct pd_map64_slot *slot = &from->index.slots[i];
		struct pd_reading *r;

		if (slot->value == PD_NOID)
			continue;
		if ((r = reading_of(to, slot->key, err)) == NULL)
			return -1;
		r->seen = from->readings[slot->value].seen;
	}
	return 0;
}

void
pd_reads_free(struct pd_reads *r)
{
	pd_map64_free(&r->index);
	free(r->readings);
}
