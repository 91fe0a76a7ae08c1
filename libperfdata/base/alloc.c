/* Allocation with reasons, growing arrays, and the arena. */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

#define ARENA_CHUNK	(32 * 1024)

struct pd_arena_chunk {
	struct pd_arena_chunk	*next;
	size_t			size;
	alignas(max_align_t) char data[];
};

void *
pd_calloc(size_t n, size_t size, struct pd_error *err)
{
	void *p = calloc(n ? n : 1, size);

	if (p == NULL)
		pd_fail_nomem(err);
	return p;
}

char *
pd_strdup(const char *s, struct pd_error *err)
{
	char *p = strdup(s);

	if (p == NULL)
		pd_fail_nomem(err);
	return p;
}

int
pd_grow_more(void *p, size_t *cap, size_t want, size_t size,
    struct pd_error *err)
{
	size_t n = *cap ? *cap : 8, bytes;
	void *old, *new;

	while (n < want) {
		if (n > SIZE_MAX / 2)
			return pd_fail_nomem(err);
		n *= 2;
	}
	if (__builtin_mul_overflow(n, size, &bytes))
		return pd_fail_nomem(err);
	memcpy(&old, p, sizeof(old));
	new = realloc(old, bytes);
	if (new == NULL)
		return pd_fail_nomem(err);
	memcpy(p, &new, sizeof(new));
	*cap = n;
	return 0;
}

int
pd_grow_zeroed(void *p, size_t *cap, size_t want, size_t size,
    struct pd_error *err)
{
	size_t old = *cap;
	char *new;

	if (pd_grow(p, cap, want, size, err) == -1)
		return -1;
	memcpy(&new, p, sizeof(new));
	if (*cap > old)
		memset(new + old * size, 0, (*cap - old) * size);
	return 0;
}

void *
pd_arena_alloc(struct pd_arena *a, size_t size, struct pd_error *err)
{
	size_t room;
	struct pd_arena_chunk *c;

	size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	if (size > a->left) {
		room = size > ARENA_CHUNK ? size : ARENA_CHUNK;
		c = calloc(1, sizeof(*c) + room);
		if (c == NULL) {
			pd_fail_nomem(err);
			return NULL;
		}
		c->size = room;
		c->next = a->chunk;
		a->chunk = c;
		a->left = room;
	}
	a->left -= size;
	return a->chunk->data + a->left;
}

char *
pd_arena_strndup(struct pd_arena *a, const char *s, size_t len,
    struct pd_error *err)
{
	char *p = pd_arena_alloc(a, len + 1, err);

	if (p != NULL)
		memcpy(p, s, len);
	return p;
}

void
pd_arena_free(struct pd_arena *a)
{
	struct pd_arena_chunk *c;

	while ((c = a->chunk) != NULL) {
		a->chunk = c->next;
		free(c);
	}
	a->left = 0;
}
