/* ELF files of either class and byte order: headers, sections, build-id. */
#ifndef PD_SYMBOL_ELF_H
#define PD_SYMBOL_ELF_H

#include "perfdata.h"

struct pd_elf_section {
	const char	*name;		/* "" when it has none */
	uint32_t	type, link, info;
	uint64_t	flags, addr, offset, size, align, entsize;
};

struct pd_elf_load {			/* a PT_LOAD program header */
	uint64_t	vaddr, offset, filesz;
	bool		exec;
};

struct pd_elf {
	int			fd;	/* -1: the image is in memory */
	const uint8_t		*mem;
	uint64_t		size;
	bool			is64, swapped;
	uint16_t		type, machine;
	struct pd_elf_section	*sections;
	size_t			nsections;
	struct pd_elf_load	*loads;
	size_t			nloads;
	char			*names;	/* of sections */
	struct pd_buildid	buildid;
};

/*
 * Open a regular file as ELF: 0, 1 when it is not usable (*why says it in
 * static text), -1 without memory.  Headers that point outside of the file
 * are left out.  Close it with pd_elf_close() in each case.
 */
int pd_elf_open(struct pd_elf *e, const char *path, const char **why,
    struct pd_error *err);
/* The same of an image in memory, borrowed until pd_elf_close(). */
int pd_elf_open_mem(struct pd_elf *e, const void *mem, uint64_t size,
    const char **why, struct pd_error *err);
void pd_elf_close(struct pd_elf *e);
/* Give the descriptor back; pd_elf_addr() goes on working. */
void pd_elf_detach(struct pd_elf *e);

/* The first section with this name, or NULL. */
const struct pd_elf_section *pd_elf_section(const struct pd_elf *e,
    const char *name);

/*
 * The bytes of a section and a NUL behind them; free(3).  NULL with *err set
 * without memory, NULL and PD_OK when the section has no bytes in the file,
 * more than max, or cannot be read.
 */
uint8_t *pd_elf_read(const struct pd_elf *e, const struct pd_elf_section *s,
    uint64_t max, struct pd_error *err);

/*
 * The address that the file gives to the byte at an offset: true when a
 * segment, or without segments a section, holds it.
 */
bool pd_elf_addr(const struct pd_elf *e, uint64_t offset, uint64_t *addr);

/*
 * Where the kernel puts the code of a module file, from its start: sections
 * with code in their order, but not what is freed after init
 * (layout_sections() in kernel/module/main.c).  By section, UINT64_MAX for the
 * others; free(3).  NULL without memory.
 */
uint64_t *pd_elf_module_bases(const struct pd_elf *e, struct pd_error *err);

/* Has the file debug information? */
bool pd_elf_has_dwarf(const struct pd_elf *e);

/* Is the code of the file in it, or is it a file of debug information? */
bool pd_elf_has_code(const struct pd_elf *e);

/* The file name of .gnu_debuglink and its CRC: true if there is one. */
bool pd_elf_debuglink(const struct pd_elf *e, char *name, size_t size,
    uint32_t *crc);

/* Equal but for zeros at the end, with which old perf filled it to 20. */
bool pd_buildid_equal(const struct pd_buildid *a, const struct pd_buildid *b);
/* The GNU build-id in a block of notes: true if there is one. */
bool pd_buildid_in_notes(const uint8_t *p, size_t size, bool swapped,
    struct pd_buildid *id);

#endif
