/* Builds small ELF files, of either class and byte order, section by section. */
#ifndef TESTS_ELFBUILD_H
#define TESTS_ELFBUILD_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EB_MAX	16

struct eb_bytes {
	uint8_t	*p;
	size_t	len;
};

struct eb {
	bool		is64, big;
	uint16_t	type, machine;
	struct {
		const char	*name;
		uint32_t	type, link, info;
		uint64_t	flags, addr, entsize, align;
		struct eb_bytes	data;
		uint64_t	offset, size;
	} secs[EB_MAX];
	size_t		nsecs;
	struct {
		uint64_t	offset, vaddr, size;
		uint32_t	flags;
	} loads[EB_MAX];
	size_t		nloads;
	struct eb_bytes	out;		/* after eb_finish() */
};

static inline void
eb_put(struct eb_bytes *b, const void *p, size_t n)
{
	b->p = realloc(b->p, b->len + n + 1);
	if (p != NULL)
		memcpy(b->p + b->len, p, n);
	else
		memset(b->p + b->len, 0, n);
	b->len += n;
}

static inline void
eb_num(const struct eb *e, struct eb_bytes *b, uint64_t v, int size)
{
	uint8_t c;

	for (int i = 0; i < size; i++) {
		c = (uint8_t)(v >> 8 * (e->big ? size - 1 - i : i));
		eb_put(b, &c, 1);
	}
}

/* A number of the file's word size. */
static inline void
eb_word(const struct eb *e, struct eb_bytes *b, uint64_t v)
{
	eb_num(e, b, v, e->is64 ? 8 : 4);
}

static inline struct eb
eb_new(bool is64, bool big, uint16_t type, uint16_t machine)
{
	struct eb e = { .is64 = is64, .big = big, .type = type,
		.machine = machine, .nsecs = 1 };

	e.secs[0].name = "";
	return e;
}

/* Add a section; its data may still grow.  Returns its number. */
static inline size_t
eb_section(struct eb *e, const char *name, uint32_t type, uint64_t flags,
    uint64_t addr, const void *data, size_t size)
{
	size_t i = e->nsecs++;

	e->secs[i].name = name;
	e->secs[i].type = type;
	e->secs[i].flags = flags;
	e->secs[i].addr = addr;
	e->secs[i].size = size;
	e->secs[i].align = 1;
	if (type != SHT_NOBITS)
		eb_put(&e->secs[i].data, data, size);
	return i;
}

static inline void
eb_load(struct eb *e, uint64_t offset, uint64_t vaddr, uint64_t size,
    uint32_t flags)
{
	e->loads[e->nloads].offset = offset;
	e->loads[e->nloads].vaddr = vaddr;
	e->loads[e->nloads].size = size;
	e->loads[e->nloads++].flags = flags;
}

static inline void
eb_buildid(struct eb *e, const void *id, size_t size)
{
	size_t s = eb_section(e, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0,
	    NULL, 0);
	struct eb_bytes *b = &e->secs[s].data;

	eb_num(e, b, 4, 4);
	eb_num(e, b, size, 4);
	eb_num(e, b, NT_GNU_BUILD_ID, 4);
	eb_put(b, "GNU", 4);
	eb_put(b, id, size);
}

/* An empty symbol table and its strings; returns the number of the table. */
static inline size_t
eb_symtab(struct eb *e, uint32_t type)
{
	size_t syms = eb_section(e, type == SHT_DYNSYM ? ".dynsym" : ".symtab",
	    type, 0, 0, NULL, e->is64 ? 24 : 16);
	size_t strs = eb_section(e, type == SHT_DYNSYM ? ".dynstr" : ".strtab",
	    SHT_STRTAB, 0, 0, "", 1);

	e->secs[syms].link = (uint32_t)strs;
	e->secs[syms].entsize = e->is64 ? 24 : 16;
	return syms;
}

static inline void
eb_sym(struct eb *e, size_t table, const char *name, uint64_t value,
    uint64_t size, int bind, int type, int other, size_t shndx)
{
	struct eb_bytes *b = &e->secs[table].data;
	struct eb_bytes *s = &e->secs[e->secs[table].link].data;

	eb_num(e, b, s->len, 4);
	if (!e->is64) {
		eb_num(e, b, value, 4);
		eb_num(e, b, size, 4);
	}
	eb_num(e, b, (uint64_t)(bind << 4 | type), 1);
	eb_num(e, b, (uint64_t)other, 1);
	eb_num(e, b, shndx, 2);
	if (e->is64) {
		eb_num(e, b, value, 8);
		eb_num(e, b, size, 8);
	}
	eb_put(s, name, strlen(name) + 1);
}

static inline void
eb_header(struct eb *e, struct eb_bytes *b, uint64_t shoff)
{
	const uint8_t ident[EI_NIDENT] = { 0x7f, 'E', 'L', 'F',
		e->is64 ? ELFCLASS64 : ELFCLASS32,
		e->big ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT };
	uint64_t size = e->is64 ? 64 : 52;

	eb_put(b, ident, sizeof(ident));
	eb_num(e, b, e->type, 2);
	eb_num(e, b, e->machine, 2);
	eb_num(e, b, EV_CURRENT, 4);
	eb_word(e, b, 0);
	eb_word(e, b, size);
	eb_word(e, b, shoff);
	eb_num(e, b, 0, 4);
	eb_num(e, b, size, 2);
	eb_num(e, b, e->is64 ? 56 : 32, 2);
	eb_num(e, b, e->nloads, 2);
	eb_num(e, b, e->is64 ? 64 : 40, 2);
	eb_num(e, b, e->nsecs, 2);
	eb_num(e, b, e->nsecs - 1, 2);
}

static inline void
eb_phdr(struct eb *e, struct eb_bytes *b, size_t i)
{
	eb_num(e, b, PT_LOAD, 4);
	if (e->is64)
		eb_num(e, b, e->loads[i].flags, 4);
	eb_word(e, b, e->loads[i].offset);
	eb_word(e, b, e->loads[i].vaddr);
	eb_word(e, b, e->loads[i].vaddr);
	eb_word(e, b, e->loads[i].size);
	eb_word(e, b, e->loads[i].size);
	if (!e->is64)
		eb_num(e, b, e->loads[i].flags, 4);
	eb_word(e, b, 0x1000);
}

static inline void
eb_shdr(struct eb *e, struct eb_bytes *b, size_t i, uint64_t name)
{
	eb_num(e, b, name, 4);
	eb_num(e, b, e->secs[i].type, 4);
	eb_word(e, b, e->secs[i].flags);
	eb_word(e, b, e->secs[i].addr);
	eb_word(e, b, e->secs[i].offset);
	eb_word(e, b, e->secs[i].type == SHT_NOBITS ? e->secs[i].size :
	    e->secs[i].data.len);
	eb_num(e, b, e->secs[i].link, 4);
	eb_num(e, b, e->secs[i].info, 4);
	eb_word(e, b, e->secs[i].align);
	eb_word(e, b, e->secs[i].entsize);
}

/* The bytes of the file are in e->out then. */
static inline void
eb_finish(struct eb *e)
{
	size_t strs = eb_section(e, ".shstrtab", SHT_STRTAB, 0, 0, NULL, 0);
	uint64_t at = (e->is64 ? 64 : 52) + e->nloads * (e->is64 ? 56 : 32);
	uint64_t names[EB_MAX];

	for (size_t i = 0; i < e->nsecs; i++) {
		names[i] = e->secs[strs].data.len;
		eb_put(&e->secs[strs].data, e->secs[i].name,
		    strlen(e->secs[i].name) + 1);
	}
	for (size_t i = 1; i < e->nsecs; i++) {
		e->secs[i].offset = at;
		at += e->secs[i].data.len;
	}
	eb_header(e, &e->out, at);
	for (size_t i = 0; i < e->nloads; i++)
		eb_phdr(e, &e->out, i);
	for (size_t i = 1; i < e->nsecs; i++)
		eb_put(&e->out, e->secs[i].data.p, e->secs[i].data.len);
	for (size_t i = 0; i < e->nsecs; i++)
		eb_shdr(e, &e->out, i, names[i]);
}

static inline void
eb_free(struct eb *e)
{
	for (size_t i = 0; i < e->nsecs; i++)
		free(e->secs[i].data.p);
	free(e->out.p);
	memset(e, 0, sizeof(*e));
}

#endif
