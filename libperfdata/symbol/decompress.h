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

#endif
