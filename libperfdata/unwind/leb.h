/* LEB128 numbers, of which DWARF is full (DWARF 5, 7.6). */
#ifndef PD_UNWIND_LEB_H
#define PD_UNWIND_LEB_H

#include "base/cursor.h"

/* Ten bytes hold 64 bits; compilers and linkers may pad them, a little. */
#define PD_LEB_BYTES	32

/* The bits of a number, of which *bits were stored; those above 64 are lost. */
static inline uint64_t
pd_get_leb(struct pd_cursor *c, unsigned *bits)
{
	uint64_t v = 0;
	uint8_t b;

	*bits = 0;
	do {
		b = pd_get_u8(c);
		if (*bits < 64)
			v |= (uint64_t)(b & 0x7f) << *bits;
		*bits += 7;
		c->bad |= *bits > 7 * PD_LEB_BYTES;
	} while ((b & 0x80) && !c->bad);
	return v;
}

static inline uint64_t
pd_get_uleb(struct pd_cursor *c)
{
	unsigned bits;

	return pd_get_leb(c, &bits);
}

static inline int64_t
pd_get_sleb(struct pd_cursor *c)
{
	unsigned bits;
	uint64_t v = pd_get_leb(c, &bits);

	/* The highest bit stored is the sign. */
	if (bits < 64 && v >> (bits - 1) != 0)
		v |= -(UINT64_C(1) << bits);
	return (int64_t)v;
}

#endif
