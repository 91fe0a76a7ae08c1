/*
 * The functions that the compiler inlined at an address, out of DWARF.
 *
 * A first pass over the units reads only where their code is.  A unit that is
 * asked for becomes a table by one pass over its DIEs: nodes, which are
 * functions and inlined calls and know what they are in, and a map from
 * addresses to the innermost node.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "symbol/debugfile.h"
#include "symbol/dwarf.h"
#include "symbol/inlines.h"
#include "symbol/spans.h"

/* A hostile file may nest deeper than any compiler inlines. */
#define MAX_CHAIN	1024
#define MAX_OFFSET	(UINT64_C(1) << 46)
#define MB		(UINT64_C(1) << 20)

struct node {
	uint32_t	origin;		/* the DIE with the name: low bits */
	unsigned	origin_high : 14;
	unsigned	alt : 1;	/* it is in .gnu_debugaltlink */
	unsigned	is_function : 1;
	unsigned	file : 16;	/* of the call; 0: unknown */
	uint32_t	line;		/* likewise */
	uint32_t	parent;		/* PD_NOID: none */
};

struct table {
	struct pd_dw_unit	*unit;
	struct pd_dw_unit	*lines;	/* the one with its line program */
	struct node		*nodes;
	size_t			nnodes, cap;
	struct pd_spanmap	map;		/* to nodes */
};

struct pd_inlines {
	struct pd_dw_limits	limits;
	bool			limited;	/* they are set */
	bool			lines;	/* are asked for */
	struct pd_dw_file	*main, *alt;	/* NULL: there is none */
	struct pd_dw_split	split;
	struct table		*tables;	/* by unit; unit NULL: not made */
	struct pd_spanmap	units;
	/* Units that do not say where they are, and what they turn out as. */
	uint32_t		*vague;
	size_t			nvague, vague_cap;
	bool			has_late;
	struct pd_spanmap	late;
	struct pd_map64		name_at;	/* a DIE -> place in names */
	struct pd_dw_name	*names;
	size_t			nnames, names_cap;
	struct pd_arena		arena;
	struct pd_inline	*frames;
	size_t			frames_cap;
};

/* ---- units --------------------------------------------------------------- */

/* Where several units claim an address, the one with the least room has it. */
static int
add_unit(struct pd_spans *s, const struct pd_dw_ranges *r, uint32_t unit,
    struct pd_error *err)
{
	size_t i;

	for (i = 0; i < r->len; i++)
		if (pd_spans_add(s, r->v[i].lo, r->v[i].hi,
		    UINT64_MAX - (r->v[i].hi - r->v[i].lo), unit, err) == -1)
			return -1;
	return 0;
}

struct survey {
	struct pd_inlines	*in;
	struct pd_spans		spans;
	struct pd_dw_ranges	ranges;
	struct pd_dw_abbrevs	room;
};

/* A unit with code and no addresses may be described by .debug_aranges. */
static int
survey_unit(struct survey *s, uint32_t n, struct pd_error *err)
{
	struct pd_inlines *in = s->in;
	struct pd_dw_unit u;
	struct pd_dw_die d;
	uint64_t next;

	if (!pd_dw_unit_header(&u, in->main, in->main->starts[n], &next))
		return 0;
	if (pd_dw_unit_peek(&u, &d, &s->room, err) == -1)
		return -1;
	if (d.have == 0 || (d.abbrev->tag != DW_TAG_compile_unit &&
	    d.abbrev->tag != DW_TAG_skeleton_unit))
		return 0;
	s->ranges.len = 0;
	if (pd_dw_die_ranges(&u, &d, &s->ranges, err) == -1)
		return -1;
	if (s->ranges.len > 0)
		return pd_dw_spend(&in->limits.bytes, s->ranges.len *
		    sizeof(struct pd_span)) ?
		    add_unit(&s->spans, &s->ranges, n, err) : 0;
	/* It has addresses, of code that the linker threw away. */
	if (pd_dw_at(&d, PD_DW_AT_RANGES) != NULL ||
	    pd_dw_at(&d, PD_DW_AT_HIGH) != NULL ||
	    (!d.abbrev->children && u.dwo_name == NULL))
		return 0;
	if (pd_grow(&in->vague, &in->vague_cap, in->nvague + 1,
	    sizeof(*in->vague), err) == -1)
		return -1;
	in->vague[in->nvague++] = n;
	return 0;
}

static int
by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Is the unit at an offset one of the vague ones?  Its number, or PD_NOID. */
static uint32_t
vague_at(const struct pd_inlines *in, uint64_t offset)
{
	size_t lo = 0, hi = in->nvague, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (in->main->starts[in->vague[mid]] < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < in->nvague && in->main->starts[in->vague[lo]] == offset ?
	    in->vague[lo] : PD_NOID;
}

/* One set of .debug_aranges (DWARF 5, 6.1.2): false at the end. */
static bool
read_set(struct pd_cursor *c, uint64_t *unit, uint8_t *addr_size,
    struct pd_cursor *set)
{
	const uint8_t *start = c->p;
	uint64_t len = pd_get_u32(c);
	unsigned offset_size = len == 0xffffffff ? 8 : 4;
	size_t head;

	if (offset_size == 8)
		len = pd_get_u64(c);
	*set = *c;
	if (pd_get_bytes(c, len) == NULL)
		return false;
	set->end = c->p;
	pd_get_u16(set);
	*unit = pd_dw_get(set, offset_size);
	*addr_size = pd_get_u8(set);
	pd_get_u8(set);
	if (set->bad || (*addr_size != 4 && *addr_size != 8))
		return false;
	/* The pairs are aligned to their size, from the start of the set. */
	head = (size_t)(set->p - start) % (2u * *addr_size);
	if (head > 0)
		pd_get_bytes(set, 2u * *addr_size - head);
	return true;
}

static int
survey_aranges(struct survey *s, struct pd_error *err)
{
	struct pd_inlines *in = s->in;
	struct pd_cursor c = pd_dw_cursor(in->main, PD_DW_ARANGES, 0), set;
	struct pd_dw_range r;
	struct pd_dw_ranges one = { .v = &r, .len = 1 };
	uint64_t at;
	uint8_t size;
	uint32_t n;

	while (pd_left(&c) > 0 && read_set(&c, &at, &size, &set)) {
		n = vague_at(in, at);
		while (n != PD_NOID && pd_left(&set) >= 2u * size) {
			r.lo = pd_dw_get(&set, size);
			r.hi = r.lo + pd_dw_get(&set, size);
			if (pd_dw_holds_code(in->main, r.lo, r.hi) &&
			    pd_dw_spend(&in->limits.bytes,
			    sizeof(struct pd_span)) &&
			    add_unit(&s->spans, &one, n, err) == -1)
				return -1;
		}
	}
	/* It lists all that have code, and these are not among them. */
	in->nvague = 0;
	return 0;
}

static int
survey(struct pd_inlines *in, struct pd_error *err)
{
	struct survey s = { .in = in };
	size_t i;
	int ret = 0;

	for (i = 0; i < in->main->nstarts && ret == 0; i++)
		ret = survey_unit(&s, (uint32_t)i, err);
	if (in->nvague > 1)
		qsort(in->vague, in->nvague, sizeof(*in->vague), by_number);
	if (ret == 0 && in->main->sections[PD_DW_ARANGES].size > 0)
		ret = survey_aranges(&s, err);
	if (ret == 0)
		ret = pd_spanmap_make(&in->units, &s.spans, err);
	pd_spans_free(&s.spans);
	free(s.ranges.v);
	pd_dw_abbrevs_free(&s.room);
	return ret;
}

/* ---- the table of a unit ------------------------------------------------- */

struct builder {
	struct pd_inlines	*in;
	struct table		*t;
	struct pd_dw_ranges	ranges;	/* of one DIE */
	struct pd_spans		spans;
	uint32_t		*open;	/* the node around each depth */
	size_t			cap;
};

static uint32_t
number_at(const struct pd_dw_die *d, enum pd_dw_at at)
{
	const struct pd_dw_value *v = pd_dw_at(d, at);

	return v && v->u <= UINT32_MAX ? (uint32_t)v->u : 0;
}

/* Append a node for a DIE: its number, PD_NOID without memory. */
static uint32_t
add_node(struct builder *b, const struct pd_dw_die *d, uint32_t parent,
    struct pd_error *err)
{
	struct table *t = b->t;
	bool function = d->abbrev->tag == DW_TAG_subprogram;
	struct node n = { .parent = function ? PD_NOID : parent,
		.is_function = function };
	struct pd_dw_file *f = t->unit->file;
	uint64_t origin = d->offset;
	uint32_t file;

	if (!function)
		pd_dw_ref(t->unit, pd_dw_at(d, PD_DW_AT_ORIGIN), &f, &origin);
	if (origin >= MAX_OFFSET)
		origin = 0;
	n.origin = (uint32_t)origin;
	n.origin_high = (origin >> 32) & 0x3fff;
	n.alt = f != t->unit->file;
	n.line = number_at(d, PD_DW_AT_CALL_LINE);
	file = number_at(d, PD_DW_AT_CALL_FILE);
	n.file = file > UINT16_MAX ? 0 : file & UINT16_MAX;
	if (pd_grow(&t->nodes, &t->cap, t->nnodes + 1, sizeof(*t->nodes),
	    err) == -1)
		return PD_NOID;
	t->nodes[t->nnodes] = n;
	return (uint32_t)t->nnodes++;
}

/*
 * The node for the DIE of a function or an inlined call, or what its children
 * are in when it has no code.
 */
static int
add_code(struct builder *b, const struct pd_dw_die *d, size_t depth,
    uint32_t *node, struct pd_error *err)
{
	uint32_t parent = *node;
	size_t i;

	if (d->abbrev->tag == DW_TAG_subprogram)
		*node = PD_NOID;
	b->ranges.len = 0;
	if (pd_dw_die_ranges(b->t->unit, d, &b->ranges, err) == -1)
		return -1;
	if (b->ranges.len == 0 && *node == PD_NOID)
		return 0;
	if (!pd_dw_spend(&b->in->limits.bytes, sizeof(struct node) +
	    b->ranges.len * sizeof(struct pd_span)))
		return 0;
	*node = add_node(b, d, parent, err);
	if (*node == PD_NOID)
		return -1;
	/* The deepest DIE owns an address. */
	for (i = 0; i < b->ranges.len; i++)
		if (pd_spans_add(&b->spans, b->ranges.v[i].lo,
		    b->ranges.v[i].hi, (uint64_t)depth << 32 | *node, *node,
		    err) == -1)
			return -1;
	return 0;
}

static int
walk(struct builder *b, struct pd_error *err)
{
	struct pd_dw_unit *u = b->t->unit;
	struct pd_cursor c = pd_dw_unit_cursor(u, u->dies);
	uint32_t around = PD_NOID, node;
	size_t depth = 0;
	struct pd_dw_die d;

	while (pd_dw_die_next(&c, u, PD_DW_CODE, &d)) {
		if (d.abbrev == NULL) {
			if (depth < 2)
				break;
			around = b->open[--depth];
			continue;
		}
		node = around;
		if ((d.abbrev->kind & PD_DW_CODE) &&
		    add_code(b, &d, depth, &node, err) == -1)
			return -1;
		if (!d.abbrev->children)
			continue;
		if (pd_grow(&b->open, &b->cap, depth + 1, sizeof(*b->open),
		    err) == -1)
			return -1;
		b->open[depth++] = around;
		around = node;
	}
	return 0;
}

static int
finish(struct builder *b, struct pd_error *err)
{
	struct table *t = b->t;
	size_t n = b->spans.len;
	void *p;

	if (pd_spanmap_make(&t->map, &b->spans, err) == -1)
		return -1;
	p = t->nnodes ? realloc(t->nodes, t->nnodes * sizeof(*t->nodes)) :
	    NULL;
	if (p != NULL)
		t->nodes = p;
	/* The spans are gone, the map is there. */
	b->in->limits.bytes += n * sizeof(struct pd_span);
	pd_dw_spend(&b->in->limits.bytes,
	    t->map.len * (sizeof(uint64_t) + sizeof(uint32_t)));
	return 0;
}

static struct table *
table_of(struct pd_inlines *in, uint32_t n, struct pd_error *err)
{
	struct table *t = &in->tables[n];
	struct builder b = { .in = in, .t = t };
	struct pd_dw_unit *u, *split = NULL;
	int ret = 0;

	if (t->unit != NULL)
		return t;
	u = pd_dw_unit_open(in->main, in->main->starts[n], err);
	if (u == NULL)
		return NULL;
	if (u->dwo_name != NULL) {
		split = pd_dw_split_unit(&in->split, u, err);
		if (split == NULL && err->code != PD_OK)
			return NULL;
	}
	t->unit = split ? split : u;
	t->lines = u;
	if (pd_dw_spend(&in->limits.steps, t->unit->end - t->unit->dies))
		ret = walk(&b, err);
	if (ret == 0)
		ret = finish(&b, err);
	pd_spans_free(&b.spans);
	free(b.ranges.v);
	free(b.open);
	return ret == -1 ? NULL : t;
}

/* ---- finding ------------------------------------------------------------- */

static int
add_late(struct pd_inlines *in, struct pd_spans *s, uint32_t n,
    struct pd_error *err)
{
	const struct table *t = table_of(in, n, err);
	size_t i;

	if (t == NULL)
		return err->code == PD_OK ? 0 : -1;
	for (i = 0; i + 1 < t->map.len; i++) {
		if (t->map.owners[i] == PD_NOID)
			continue;
		if (!pd_dw_spend(&in->limits.bytes, sizeof(struct pd_span)))
			break;
		if (pd_spans_add(s, t->map.starts[i], t->map.starts[i + 1],
		    0, n, err) == -1)
			return -1;
	}
	return 0;
}

/* The unit of an address that no unit claims. */
static int
find_late(struct pd_inlines *in, uint64_t addr, uint32_t *unit,
    struct pd_error *err)
{
	struct pd_spans s = { .len = 0 };
	size_t i;
	int ret = 0;

	for (i = 0; i < in->nvague && !in->has_late && ret == 0; i++)
		ret = add_late(in, &s, in->vague[i], err);
	if (ret == 0 && !in->has_late)
		ret = pd_spanmap_make(&in->late, &s, err);
	pd_spans_free(&s);
	if (ret == -1)
		return -1;
	in->has_late = true;
	*unit = pd_spanmap_find(&in->late, addr);
	return 0;
}

static int
name_of(struct pd_inlines *in, const struct table *t, const struct node *n,
    const struct pd_dw_name **name, struct pd_error *err)
{
	struct pd_dw_file *f = n->alt ? in->alt : t->unit->file;
	uint64_t offset = (uint64_t)n->origin_high << 32 | n->origin;
	uint64_t key = (uint64_t)f->number << 48 | offset;
	uint32_t i = pd_map64_find(&in->name_at, key);

	if (i == PD_NOID) {
		if (pd_grow(&in->names, &in->names_cap, in->nnames + 1,
		    sizeof(*in->names), err) == -1)
			return -1;
		i = (uint32_t)in->nnames;
		if (pd_dw_name(&in->names[i], t->unit, f, offset, &in->arena,
		    err) == -1 || pd_map64_put(&in->name_at, key, i, err) == -1)
			return -1;
		in->nnames++;
	}
	*name = &in->names[i];
	return 0;
}

static int
describe(struct pd_inlines *in, const struct table *t, const struct node *n,
    struct pd_inline *f, struct pd_error *err)
{
	const struct pd_dw_name *name;

	if (name_of(in, t, n, &name, err) == -1)
		return -1;
	f->name = name->text;
	f->mangled = name->mangled;
	return 0;
}

/* What was inlined by a call is left: f becomes the place of the call. */
static int
leave(struct pd_inlines *in, const struct table *t, const struct node *n,
    struct pd_inline *f, struct pd_error *err)
{
	*f = (struct pd_inline){ .line = n->line };
	return in->lines ? pd_dw_line_file(&f->file, t->unit, n->file,
	    &in->arena, err) : 0;
}

/* f has the place of the code at the address. */
static int
fill_chain(struct pd_inlines *in, const struct table *t, uint32_t i,
    struct pd_inline f, struct pd_inline_chain *chain, struct pd_error *err)
{
	const struct node *n;

	for (; i != PD_NOID && chain->len < MAX_CHAIN; i = n->parent) {
		n = &t->nodes[i];
		if (describe(in, t, n, &f, err) == -1)
			return -1;
		if (n->is_function)
			break;
		if (f.name != NULL) {
			if (pd_grow(&in->frames, &in->frames_cap,
			    chain->len + 1, sizeof(*in->frames), err) == -1)
				return -1;
			in->frames[chain->len++] = f;
		}
		if (leave(in, t, n, &f, err) == -1)
			return -1;
	}
	chain->function = f;
	chain->frames = in->frames;
	return 0;
}

int
pd_inlines_find(struct pd_inlines *in, uint64_t addr,
    struct pd_inline_chain *chain, struct pd_error *err)
{
	uint32_t unit = pd_spanmap_find(&in->units, addr);
	struct pd_inline f = { .line = 0 };
	const struct table *t;

	memset(chain, 0, sizeof(*chain));
	if (unit == PD_NOID && in->nvague > 0 &&
	    find_late(in, addr, &unit, err) == -1)
		return -1;
	if (unit == PD_NOID)
		return 0;
	t = table_of(in, unit, err);
	if (t == NULL)
		return err->code == PD_OK ? 0 : -1;
	if (in->lines && pd_dw_line_find(&f.file, &f.line, t->lines, addr,
	    &in->arena, err) == -1)
		return -1;
	return fill_chain(in, t, pd_spanmap_find(&t->map, addr), f, chain,
	    err);
}

const char *
pd_inlines_gave_up(const struct pd_inlines *in)
{
	if (in->limits.shrunk)
		return "became shorter while it was read";
	return in->limited && (in->limits.bytes == 0 ||
	    in->limits.steps == 0) ? "claims too much for its size" : NULL;
}

/* ---- opening ------------------------------------------------------------- */

static int
open_files(struct pd_inlines *in, const struct pd_inlines_file *f,
    struct pd_error *err)
{
	struct stat st;

	if (stat(f->path, &st) == -1)
		return 0;
	/* For inflated sections and tables. */
	in->limits.bytes = 40 * MB + 4 * (uint64_t)st.st_size;
	in->limits.steps = 64 * MB + 16 * (uint64_t)st.st_size;
	in->limited = true;
	if (pd_dw_file_open(&in->main, f->path, f->id, false, &in->limits,
	    err) == -1)
		return -1;
	if (in->main == NULL)
		return 0;
	in->split.main = in->main;
	if (pd_dw_file_open_alt(&in->alt, in->main, in->split.symfs, err) ==
	    -1 || pd_dw_units_list(in->main, err) == -1)
		return -1;
	if (in->alt != NULL) {
		in->main->alt = in->alt;
		in->alt->number = 1;
		if (pd_dw_units_list(in->alt, err) == -1)
			return -1;
	}
	in->tables = pd_calloc(in->main->nstarts, sizeof(*in->tables), err);
	return in->tables == NULL ? -1 : survey(in, err);
}

struct pd_inlines *
pd_inlines_open(const struct pd_inlines_file *f, struct pd_error *err)
{
	struct pd_inlines *in = pd_calloc(1, sizeof(*in), err);
	const char *symfs = f->symfs ? f->symfs : "";

	if (in == NULL)
		return NULL;
	in->lines = f->lines;
	in->split.symfs = pd_strdup(symfs, err);
	if (in->split.symfs == NULL)
		goto fail;
	if (f->program != NULL && f->program[0] == '/') {
		in->split.program = pd_path(err, "%s%s", symfs, f->program);
		if (in->split.program == NULL)
			goto fail;
	}
	if (open_files(in, f, err) == 0)
		return in;
fail:
	pd_inlines_free(in);
	return NULL;
}

void
pd_inlines_free(struct pd_inlines *in)
{
	size_t i;

	if (in == NULL)
		return;
	for (i = 0; in->tables != NULL && i < in->main->nstarts; i++) {
		free(in->tables[i].nodes);
		pd_spanmap_free(&in->tables[i].map);
	}
	free(in->tables);
	pd_spanmap_free(&in->units);
	pd_spanmap_free(&in->late);
	free(in->vague);
	pd_dw_split_free(&in->split);
	pd_dw_file_close(in->main);
	pd_dw_file_close(in->alt);
	pd_map64_free(&in->name_at);
	free(in->names);
	pd_arena_free(&in->arena);
	free(in->frames);
	free(in);
}
