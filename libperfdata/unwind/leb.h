/* LEB128 numbers, of which DWARF is full (DWARF 5, 7.6). */
#ifndef PD_UNWIND_LEB_H
#define PD_UNWIND_LEB_H

#include "base/cursor.h"

/* Ten bytes hold 64 bits; compilers and linkers may pad them, a little. */
#define PD_LEB_BYTES	32

/* Bits beyond the 64th are dropped. */
static inline uint64_t
pd_get_uleb(struct pd_cursor *c)
{
	unsigned shift = 0;
	uint64_t v = 0;
	uint8_t b;

	do {
		b = pd_get_u8(c);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
		c->bad |= shift > 7 * PD_LEB_BYTES;
	} while ((b & 0x80) && !c->bad);
	return v;
}

static inline int64_t
pd_get_sleb(struct pd_cursor *c)
{
	unsigned shift = 0;
	uint64_t v = 0;
	uint8_t b;

	do {
		b = pd_get_u8(c);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
		c->bad |= shift > 7 * PD_LEB_BYTES;
	} while ((b & 0x80) && !c->bad);
	if ((b & 0x40) && shift < 64)
		v |= -(UINT64_C(1) << shift);
	return (int64_t)v;
}

#endif
