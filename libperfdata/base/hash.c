/* The u64 -> u32 hash table. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

static struct pd_map64_slot *
slot_of(const struct pd_map64 *m, uint64_t key)
{
	size_t i = pd_hash_u64(key ^ m->seed) & m->mask;

	while (m->slots[i].value != PD_NOID && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

static int
grow(struct pd_map64 *m, struct pd_error *err)
{
	struct pd_map64 old = *m;
	size_t n = old.slots ? (old.mask + 1) * 2 : 16, i;
	struct pd_map64_slot *slots = pd_calloc(n, sizeof(*slots), err);

	if (slots == NULL)
		return -1;
	for (i = 0; i < n; i++)
		slots[i].value = PD_NOID;
	m->slots = slots;
	m->mask = n - 1;
	/* Where memory lies cannot be known from outside. */
	m->seed = pd_hash_u64((uintptr_t)slots);
	for (i = 0; old.slots != NULL && i <= old.mask; i++)
		if (old.slots[i].value != PD_NOID)
			*slot_of(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
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
	s = slot_of(m, key);
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
	s = slot_of(m, key);
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
		*slot_of(m, move.key) = move;
	}
}

void
pd_map64_free(struct pd_map64 *m)
{
	free(m->slots);
	m->slots = NULL;
	m->mask = m->used = 0;
}
