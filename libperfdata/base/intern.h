/* Interned strings: equal text is one pointer and one dense id. */
#ifndef PD_BASE_INTERN_H
#define PD_BASE_INTERN_H

#include "base/alloc.h"

/* Zero is an empty table. */
struct pd_strtab {
	struct pd_arena		arena;
	const char		**strs;		/* by id */
	uint64_t		*hashes;	/* by id */
	size_t			*lens;		/* by id */
	size_t			len, cap, hash_cap, len_cap;
	uint32_t		*slots;		/* ids, PD_NOID free */
	size_t			mask;
};

/* The id of the bytes s[0..len), added if new; PD_NOID without memory. */
uint32_t pd_strtab_add(struct pd_strtab *t, const char *s, size_t len,
    struct pd_error *err);

/* The interned copy of the string s, NULL without memory. */
const char *pd_strtab_str(struct pd_strtab *t, const char *s,
    struct pd_error *err);

/* The text of an id; lives as long as the table. */
static inline const char *
pd_strtab_get(const struct pd_strtab *t, uint32_t id)
{
	return t->strs[id];
}

void pd_strtab_free(struct pd_strtab *t);

#endif
