/* All memory of the library: three lifetimes, see STYLE in CONTRIBUTING.md. */
#ifndef PD_BASE_ALLOC_H
#define PD_BASE_ALLOC_H

#include "perfdata.h"

/* As malloc(3) and friends, but zeroed and with the reason in *err. */
void *pd_calloc(size_t n, size_t size, struct pd_error *err);
char *pd_strdup(const char *s, struct pd_error *err);

/* pd_grow() when there is no room. */
int pd_grow_more(void *p, size_t *cap, size_t want, size_t size,
    struct pd_error *err);

/*
 * Make room for `want` elements in the array *p of *cap elements: doubles, so
 * that appending is linear.  New elements are not initialised.
 */
static inline int
pd_grow(void *p, size_t *cap, size_t want, size_t size, struct pd_error *err)
{
	return want <= *cap ? 0 : pd_grow_more(p, cap, want, size, err);
}

/* The same, and new elements are zero. */
int pd_grow_zeroed(void *p, size_t *cap, size_t want, size_t size,
    struct pd_error *err);

/* An arena: many small things that are freed at once. */
struct pd_arena {
	struct pd_arena_chunk	*chunk;
	size_t			left;
};

/* Aligned for any type, zeroed. */
void *pd_arena_alloc(struct pd_arena *a, size_t size, struct pd_error *err);
/* A copy of s[0..len) with a NUL after it. */
char *pd_arena_strndup(struct pd_arena *a, const char *s, size_t len,
    struct pd_error *err);
void pd_arena_free(struct pd_arena *a);

#endif
