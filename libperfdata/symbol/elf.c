/* Reads ELF headers, sections and build-ids, trusting no number in them. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/file.h"

#include "symbol/elf.h"

/*
 * Executables have tens of sections, objects made with -ffunction-sections
 * thousands; more than this is not worth the memory.
 */
#define MAX_SECTIONS	(1u << 17)
#define MAX_NOTES	65536u
#define PAGE		4096u

struct header {
	uint64_t	phoff, shoff;
	uint32_t	phnum, shnum, shstrndx;
	size_t		phentsize, shentsize;
};

static uint64_t
get_word(struct pd_cursor *c, bool is64)
{
	return is64 ? pd_get_u64(c) : pd_get_u32(c);
}

static bool
read_at(const struct pd_elf *e, void *buf, uint64_t size, uint64_t offset)
{
	if (size > e->size || offset > e->size - size)
		return false;
	if (e->fd == -1) {
		memcpy(buf, e->mem + offset, size);
		return true;
	}
	return pd_file_read(e->fd, buf, size, offset);
}

/* A copy of part of the file; NULL as pd_elf_read(). */
static uint8_t *
read_new(const struct pd_elf *e, uint64_t offset, uint64_t size,
    struct pd_error *err)
{
	uint8_t *p;

	err->code = PD_OK;
	if (size > e->size || offset > e->size - size)
		return NULL;
	p = malloc(size + 1);
	if (p == NULL) {
		pd_fail_nomem(err);
		return NULL;
	}
	if (!read_at(e, p, size, offset)) {
		free(p);
		return NULL;
	}
	p[size] = '\0';
	return p;
}

static struct pd_elf_section
get_section(struct pd_cursor *c, bool is64, uint32_t *name)
{
	struct pd_elf_section s = { .name = "" };

	*name = pd_get_u32(c);
	s.type = pd_get_u32(c);
	s.flags = get_word(c, is64);
	s.addr = get_word(c, is64);
	s.offset = get_word(c, is64);
	s.size = get_word(c, is64);
	s.link = pd_get_u32(c);
	s.info = pd_get_u32(c);
	s.align = get_word(c, is64);
	s.entsize = get_word(c, is64);
	return s;
}

/*
 * Numbers that do not fit the ELF header are in the first section: e_shnum in
 * sh_size, e_shstrndx in sh_link, e_phnum in sh_info (elf(5)).
 */
static void
extend_header(const struct pd_elf *e, struct header *h)
{
	uint8_t buf[sizeof(Elf64_Shdr)];
	struct pd_elf_section s;
	struct pd_cursor c;
	uint32_t name;

	if (h->shoff == 0 || !read_at(e, buf, h->shentsize, h->shoff))
		return;
	c = pd_cursor(buf, h->shentsize, e->swapped);
	s = get_section(&c, e->is64, &name);
	if (h->shnum == 0 && s.size <= MAX_SECTIONS)
		h->shnum = (uint32_t)s.size;
	if (h->shstrndx == SHN_XINDEX)
		h->shstrndx = s.link;
	if (h->phnum == PN_XNUM)
		h->phnum = s.info;
}

/* The ELF header: false when this is not an ELF file that we read. */
static bool
read_header(struct pd_elf *e, struct header *h)
{
	uint8_t b[sizeof(Elf64_Ehdr)], data;
	size_t size;
	struct pd_cursor c;

	if (!read_at(e, b, EI_NIDENT, 0) || memcmp(b, ELFMAG, SELFMAG) != 0 ||
	    (b[EI_CLASS] != ELFCLASS32 && b[EI_CLASS] != ELFCLASS64) ||
	    (b[EI_DATA] != ELFDATA2LSB && b[EI_DATA] != ELFDATA2MSB))
		return false;
	data = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB :
	    ELFDATA2LSB;
	e->is64 = b[EI_CLASS] == ELFCLASS64;
	e->swapped = b[EI_DATA] != data;
	size = e->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	if (!read_at(e, b, size, 0))
		return false;
	c = pd_cursor(b + EI_NIDENT, size - EI_NIDENT, e->swapped);
	e->type = pd_get_u16(&c);
	e->machine = pd_get_u16(&c);
	pd_get_u32(&c);				/* e_version */
	get_word(&c, e->is64);			/* e_entry */
	h->phoff = get_word(&c, e->is64);
	h->shoff = get_word(&c, e->is64);
	pd_get_bytes(&c, 6);			/* e_flags, e_ehsize */
	h->phentsize = pd_get_u16(&c);
	h->phnum = pd_get_u16(&c);
	h->shentsize = pd_get_u16(&c);
	h->shnum = pd_get_u16(&c);
	h->shstrndx = pd_get_u16(&c);
	if (h->shentsize !=
	    (e->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		h->shoff = 0;
	if (h->phentsize !=
	    (e->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		h->phoff = 0;
	extend_header(e, h);
	return true;
}

static void
get_load(struct pd_elf *e, struct pd_cursor *c)
{
	struct pd_elf_load l;
	uint32_t type, flags = 0;

	type = pd_get_u32(c);
	if (e->is64)
		flags = pd_get_u32(c);
	l.offset = get_word(c, e->is64);
	l.vaddr = get_word(c, e->is64);
	get_word(c, e->is64);			/* p_paddr */
	l.filesz = get_word(c, e->is64);
	get_word(c, e->is64);			/* p_memsz */
	if (!e->is64)
		flags = pd_get_u32(c);
	get_word(c, e->is64);			/* p_align */
	l.exec = flags & PF_X;
	if (type == PT_LOAD)
		e->loads[e->nloads++] = l;
}

static int
read_loads(struct pd_elf *e, const struct header *h, struct pd_error *err)
{
	uint64_t size = (uint64_t)h->phnum * h->phentsize;
	struct pd_cursor c;
	uint8_t *buf;
	uint32_t i;

	if (h->phoff == 0 || size == 0)
		return 0;
	buf = read_new(e, h->phoff, size, err);
	if (buf == NULL)
		return err->code == PD_OK ? 0 : -1;
	e->loads = pd_calloc(h->phnum, sizeof(*e->loads), err);
	if (e->loads == NULL) {
		free(buf);
		return -1;
	}
	c = pd_cursor(buf, size, e->swapped);
	for (i = 0; i < h->phnum; i++)
		get_load(e, &c);
	free(buf);
	return 0;
}

/* Give sections their names: offsets into the section e_shstrndx. */
static int
name_sections(struct pd_elf *e, const uint32_t *names, uint32_t shstrndx,
    struct pd_error *err)
{
	size_t i;
	uint64_t size;

	if (shstrndx >= e->nsections)
		return 0;
	size = e->sections[shstrndx].size;
	e->names = (char *)pd_elf_read(e, &e->sections[shstrndx], UINT32_MAX,
	    err);
	if (e->names == NULL)
		return err->code == PD_OK ? 0 : -1;
	for (i = 0; i < e->nsections; i++)
		if (names[i] < size)
			e->sections[i].name = e->names + names[i];
	return 0;
}

static int
read_sections(struct pd_elf *e, const struct header *h, struct pd_error *err)
{
	uint64_t size = (uint64_t)h->shnum * h->shentsize;
	uint32_t *names = NULL, i;
	struct pd_cursor c;
	uint8_t *buf;
	int ret = -1;

	if (h->shoff == 0 || size == 0)
		return 0;
	buf = read_new(e, h->shoff, size, err);
	if (buf == NULL)
		return err->code == PD_OK ? 0 : -1;
	e->sections = pd_calloc(h->shnum, sizeof(*e->sections), err);
	names = pd_calloc(h->shnum, sizeof(*names), err);
	if (e->sections == NULL || names == NULL)
		goto out;
	c = pd_cursor(buf, size, e->swapped);
	for (i = 0; i < h->shnum; i++)
		e->sections[i] = get_section(&c, e->is64, &names[i]);
	e->nsections = h->shnum;
	ret = name_sections(e, names, h->shstrndx, err);
out:
	free(names);
	free(buf);
	return ret;
}

bool
pd_buildid_equal(const struct pd_buildid *a, const struct pd_buildid *b)
{
	size_t i;

	for (i = 0; i < sizeof(a->bytes); i++)
		if ((i < a->size ? a->bytes[i] : 0) !=
		    (i < b->size ? b->bytes[i] : 0))
			return false;
	return true;
}

bool
pd_buildid_in_notes(const uint8_t *p, size_t size, bool swapped,
    struct pd_buildid *id)
{
	struct pd_cursor c = pd_cursor(p, size, swapped);
	const uint8_t *name, *desc;
	uint32_t namesz, descsz, type;

	while (pd_left(&c) >= 12) {
		namesz = pd_get_u32(&c);
		descsz = pd_get_u32(&c);
		type = pd_get_u32(&c);
		name = pd_get_bytes(&c, ((uint64_t)namesz + 3) & ~3ull);
		desc = pd_get_bytes(&c, descsz);
		if (desc == NULL)
			return false;
		if (type == NT_GNU_BUILD_ID && namesz == 4 && descsz > 0 &&
		    memcmp(name, "GNU", 4) == 0) {
			id->size = descsz > sizeof(id->bytes) ?
			    sizeof(id->bytes) : (uint8_t)descsz;
			memcpy(id->bytes, desc, id->size);
			return true;
		}
		/* Notes are 4 bytes aligned, also in ELF64 (binutils). */
		if (pd_get_bytes(&c, -descsz & 3) == NULL)
			return false;
	}
	return false;
}

/* The build-id is in .note.gnu.build-id, or in .notes of a kernel or vdso. */
static int
read_buildid(struct pd_elf *e, struct pd_error *err)
{
	const struct pd_elf_section *s;
	uint8_t *p;
	size_t i;
	bool found;

	for (i = 0; i < e->nsections; i++) {
		s = &e->sections[i];
		if (s->type != SHT_NOTE)
			continue;
		p = pd_elf_read(e, s, MAX_NOTES, err);
		if (p == NULL && err->code != PD_OK)
			return -1;
		found = p != NULL && pd_buildid_in_notes(p, s->size,
		    e->swapped, &e->buildid);
		free(p);
		if (found)
			return 0;
	}
	return 0;
}

static int
read_elf(struct pd_elf *e, const char **why, struct pd_error *err)
{
	struct header h;

	if (!read_header(e, &h)) {
		*why = "not an ELF file";
		return 1;
	}
	if (read_loads(e, &h, err) == -1 || read_sections(e, &h, err) == -1 ||
	    read_buildid(e, err) == -1)
		return -1;
	return 0;
}

int
pd_elf_open(struct pd_elf *e, const char *path, const char **why,
    struct pd_error *err)
{
	struct stat st;

	memset(e, 0, sizeof(*e));
	e->fd = pd_file_open(path, true, &st, why);
	if (e->fd == -1)
		return 1;
	e->size = (uint64_t)st.st_size;
	return read_elf(e, why, err);
}

int
pd_elf_open_mem(struct pd_elf *e, const void *mem, uint64_t size,
    const char **why, struct pd_error *err)
{
	memset(e, 0, sizeof(*e));
	e->fd = -1;
	e->mem = mem;
	e->size = size;
	return read_elf(e, why, err);
}

void
pd_elf_detach(struct pd_elf *e)
{
	if (e->mem == NULL && e->fd != -1)
		close(e->fd);
	e->fd = -1;
	e->mem = NULL;
	e->size = 0;
}

void
pd_elf_close(struct pd_elf *e)
{
	pd_elf_detach(e);
	free(e->sections);
	free(e->loads);
	free(e->names);
	memset(e, 0, sizeof(*e));
	e->fd = -1;
}

const struct pd_elf_section *
pd_elf_section(const struct pd_elf *e, const char *name)
{
	size_t i;

	for (i = 0; i < e->nsections; i++)
		if (strcmp(e->sections[i].name, name) == 0)
			return &e->sections[i];
	return NULL;
}

uint8_t *
pd_elf_read(const struct pd_elf *e, const struct pd_elf_section *s,
    uint64_t max, struct pd_error *err)
{
	err->code = PD_OK;
	if (s->type == SHT_NOBITS || s->size == 0 || s->size > max)
		return NULL;
	return read_new(e, s->offset, s->size, err);
}

/* Is x in [start, start + size)? */
static bool
within(uint64_t x, uint64_t start, uint64_t size)
{
	return x >= start && x - start < size;
}

static bool
addr_by_section(const struct pd_elf *e, uint64_t offset, uint64_t *addr)
{
	const struct pd_elf_section *s;
	size_t i;

	for (i = 0; i < e->nsections; i++) {
		s = &e->sections[i];
		if (s->type == SHT_NOBITS || !(s->flags & SHF_EXECINSTR) ||
		    !within(offset, s->offset, s->size))
			continue;
		*addr = offset - s->offset + s->addr;
		return true;
	}
	return false;
}

bool
pd_elf_addr(const struct pd_elf *e, uint64_t offset, uint64_t *addr)
{
	const struct pd_elf_load *l, *best = NULL;
	size_t i;

	/* Two segments may map the same page: the code is in the first. */
	for (i = 0; i < e->nloads; i++) {
		l = &e->loads[i];
		if (within(offset, l->offset, l->filesz) &&
		    (best == NULL || (l->exec && !best->exec)))
			best = l;
	}
	/* Maps are whole pages, and reach beyond the segment. */
	for (i = 0; i < e->nloads && best == NULL; i++) {
		l = &e->loads[i];
		if (l->exec && within(offset, l->offset & ~(uint64_t)(PAGE - 1),
		    l->filesz + 2 * PAGE))
			best = l;
	}
	if (best == NULL)
		return e->nloads == 0 && addr_by_section(e, offset, addr);
	*addr = offset - best->offset + best->vaddr;
	return true;
}

bool
pd_elf_has_code(const struct pd_elf *e)
{
	size_t i;

	for (i = 0; i < e->nsections; i++)
		if (e->sections[i].flags & SHF_EXECINSTR)
			return e->sections[i].type != SHT_NOBITS;
	return e->nloads > 0;
}

/* .gnu_debuglink: a name, NUL, padding to 4 bytes, CRC-32 (gdb manual). */
bool
pd_elf_debuglink(const struct pd_elf *e, char *name, size_t size,
    uint32_t *crc)
{
	const struct pd_elf_section *s = pd_elf_section(e, ".gnu_debuglink");
	uint8_t buf[512];
	size_t len;

	if (s == NULL || s->type == SHT_NOBITS || s->size > sizeof(buf) ||
	    !read_at(e, buf, s->size, s->offset))
		return false;
	len = strnlen((char *)buf, s->size);
	if (len == 0 || len >= size || ((len + 4) & ~3u) + 4 > s->size ||
	    memchr(buf, '/', len) != NULL)
		return false;
	memcpy(name, buf, len);
	name[len] = '\0';
	*crc = pd_load_u32(buf + ((len + 4) & ~3u), e->swapped);
	return true;
}

uint64_t *
pd_elf_module_bases(const struct pd_elf *e, struct pd_error *err)
{
	uint64_t *bases, at = 0, align;
	const struct pd_elf_section *s;
	size_t i;

	bases = pd_calloc(e->nsections, sizeof(*bases), err);
	for (i = 0; bases != NULL && i < e->nsections; i++) {
		s = &e->sections[i];
		bases[i] = UINT64_MAX;
		if (!(s->flags & SHF_ALLOC) || !(s->flags & SHF_EXECINSTR) ||
		    strncmp(s->name, ".init", 5) == 0)
			continue;
		align = s->align > 1 && (s->align & (s->align - 1)) == 0 ?
		    s->align : 1;
		at = (at + align - 1) & ~(align - 1);
		bases[i] = at;
		at += s->size;
	}
	return bases;
}

bool
pd_elf_has_dwarf(const struct pd_elf *e)
{
	const struct pd_elf_section *s = pd_elf_section(e, ".debug_info");

	if (s == NULL)
		s = pd_elf_section(e, ".zdebug_info");
	return s != NULL && s->type != SHT_NOBITS && s->size > 0;
}
