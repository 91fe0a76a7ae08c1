/* Reads units of DWARF, their abbreviations, entries and simple values. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "symbol/dwarf.h"
#include "unwind/leb.h"

/* ---- abbreviations ------------------------------------------------------- */

static uint8_t
attribute(uint64_t name)
{
	switch (name) {
	case DW_AT_name: return PD_DW_AT_NAME;
	case DW_AT_linkage_name: return PD_DW_AT_LINKAGE;
	case DW_AT_MIPS_linkage_name: return PD_DW_AT_LINKAGE;	/* DWARF 2, 3 */
	case DW_AT_low_pc: return PD_DW_AT_LOW;
	case DW_AT_high_pc: return PD_DW_AT_HIGH;
	case DW_AT_ranges: return PD_DW_AT_RANGES;
	case DW_AT_abstract_origin: return PD_DW_AT_ORIGIN;
	case DW_AT_specification: return PD_DW_AT_SPEC;
	case DW_AT_call_file: return PD_DW_AT_CALL_FILE;
	case DW_AT_call_line: return PD_DW_AT_CALL_LINE;
	case DW_AT_stmt_list: return PD_DW_AT_STMT_LIST;
	case DW_AT_comp_dir: return PD_DW_AT_COMP_DIR;
	case DW_AT_dwo_name: return PD_DW_AT_DWO_NAME;
	case DW_AT_GNU_dwo_name: return PD_DW_AT_DWO_NAME;
	case DW_AT_GNU_dwo_id: return PD_DW_AT_DWO_ID;
	case DW_AT_str_offsets_base: return PD_DW_AT_STR_BASE;
	case DW_AT_addr_base: return PD_DW_AT_ADDR_BASE;
	case DW_AT_GNU_addr_base: return PD_DW_AT_ADDR_BASE;
	case DW_AT_rnglists_base: return PD_DW_AT_RNGLISTS_BASE;
	case DW_AT_GNU_ranges_base: return PD_DW_AT_RANGES_BASE;
	case DW_AT_language: return PD_DW_AT_LANGUAGE;
	default: return PD_DW_NAT;
	}
}

static uint8_t
kind_of(uint64_t tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
		return PD_DW_ANY | PD_DW_CODE | PD_DW_SCOPE;
	case DW_TAG_inlined_subroutine:
		return PD_DW_ANY | PD_DW_CODE;
	case DW_TAG_namespace: case DW_TAG_class_type:
	case DW_TAG_structure_type: case DW_TAG_union_type:
	case DW_TAG_interface_type: case DW_TAG_module:
	case DW_TAG_enumeration_type:
		return PD_DW_ANY | PD_DW_SCOPE;
	default:
		return PD_DW_ANY;
	}
}

/* The bytes of a form, -1 when they vary or depend on the version. */
static int
form_size(const struct pd_dw_unit *u, uint64_t form)
{
	switch (form) {
	case DW_FORM_flag_present: case DW_FORM_implicit_const: return 0;
	case DW_FORM_data1: case DW_FORM_ref1: case DW_FORM_flag:
	case DW_FORM_strx1: case DW_FORM_addrx1: return 1;
	case DW_FORM_data2: case DW_FORM_ref2:
	case DW_FORM_strx2: case DW_FORM_addrx2: return 2;
	case DW_FORM_strx3: case DW_FORM_addrx3: return 3;
	case DW_FORM_data4: case DW_FORM_ref4: case DW_FORM_ref_sup4:
	case DW_FORM_strx4: case DW_FORM_addrx4: return 4;
	case DW_FORM_data8: case DW_FORM_ref8: case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8: return 8;
	case DW_FORM_data16: return 16;
	case DW_FORM_addr: return u->addr_size;
	case DW_FORM_ref_addr:			/* an address in DWARF 2 */
		return u->version == 2 ? u->addr_size : u->offset_size;
	case DW_FORM_strp: case DW_FORM_line_strp: case DW_FORM_sec_offset:
	case DW_FORM_strp_sup: case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt: return u->offset_size;
	default: return -1;
	}
}

static int
add_spec(struct pd_dw_abbrevs *t, struct pd_cursor *c, uint64_t name,
    uint64_t form, struct pd_error *err)
{
	struct pd_dw_spec s = { .form = form > UINT16_MAX ? 0 :
	    (uint16_t)form, .at = attribute(name) };

	if (form == DW_FORM_implicit_const) {
		if (pd_grow(&t->constants, &t->constants_cap,
		    t->nconstants + 1, sizeof(*t->constants), err) == -1)
			return -1;
		s.constant = (uint32_t)t->nconstants;
		t->constants[t->nconstants++] = (uint64_t)pd_get_sleb(c);
	}
	if (pd_grow(&t->specs, &t->specs_cap, t->nspecs + 1,
	    sizeof(*t->specs), err) == -1)
		return -1;
	t->specs[t->nspecs++] = s;
	return 0;
}

/* Read one abbreviation: 1, 0 at the end, -1 without memory. */
static int
add_abbrev(struct pd_dw_abbrevs *t, struct pd_cursor *c,
    const struct pd_dw_unit *u, struct pd_error *err)
{
	struct pd_dw_abbrev a = { .first = (uint32_t)t->nspecs };
	uint64_t code = pd_get_uleb(c), tag = pd_get_uleb(c), name, form;
	int size;

	a.children = pd_get_u8(c) != 0;
	if (code == 0 || code > UINT32_MAX || t->nspecs > UINT32_MAX / 2)
		return 0;
	a.code = (uint32_t)code;
	a.tag = tag > UINT16_MAX ? 0 : (uint16_t)tag;
	a.kind = kind_of(tag);
	for (;;) {
		name = pd_get_uleb(c);
		form = pd_get_uleb(c);
		if (c->bad || (name == 0 && form == 0))
			break;
		if (add_spec(t, c, name, form, err) == -1)
			return -1;
		size = form_size(u, form);
		a.fixed = size < 0 || a.fixed < 0 || a.fixed > 1 << 20 ? -1 :
		    a.fixed + size;
	}
	a.nspecs = (uint32_t)(t->nspecs - a.first);
	if (c->bad)
		return 0;
	if (pd_grow(&t->abbrevs, &t->cap, t->len + 1, sizeof(*t->abbrevs),
	    err) == -1)
		return -1;
	t->abbrevs[t->len++] = a;
	return 1;
}

static int
by_code(const void *a, const void *b)
{
	const struct pd_dw_abbrev *x = a, *y = b;

	return (x->code > y->code) - (x->code < y->code);
}

void
pd_dw_abbrevs_free(struct pd_dw_abbrevs *t)
{
	free(t->abbrevs);
	free(t->specs);
	free(t->constants);
}

static int
read_abbrevs(struct pd_dw_abbrevs *t, const struct pd_dw_unit *u,
    struct pd_error *err)
{
	struct pd_cursor c = pd_dw_cursor(u->file, PD_DW_ABBREV,
	    u->abbrev + u->abbrev_offset);
	struct pd_dw_limits *l = u->file->limits;
	bool sorted = true;
	int ret = 1;

	while (ret == 1) {
		ret = add_abbrev(t, &c, u, err);
		if (ret == 1 && t->len > 1 &&
		    t->abbrevs[t->len - 1].code <= t->abbrevs[t->len - 2].code)
			sorted = false;
		if (t->len * sizeof(*t->abbrevs) +
		    t->nspecs * sizeof(*t->specs) > l->bytes)
			break;
	}
	pd_dw_spend(&l->bytes, t->cap * sizeof(*t->abbrevs) +
	    t->specs_cap * sizeof(*t->specs));
	if (!sorted)
		qsort(t->abbrevs, t->len, sizeof(*t->abbrevs), by_code);
	return ret == -1 ? -1 : 0;
}

/* The abbreviations of a unit, which others may have too. */
static int
give_abbrevs(struct pd_dw_unit *u, struct pd_error *err)
{
	struct pd_dw_file *f = u->file;
	/* The sizes of forms are part of the table. */
	uint64_t key = (u->abbrev + u->abbrev_offset) << 8 |
	    (u->version == 2) << 2 | (u->addr_size == 8) << 1 |
	    (u->offset_size == 8);
	uint32_t i = pd_map64_find(&f->table_at, key);
	struct pd_dw_abbrevs *t;

	if (i == PD_NOID) {
		if (pd_grow(&f->tables, &f->tables_cap, f->ntables + 1,
		    sizeof(*f->tables), err) == -1 ||
		    (t = pd_calloc(1, sizeof(*t), err)) == NULL)
			return -1;
		i = (uint32_t)f->ntables;
		f->tables[f->ntables++] = t;
		if (read_abbrevs(t, u, err) == -1 ||
		    pd_map64_put(&f->table_at, key, i, err) == -1)
			return -1;
	}
	u->abbrevs = f->tables[i];
	return 0;
}

static const struct pd_dw_abbrev *
find_abbrev(const struct pd_dw_abbrevs *t, uint64_t code)
{
	struct pd_dw_abbrev key = { .code = (uint32_t)code };

	/* Compilers count them from 1. */
	if (code - 1 < t->len && t->abbrevs[code - 1].code == code)
		return &t->abbrevs[code - 1];
	return code > UINT32_MAX || t->len == 0 ? NULL :
	    bsearch(&key, t->abbrevs, t->len, sizeof(key), by_code);
}

/* ---- entries ------------------------------------------------------------- */

static uint64_t
get_block(struct pd_cursor *c, uint64_t size)
{
	pd_get_bytes(c, size);
	return 0;
}

static uint64_t
get_value(struct pd_cursor *c, const struct pd_dw_unit *u, uint64_t form)
{
	int size;

	switch (form) {
	case DW_FORM_flag_present: return 1;
	case DW_FORM_sdata: return (uint64_t)pd_get_sleb(c);
	case DW_FORM_string: return (uintptr_t)pd_get_str(c);
	case DW_FORM_data16: return get_block(c, 16);
	case DW_FORM_block1: return get_block(c, pd_get_u8(c));
	case DW_FORM_block2: return get_block(c, pd_get_u16(c));
	case DW_FORM_block4: return get_block(c, pd_get_u32(c));
	case DW_FORM_block: case DW_FORM_exprloc:
		return get_block(c, pd_get_uleb(c));
	case DW_FORM_udata: case DW_FORM_ref_udata: case DW_FORM_strx:
	case DW_FORM_addrx: case DW_FORM_loclistx: case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index: case DW_FORM_GNU_str_index:
		return pd_get_uleb(c);
	}
	size = form_size(u, form);
	if (size > 0)
		return pd_dw_get(c, (unsigned)size);
	c->bad = true;
	return 0;
}

static void
get_attributes(struct pd_cursor *c, const struct pd_dw_unit *u,
    struct pd_dw_die *d)
{
	const struct pd_dw_spec *s;
	uint64_t form, v;
	uint32_t i;

	for (i = 0; i < d->abbrev->nspecs && !c->bad; i++) {
		s = &u->abbrevs->specs[d->abbrev->first + i];
		form = s->form;
		if (form == DW_FORM_indirect)
			form = pd_get_uleb(c);	/* not to another such: bad */
		if (form == DW_FORM_implicit_const)
			v = s->form == form ?
			    u->abbrevs->constants[s->constant] : 0;
		else
			v = get_value(c, u, form);
		if (s->at == PD_DW_NAT)
			continue;
		d->have |= UINT32_C(1) << s->at;
		d->v[s->at].u = v;
		d->v[s->at].form = (uint16_t)form;
	}
	if (c->bad)
		d->have = 0;
}

bool
pd_dw_die_next(struct pd_cursor *c, const struct pd_dw_unit *u,
    unsigned wanted, struct pd_dw_die *d)
{
	uint64_t code;

	d->have = 0;
	d->abbrev = NULL;
	if (c->bad || c->p >= c->end)
		return false;
	d->offset = (uint64_t)(c->p - u->file->sections[PD_DW_INFO].p);
	code = pd_get_uleb(c);
	if (code == 0)
		return !c->bad;
	d->abbrev = find_abbrev(u->abbrevs, code);
	if (d->abbrev == NULL)
		return false;
	if (!(d->abbrev->kind & wanted) && d->abbrev->fixed >= 0)
		pd_get_bytes(c, (size_t)d->abbrev->fixed);
	else
		get_attributes(c, u, d);
	return !c->bad;
}

struct pd_cursor
pd_dw_unit_cursor(const struct pd_dw_unit *u, uint64_t offset)
{
	struct pd_cursor c = pd_dw_cursor(u->file, PD_DW_INFO, offset);

	c.end = u->file->sections[PD_DW_INFO].p + u->end;
	if (offset < u->dies || offset > u->end)
		c.bad = true;
	return c;
}

/* ---- units --------------------------------------------------------------- */

static void
read_type(struct pd_dw_unit *u, struct pd_cursor *c)
{
	switch (u->type) {
	case DW_UT_skeleton: case DW_UT_split_compile:
		u->id = pd_get_u64(c);
		break;
	case DW_UT_type: case DW_UT_split_type:
		pd_get_u64(c);
		pd_dw_get(c, u->offset_size);
		break;
	}
}

bool
pd_dw_unit_header(struct pd_dw_unit *u, struct pd_dw_file *f, uint64_t offset,
    uint64_t *next)
{
	struct pd_cursor c = pd_dw_cursor(f, PD_DW_INFO, offset);
	const uint8_t *info = f->sections[PD_DW_INFO].p;
	uint64_t len;
	uint16_t version;

	memset(u, 0, sizeof(*u));
	u->file = f;
	u->start = offset;
	u->offset_size = 4;
	len = pd_get_u32(&c);
	if (len == 0xffffffff) {		/* 64-bit DWARF */
		u->offset_size = 8;
		len = pd_get_u64(&c);
	}
	if (c.bad) {
		*next = f->sections[PD_DW_INFO].size;
		return false;
	}
	if (len > pd_left(&c))			/* cut: take what is there */
		len = pd_left(&c);
	*next = u->end = (uint64_t)(c.p - info) + len;
	c.end = info + u->end;
	version = pd_get_u16(&c);
	if (version < 2 || version > 5)
		return false;
	u->version = (uint8_t)version;
	u->type = u->version == 5 ? pd_get_u8(&c) : DW_UT_compile;
	if (u->version == 5)
		u->addr_size = pd_get_u8(&c);
	u->abbrev_offset = pd_dw_get(&c, u->offset_size);
	if (u->version < 5)
		u->addr_size = pd_get_u8(&c);
	if (u->version == 5)
		read_type(u, &c);
	u->dies = (uint64_t)(c.p - info);
	return !c.bad && (u->addr_size == 4 || u->addr_size == 8);
}

/* The size of the header before a table of offsets (DWARF 5, 7.26 ff.). */
static uint64_t
table_header(const struct pd_dw_unit *u, uint64_t size)
{
	return u->version < 5 ? 0 : u->offset_size == 8 ? size + 8 : size;
}

void
pd_dw_unit_apply(struct pd_dw_unit *u, const struct pd_dw_die *d)
{
	const struct pd_dw_value *v;

	u->str_base = u->str + table_header(u, 8);
	if ((v = pd_dw_at(d, PD_DW_AT_STR_BASE)) != NULL)
		u->str_base = u->str + v->u;
	v = pd_dw_at(d, PD_DW_AT_ADDR_BASE);
	u->addr_base = v ? v->u : table_header(u, 8);
	u->rnglists_base = u->rnglists + table_header(u, 12);
	if ((v = pd_dw_at(d, PD_DW_AT_RNGLISTS_BASE)) != NULL)
		u->rnglists_base = u->rnglists + v->u;
	v = pd_dw_at(d, PD_DW_AT_RANGES_BASE);
	u->ranges_base = v ? v->u : 0;
	v = pd_dw_at(d, PD_DW_AT_LANGUAGE);
	u->language = v ? (uint16_t)v->u : 0;
	if ((v = pd_dw_at(d, PD_DW_AT_DWO_ID)) != NULL)
		u->id = v->u;
	if ((v = pd_dw_at(d, PD_DW_AT_STMT_LIST)) != NULL) {
		u->has_line = true;
		u->stmt_list = v->u;
	}
	u->comp_dir = pd_dw_str(u, pd_dw_at(d, PD_DW_AT_COMP_DIR));
	u->dwo_name = pd_dw_str(u, pd_dw_at(d, PD_DW_AT_DWO_NAME));
	if (!pd_dw_addr(u, pd_dw_at(d, PD_DW_AT_LOW), &u->low_pc))
		u->low_pc = u->skeleton ? u->skeleton->low_pc : 0;
}

int
pd_dw_unit_peek(struct pd_dw_unit *u, struct pd_dw_die *d,
    struct pd_dw_abbrevs *t, struct pd_error *err)
{
	struct pd_cursor a = pd_dw_cursor(u->file, PD_DW_ABBREV,
	    u->abbrev + u->abbrev_offset);
	struct pd_cursor c = pd_dw_unit_cursor(u, u->dies);
	uint64_t code = pd_get_uleb(&c);
	int ret;

	do {
		t->len = t->nspecs = t->nconstants = 0;
		ret = add_abbrev(t, &a, u, err);
		if (!pd_dw_spend(&u->file->limits->steps, 8 + t->nspecs))
			break;
	} while (ret == 1 && t->abbrevs[0].code != code);
	u->abbrevs = t;
	c = pd_dw_unit_cursor(u, u->dies);
	if (ret == 1 && pd_dw_die_next(&c, u, PD_DW_ANY, d))
		pd_dw_unit_apply(u, d);
	else
		d->have = 0;
	return ret == -1 ? -1 : 0;
}

int
pd_dw_units_list(struct pd_dw_file *f, struct pd_error *err)
{
	uint64_t at = 0, next, size = f->sections[PD_DW_INFO].size;
	struct pd_dw_unit u;

	while (at < size) {
		if (pd_dw_unit_header(&u, f, at, &next)) {
			if (pd_grow(&f->starts, &f->starts_cap,
			    f->nstarts + 1, sizeof(*f->starts), err) == -1)
				return -1;
			f->starts[f->nstarts++] = at;
		}
		at = next;
	}
	return 0;
}

struct pd_dw_unit *
pd_dw_unit_keep(const struct pd_dw_unit *made, struct pd_error *err)
{
	struct pd_dw_file *f = made->file;
	struct pd_dw_unit *u;
	struct pd_dw_die d;
	struct pd_cursor c;

	if (pd_grow(&f->units, &f->units_cap, f->nunits + 1,
	    sizeof(*f->units), err) == -1 ||
	    (u = pd_calloc(1, sizeof(*u), err)) == NULL)
		return NULL;
	*u = *made;
	f->units[f->nunits++] = u;
	pd_dw_spend(&f->limits->bytes, sizeof(*u));
	if (give_abbrevs(u, err) == -1)
		return NULL;
	c = pd_dw_unit_cursor(u, u->dies);
	if (pd_dw_die_next(&c, u, PD_DW_ANY, &d))
		pd_dw_unit_apply(u, &d);
	return u;
}

struct pd_dw_unit *
pd_dw_unit_open(struct pd_dw_file *f, uint64_t start, struct pd_error *err)
{
	uint32_t i = pd_map64_find(&f->unit_at, start);
	struct pd_dw_unit made, *u;
	uint64_t next;

	err->code = PD_OK;
	if (i != PD_NOID)
		return f->units[i];
	if (f->limits->bytes == 0 ||
	    !pd_dw_unit_header(&made, f, start, &next) ||
	    (u = pd_dw_unit_keep(&made, err)) == NULL ||
	    pd_map64_put(&f->unit_at, start, (uint32_t)f->nunits - 1,
	    err) == -1)
		return NULL;
	return u;
}

struct pd_dw_unit *
pd_dw_unit_around(struct pd_dw_file *f, uint64_t offset, struct pd_error *err)
{
	size_t lo = 0, hi = f->nstarts, mid;
	struct pd_dw_unit *u;

	err->code = PD_OK;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (f->starts[mid] <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return NULL;
	u = pd_dw_unit_open(f, f->starts[lo - 1], err);
	return u != NULL && offset >= u->dies && offset < u->end ? u : NULL;
}

/* ---- values -------------------------------------------------------------- */

static const char *
indexed_str(const struct pd_dw_unit *u, uint64_t index)
{
	struct pd_cursor c;
	uint64_t at;

	if (index > UINT32_MAX)
		return NULL;
	c = pd_dw_cursor(u->file, PD_DW_STR_OFFSETS,
	    u->str_base + index * u->offset_size);
	at = pd_dw_get(&c, u->offset_size);
	return c.bad ? NULL : pd_dw_file_str(u->file, PD_DW_STR, at);
}

const char *
pd_dw_str(const struct pd_dw_unit *u, const struct pd_dw_value *v)
{
	if (v == NULL)
		return NULL;
	switch (v->form) {
	case DW_FORM_string:
		return (const char *)(uintptr_t)v->u;
	case DW_FORM_strp:
		return pd_dw_file_str(u->file, PD_DW_STR, v->u);
	case DW_FORM_line_strp:
		return pd_dw_file_str(u->file, PD_DW_LINE_STR, v->u);
	case DW_FORM_strx: case DW_FORM_strx1: case DW_FORM_strx2:
	case DW_FORM_strx3: case DW_FORM_strx4: case DW_FORM_GNU_str_index:
		return indexed_str(u, v->u);
	case DW_FORM_GNU_strp_alt: case DW_FORM_strp_sup:
		return u->file->alt == NULL ? NULL :
		    pd_dw_file_str(u->file->alt, PD_DW_STR, v->u);
	default:
		return NULL;
	}
}

bool
pd_dw_addrx(const struct pd_dw_unit *u, uint64_t index, uint64_t *addr)
{
	const struct pd_dw_unit *s = u->skeleton ? u->skeleton : u;
	struct pd_cursor c;

	if (index > UINT32_MAX)
		return false;
	c = pd_dw_cursor(s->file, PD_DW_ADDR,
	    s->addr_base + index * s->addr_size);
	*addr = pd_dw_get(&c, s->addr_size);
	return !c.bad;
}

bool
pd_dw_addr(const struct pd_dw_unit *u, const struct pd_dw_value *v,
    uint64_t *addr)
{
	if (v == NULL)
		return false;
	switch (v->form) {
	case DW_FORM_addr:
		*addr = v->u;
		return true;
	case DW_FORM_addrx: case DW_FORM_addrx1: case DW_FORM_addrx2:
	case DW_FORM_addrx3: case DW_FORM_addrx4: case DW_FORM_GNU_addr_index:
		return pd_dw_addrx(u, v->u, addr);
	default:
		return false;
	}
}

bool
pd_dw_ref(const struct pd_dw_unit *u, const struct pd_dw_value *v,
    struct pd_dw_file **file, uint64_t *offset)
{
	struct pd_dw_file *f = u->file;
	uint64_t to;

	if (v == NULL)
		return false;
	switch (v->form) {
	case DW_FORM_ref1: case DW_FORM_ref2: case DW_FORM_ref4:
	case DW_FORM_ref8: case DW_FORM_ref_udata:
		if (v->u >= u->end - u->start)
			return false;
		to = u->start + v->u;
		break;
	case DW_FORM_ref_addr:
		to = u->info + v->u;
		break;
	case DW_FORM_GNU_ref_alt: case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		f = f->alt;
		to = v->u;
		break;
	default:
		return false;
	}
	if (f == NULL)
		return false;
	*file = f;
	*offset = to;
	return true;
}
