/*
 * DWARF 2 to 5 as far as inlined calls need it: sections, units, entries
 * (DIEs), their addresses, names and source files.
 *
 * libdw is not used for it: 0.188 has no .dwp, opens what .gnu_debugaltlink
 * and DW_AT_dwo_name say without a look at what that is, and ends the process
 * when an allocation fails.
 *
 * Nothing here fails on damage: what cannot be read is not there.  -1 and
 * NULL with *err set mean that memory ran out.
 */
#ifndef PD_SYMBOL_DWARF_H
#define PD_SYMBOL_DWARF_H

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "base/filemap.h"
#include "symbol/elf.h"

/*
 * What all files of one DSO may still cost together, so that small hostile
 * files cannot take much memory or time.
 */
struct pd_dw_limits {
	uint64_t	bytes;
	uint64_t	steps;		/* a DIE or a range is some steps */
	volatile sig_atomic_t shrunk;	/* a file has, see pd_filemap_open() */
};

/* Take n from *left, or all of it: false when that was not enough. */
static inline bool
pd_dw_spend(uint64_t *left, uint64_t n)
{
	if (*left < n) {
		*left = 0;
		return false;
	}
	*left -= n;
	return true;
}

/* ---- files --------------------------------------------------------------- */

enum pd_dw_section {
	PD_DW_INFO, PD_DW_ABBREV, PD_DW_STR, PD_DW_LINE_STR,
	PD_DW_STR_OFFSETS, PD_DW_ADDR, PD_DW_RANGES, PD_DW_RNGLISTS,
	PD_DW_LINE, PD_DW_ARANGES, PD_DW_CU_INDEX,
	PD_DW_NSECTIONS
};

struct pd_dw_bytes {
	const uint8_t	*p;
	size_t		size;
};

struct pd_dw_unit;
struct pd_dw_abbrevs;

struct pd_dw_range {
	uint64_t	lo, hi;
};

struct pd_dw_file {
	char			*path;
	struct pd_buildid	buildid;
	struct pd_filemap	map;
	bool			swapped;
	uint16_t		number;		/* of this file in its set */
	struct pd_dw_range	code;		/* around all; hi 0: not known */
	struct pd_dw_bytes	sections[PD_DW_NSECTIONS];
	uint8_t			*inflated[PD_DW_NSECTIONS];
	struct pd_dw_limits	*limits;	/* borrowed */
	struct pd_dw_file	*alt;		/* .gnu_debugaltlink; borrowed */

	uint64_t		*starts;	/* of units, by offset */
	size_t			nstarts, starts_cap;
	struct pd_dw_unit	**units;	/* those that were opened */
	size_t			nunits, units_cap;
	struct pd_map64		unit_at;
	struct pd_dw_abbrevs	**tables;
	size_t			ntables, tables_cap;
	struct pd_map64		table_at;
};

/*
 * Open a file for its debug information; dwo: for its .dwo sections.  *file
 * is NULL when there is none, or when id (which may be NULL) is not its
 * build-id.  0, or -1 without memory.
 */
int pd_dw_file_open(struct pd_dw_file **file, const char *path,
    const struct pd_buildid *id, bool dwo, struct pd_dw_limits *limits,
    struct pd_error *err);
void pd_dw_file_close(struct pd_dw_file *f);

/* Open what .gnu_debugaltlink of f names; *alt is NULL when there is none. */
int pd_dw_file_open_alt(struct pd_dw_file **alt, struct pd_dw_file *f,
    const char *symfs, struct pd_error *err);

/* Which section has this name, PD_DW_NSECTIONS for none; dwo: of a .dwo. */
enum pd_dw_section pd_dw_section_of(const char *name, bool dwo);
/*
 * The file is an object: put in the addresses that it has as a module of the
 * kernel, from the module's start.
 */
int pd_dw_relocate(struct pd_dw_file *f, const struct pd_elf *e,
    struct pd_error *err);

/* The string at an offset of PD_DW_STR or PD_DW_LINE_STR, or NULL. */
const char *pd_dw_file_str(const struct pd_dw_file *f,
    enum pd_dw_section section, uint64_t offset);

static inline struct pd_cursor
pd_dw_cursor(const struct pd_dw_file *f, enum pd_dw_section s, uint64_t offset)
{
	const struct pd_dw_bytes *b = &f->sections[s];
	/* Nothing may be added to NULL, not even 0. */
	struct pd_cursor c = pd_cursor(b->p ? (const void *)b->p : "", b->size,
	    f->swapped);

	if (offset > b->size)
		c.bad = true;
	else
		c.p += offset;
	return c;
}

/* A number of 1, 2, 3, 4 or 8 bytes. */
static inline uint64_t
pd_dw_get(struct pd_cursor *c, unsigned size)
{
	const uint8_t *p;

	switch (size) {
	case 1: return pd_get_u8(c);
	case 2: return pd_get_u16(c);
	case 3:
		p = pd_get_bytes(c, 3);
		if (p == NULL)
			return 0;
		return (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != c->swapped ?
		    (uint32_t)p[0] << 16 | p[1] << 8 | p[2] :
		    (uint32_t)p[2] << 16 | p[1] << 8 | p[0];
	case 4: return pd_get_u32(c);
	default: return pd_get_u64(c);
	}
}

/* ---- units and their entries --------------------------------------------- */

/* The attributes that are read. */
enum pd_dw_at {
	PD_DW_AT_NAME, PD_DW_AT_LINKAGE, PD_DW_AT_LOW, PD_DW_AT_HIGH,
	PD_DW_AT_RANGES, PD_DW_AT_ORIGIN, PD_DW_AT_SPEC, PD_DW_AT_CALL_FILE,
	PD_DW_AT_CALL_LINE, PD_DW_AT_STMT_LIST, PD_DW_AT_COMP_DIR, PD_DW_AT_DWO_NAME,
	PD_DW_AT_DWO_ID, PD_DW_AT_STR_BASE, PD_DW_AT_ADDR_BASE,
	PD_DW_AT_RNGLISTS_BASE, PD_DW_AT_RANGES_BASE, PD_DW_AT_LANGUAGE,
	PD_DW_NAT
};

/* What an entry may be, as a set. */
enum {
	PD_DW_CODE = 1,			/* a function or an inlined call */
	PD_DW_SCOPE = 2,		/* qualifies names: a namespace, a class */
	PD_DW_ANY = 4,
};

struct pd_dw_spec {			/* an attribute of an abbreviation */
	uint16_t	form;
	uint8_t		at;		/* enum pd_dw_at, PD_DW_NAT: not read */
	uint32_t	constant;	/* of DW_FORM_implicit_const: place */
};

struct pd_dw_abbrev {
	uint32_t	code;
	uint16_t	tag;
	uint8_t		kind;		/* PD_DW_CODE ... */
	bool		children;
	uint32_t	first, nspecs;
	int32_t		fixed;		/* bytes of all attributes, -1: varies */
};

struct pd_dw_abbrevs {
	struct pd_dw_abbrev	*abbrevs;	/* by code */
	size_t			len, cap;
	struct pd_dw_spec	*specs;
	size_t			nspecs, specs_cap;
	uint64_t		*constants;
	size_t			nconstants, constants_cap;
};

struct pd_dw_scope {			/* from dwarfname.c */
	uint64_t	start, end;
	uint32_t	parent;
};

struct pd_dw_unit {
	struct pd_dw_file	*file;
	const struct pd_dw_abbrevs *abbrevs;
	uint64_t		start, dies, end;	/* in PD_DW_INFO */
	/* Where the parts of this unit start in the sections of a .dwp. */
	uint64_t		info, abbrev, str, line, rnglists;
	/* Where what its indexes count starts. */
	uint64_t		str_base, addr_base, rnglists_base, ranges_base;
	uint64_t		abbrev_offset, stmt_list, low_pc, id;
	const char		*comp_dir, *dwo_name;	/* or NULL */
	/* PD_DW_SPLIT: the unit in the program, which has the addresses. */
	const struct pd_dw_unit	*skeleton;
	uint16_t		language;
	uint8_t			version, type, addr_size, offset_size;
	bool			has_line, dwp;

	struct pd_dw_scope	*scopes;	/* from dwarfname.c */
	size_t			nscopes, scopes_cap;
	bool			has_scopes;
	struct pd_dw_line	*files;		/* from dwarfline.c */
};

struct pd_dw_value {
	uint64_t	u;
	uint16_t	form;
};

struct pd_dw_die {
	uint64_t		offset;		/* in PD_DW_INFO */
	const struct pd_dw_abbrev *abbrev;	/* NULL: the end of siblings */
	uint32_t		have;		/* bits: which v[] are set */
	struct pd_dw_value	v[PD_DW_NAT];
};

static inline const struct pd_dw_value *
pd_dw_at(const struct pd_dw_die *d, enum pd_dw_at at)
{
	return d->have & (UINT32_C(1) << at) ? &d->v[at] : NULL;
}

/*
 * Read the header of the unit at an offset: where it ends goes to *next, to
 * step on even when it is false.
 */
bool pd_dw_unit_header(struct pd_dw_unit *u, struct pd_dw_file *f,
    uint64_t offset, uint64_t *next);
/* What the unit's own DIE says about it. */
void pd_dw_unit_apply(struct pd_dw_unit *u, const struct pd_dw_die *d);
/* List the units of a file: f->starts. */
int pd_dw_units_list(struct pd_dw_file *f, struct pd_error *err);

/*
 * The unit that starts at an offset, or whose DIEs are around it; NULL with
 * PD_OK when there is none.  Owned by the file.
 */
struct pd_dw_unit *pd_dw_unit_open(struct pd_dw_file *f, uint64_t start,
    struct pd_error *err);
struct pd_dw_unit *pd_dw_unit_around(struct pd_dw_file *f, uint64_t offset,
    struct pd_error *err);
/* Keep a unit whose header was read, and read its first DIE; NULL: no memory. */
struct pd_dw_unit *pd_dw_unit_keep(const struct pd_dw_unit *made,
    struct pd_error *err);

/*
 * Read only the own DIE of a unit.  t is room for its abbreviation, which
 * the next unit may use again.
 */
int pd_dw_unit_peek(struct pd_dw_unit *u, struct pd_dw_die *d,
    struct pd_dw_abbrevs *t, struct pd_error *err);
void pd_dw_abbrevs_free(struct pd_dw_abbrevs *t);

struct pd_cursor pd_dw_unit_cursor(const struct pd_dw_unit *u,
    uint64_t offset);
/*
 * Read the DIE at c and move behind its attributes.  Those of a kind that is
 * not wanted get their abbrev only.  False at the end and at nonsense.
 */
bool pd_dw_die_next(struct pd_cursor *c, const struct pd_dw_unit *u,
    unsigned wanted, struct pd_dw_die *d);

/* ---- values -------------------------------------------------------------- */

/* A string, or NULL; v may be NULL. */
const char *pd_dw_str(const struct pd_dw_unit *u, const struct pd_dw_value *v);
bool pd_dw_addr(const struct pd_dw_unit *u, const struct pd_dw_value *v,
    uint64_t *addr);
/* Where a DIE is that a value refers to: false when that is unknown. */
bool pd_dw_ref(const struct pd_dw_unit *u, const struct pd_dw_value *v,
    struct pd_dw_file **file, uint64_t *offset);
/* The address with an index. */
bool pd_dw_addrx(const struct pd_dw_unit *u, uint64_t index, uint64_t *addr);

struct pd_dw_ranges {
	struct pd_dw_range	*v;
	size_t			len, cap;
};

/* Whether there may be code of the file at [lo, hi). */
bool pd_dw_holds_code(const struct pd_dw_file *f, uint64_t lo, uint64_t hi);

/* Append the addresses of a DIE to r: 0, or -1 without memory. */
int pd_dw_die_ranges(const struct pd_dw_unit *u, const struct pd_dw_die *d,
    struct pd_dw_ranges *r, struct pd_error *err);

/* ---- names and lines ----------------------------------------------------- */

struct pd_dw_name {
	const char	*text;		/* NULL: it has none */
	bool		mangled;
};

/*
 * The name of the function that the DIE at an offset is, or came from; where,
 * if not NULL, is the unit around it.  Texts live as long as the files, or
 * in `a`.
 */
int pd_dw_name(struct pd_dw_name *name, struct pd_dw_unit *where,
    struct pd_dw_file *f, uint64_t offset, struct pd_arena *a,
    struct pd_error *err);
void pd_dw_scopes_free(struct pd_dw_unit *u);

/* The path of a source file by its number; *path may be NULL. */
int pd_dw_line_file(const char **path, struct pd_dw_unit *u, uint32_t number,
    struct pd_arena *a, struct pd_error *err);
/*
 * The line that the code at an address is from, in a unit that has addresses
 * (not split from them); NULL and 0 when it is not known.
 */
int pd_dw_line_find(const char **path, uint32_t *line, struct pd_dw_unit *u,
    uint64_t addr, struct pd_arena *a, struct pd_error *err);
void pd_dw_line_free(struct pd_dw_unit *u);

/* ---- split DWARF --------------------------------------------------------- */

/* The .dwo and .dwp files of one program. */
struct pd_dw_split {
	struct pd_dw_file	*main;		/* borrowed */
	char			*symfs;		/* free(3) */
	char			*program;	/* or NULL; free(3) */
	struct pd_dw_file	**files;
	size_t			nfiles, files_cap;
	struct pd_dw_file	*dwp;		/* one of files, or NULL */
	bool			has_dwp;	/* it was looked for */
};

/* The unit that a skeleton stands for, or NULL; owned by s. */
struct pd_dw_unit *pd_dw_split_unit(struct pd_dw_split *s,
    const struct pd_dw_unit *skeleton, struct pd_error *err);
void pd_dw_split_free(struct pd_dw_split *s);

#endif
