/* Reads the addresses of an entry: from low to high, or a list of ranges. */
#include <dwarf.h>

#include "base/error.h"
#include "symbol/dwarf.h"
#include "unwind/leb.h"

/*
 * What the linker threw away keeps its entries.  lld gives it the address -1
 * or -2, so that it ends before it starts; ld the address 0, where no code is
 * but may seem to be, when it is long enough to reach what is behind.
 */
bool
pd_dw_holds_code(const struct pd_dw_file *f, uint64_t lo, uint64_t hi)
{
	return lo < hi && (f->code.hi == 0 ||
	    (lo >= f->code.lo && hi <= f->code.hi));
}

static int
add(const struct pd_dw_unit *u, struct pd_dw_ranges *r, uint64_t lo,
    uint64_t hi, struct pd_error *err)
{
	/* A .dwo describes the code of the program that names it. */
	if (!pd_dw_holds_code(u->skeleton ? u->skeleton->file : u->file, lo,
	    hi))
		return 0;
	if (pd_grow(&r->v, &r->cap, r->len + 1, sizeof(*r->v), err) == -1)
		return -1;
	r->v[r->len].lo = lo;
	r->v[r->len++].hi = hi;
	return 0;
}

/* .debug_ranges, DWARF 2 to 4: pairs; (-1, x) is a base, (0, 0) the end. */
static int
read_pairs(const struct pd_dw_unit *u, uint64_t offset,
    struct pd_dw_ranges *r, struct pd_error *err)
{
	const struct pd_dw_unit *s = u->skeleton ? u->skeleton : u;
	struct pd_cursor c;
	uint64_t base = u->low_pc, lo, hi;
	uint64_t max = u->addr_size == 4 ? UINT32_MAX : UINT64_MAX;

	/* GNU's split units of DWARF 4 have theirs in the program. */
	if (u->skeleton != NULL)
		offset += s->ranges_base;
	c = pd_dw_cursor(s->file, PD_DW_RANGES, offset);
	while (pd_dw_spend(&u->file->limits->steps, 2)) {
		lo = pd_dw_get(&c, u->addr_size);
		hi = pd_dw_get(&c, u->addr_size);
		if (c.bad || (lo == 0 && hi == 0))
			break;
		if (lo == max)
			base = hi;
		else if (add(u, r, base + lo, base + hi, err) == -1)
			return -1;
	}
	return 0;
}

static uint64_t
get_addrx(struct pd_cursor *c, const struct pd_dw_unit *u)
{
	uint64_t addr;

	if (!pd_dw_addrx(u, pd_get_uleb(c), &addr))
		c->bad = true;
	return addr;
}

/* .debug_rnglists, DWARF 5 (7.25): 1, 0 at the end. */
static bool
read_entry(struct pd_cursor *c, const struct pd_dw_unit *u, uint64_t *base,
    struct pd_dw_range *r)
{
	r->lo = r->hi = 0;
	switch (pd_get_u8(c)) {
	case DW_RLE_base_addressx:
		*base = get_addrx(c, u);
		break;
	case DW_RLE_startx_endx:
		r->lo = get_addrx(c, u);
		r->hi = get_addrx(c, u);
		break;
	case DW_RLE_startx_length:
		r->lo = get_addrx(c, u);
		r->hi = r->lo + pd_get_uleb(c);
		break;
	case DW_RLE_offset_pair:
		r->lo = *base + pd_get_uleb(c);
		r->hi = *base + pd_get_uleb(c);
		break;
	case DW_RLE_base_address:
		*base = pd_dw_get(c, u->addr_size);
		break;
	case DW_RLE_start_end:
		r->lo = pd_dw_get(c, u->addr_size);
		r->hi = pd_dw_get(c, u->addr_size);
		break;
	case DW_RLE_start_length:
		r->lo = pd_dw_get(c, u->addr_size);
		r->hi = r->lo + pd_get_uleb(c);
		break;
	default:			/* DW_RLE_end_of_list, and unknown */
		return false;
	}
	return !c->bad;
}

static int
read_list(const struct pd_dw_unit *u, uint64_t offset, struct pd_dw_ranges *r,
    struct pd_error *err)
{
	struct pd_cursor c = pd_dw_cursor(u->file, PD_DW_RNGLISTS, offset);
	uint64_t base = u->low_pc;
	struct pd_dw_range e;

	while (pd_dw_spend(&u->file->limits->steps, 2) &&
	    read_entry(&c, u, &base, &e))
		if (add(u, r, e.lo, e.hi, err) == -1)
			return -1;
	return 0;
}

static int
read_ranges(const struct pd_dw_unit *u, const struct pd_dw_value *v,
    struct pd_dw_ranges *r, struct pd_error *err)
{
	struct pd_cursor c;
	uint64_t at;

	if (u->version < 5)
		return read_pairs(u, v->u, r, err);
	if (v->form != DW_FORM_rnglistx)
		return read_list(u, u->rnglists + v->u, r, err);
	if (v->u > UINT32_MAX)
		return 0;
	at = u->rnglists_base + v->u * u->offset_size;
	c = pd_dw_cursor(u->file, PD_DW_RNGLISTS, at);
	at = u->rnglists_base + pd_dw_get(&c, u->offset_size);
	return c.bad ? 0 : read_list(u, at, r, err);
}

int
pd_dw_die_ranges(const struct pd_dw_unit *u, const struct pd_dw_die *d,
    struct pd_dw_ranges *r, struct pd_error *err)
{
	const struct pd_dw_value *v = pd_dw_at(d, PD_DW_AT_RANGES);
	uint64_t lo, hi;

	if (v != NULL)
		return read_ranges(u, v, r, err);
	v = pd_dw_at(d, PD_DW_AT_HIGH);
	if (v == NULL || !pd_dw_addr(u, pd_dw_at(d, PD_DW_AT_LOW), &lo))
		return 0;
	/* Since DWARF 4 it may be a constant: the length. */
	if (!pd_dw_addr(u, v, &hi))
		hi = lo + v->u;
	return add(u, r, lo, hi, err);
}
