/* The u64 -> u32 hash table. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

static struct pd_map64_slot *
slot_of(struct pd_map64_slot *slots, size_t mask, uint64_t key)
{
	size_t i = pd_hash_u64(key) & mask;

	while (slots[i].value != PD_NOID && slots[i].key != key)
		i = (i + 1) & mask;
	return &slots[i];
}

static int
grow(struct pd_map64 *m, struct pd_error *err)
{
	size_t n = m->slots ? (m->mask + 1) * 2 : 16, i;
	struct pd_map64_slot *slots = pd_calloc(n, sizeof(*slots), err);

	if (slots == NULL)
		return -1;
	for (i = 0; i < n; i++)
		slots[i].value = PD_NOID;
	for (i = 0; m->slots != NULL && i <= m->mask; i++)
		if (m->slots[i].value != PD_NOID)
			*slot_of(slots, n - 1, m->slots[i].key) = m->slots[i];
	free(m->slots);
	m->slots = slots;
	m->mask = n - 1;
	return 0;
}

int
pd_map64_put(struct pd_map64 *m, uint64_t key, uint32_t value,
    struct pd_error *err)
{
	struct pd_map64_slot *s;

	/* At most half full: a miss ends within a few slots. */
	if (m->slots == NULL || m->used * 2 > m->mask)
		if (grow(m, err) == -1)
			return -1;
	s = slot_of(m->slots, m->mask, key);
	if (s->value == PD_NOID)
		m->used++;
	s->key = key;
	s->value = value;
	return 0;
}

void
pd_map64_del(struct pd_map64 *m, uint64_t key)
{
	struct pd_map64_slot *s, move;
	size_t i;

	if (m->slots == NULL)
		return;
	s = slot_of(m->slots, m->mask, key);
	if (s->value == PD_NOID)
		return;
	s->value = PD_NOID;
	m->used--;
	/* Put the rest of the run back, so that no key is cut off by the gap. */
	i = (size_t)(s - m->slots);
	for (i = (i + 1) & m->mask; m->slots[i].value != PD_NOID;
	    i = (i + 1) & m->mask) {
		move = m->slots[i];
		m->slots[i].value = PD_NOID;
		*slot_of(m->slots, m->mask, move.key) = move;
	}
}

void
pd_map64_clear(struct pd_map64 *m)
{
	size_t i;

	for (i = 0; m->slots != NULL && i <= m->mask; i++)
		m->slots[i].value = PD_NOID;
	m->used = 0;
}

void
pd_map64_free(struct pd_map64 *m)
{
	free(m->slots);
	m->slots = NULL;
	m->mask = m->used = 0;
}
