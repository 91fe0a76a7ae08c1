/*
 * What rustname.c and rustv0.c share, and nobody else includes: the mangled
 * text being read and the readable text being put.
 */
#ifndef PD_SYMBOL_RUSTREADER_H
#define PD_SYMBOL_RUSTREADER_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "symbol/rustname.h"

struct reader {
	const char	*sym;		/* behind the prefix */
	size_t		pos, end;
	bool		bad;		/* no name, or too much of one */
	bool		mute;		/* read, but put nothing */
	bool		hashes;
	unsigned	depth, steps;
	uint64_t	lifetimes;	/* bound by the binders around */
	pd_rustname_put	*put;
	void		*arg;
};

/* A part with its length in front. */
struct ident {
	const char	*ascii, *puny;	/* the second is Punycode */
	size_t		ascii_len, puny_len;
};

/* Read a v0 name behind its prefix, up to the suffix. */
void pd_rustv0_read(struct reader *r);

static inline void
put_mem(struct reader *r, const char *s, size_t len)
{
	if (!r->bad && !r->mute && len > 0 && !r->put(r->arg, s, len))
		r->bad = true;
}

static inline void
put(struct reader *r, const char *s)
{
	put_mem(r, s, strlen(s));
}

static inline void
put_number(struct reader *r, const char *fmt, uint64_t v)
{
	char buf[32];
	int n = snprintf(buf, sizeof(buf), fmt, (unsigned long long)v);

	put_mem(r, buf, (size_t)n);
}

static inline void
put_utf8(struct reader *r, uint32_t c)
{
	char b[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;

	for (i = n - 1; i > 0; i--) {
		b[i] = (char)(0x80 | (c & 0x3f));
		c >>= 6;
	}
	b[0] = (char)(n == 1 ? c : (0xf00 >> n & 0xff) | c);
	put_mem(r, b, n);
}


static inline char
peek(const struct reader *r)
{
	return r->bad || r->pos >= r->end ? '\0' : r->sym[r->pos];
}

static inline bool
eat(struct reader *r, char c)
{
	if (peek(r) != c)
		return false;
	r->pos++;
	return true;
}

static inline char
next(struct reader *r)
{
	char c = peek(r);

	if (c == '\0')
		r->bad = true;
	else
		r->pos++;
	return c;
}

static inline int
digit62(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 36;
	return -1;
}

/* The value of hexadecimal digits, 16 at most. */
static inline uint64_t
nibbles_value(const char *s, size_t len)
{
	uint64_t v = 0;

	for (; len > 0; len--, s++)
		v = v << 4 | (uint64_t)digit62(*s);
	return v;
}

#endif
