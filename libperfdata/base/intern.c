/* The table of interned strings. */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"
#include "base/intern.h"

static int
rehash(struct pd_strtab *t, struct pd_error *err)
{
	size_t n = t->slots ? (t->mask + 1) * 2 : 64, i, j;
	uint32_t *slots = pd_calloc(n, sizeof(*slots), err);

	if (slots == NULL)
		return -1;
	memset(slots, 0xff, n * sizeof(*slots));
	for (i = 0; i < t->len; i++) {
		for (j = t->hashes[i] & (n - 1); slots[j] != PD_NOID;)
			j = (j + 1) & (n - 1);
		slots[j] = (uint32_t)i;
	}
	free(t->slots);
	t->slots = slots;
	t->mask = n - 1;
	return 0;
}

uint32_t
pd_strtab_add(struct pd_strtab *t, const char *s, size_t len,
    struct pd_error *err)
{
	uint64_t h = XXH3_64bits(s, len);
	const char *str;
	size_t i;

	if (t->slots == NULL || t->len * 2 > t->mask)
		if (rehash(t, err) == -1)
			return PD_NOID;
	for (i = h & t->mask; t->slots[i] != PD_NOID; i = (i + 1) & t->mask) {
		if (t->hashes[t->slots[i]] == h &&
		    t->lens[t->slots[i]] == len &&
		    memcmp(t->strs[t->slots[i]], s, len) == 0)
			return t->slots[i];
	}
	if (pd_grow(&t->strs, &t->cap, t->len + 1, sizeof(*t->strs), err) ||
	    pd_grow(&t->hashes, &t->hash_cap, t->len + 1, sizeof(*t->hashes),
	    err) ||
	    pd_grow(&t->lens, &t->len_cap, t->len + 1, sizeof(*t->lens), err))
		return PD_NOID;
	str = pd_arena_strndup(&t->arena, s, len, err);
	if (str == NULL)
		return PD_NOID;
	t->strs[t->len] = str;
	t->hashes[t->len] = h;
	t->lens[t->len] = len;
	t->slots[i] = (uint32_t)t->len;
	return (uint32_t)t->len++;
}

const char *
pd_strtab_str(struct pd_strtab *t, const char *s, struct pd_error *err)
{
	uint32_t id = pd_strtab_add(t, s, strlen(s), err);

	return id == PD_NOID ? NULL : t->strs[id];
}

void
pd_strtab_free(struct pd_strtab *t)
{
	pd_arena_free(&t->arena);
	free(t->strs);
	free(t->hashes);
	free(t->lens);
	free(t->slots);
	memset(t, 0, sizeof(*t));
}
