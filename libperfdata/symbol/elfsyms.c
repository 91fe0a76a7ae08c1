/* Reads the functions out of .symtab and .dynsym. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"

#include "symbol/elfsyms.h"

/* 20 million symbols and their names: more than any real program has. */
#define MAX_SYMTAB	(1ull << 29)
#define MAX_STRTAB	(1ull << 30)

struct tables {
	uint8_t		*syms;		/* free(3) */
	char		*strings;	/* free(3) */
	uint64_t	syms_size, strings_size;
};

struct sym {
	uint32_t	name;
	uint8_t		type, bind, visibility;
	uint16_t	shndx;
	uint64_t	value, size;
};

void
pd_symnames_free(struct pd_symnames *n)
{
	pd_arena_free(&n->arena);
	while (n->nblocks > 0)
		free(n->blocks[--n->nblocks]);
}

static struct sym
get_sym(const uint8_t *p, bool is64, bool swapped)
{
	struct sym s;
	uint8_t info, other;

	s.name = pd_load_u32(p, swapped);
	if (is64) {
		info = p[4];
		other = p[5];
		s.shndx = pd_load_u16(p + 6, swapped);
		s.value = pd_load_u64(p + 8, swapped);
		s.size = pd_load_u64(p + 16, swapped);
	} else {
		s.value = pd_load_u32(p + 4, swapped);
		s.size = pd_load_u32(p + 8, swapped);
		info = p[12];
		other = p[13];
		s.shndx = pd_load_u16(p + 14, swapped);
	}
	s.type = ELF64_ST_TYPE(info);
	s.bind = ELF64_ST_BIND(info);
	s.visibility = ELF64_ST_VISIBILITY(other);
	return s;
}

static size_t
sym_size(const struct pd_elf *e)
{
	return e->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

/* The symbols and strings of a table: 0, 1 when there is none, -1. */
static int
read_tables(const struct pd_elf *e, uint32_t type, struct tables *t,
    struct pd_error *err)
{
	const struct pd_elf_section *s = NULL;
	size_t i;

	for (i = 0; i < e->nsections && s == NULL; i++)
		if (e->sections[i].type == type)
			s = &e->sections[i];
	if (s == NULL || s->entsize != sym_size(e) || s->link >= e->nsections)
		return 1;
	t->syms_size = s->size;
	t->strings_size = e->sections[s->link].size;
	t->syms = pd_elf_read(e, s, MAX_SYMTAB, err);
	if (t->syms == NULL)
		return err->code == PD_OK ? 1 : -1;
	t->strings = (char *)pd_elf_read(e, &e->sections[s->link], MAX_STRTAB,
	    err);
	if (t->strings == NULL) {
		free(t->syms);
		return err->code == PD_OK ? 1 : -1;
	}
	return 0;
}

/*
 * Marks between code and data, many of one name (ELF for the Arm Architecture
 * 5.5.5; RISC-V ELF psABI, "Mapping symbols").
 */
static bool
is_mapping_symbol(uint16_t machine, const char *name)
{
	if (name[0] != '$' || name[1] == '\0')
		return false;
	if (machine == EM_ARM || machine == EM_AARCH64)
		return strchr("adtx", name[1]) != NULL &&
		    (name[2] == '\0' || name[2] == '.');
	return machine == EM_RISCV && strchr("dx", name[1]) != NULL;
}

/* perf keeps data symbols too, which end a function without a size. */
static bool
is_wanted(const struct pd_elf *e, const struct sym *s, bool perf_compat)
{
	const struct pd_elf_section *sec;
	bool text;

	if (s->name == 0 || s->shndx == SHN_UNDEF || s->shndx == SHN_ABS ||
	    s->shndx == SHN_COMMON)
		return false;
	sec = s->shndx < e->nsections ? &e->sections[s->shndx] : NULL;
	if (sec != NULL && !(sec->flags & SHF_ALLOC))
		return false;
	switch (s->type) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_OBJECT:
		return perf_compat;
	case STT_NOTYPE:
		if (sec == NULL || s->visibility == STV_HIDDEN ||
		    s->visibility == STV_INTERNAL)
			return false;
		text = strstr(sec->name, "text") != NULL;
		if (perf_compat)
			return text || strstr(sec->name, "data") != NULL;
		return text && (sec->flags & SHF_EXECINSTR);
	default:
		return false;
	}
}

static int
add_sym(const struct pd_elfsyms *to, const struct pd_elf *e,
    struct sym *s, char *name, struct pd_error *err)
{
	uint8_t flags = s->bind == STB_WEAK ? PD_SYM_WEAK :
	    s->bind == STB_GLOBAL ? PD_SYM_GLOBAL : 0;
	char *version;

	if (is_mapping_symbol(e->machine, name))
		return 0;
	if (e->machine == EM_ARM && s->type == STT_FUNC)
		s->value &= ~(uint64_t)1;	/* set for Thumb code */
	if (to->bases != NULL) {
		if (s->shndx >= e->nsections ||
		    to->bases[s->shndx] == UINT64_MAX)
			return 0;
		s->value += to->bases[s->shndx];
	}
	/* "memcpy@@GLIBC_2.14"; strings that share the end are cut alike. */
	if (!to->perf_compat && (version = strchr(name + 1, '@')) != NULL)
		*version = '\0';
	return pd_symtab_add(to->table, s->value + to->shift, s->size, name,
	    NULL, flags, err);
}

static int
add_bounds(const struct pd_elfsyms *to, const struct pd_elf *e,
    struct pd_error *err)
{
	const struct pd_elf_section *s;
	uint64_t end;
	size_t i;

	for (i = 0; i < e->nsections; i++) {
		s = &e->sections[i];
		if (!(s->flags & SHF_EXECINSTR) ||
		    (to->bases != NULL && to->bases[i] == UINT64_MAX))
			continue;
		end = (to->bases ? to->bases[i] : s->addr) + s->size;
		if (pd_symtab_bound(to->table, end + to->shift, err) == -1)
			return -1;
	}
	return 0;
}

int
pd_elfsyms_add(const struct pd_elfsyms *to, const struct pd_elf *e,
    uint32_t type, struct pd_error *err)
{
	size_t size = sym_size(e);
	struct tables t;
	struct sym s;
	uint64_t off;
	int ret;

	if (to->names->nblocks == PD_SYMNAMES_BLOCKS)
		return 1;
	if ((ret = read_tables(e, type, &t, err)) != 0)
		return ret;
	to->names->blocks[to->names->nblocks++] = t.strings;
	if (!to->perf_compat)
		ret = add_bounds(to, e, err);
	for (off = 0; ret == 0 && t.syms_size - off >= size; off += size) {
		s = get_sym(t.syms + off, e->is64, e->swapped);
		if (s.name < t.strings_size &&
		    t.strings[s.name] != '\0' &&
		    is_wanted(e, &s, to->perf_compat))
			ret = add_sym(to, e, &s, t.strings + s.name, err);
	}
	free(t.syms);
	return ret;
}
