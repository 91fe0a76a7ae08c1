/* Finds the sections with DWARF in a file, and inflates them. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "symbol/debugfile.h"
#include "symbol/decompress.h"
#include "symbol/dwarf.h"

static const char *const section_names[PD_DW_NSECTIONS] = {
	[PD_DW_INFO] = "debug_info",
	[PD_DW_ABBREV] = "debug_abbrev",
	[PD_DW_STR] = "debug_str",
	[PD_DW_LINE_STR] = "debug_line_str",
	[PD_DW_STR_OFFSETS] = "debug_str_offsets",
	[PD_DW_ADDR] = "debug_addr",
	[PD_DW_RANGES] = "debug_ranges",
	[PD_DW_RNGLISTS] = "debug_rnglists",
	[PD_DW_LINE] = "debug_line",
	[PD_DW_ARANGES] = "debug_aranges",
	[PD_DW_CU_INDEX] = "debug_cu_index",
};

/* Which section has this name?  ".zdebug_x" is an older ".debug_x". */
enum pd_dw_section
pd_dw_section_of(const char *name, bool dwo)
{
	size_t len = strlen(name), n;
	bool is_dwo = len > 4 && strcmp(name + len - 4, ".dwo") == 0;
	int i;

	if (name[0] != '.')
		return PD_DW_NSECTIONS;
	name += name[1] == 'z' ? 2 : 1;
	n = strlen(name) - (is_dwo ? 4 : 0);
	for (i = 0; i < PD_DW_NSECTIONS; i++)
		if (strlen(section_names[i]) == n &&
		    memcmp(section_names[i], name, n) == 0)
			break;
	/* The index of a .dwp, which has only sections of .dwo, is without. */
	if (i != PD_DW_CU_INDEX && is_dwo != dwo)
		return PD_DW_NSECTIONS;
	return (enum pd_dw_section)i;
}

/* What the section claims is checked before there is memory for it. */
static int
inflate_section(struct pd_dw_file *f, enum pd_dw_section s,
    const struct pd_packed *z, struct pd_error *err)
{
	if (!pd_dw_spend(&f->limits->bytes, z->full))
		return 0;
	f->inflated[s] = malloc(z->full);
	if (f->inflated[s] == NULL)
		return pd_fail_nomem(err);
	if (pd_packed_inflate(z, f->inflated[s])) {
		f->sections[s].p = f->inflated[s];
		f->sections[s].size = z->full;
		return 0;
	}
	free(f->inflated[s]);
	f->inflated[s] = NULL;
	return 0;
}

static int
add_section(struct pd_dw_file *f, const struct pd_elf *e,
    const struct pd_elf_section *sec, bool dwo, struct pd_error *err)
{
	struct pd_packed z;
	enum pd_dw_section s;

	if (sec->type == SHT_NOBITS || sec->size == 0 ||
	    sec->size > f->map.size || sec->offset > f->map.size - sec->size)
		return 0;
	s = pd_dw_section_of(sec->name, dwo);
	if (s == PD_DW_NSECTIONS || f->sections[s].p != NULL)
		return 0;
	if (pd_elf_is_packed(sec))
		return pd_packed_open(&z, e, sec, f->map.data + sec->offset) ?
		    inflate_section(f, s, &z, err) : 0;
	f->sections[s].p = f->map.data + sec->offset;
	f->sections[s].size = sec->size;
	return 0;
}

/* After this each offset into strings has a NUL behind it. */
static void
end_strings(struct pd_dw_bytes *b)
{
	const uint8_t *nul = b->size ? memrchr(b->p, 0, b->size) : NULL;

	b->size = nul ? (size_t)(nul + 1 - b->p) : 0;
}

static int
map_sections(struct pd_dw_file *f, const struct pd_elf *e, bool dwo,
    struct pd_error *err)
{
	size_t i;

	/* An object gets its addresses in memory. */
	if (pd_filemap_open(&f->map, e->fd, e->size, e->type == ET_REL,
	    &f->limits->shrunk) == -1)
		return 0;
	for (i = 0; i < e->nsections; i++)
		if (add_section(f, e, &e->sections[i], dwo, err) == -1)
			return -1;
	end_strings(&f->sections[PD_DW_STR]);
	end_strings(&f->sections[PD_DW_LINE_STR]);
	return 0;
}

/* The sections with code; a file of debug information has their headers. */
static struct pd_dw_range
find_code(const struct pd_elf *e)
{
	struct pd_dw_range code = { UINT64_MAX, 0 };
	const struct pd_elf_section *s;
	size_t i;

	for (i = 0; i < e->nsections; i++) {
		s = &e->sections[i];
		if (!(s->flags & SHF_EXECINSTR) || s->addr + s->size < s->addr)
			continue;
		if (s->addr < code.lo)
			code.lo = s->addr;
		if (s->addr + s->size > code.hi)
			code.hi = s->addr + s->size;
	}
	return code;
}

static int
open_elf(struct pd_dw_file **file, const struct pd_elf *e, const char *path,
    bool dwo, struct pd_dw_limits *limits, struct pd_error *err)
{
	struct pd_dw_file *f;

	if (e->size == 0)
		return 0;
	f = pd_calloc(1, sizeof(*f), err);
	if (f == NULL)
		return -1;
	f->limits = limits;
	f->swapped = e->swapped;
	f->buildid = e->buildid;
	f->code = find_code(e);
	f->path = pd_strdup(path, err);
	if (f->path == NULL || map_sections(f, e, dwo, err) == -1 ||
	    (e->type == ET_REL && !dwo && pd_dw_relocate(f, e, err) == -1)) {
		pd_dw_file_close(f);
		return -1;
	}
	if (f->sections[PD_DW_INFO].size > 0 &&
	    f->sections[PD_DW_ABBREV].size > 0)
		*file = f;
	else
		pd_dw_file_close(f);
	return 0;
}

int
pd_dw_file_open(struct pd_dw_file **file, const char *path,
    const struct pd_buildid *id, bool dwo, struct pd_dw_limits *limits,
    struct pd_error *err)
{
	const char *why;
	struct pd_elf e;
	int ret;

	*file = NULL;
	ret = pd_elf_open(&e, path, &why, err);
	if (ret == 0 && (id == NULL || pd_buildid_equal(id, &e.buildid)))
		ret = open_elf(file, &e, path, dwo, limits, err);
	pd_elf_close(&e);
	return ret == -1 ? -1 : 0;
}

static void
free_units(struct pd_dw_file *f)
{
	size_t i;

	for (i = 0; i < f->nunits; i++) {
		pd_dw_scopes_free(f->units[i]);
		pd_dw_line_free(f->units[i]);
		free(f->units[i]);
	}
	free(f->units);
	free(f->starts);
	pd_map64_free(&f->unit_at);
	for (i = 0; i < f->ntables; i++) {
		pd_dw_abbrevs_free(f->tables[i]);
		free(f->tables[i]);
	}
	free(f->tables);
	pd_map64_free(&f->table_at);
}

void
pd_dw_file_close(struct pd_dw_file *f)
{
	int i;

	if (f == NULL)
		return;
	free_units(f);
	for (i = 0; i < PD_DW_NSECTIONS; i++)
		free(f->inflated[i]);
	pd_filemap_close(&f->map);
	free(f->path);
	free(f);
}

const char *
pd_dw_file_str(const struct pd_dw_file *f, enum pd_dw_section section,
    uint64_t offset)
{
	const struct pd_dw_bytes *b = &f->sections[section];

	return offset < b->size ? (const char *)b->p + offset : NULL;
}

/* ---- .gnu_debugaltlink --------------------------------------------------- */

/* A name, NUL, the build-id of the file (dwz(1), `--multifile`). */
static bool
read_altlink(const struct pd_elf *e, char *name, size_t size,
    struct pd_buildid *id, struct pd_error *err)
{
	const struct pd_elf_section *s = pd_elf_section(e,
	    ".gnu_debugaltlink");
	uint8_t *p = s ? pd_elf_read(e, s, size, err) : NULL;
	size_t len, left;

	if (p == NULL)
		return false;
	len = strlen((char *)p);
	left = len < s->size ? s->size - len - 1 : 0;
	id->size = left > sizeof(id->bytes) ? sizeof(id->bytes) :
	    (uint8_t)left;
	memcpy(id->bytes, p + len + (left > 0), id->size);
	memcpy(name, p, len + 1);
	free(p);
	return len > 0 && id->size > 1;
}

static int
try_alt(struct pd_dw_file **alt, char *path, const struct pd_buildid *id,
    struct pd_dw_limits *limits, struct pd_error *err)
{
	int ret;

	if (path == NULL)
		return -1;
	ret = pd_dw_file_open(alt, path, id, false, limits, err);
	free(path);
	return ret;
}

/*
 * A relative name starts where the file really is, which may be found through
 * links such as those of .build-id.
 */
static char *
alt_path(const struct pd_dw_file *f, const char *name, const char *symfs,
    struct pd_error *err)
{
	char *real, *path;
	size_t len;

	if (name[0] == '/')
		return pd_path(err, "%s%s", symfs, name);
	real = realpath(f->path, NULL);
	if (real == NULL)
		return pd_strdup(name, err);
	len = (size_t)(strrchr(real, '/') - real);
	path = pd_path(err, "%.*s/%s", (int)len, real, name);
	free(real);
	return path;
}

int
pd_dw_file_open_alt(struct pd_dw_file **alt, struct pd_dw_file *f,
    const char *symfs, struct pd_error *err)
{
	struct pd_buildid id = { 0 };
	char name[4096];
	const char *why;
	struct pd_elf e;
	bool found;
	int ret;

	*alt = NULL;
	ret = pd_elf_open(&e, f->path, &why, err);
	err->code = ret == -1 ? err->code : PD_OK;
	found = ret == 0 && read_altlink(&e, name, sizeof(name), &id, err);
	pd_elf_close(&e);
	if (!found)
		return err->code == PD_OK ? 0 : -1;
	if (try_alt(alt, alt_path(f, name, symfs, err), &id, f->limits,
	    err) == -1)
		return -1;
	return *alt != NULL ? 0 : try_alt(alt, pd_buildid_debug_path(symfs,
	    &id, err), &id, f->limits, err);
}
