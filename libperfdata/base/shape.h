/*
 * Shapes: the layout of a record body or a header feature in one short
 * string, so that all of them are checked by one piece of code.
 *
 *	1 2 4 8		an integer of so many bytes
 *	z		a string up to its NUL
 *	s		u32 length, then a string with a NUL within it
 *	d		u32 length, then so many bytes
 *	b		u64 number of bits, then the bitmap in u64 words
 *	n(...) N(...)	u32 or u64 count, then so many times what is inside
 *	*(...)		what is inside, as often as it fits
 */
#ifndef PD_BASE_SHAPE_H
#define PD_BASE_SHAPE_H

#include "base/cursor.h"

/*
 * Move c over what shape describes.  False, and c->bad, when the bytes end
 * before, a string has no NUL, or a count is more than the bytes can hold.
 */
bool pd_shape_skip(const char *shape, struct pd_cursor *c);

#endif
