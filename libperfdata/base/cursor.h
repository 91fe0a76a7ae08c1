/*
 * A bounds-checked cursor over input bytes in either byte order.  A read past
 * the end returns 0 and sets `bad`; ask once, after the last field.
 */
#ifndef PD_BASE_CURSOR_H
#define PD_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pd_cursor {
	const uint8_t	*p, *end;
	bool		swapped;	/* not in this machine's byte order */
	bool		bad;
};

static inline struct pd_cursor
pd_cursor(const void *p, size_t size, bool swapped)
{
	struct pd_cursor c = { p, (const uint8_t *)p + size, swapped, false };

	return c;
}

static inline size_t
pd_left(const struct pd_cursor *c)
{
	return (size_t)(c->end - c->p);
}

/* n bytes, or NULL when fewer are left. */
static inline const uint8_t *
pd_get_bytes(struct pd_cursor *c, size_t n)
{
	const uint8_t *p = c->p;

	if (c->bad || pd_left(c) < n) {
		c->bad = true;
		return NULL;
	}
	c->p += n;
	return p;
}

static inline uint16_t
pd_load_u16(const uint8_t *p, bool swapped)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swapped ? __builtin_bswap16(v) : v;
}

static inline uint32_t
pd_load_u32(const uint8_t *p, bool swapped)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swapped ? __builtin_bswap32(v) : v;
}

static inline uint64_t
pd_load_u64(const uint8_t *p, bool swapped)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swapped ? __builtin_bswap64(v) : v;
}

/* The same the other way: v as the recording has it. */
static inline void
pd_store_u16(uint8_t *p, uint16_t v, bool swapped)
{
	v = swapped ? __builtin_bswap16(v) : v;
	memcpy(p, &v, sizeof(v));
}

static inline void
pd_store_u32(uint8_t *p, uint32_t v, bool swapped)
{
	v = swapped ? __builtin_bswap32(v) : v;
	memcpy(p, &v, sizeof(v));
}

static inline void
pd_store_u64(uint8_t *p, uint64_t v, bool swapped)
{
	v = swapped ? __builtin_bswap64(v) : v;
	memcpy(p, &v, sizeof(v));
}

static inline uint8_t
pd_get_u8(struct pd_cursor *c)
{
	const uint8_t *p = pd_get_bytes(c, 1);

	return p ? *p : 0;
}

static inline uint16_t
pd_get_u16(struct pd_cursor *c)
{
	const uint8_t *p = pd_get_bytes(c, 2);

	return p ? pd_load_u16(p, c->swapped) : 0;
}

static inline uint32_t
pd_get_u32(struct pd_cursor *c)
{
	const uint8_t *p = pd_get_bytes(c, 4);

	return p ? pd_load_u32(p, c->swapped) : 0;
}

static inline uint64_t
pd_get_u64(struct pd_cursor *c)
{
	const uint8_t *p = pd_get_bytes(c, 8);

	return p ? pd_load_u64(p, c->swapped) : 0;
}

/*
 * A NUL-terminated string that ends inside the cursor; NULL and bad when there
 * is no NUL.  The cursor moves behind the NUL.
 */
static inline const char *
pd_get_str(struct pd_cursor *c)
{
	const uint8_t *s = c->p, *nul;

	nul = c->bad ? NULL : memchr(s, 0, pd_left(c));
	if (nul == NULL) {
		c->bad = true;
		return NULL;
	}
	c->p = nul + 1;
	return (const char *)s;
}

#endif
