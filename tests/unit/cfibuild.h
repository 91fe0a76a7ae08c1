/* Builds .eh_frame sections, entry by entry. */
#ifndef TESTS_CFIBUILD_H
#define TESTS_CFIBUILD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cb {
	uint8_t	b[1024];
	size_t	n;
	size_t	entry;		/* where the open one begins */
	size_t	cie;
};

static inline void
cb_num(struct cb *c, uint64_t v, int size)
{
	for (int i = 0; i < size; i++)
		c->b[c->n++] = (uint8_t)(v >> 8 * i);
}

static inline void
cb_put(struct cb *c, const void *p, size_t n)
{
	memcpy(c->b + c->n, p, n);
	c->n += n;
}

/* The program of an entry, as a string literal; it ends the entry. */
#define CB_END(c, program)	cb_end((c), (program), sizeof(program) - 1)

static inline void
cb_end(struct cb *c, const char *program, size_t n)
{
	uint32_t size;

	cb_put(c, program, n);
	while (c->n % 4 != 0)
		cb_num(c, 0, 1);
	size = (uint32_t)(c->n - c->entry - 4);
	for (int i = 0; i < 4; i++)
		c->b[c->entry + (size_t)i] = (uint8_t)(size >> 8 * i);
}

/* A CIE: addresses of 8 bytes, data alignment -8; signal: a trampoline. */
static inline void
cb_cie(struct cb *c, int ra, bool signal)
{
	c->entry = c->cie = c->n;
	cb_num(c, 0, 4);
	cb_num(c, 0, 4);
	cb_num(c, 1, 1);
	cb_put(c, signal ? "zRS" : "zR", signal ? 4 : 3);
	cb_num(c, 1, 1);		/* code alignment */
	cb_num(c, 0x78, 1);		/* data alignment, SLEB128 */
	cb_num(c, (uint64_t)ra, 1);
	cb_num(c, 1, 1);
	cb_num(c, 4, 1);		/* DW_EH_PE_udata8 */
}

static inline void
cb_fde(struct cb *c, uint64_t start, uint64_t size)
{
	c->entry = c->n;
	cb_num(c, 0, 4);
	cb_num(c, c->n - c->cie, 4);
	cb_num(c, start, 8);
	cb_num(c, size, 8);
	cb_num(c, 0, 1);
}

/* A copy of just the size, so that AddressSanitizer sees the end; free(3). */
static inline uint8_t *
cb_bytes(const struct cb *c, size_t n)
{
	uint8_t *p = malloc(n + !n);

	memcpy(p, c->b, n);
	return p;
}

#endif
