/* Decompresses parts of files and whole ones: xz, gzip, zstd. */
#ifndef PD_SYMBOL_DECOMPRESS_H
#define PD_SYMBOL_DECOMPRESS_H

#include "symbol/elf.h"

/*
 * What p[0..size) holds, whose first bytes say how it was compressed; free(3).
 * NULL with *err set without memory; NULL, PD_OK and the reason in *why, static
 * text, when it cannot be had.
 */
uint8_t *pd_decompress(const uint8_t *p, size_t size, size_t *len,
    const char **why, struct pd_error *err);

/*
 * The ELF file that a section holds compressed.  1 and *mem, to be free(3)d
 * after pd_elf_close(); 0 when there is none that is usable, -1 without memory.
 */
int pd_elf_open_section(struct pd_elf *e, uint8_t **mem,
    const struct pd_elf *of, const char *section, struct pd_error *err);

/* As pd_elf_open(), of a compressed file; *mem as above, or NULL. */
int pd_elf_open_compressed(struct pd_elf *e, uint8_t **mem, const char *path,
    const char **why, struct pd_error *err);

/*
 * A section that was compressed by itself: SHF_COMPRESSED (elf(5), Elf64_Chdr),
 * or ".zdebug_x" for ".debug_x", as GNU tools had it before.
 */
struct pd_packed {
	const uint8_t	*p;		/* behind the header; borrowed */
	size_t		size;
	uint64_t	full;		/* bytes when inflated, never 0 */
	uint32_t	type;		/* ELFCOMPRESS_* */
};

bool pd_elf_is_packed(const struct pd_elf_section *s);
/* Read the header; false when nothing can be made of it. */
bool pd_packed_open(struct pd_packed *z, const struct pd_elf *e,
    const struct pd_elf_section *s, const uint8_t *bytes);
/* Inflate into to[0..full): false when it is damaged. */
bool pd_packed_inflate(const struct pd_packed *z, uint8_t *to);

#endif
