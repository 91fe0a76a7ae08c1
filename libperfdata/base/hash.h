/* A hash table from u64 keys to u32 values, open addressing. */
#ifndef PD_BASE_HASH_H
#define PD_BASE_HASH_H

#include "perfdata.h"

struct pd_map64_slot {
	uint64_t	key;
	uint32_t	value;		/* PD_NOID: the slot is free */
};

/* Zero is an empty table. */
struct pd_map64 {
	struct pd_map64_slot	*slots;
	size_t			mask, used;
	uint64_t		seed;		/* so that no input can be made to collide */
};

static inline uint64_t
pd_hash_u64(uint64_t x)
{
	x *= 0x9e3779b97f4a7c15u;	/* 2^64 / golden ratio: Knuth, TAOCP 6.4 */
	return x ^ (x >> 32);
}

/* The value of key, or PD_NOID. */
static inline uint32_t
pd_map64_find(const struct pd_map64 *m, uint64_t key)
{
	const struct pd_map64_slot *s;
	size_t i;

	if (m->slots == NULL)
		return PD_NOID;
	for (i = pd_hash_u64(key ^ m->seed) & m->mask;;
	    i = (i + 1) & m->mask) {
		s = &m->slots[i];
		if (s->value == PD_NOID || s->key == key)
			return s->value;
	}
}

/* Set or replace; value is not PD_NOID. */
int pd_map64_put(struct pd_map64 *m, uint64_t key, uint32_t value,
    struct pd_error *err);
/* Take key away, if it is there. */
void pd_map64_del(struct pd_map64 *m, uint64_t key);
void pd_map64_free(struct pd_map64 *m);

#endif
