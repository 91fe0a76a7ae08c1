/*
 * Reads call frame information.  libdw could, but takes memory by numbers of
 * the file, a gigabyte for each state of a register numbered 2^26 (0.188), and
 * loads all debug sections for the sake of .debug_frame.
 */
#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "unwind/cfi.h"
#include "unwind/leb.h"

/* Compilers nest remember_state once or twice. */
#define MAX_STATES	8
/*
 * Bytes of programs that are run for one file, before it is taken for one made
 * to waste time: a row takes about twenty, and one function could take all.
 */
#define MAX_WORK	(UINT64_C(1) << 30)
/* Augmentation letters with their NUL; there are seven in all. */
#define MAX_LETTERS	16

/* One .eh_frame or .debug_frame. */
struct section {
	struct pd_image_section	s;
	bool			eh;
	bool			is64, swapped;
	uint16_t		machine;
};

struct cie {
	size_t			offset;
	uint64_t		code_align;
	int64_t			data_align;
	uint64_t		ra;
	uint8_t			encoding;	/* of addresses, DW_EH_PE_* */
	uint8_t			word;		/* bytes of an absolute one */
	bool			signal;
	bool			has_data;	/* FDEs have augmentation data */
	struct pd_cursor	program;
};

/* The entry of a function, in order of start. */
struct fde {
	uint64_t	start;
	uint32_t	size;		/* of its code */
	uint32_t	offset;		/* in its section */
};

struct table {
	struct section	section;
	struct fde	*fdes;
	size_t		len, cap;
};

struct pd_cfi {
	struct table	eh, debug;
	uint64_t	work;
};

/* ---- entries ----------------------------------------------------------------- */

/* A cursor on the rest of the section from an offset on. */
static struct pd_cursor
at(const struct section *s, size_t offset)
{
	return pd_cursor(s->s.bytes + offset, s->s.size - offset, s->swapped);
}

static size_t
offset_of(const struct section *s, const struct pd_cursor *c)
{
	return (size_t)(c->p - s->s.bytes);
}

/*
 * The length of the entry at c: c moves to its body, and *body gets only the
 * entry.  0 for a terminator; false at the end of what can be read.
 */
static bool
get_entry(struct pd_cursor *c, struct pd_cursor *body, bool *wide)
{
	uint64_t size = pd_get_u32(c);

	*wide = size == UINT32_MAX;
	if (*wide)
		size = pd_get_u64(c);
	if (c->bad || size > pd_left(c))
		return false;
	*body = *c;
	body->end = c->p + size;
	c->p += size;
	return true;
}

/*
 * Where the CIE of the entry is, or that it is one itself: .eh_frame has a 0
 * there, or how far back the CIE is; .debug_frame all ones, or its offset.
 */
static bool
get_cie_offset(const struct section *s, struct pd_cursor *body, bool wide,
    bool *is_cie, uint64_t *offset)
{
	size_t here = offset_of(s, body);
	/* In .eh_frame this has four bytes, whatever the length has (LSB). */
	bool wide_id = wide && !s->eh;
	uint64_t id = wide_id ? pd_get_u64(body) : pd_get_u32(body);

	if (s->eh) {
		*is_cie = id == 0;
		*offset = here - id;
	} else {
		*is_cie = id == (wide_id ? UINT64_MAX : UINT32_MAX);
		*offset = id;
	}
	return !body->bad;
}

/* An address or size as an encoding (DW_EH_PE_*) has it; sets c->bad. */
static uint64_t
get_encoded(const struct section *s, const struct cie *cie, uint8_t encoding,
    struct pd_cursor *c)
{
	uint64_t v = 0, here = s->s.addr + offset_of(s, c);

	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
		v = cie->word == 8 ? pd_get_u64(c) : pd_get_u32(c);
		break;
	case DW_EH_PE_uleb128: v = pd_get_uleb(c); break;
	case DW_EH_PE_udata2: v = pd_get_u16(c); break;
	case DW_EH_PE_udata4: v = pd_get_u32(c); break;
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8: v = pd_get_u64(c); break;
	case DW_EH_PE_sleb128: v = (uint64_t)pd_get_sleb(c); break;
	case DW_EH_PE_sdata2:
		v = (uint64_t)(int64_t)(int16_t)pd_get_u16(c);
		break;
	case DW_EH_PE_sdata4:
		v = (uint64_t)(int64_t)(int32_t)pd_get_u32(c);
		break;
	default: c->bad = true;
	}
	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		v += here;
	else if (encoding & 0xf0)
		c->bad = true;		/* not in use for code on Linux */
	return v;
}

/* The letters behind the 'z' say what the augmentation data has. */
static void
get_augmentation(const struct section *s, struct cie *cie, const char *letters,
    struct pd_cursor c)
{
	uint8_t encoding;

	for (; *letters != '\0' && !c.bad; letters++) {
		switch (*letters) {
		case 'R': cie->encoding = pd_get_u8(&c); break;
		case 'L': pd_get_u8(&c); break;
		case 'P':
			/* Its value is not asked for: any base will do. */
			encoding = pd_get_u8(&c) & 0x0f;
			get_encoded(s, cie, encoding, &c);
			break;
		case 'S': cie->signal = true; break;
		case 'B': break;	/* arm64: signed with key B */
		case 'G': break;	/* arm64: memory is tagged */
		default: return;	/* what follows cannot be known */
		}
	}
}

/* The CIE at an offset: false when it is damaged or of an unknown kind. */
static bool
get_cie(const struct section *s, uint64_t offset, struct cie *cie)
{
	struct pd_cursor c, body;
	const char *letters;
	bool wide, is_cie;
	uint64_t unused, size;
	uint8_t version;

	if (offset >= s->s.size)
		return false;
	c = at(s, (size_t)offset);
	if (!get_entry(&c, &body, &wide) ||
	    !get_cie_offset(s, &body, wide, &is_cie, &unused) || !is_cie)
		return false;
	*cie = (struct cie){ .offset = (size_t)offset,
		.word = s->is64 ? 8 : 4 };
	version = pd_get_u8(&body);
	/* Many functions in turn may ask for CIEs, so none may be long to read. */
	if (memchr(body.p, 0, pd_left(&body) < MAX_LETTERS ? pd_left(&body) :
	    MAX_LETTERS) == NULL)
		return false;
	letters = pd_get_str(&body);
	if (letters == NULL || (letters[0] != '\0' && letters[0] != 'z'))
		return false;
	if (version >= 4) {
		cie->word = pd_get_u8(&body);
		if (pd_get_u8(&body) != 0)	/* size of segment selectors */
			return false;
	}
	cie->code_align = pd_get_uleb(&body);
	cie->data_align = pd_get_sleb(&body);
	cie->ra = version == 1 ? pd_get_u8(&body) : pd_get_uleb(&body);
	cie->has_data = letters[0] == 'z';
	if (cie->has_data) {
		size = pd_get_uleb(&body);
		if (size > pd_left(&body))
			return false;
		c = body;
		c.end = c.p + size;
		get_augmentation(s, cie, letters + 1, c);
		body.p += size;
	}
	cie->program = body;
	return !body.bad && cie->ra < PD_ARCH_REGS;
}

/* What an FDE says of its code; the cursor moves to its program. */
static bool
get_fde(const struct section *s, const struct cie *cie,
    struct pd_cursor *body, uint64_t *start, uint64_t *size)
{
	uint64_t skip;

	*start = get_encoded(s, cie, cie->encoding, body);
	*size = get_encoded(s, cie, cie->encoding & 0x0f, body);
	if (cie->has_data) {
		skip = pd_get_uleb(body);
		if (skip > pd_left(body))
			return false;
		body->p += skip;
	}
	return !body->bad;
}

/* ---- the index --------------------------------------------------------------- */

static int
by_start(const void *a, const void *b)
{
	const struct fde *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int
add_fde(struct table *t, uint64_t start, uint64_t size, size_t offset,
    struct pd_error *err)
{
	if (size == 0 || start + size < start)
		return 0;
	if (pd_grow(&t->fdes, &t->cap, t->len + 1, sizeof(*t->fdes), err))
		return -1;
	t->fdes[t->len++] = (struct fde){ start,
		size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
		(uint32_t)offset };
	return 0;
}

static void
sort(struct table *t)
{
	size_t i;

	/* Linkers mostly write them in order. */
	for (i = 1; i < t->len; i++)
		if (by_start(&t->fdes[i - 1], &t->fdes[i]) > 0)
			break;
	if (i < t->len)
		qsort(t->fdes, t->len, sizeof(*t->fdes), by_start);
}

/*
 * Go through all entries once.  The table in .eh_frame_hdr would spare this,
 * but not every file has one, and it would have to be checked.
 */
static int
build(struct table *t, struct pd_error *err)
{
	struct section *s = &t->section;
	struct cie cie = { .offset = SIZE_MAX };
	struct pd_cursor c, body;
	uint64_t cie_offset, start, size;
	bool wide, is_cie;
	size_t offset;

	if (s->s.bytes == NULL || s->s.size > UINT32_MAX)
		return 0;
	c = at(s, 0);
	while (pd_left(&c) > 0) {
		offset = offset_of(s, &c);
		if (!get_entry(&c, &body, &wide))
			break;
		if (!get_cie_offset(s, &body, wide, &is_cie, &cie_offset) ||
		    is_cie)
			continue;
		if (cie_offset != cie.offset && !get_cie(s, cie_offset, &cie)) {
			cie.offset = SIZE_MAX;
			continue;
		}
		if (get_fde(s, &cie, &body, &start, &size) &&
		    add_fde(t, start, size, offset, err) == -1)
			return -1;
	}
	sort(t);
	return 0;
}

static void
set_section(struct table *t, const struct pd_image *img, bool eh)
{
	t->section = (struct section){
		.s = eh ? img->eh_frame : img->debug_frame,
		.eh = eh,
		.is64 = img->is64,
		.swapped = img->swapped,
		.machine = img->machine,
	};
}

struct pd_cfi *
pd_cfi_new(const struct pd_image *img, struct pd_error *err)
{
	struct pd_cfi *c = pd_calloc(1, sizeof(*c), err);

	if (c == NULL)
		return NULL;
	set_section(&c->eh, img, true);
	set_section(&c->debug, img, false);
	if (build(&c->eh, err) == -1 || build(&c->debug, err) == -1) {
		pd_cfi_free(c);
		return NULL;
	}
	return c;
}

void
pd_cfi_free(struct pd_cfi *c)
{
	if (c == NULL)
		return;
	free(c->eh.fdes);
	free(c->debug.fdes);
	free(c);
}

/* ---- the program --------------------------------------------------------------- */

/* A run of the program of an entry, up to the row of an address. */
struct run {
	const struct section	*s;
	const struct cie	*cie;
	struct pd_cursor	c;
	uint64_t		loc, addr;
	struct pd_cfi_row	*row;
	const struct pd_cfi_row	*initial;	/* NULL: in the CIE still */
	struct pd_cfi_row	states[MAX_STATES];
	size_t			nstates;
};

static void
set(struct run *r, uint64_t reg, enum pd_cfi_how how, uint64_t value)
{
	if (reg < PD_ARCH_REGS)
		r->row->regs[reg] = (struct pd_cfi_rule){ .how = how,
			.value = (int64_t)value };
}

static void
set_register(struct run *r, uint64_t reg, uint64_t from)
{
	set(r, reg, from < PD_ARCH_REGS ? PD_CFI_REGISTER : PD_CFI_UNDEFINED,
	    0);
	if (reg < PD_ARCH_REGS)
		r->row->regs[reg].n = (uint32_t)from;
}

static struct pd_cfi_rule
get_expr(struct run *r, enum pd_cfi_how how)
{
	uint64_t size = pd_get_uleb(&r->c);
	struct pd_cfi_rule rule = { .how = how, .expr = r->c.p };

	rule.n = (uint32_t)size;
	if (size > pd_left(&r->c) || size > UINT32_MAX)
		r->c.bad = true;
	else
		r->c.p += size;
	return rule;
}

static void
set_expr(struct run *r, enum pd_cfi_how how)
{
	uint64_t reg = pd_get_uleb(&r->c);
	struct pd_cfi_rule rule = get_expr(r, how);

	if (reg < PD_ARCH_REGS)
		r->row->regs[reg] = rule;
}

static void
set_cfa(struct run *r, uint64_t reg, uint64_t offset)
{
	r->row->cfa = (struct pd_cfi_rule){ .how = PD_CFI_OFFSET,
		.n = (uint32_t)reg, .value = (int64_t)offset };
	if (reg >= PD_ARCH_REGS)
		r->row->cfa.how = PD_CFI_UNDEFINED;
}

static void
restore(struct run *r, uint64_t reg)
{
	static const struct pd_cfi_rule unset;

	if (reg < PD_ARCH_REGS)
		r->row->regs[reg] = r->initial ? r->initial->regs[reg] : unset;
}

static void
push_state(struct run *r)
{
	if (r->nstates == MAX_STATES)
		r->c.bad = true;
	else
		r->states[r->nstates++] = *r->row;
}

static void
pop_state(struct run *r)
{
	if (r->nstates == 0)
		r->c.bad = true;
	else
		*r->row = r->states[--r->nstates];
}

/* Offsets are stored as multiples. */
static uint64_t
factored(const struct run *r, uint64_t v)
{
	return v * (uint64_t)r->cie->data_align;
}

static void
advance(struct run *r, uint64_t delta)
{
	r->loc += delta * r->cie->code_align;
}

/* An instruction that has nothing in its low bits. */
static void
extended(struct run *r, uint8_t op)
{
	struct pd_cursor *c = &r->c;
	uint64_t reg;

	switch (op) {
	case DW_CFA_nop: break;
	case DW_CFA_set_loc:
		r->loc = get_encoded(r->s, r->cie, r->cie->encoding, c);
		break;
	case DW_CFA_advance_loc1: advance(r, pd_get_u8(c)); break;
	case DW_CFA_advance_loc2: advance(r, pd_get_u16(c)); break;
	case DW_CFA_advance_loc4: advance(r, pd_get_u32(c)); break;
	case DW_CFA_MIPS_advance_loc8: advance(r, pd_get_u64(c)); break;
	case DW_CFA_offset_extended:
		reg = pd_get_uleb(c);
		set(r, reg, PD_CFI_SAVED, factored(r, pd_get_uleb(c)));
		break;
	case DW_CFA_offset_extended_sf:
		reg = pd_get_uleb(c);
		set(r, reg, PD_CFI_SAVED,
		    factored(r, (uint64_t)pd_get_sleb(c)));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		reg = pd_get_uleb(c);
		set(r, reg, PD_CFI_SAVED, -factored(r, pd_get_uleb(c)));
		break;
	case DW_CFA_val_offset:
		reg = pd_get_uleb(c);
		set(r, reg, PD_CFI_OFFSET, factored(r, pd_get_uleb(c)));
		break;
	case DW_CFA_val_offset_sf:
		reg = pd_get_uleb(c);
		set(r, reg, PD_CFI_OFFSET,
		    factored(r, (uint64_t)pd_get_sleb(c)));
		break;
	case DW_CFA_restore_extended: restore(r, pd_get_uleb(c)); break;
	case DW_CFA_undefined:
		set(r, pd_get_uleb(c), PD_CFI_UNDEFINED, 0);
		break;
	case DW_CFA_same_value: set(r, pd_get_uleb(c), PD_CFI_SAME, 0); break;
	case DW_CFA_register:
		reg = pd_get_uleb(c);
		set_register(r, reg, pd_get_uleb(c));
		break;
	case DW_CFA_remember_state: push_state(r); break;
	case DW_CFA_restore_state: pop_state(r); break;
	case DW_CFA_def_cfa:
		reg = pd_get_uleb(c);
		set_cfa(r, reg, pd_get_uleb(c));
		break;
	case DW_CFA_def_cfa_sf:
		reg = pd_get_uleb(c);
		set_cfa(r, reg, factored(r, (uint64_t)pd_get_sleb(c)));
		break;
	/* The next three change an offset from a register only. */
	case DW_CFA_def_cfa_register:
		set_cfa(r, pd_get_uleb(c), (uint64_t)r->row->cfa.value);
		break;
	case DW_CFA_def_cfa_offset:
		r->row->cfa.value = (int64_t)pd_get_uleb(c);
		break;
	case DW_CFA_def_cfa_offset_sf:
		r->row->cfa.value = (int64_t)factored(r,
		    (uint64_t)pd_get_sleb(c));
		break;
	case DW_CFA_def_cfa_expression:
		r->row->cfa = get_expr(r, PD_CFI_EXPR);
		break;
	case DW_CFA_expression: set_expr(r, PD_CFI_AT_EXPR); break;
	case DW_CFA_val_expression: set_expr(r, PD_CFI_EXPR); break;
	case DW_CFA_GNU_args_size: pd_get_uleb(c); break;
	/*
	 * On arm64 these tell whether the return address is signed, which is
	 * seen from the address itself; elsewhere 0x2d means SPARC's windows.
	 */
	case DW_CFA_AARCH64_negate_ra_state:
	case DW_CFA_AARCH64_negate_ra_state - 1:	/* ..._with_pc */
		c->bad |= r->s->machine != EM_AARCH64;
		break;
	default: c->bad = true;
	}
}

/* Run the program until it leaves the row of r->addr. */
static bool
run(struct run *r)
{
	struct pd_cursor *c = &r->c;
	uint8_t op;

	while (pd_left(c) > 0 && !c->bad && r->loc <= r->addr) {
		op = pd_get_u8(c);
		switch (op & 0xc0) {
		case DW_CFA_advance_loc: advance(r, op & 0x3f); break;
		case DW_CFA_offset:
			set(r, op & 0x3f, PD_CFI_SAVED,
			    factored(r, pd_get_uleb(c)));
			break;
		case DW_CFA_restore: restore(r, op & 0x3f); break;
		default: extended(r, op);
		}
	}
	return !c->bad;
}

static bool
run_both(const struct section *s, const struct cie *cie,
    struct pd_cursor body, uint64_t start, uint64_t addr, uint64_t *work,
    struct pd_cfi_row *row)
{
	struct pd_cfi_row initial;
	struct run r = { .s = s, .cie = cie, .c = cie->program, .row = row };
	bool ok;

	memset(row, 0, sizeof(*row));
	row->ra = (uint8_t)cie->ra;
	row->signal = cie->signal;
	*work += pd_left(&cie->program);
	if (!run(&r))
		return false;
	initial = *row;
	r.initial = &initial;
	r.c = body;
	r.loc = start;
	r.addr = addr;
	r.nstates = 0;
	ok = run(&r);
	*work += (size_t)(r.c.p - body.p);
	return ok;
}

static const struct fde *
find_fde(const struct table *t, uint64_t addr)
{
	size_t lo = 0, hi = t->len, mid;
	const struct fde *f;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (t->fdes[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return NULL;
	f = &t->fdes[lo - 1];
	return addr - f->start < f->size ? f : NULL;
}

static bool
find(const struct table *t, uint64_t addr, uint64_t *work,
    struct pd_cfi_row *row)
{
	const struct section *s = &t->section;
	const struct fde *f = find_fde(t, addr);
	struct pd_cursor c, body;
	uint64_t cie_offset, start, size;
	bool wide, is_cie;
	struct cie cie;

	if (f == NULL)
		return false;
	c = at(s, f->offset);
	return get_entry(&c, &body, &wide) &&
	    get_cie_offset(s, &body, wide, &is_cie, &cie_offset) &&
	    get_cie(s, cie_offset, &cie) &&
	    get_fde(s, &cie, &body, &start, &size) &&
	    run_both(s, &cie, body, start, addr, work, row);
}

bool
pd_cfi_find(struct pd_cfi *c, uint64_t addr, struct pd_cfi_row *row)
{
	return c->work < MAX_WORK && (find(&c->eh, addr, &c->work, row) ||
	    find(&c->debug, addr, &c->work, row));
}
