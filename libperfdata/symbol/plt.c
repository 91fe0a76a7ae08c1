/*
 * Names the PLT: stubs of a few bytes that jump through the global offset
 * table.  A stub is read, not counted: its jump names the slot of the table,
 * and the relocation of the slot names the function.  This holds for .plt,
 * .plt.sec (Intel CET) and .plt.got, whatever their order.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"

#include "symbol/elfsyms.h"

#define MAX_TABLE	(1ull << 28)

struct reloc {
	uint64_t	slot;		/* address of the table's entry */
	uint64_t	addend;
	uint32_t	sym;		/* in .dynsym */
	bool		ifunc;		/* addend is the function's address */
};

struct plt {
	const struct pd_elfsyms	*to;
	const struct pd_elf	*elf;
	struct reloc		*lazy;	/* .rela.plt, as stored */
	size_t			nlazy, lazy_cap;
	struct reloc		*slots;	/* all, by slot */
	size_t			nslots, slots_cap;
	uint8_t			*syms;
	char			*strings;
	uint64_t		syms_size, strings_size;
	uint64_t		got;	/* what i386 code has in ebx */
};

/* IRELATIVE: glibc chooses the function when it loads the file. */
static bool
is_irelative(uint16_t machine, uint32_t type)
{
	return (machine == EM_X86_64 && type == R_X86_64_IRELATIVE) ||
	    (machine == EM_386 && type == R_386_IRELATIVE) ||
	    (machine == EM_AARCH64 && type == R_AARCH64_IRELATIVE);
}

static struct reloc
get_reloc(struct pd_cursor *c, const struct pd_elf *e, bool rela)
{
	struct reloc r = { 0 };
	uint64_t info;

	if (e->is64) {
		r.slot = pd_get_u64(c);
		info = pd_get_u64(c);
		r.addend = rela ? pd_get_u64(c) : 0;
		r.sym = (uint32_t)(info >> 32);
		r.ifunc = is_irelative(e->machine, (uint32_t)info);
	} else {
		r.slot = pd_get_u32(c);
		info = pd_get_u32(c);
		r.addend = rela ? pd_get_u32(c) : 0;
		r.sym = (uint32_t)info >> 8;
		r.ifunc = is_irelative(e->machine, info & 0xff);
	}
	return r;
}

static int
add_reloc(struct reloc **p, size_t *len, size_t *cap, const struct reloc *r,
    struct pd_error *err)
{
	if (pd_grow(p, cap, *len + 1, sizeof(**p), err) == -1)
		return -1;
	(*p)[(*len)++] = *r;
	return 0;
}

static int
read_relocs(struct plt *p, const struct pd_elf_section *s, bool lazy,
    struct pd_error *err)
{
	bool rela = s->type == SHT_RELA;
	size_t size = (rela ? 3 : 2) * (p->elf->is64 ? 8u : 4u);
	struct pd_cursor c;
	struct reloc r;
	uint8_t *buf;
	int ret = 0;

	buf = pd_elf_read(p->elf, s, MAX_TABLE, err);
	if (buf == NULL)
		return err->code == PD_OK ? 0 : -1;
	c = pd_cursor(buf, s->size, p->elf->swapped);
	while (ret == 0 && pd_left(&c) >= size) {
		r = get_reloc(&c, p->elf, rela);
		if (lazy)
			ret = add_reloc(&p->lazy, &p->nlazy, &p->lazy_cap, &r,
			    err);
		if (ret == 0 && (r.sym != 0 || r.ifunc))
			ret = add_reloc(&p->slots, &p->nslots, &p->slots_cap,
			    &r, err);
	}
	free(buf);
	return ret;
}

static int
by_slot(const void *a, const void *b)
{
	const struct reloc *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static bool
is_relocs(const struct pd_elf_section *s, const char *suffix)
{
	return (s->type == SHT_RELA && strncmp(s->name, ".rela", 5) == 0 &&
	    strcmp(s->name + 5, suffix) == 0) ||
	    (s->type == SHT_REL && strncmp(s->name, ".rel", 4) == 0 &&
	    strcmp(s->name + 4, suffix) == 0);
}

/* .rela.dyn is large in a PIE: read it only for stubs that need it. */
static int
read_slots(struct plt *p, struct pd_error *err)
{
	bool dyn = pd_elf_section(p->elf, ".plt.got") != NULL;
	const struct pd_elf_section *s;
	int ret = 0;
	size_t i;

	for (i = 0; i < p->elf->nsections && ret == 0; i++) {
		s = &p->elf->sections[i];
		if (is_relocs(s, ".plt"))
			ret = read_relocs(p, s, true, err);
		else if (dyn && is_relocs(s, ".dyn"))
			ret = read_relocs(p, s, false, err);
	}
	if (p->nslots > 0)
		qsort(p->slots, p->nslots, sizeof(*p->slots), by_slot);
	return ret;
}

static int
read_dynsym(struct plt *p, struct pd_error *err)
{
	const struct pd_elf *e = p->elf;
	const struct pd_elf_section *s = pd_elf_section(e, ".dynsym");

	if (s == NULL || s->link >= e->nsections)
		return 0;		/* static: IRELATIVE only */
	p->syms = pd_elf_read(e, s, MAX_TABLE, err);
	if (p->syms == NULL)
		return err->code == PD_OK ? 0 : -1;
	p->syms_size = s->size;
	p->strings = (char *)pd_elf_read(e, &e->sections[s->link], MAX_TABLE,
	    err);
	if (p->strings == NULL)
		return err->code == PD_OK ? 0 : -1;
	p->strings_size = e->sections[s->link].size;
	return 0;
}

static const struct reloc *
find_slot(const struct plt *p, uint64_t addr)
{
	struct reloc key = { .slot = addr };

	if (p->nslots == 0)
		return NULL;
	return bsearch(&key, p->slots, p->nslots, sizeof(key), by_slot);
}

/* The function that a relocation names, or NULL. */
static const char *
reloc_name(const struct plt *p, const struct reloc *r)
{
	uint64_t off = (uint64_t)r->sym * (p->elf->is64 ?
	    sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
	uint64_t addr = r->addend + p->to->shift;
	const struct pd_symbol *sym;
	uint32_t name;

	if (r->sym == 0 && !r->ifunc)
		return NULL;
	if (r->sym == 0) {
		sym = pd_symtab_find(p->to->table, addr);
		return sym != NULL && sym->start == addr ? sym->name : NULL;
	}
	if (p->strings == NULL || p->syms_size < 4 || off > p->syms_size - 4)
		return NULL;
	name = pd_load_u32(p->syms + off, p->elf->swapped);
	if (name >= p->strings_size || p->strings[name] == '\0')
		return NULL;
	return p->strings + name;
}

static int
add_stub(struct plt *p, uint64_t addr, uint64_t size, const struct reloc *r,
    struct pd_error *err)
{
	const char *name;
	char buf[32];
	size_t len;
	char *s;

	if (r == NULL)
		return 0;
	name = reloc_name(p, r);
	if (name == NULL && p->to->perf_compat)
		name = "";
	if (name == NULL) {		/* as objdump(1) writes it */
		snprintf(buf, sizeof(buf), r->addend ? "*ABS*+0x%llx" :
		    "*ABS*", (unsigned long long)r->addend);
		name = buf;
	}
	len = strcspn(name, "@");
	s = pd_arena_alloc(&p->to->names->arena, len + sizeof("@plt"), err);
	if (s == NULL)
		return -1;
	memcpy(s, name, len);
	memcpy(s + len, "@plt", sizeof("@plt"));
	return pd_symtab_add(p->to->table, addr + p->to->shift, size, s, NULL,
	    PD_SYM_GLOBAL | PD_SYM_PLT, err);
}

/*
 * x86: [endbr] [bnd] jmp *slot, or, in the .plt of CET, endbr; push INDEX of
 * the relocation.  The 32-bit forms of the jump are absolute or ebx-relative.
 */
static const struct reloc *
decode_x86(const struct plt *p, const uint8_t *b, uint64_t addr)
{
	size_t i = 0;
	uint64_t v;

	if (b[0] == 0xf3 && b[1] == 0x0f && b[2] == 0x1e)
		i = 4;
	if (b[i] == 0xf2)
		i++;
	if (b[i] == 0x68 && i > 0) {
		v = pd_load_u32(b + i + 1, p->elf->swapped);
		if (!p->elf->is64)
			v /= sizeof(Elf32_Rel);
		return v < p->nlazy ? &p->lazy[v] : NULL;
	}
	if (b[i] != 0xff || (b[i + 1] != 0x25 && b[i + 1] != 0xa3))
		return NULL;
	v = pd_load_u32(b + i + 2, p->elf->swapped);
	if (p->elf->machine == EM_X86_64)
		v = addr + i + 6 + (uint64_t)(int64_t)(int32_t)v;
	else if (b[i + 1] == 0xa3)
		v = (uint32_t)(p->got + v);
	return find_slot(p, v);
}

/* b holds a NUL and zeros behind size bytes. */
static int
scan_x86(struct plt *p, const struct pd_elf_section *s, const uint8_t *b,
    struct pd_error *err)
{
	uint64_t step = s->entsize == 8 ? 8 : 16, off;
	uint8_t stub[16];

	for (off = 0; off < s->size; off += step) {
		memset(stub, 0, sizeof(stub));
		memcpy(stub, b + off, s->size - off < step ?
		    s->size - off : step);
		if (add_stub(p, s->addr + off, step,
		    decode_x86(p, stub, s->addr + off), err) == -1)
			return -1;
	}
	return 0;
}

/*
 * AArch64: [bti c]; adrp x16, page; ldr x17, [x16, offset]; add; br x17.
 * Encodings: Arm Architecture Reference Manual, C6.
 */
static int
scan_arm64(struct plt *p, const struct pd_elf_section *s, const uint8_t *b,
    struct pd_error *err)
{
	/* Code is little-endian, whatever the data is. */
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	uint64_t off, pc, page;
	uint32_t adrp, ldr, size;

	for (off = 0; off + 8 <= s->size; off += 4) {
		adrp = pd_load_u32(b + off, big);
		ldr = pd_load_u32(b + off + 4, big);
		if ((adrp & 0x9f00001f) != 0x90000010 ||
		    (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		pc = s->addr + off;
		page = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
		page = (page ^ 0x100000) - 0x100000;	/* 21 bits, signed */
		page = (pc & ~0xfffull) + (page << 12);
		size = 16;
		if (off >= 4 && pd_load_u32(b + off - 4, big) == 0xd503245f) {
			pc -= 4;			/* bti c */
			size = 24;
		}
		if (add_stub(p, pc, size, find_slot(p, page +
		    (ldr >> 10 & 0xfff) * 8), err) == -1)
			return -1;
	}
	return 0;
}

static int
scan(struct plt *p, const char *name, struct pd_error *err)
{
	const struct pd_elf_section *s = pd_elf_section(p->elf, name);
	uint8_t *b;
	int ret;

	if (s == NULL)
		return 0;
	b = pd_elf_read(p->elf, s, MAX_TABLE, err);
	if (b == NULL)
		return err->code == PD_OK ? 0 : -1;
	if (p->elf->machine == EM_AARCH64)
		ret = scan_arm64(p, s, b, err);
	else
		ret = scan_x86(p, s, b, err);
	free(b);
	return ret;
}

/*
 * perf 6.1 counts instead: entry i + 1 of .plt is relocation i, "@plt" when
 * that has no name, and .plt.sec and .plt.got are unknown.  It looks symbols
 * up in a tree where _init, when it has no size, hides the first stub.
 */
static int
count_like_perf(struct plt *p, struct pd_error *err)
{
	const struct pd_elf_section *s = pd_elf_section(p->elf, ".plt");
	bool arm = p->elf->machine == EM_AARCH64;
	uint64_t size = arm ? 16 : s ? s->entsize : 0, addr;
	struct reloc none = { 0 };
	size_t i;

	if (s == NULL || size == 0 || p->strings == NULL)
		return 0;
	addr = s->addr + (arm ? 32 : size);
	i = pd_symtab_cut(p->to->table, s->addr, addr + size) ? 1 : 0;
	for (; i < p->nlazy; i++)
		if (add_stub(p, addr + i * size, size,
		    p->lazy[i].sym ? &p->lazy[i] : &none, err) == -1)
			return -1;
	return 0;
}

int
pd_elfsyms_add_plt(const struct pd_elfsyms *to, const struct pd_elf *e,
    struct pd_error *err)
{
	static const char *const names[] = { ".plt", ".plt.sec", ".plt.got" };
	struct plt p = { .to = to, .elf = e };
	const struct pd_elf_section *got = pd_elf_section(e, ".got.plt");
	int ret;
	size_t i;

	if (e->machine != EM_X86_64 && e->machine != EM_386 &&
	    e->machine != EM_AARCH64)
		return 0;
	if (got == NULL)
		got = pd_elf_section(e, ".got");
	p.got = got ? got->addr : 0;
	ret = read_slots(&p, err);
	if (ret == 0 && p.nslots > 0)
		ret = read_dynsym(&p, err);
	if (ret == 0 && to->perf_compat)
		ret = count_like_perf(&p, err);
	for (i = 0; ret == 0 && !to->perf_compat && i < 3; i++)
		ret = scan(&p, names[i], err);
	free(p.lazy);
	free(p.slots);
	free(p.syms);
	free(p.strings);
	return ret;
}
