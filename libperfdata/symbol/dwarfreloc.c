/*
 * Modules of the kernel are objects that the kernel links when it loads them:
 * addresses in their debug information are yet to be put in.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "symbol/dwarf.h"

/* Of what is thrown away after init: where no code can be. */
#define NOWHERE		(UINT64_C(1) << 62)

struct objects {
	struct pd_dw_file	*f;
	const struct pd_elf	*e;
	const uint64_t		*bases;		/* of sections */
};

/* The bytes of a section of the file, or NULL. */
static const uint8_t *
bytes_of(const struct objects *o, const struct pd_elf_section *s)
{
	return s->type == SHT_NOBITS || s->size > o->f->map.size ||
	    s->offset > o->f->map.size - s->size ? NULL :
	    o->f->map.data + s->offset;
}

/* How many bytes a relocation fills, 0 when it is none of addresses. */
static unsigned
width(uint16_t machine, uint32_t type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_64 ? 8 : type == R_X86_64_32 ||
		    type == R_X86_64_32S ? 4 : 0;
	case EM_AARCH64:
		return type == R_AARCH64_ABS64 ? 8 :
		    type == R_AARCH64_ABS32 ? 4 : 0;
	}
	return 0;
}

/* The value of a symbol: an address, or a place in a section of DWARF. */
static uint64_t
value_of(const struct objects *o, const struct pd_elf_section *syms,
    uint32_t n)
{
	const uint8_t *p = bytes_of(o, syms);
	const struct pd_elf_section *s;
	uint64_t value;
	uint16_t shndx;

	if (p == NULL || n >= syms->size / sizeof(Elf64_Sym))
		return NOWHERE;
	p += n * sizeof(Elf64_Sym);
	shndx = pd_load_u16(p + offsetof(Elf64_Sym, st_shndx), o->e->swapped);
	value = pd_load_u64(p + offsetof(Elf64_Sym, st_value), o->e->swapped);
	if (shndx == SHN_UNDEF || shndx >= o->e->nsections)
		return NOWHERE;
	s = &o->e->sections[shndx];
	if (!(s->flags & SHF_ALLOC))
		return value;
	return o->bases[shndx] == UINT64_MAX ? NOWHERE :
	    o->bases[shndx] + value;
}

static void
put(uint8_t *p, uint64_t v, unsigned size, bool swapped)
{
	uint32_t half = (uint32_t)v;

	if (swapped) {
		v = __builtin_bswap64(v);
		half = __builtin_bswap32(half);
	}
	memcpy(p, size == 8 ? (void *)&v : (void *)&half, size);
}

static void
relocate(const struct objects *o, const struct pd_elf_section *rela,
    struct pd_dw_bytes *b)
{
	const struct pd_elf_section *syms = &o->e->sections[rela->link];
	const uint8_t *p = bytes_of(o, rela);
	size_t n = p ? rela->size / sizeof(Elf64_Rela) : 0;
	uint64_t at, info, addend;
	unsigned size;

	for (; n > 0 && pd_dw_spend(&o->f->limits->steps, 1); n--) {
		at = pd_load_u64(p, o->e->swapped);
		info = pd_load_u64(p + 8, o->e->swapped);
		addend = pd_load_u64(p + 16, o->e->swapped);
		p += sizeof(Elf64_Rela);
		size = width(o->e->machine, ELF64_R_TYPE(info));
		if (size > 0 && size <= b->size && at <= b->size - size)
			put((uint8_t *)b->p + at, value_of(o, syms,
			    ELF64_R_SYM(info)) + addend, size,
			    o->e->swapped);
	}
}

int
pd_dw_relocate(struct pd_dw_file *f, const struct pd_elf *e,
    struct pd_error *err)
{
	struct objects o = { f, e, NULL };
	const struct pd_elf_section *s, *to;
	enum pd_dw_section which;
	uint64_t *bases;
	size_t i;

	if ((o.bases = bases = pd_elf_module_bases(e, err)) == NULL)
		return -1;
	f->code = (struct pd_dw_range){ 0, 0 };
	for (i = 0; i < e->nsections; i++) {
		s = &e->sections[i];
		if (bases[i] != UINT64_MAX && bases[i] + s->size > f->code.hi)
			f->code.hi = bases[i] + s->size;
		if (!e->is64 || s->type != SHT_RELA ||
		    s->info >= e->nsections || s->link >= e->nsections)
			continue;
		to = &e->sections[s->info];
		which = pd_dw_section_of(to->name, false);
		if (which != PD_DW_NSECTIONS &&
		    (f->sections[which].p == f->map.data + to->offset ||
		    f->sections[which].p == f->inflated[which]))
			relocate(&o, s, &f->sections[which]);
	}
	free(bases);
	return 0;
}
