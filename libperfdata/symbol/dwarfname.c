/* Names functions: by their linkage name, or by what they are declared in. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "symbol/dwarf.h"

#ifndef DW_LANG_C17
#define DW_LANG_C17	0x2c
#endif
#define MAX_ORIGINS	16		/* links from one DIE to the next */
#define MAX_PARTS	64		/* of a qualified name */
#define MAX_NAME	(64 * 1024)

/* What following a DIE to where it was declared finds. */
struct declared {
	struct pd_dw_unit	*unit;		/* NULL: nothing */
	uint64_t		offset;
	uint16_t		tag;
	const char		*name, *linkage;
};

/*
 * Follow abstract origins (of inlined calls and of out-of-line copies) and
 * specifications (from a definition to its declaration in a class).
 */
static int
follow(struct declared *d, struct pd_dw_unit *u, struct pd_dw_file *f,
    uint64_t offset, struct pd_error *err)
{
	struct pd_dw_die die;
	struct pd_cursor c;
	const char *s;
	int i;

	memset(d, 0, sizeof(*d));
	for (i = 0; i < MAX_ORIGINS; i++) {
		if (u == NULL || u->file != f || offset < u->dies ||
		    offset >= u->end)
			u = pd_dw_unit_around(f, offset, err);
		if (u == NULL)
			return err->code == PD_OK ? 0 : -1;
		c = pd_dw_unit_cursor(u, offset);
		if (!pd_dw_die_next(&c, u, PD_DW_ANY, &die) ||
		    die.abbrev == NULL)
			return 0;
		d->unit = u;
		d->offset = offset;
		d->tag = die.abbrev->tag;
		s = pd_dw_str(u, pd_dw_at(&die, PD_DW_AT_LINKAGE));
		d->linkage = d->linkage ? d->linkage : s;
		s = pd_dw_str(u, pd_dw_at(&die, PD_DW_AT_NAME));
		d->name = d->name ? d->name : s;
		if (!pd_dw_ref(u, pd_dw_at(&die, PD_DW_AT_ORIGIN), &f,
		    &offset) && !pd_dw_ref(u, pd_dw_at(&die, PD_DW_AT_SPEC),
		    &f, &offset))
			break;
	}
	return 0;
}

/* ---- scopes -------------------------------------------------------------- */

static int
add_scope(struct pd_dw_unit *u, uint64_t start, uint32_t parent,
    struct pd_error *err)
{
	if (!pd_dw_spend(&u->file->limits->bytes, 2 * sizeof(*u->scopes)))
		return 0;
	if (pd_grow(&u->scopes, &u->scopes_cap, u->nscopes + 1,
	    sizeof(*u->scopes), err) == -1)
		return -1;
	u->scopes[u->nscopes++] = (struct pd_dw_scope){ start, u->end, parent };
	return 0;
}

/*
 * List the namespaces, classes and functions of a unit that have something in
 * them, by one pass over its DIEs.  open holds the scope at each depth.
 */
static int
list_scopes(struct pd_dw_unit *u, uint32_t **open, struct pd_error *err)
{
	struct pd_cursor c = pd_dw_unit_cursor(u, u->dies);
	size_t depth = 0, cap = 0, before;
	uint32_t now = PD_NOID;
	struct pd_dw_die d;

	while (pd_dw_die_next(&c, u, 0, &d)) {
		if (d.abbrev == NULL) {
			if (depth < 2)
				break;
			if (now != (*open)[depth - 1])
				u->scopes[now].end = d.offset;
			now = (*open)[--depth];
			continue;
		}
		if (!d.abbrev->children)
			continue;
		if (pd_grow(open, &cap, depth + 1, sizeof(**open), err) == -1)
			return -1;
		(*open)[depth++] = now;
		before = u->nscopes;
		if ((d.abbrev->kind & PD_DW_SCOPE) &&
		    add_scope(u, d.offset, now, err) == -1)
			return -1;
		if (u->nscopes > before)
			now = (uint32_t)before;
	}
	return 0;
}

/* The scope around a DIE: true if there is one. */
static bool
scope_around(const struct pd_dw_unit *u, uint64_t offset, uint64_t *scope)
{
	size_t lo = 0, hi = u->nscopes, mid;
	uint32_t i;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (u->scopes[mid].start < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* The last that starts before it, or one around that. */
	for (i = lo == 0 ? PD_NOID : (uint32_t)lo - 1; i != PD_NOID;
	    i = u->scopes[i].parent) {
		if (offset < u->scopes[i].end) {
			*scope = u->scopes[i].start;
			return true;
		}
	}
	return false;
}

static int
make_scopes(struct pd_dw_unit *u, struct pd_error *err)
{
	uint32_t *open = NULL;
	int ret = 0;

	if (!u->has_scopes &&
	    pd_dw_spend(&u->file->limits->steps, u->end - u->dies))
		ret = list_scopes(u, &open, err);
	u->has_scopes = true;
	free(open);
	return ret;
}

void
pd_dw_scopes_free(struct pd_dw_unit *u)
{
	free(u->scopes);
}

/* ---- names --------------------------------------------------------------- */

/* Are the names of a language the whole names already? */
static bool
is_flat(uint16_t language)
{
	switch (language) {
	case 0: case DW_LANG_C89: case DW_LANG_C: case DW_LANG_C99:
	case DW_LANG_C11: case DW_LANG_C17: case DW_LANG_Go:
	case DW_LANG_Mips_Assembler:
		return true;
	default:
		return false;
	}
}

/*
 * What stands in a qualified name for d, which has `inner` in it; NULL:
 * nothing.  The words are those of demanglers, which also count: compilers
 * do not name the class of a lambda.
 */
static const char *
part_name(const struct declared *d, const char *inner)
{
	if (d->name != NULL)
		return d->name;
	switch (d->tag) {
	case DW_TAG_namespace: return "(anonymous namespace)";
	case DW_TAG_class_type: case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return strncmp(inner, "operator()", 10) == 0 ? "{lambda}" :
		    "{unnamed type}";
	default: return NULL;
	}
}

struct parts {
	const char	*v[MAX_PARTS];
	size_t		len, size;	/* size: bytes of the text */
};

/* The names of what is around d, outwards. */
static int
collect(struct parts *p, struct declared *d, struct pd_error *err)
{
	const char *name;
	uint64_t scope;

	while (p->len < MAX_PARTS) {
		name = part_name(d, p->len ? p->v[p->len - 1] : "");
		if (name != NULL) {
			p->v[p->len++] = name;
			p->size += strlen(name) + 2;
		}
		if (make_scopes(d->unit, err) == -1)
			return -1;
		if (p->size > MAX_NAME ||
		    !scope_around(d->unit, d->offset, &scope))
			break;
		if (follow(d, d->unit, d->unit->file, scope, err) == -1)
			return -1;
		if (d->unit == NULL)
			break;
	}
	return 0;
}

static int
qualify(const char **name, struct declared *d, struct pd_arena *a,
    struct pd_error *err)
{
	struct parts p = { .len = 0 };
	char *s, *end;

	*name = d->name;
	if (d->unit == NULL || is_flat(d->unit->language))
		return 0;
	if (collect(&p, d, err) == -1)
		return -1;
	if (p.len < 2 || p.size > MAX_NAME ||
	    !pd_dw_spend(&d->unit->file->limits->bytes, p.size))
		return 0;
	s = pd_arena_alloc(a, p.size + 1, err);
	if (s == NULL)
		return -1;
	*name = s;
	end = s + p.size;
	while (p.len-- > 0) {
		s = pd_text_append(s, end, p.v[p.len]);
		if (p.len > 0)
			s = pd_text_append(s, end, "::");
	}
	return 0;
}

int
pd_dw_name(struct pd_dw_name *name, struct pd_dw_unit *where,
    struct pd_dw_file *f, uint64_t offset, struct pd_arena *a,
    struct pd_error *err)
{
	struct declared d;

	if (follow(&d, where, f, offset, err) == -1)
		return -1;
	name->text = d.linkage;
	name->mangled = d.linkage != NULL;
	if (d.linkage != NULL || d.name == NULL)
		return 0;
	return qualify(&name->text, &d, a, err);
}
