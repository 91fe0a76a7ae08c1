/* Sorts symbols, settles their ends and aliases, and finds them by address. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "symbol/demangle.h"

#include "symbol/symtab.h"

static const char *const ref_names[] = { "_text", "_stext" };

#define NREFS		(sizeof(ref_names) / sizeof(ref_names[0]))
#define PAGE		4096u
#define NONE		UINT32_MAX
/* Steps outwards from a nested symbol; real code nests two or three deep. */
#define MAX_NESTING	64

struct pd_symtab {
	struct pd_symbol	*syms;
	size_t			len, cap;
	size_t			ready;		/* sorted: can be found */
	const char		**modules;	/* by id - 1 */
	size_t			modules_len, modules_cap;
	enum pd_symtab_kind	kind;
	bool			sorted;
	uint64_t		refs[NREFS];	/* 0: not there */
	struct pd_demangler	names[2];	/* for ELF_PERF */
};

struct pd_symtab *
pd_symtab_new(enum pd_symtab_kind kind, struct pd_error *err)
{
	struct pd_symtab *t = pd_calloc(1, sizeof(*t), err);

	if (t != NULL) {
		t->kind = kind;
		t->sorted = true;
		t->names[0].perf_compat = t->names[1].perf_compat = true;
	}
	return t;
}

void
pd_symtab_free(struct pd_symtab *t)
{
	if (t == NULL)
		return;
	free(t->syms);
	free(t->modules);
	pd_demangler_free(&t->names[0]);
	pd_demangler_free(&t->names[1]);
	free(t);
}

/*
 * The id of a module, 0 without memory.  kallsyms lists a module's symbols
 * together, so comparing with the last one is enough.
 */
static uint16_t
module_id(struct pd_symtab *t, const char *module, struct pd_error *err)
{
	if (t->modules_len > 0 &&
	    strcmp(t->modules[t->modules_len - 1], module) == 0)
		return (uint16_t)t->modules_len;
	if (t->modules_len == UINT16_MAX)
		return UINT16_MAX;
	if (pd_grow(&t->modules, &t->modules_cap, t->modules_len + 1,
	    sizeof(*t->modules), err) == -1)
		return 0;
	t->modules[t->modules_len++] = module;
	return (uint16_t)t->modules_len;
}

/* While symbols are added, `outer` holds their order. */
static int
append(struct pd_symtab *t, const struct pd_symbol *sym, struct pd_error *err)
{
	if (t->len == NONE)
		return pd_fail(err, PD_ENOMEM, PD_NOWHERE, "too many symbols");
	if (pd_grow(&t->syms, &t->cap, t->len + 1, sizeof(*t->syms), err) == -1)
		return -1;
	if (t->len > 0 && sym->start < t->syms[t->len - 1].start)
		t->sorted = false;
	t->syms[t->len] = *sym;
	t->syms[t->len].outer = (uint32_t)t->len;
	t->len++;
	return 0;
}

static void
note_ref(struct pd_symtab *t, const char *name, uint64_t addr)
{
	size_t i;

	for (i = 0; i < NREFS; i++)
		if (strcmp(name, ref_names[i]) == 0)
			t->refs[i] = addr;
}

bool
pd_symtab_ref(const struct pd_symtab *t, const char *name, uint64_t *addr)
{
	size_t i;

	for (i = 0; i < NREFS; i++) {
		if (strcmp(name, ref_names[i]) == 0) {
			*addr = t->refs[i];
			return t->refs[i] != 0;
		}
	}
	return false;
}

int
pd_symtab_add(struct pd_symtab *t, uint64_t start, uint64_t size,
    const char *name, const char *module, uint8_t flags, struct pd_error *err)
{
	struct pd_symbol sym = {
		.start = start, .end = start + size, .name = name,
		.flags = flags,
	};

	if (sym.end < start)
		sym.end = UINT64_MAX;
	if (name[0] == '_')
		note_ref(t, name, start);
	if (module != NULL && (sym.module = module_id(t, module, err)) == 0)
		return -1;
	return append(t, &sym, err);
}

int
pd_symtab_bound(struct pd_symtab *t, uint64_t addr, struct pd_error *err)
{
	struct pd_symbol sym = { .start = addr, .end = addr };

	return append(t, &sym, err);
}

#define DIGIT_BITS	11
#define DIGITS		(1u << DIGIT_BITS)

/* One pass of the radix sort: by one digit of the start, stable. */
static void
sort_digit(const struct pd_symbol *from, struct pd_symbol *to, size_t len,
    uint64_t base, unsigned shift)
{
	size_t count[DIGITS] = { 0 }, i, n, sum = 0;

	for (i = 0; i < len; i++)
		count[(from[i].start - base) >> shift & (DIGITS - 1)]++;
	for (i = 0; i < DIGITS; i++) {
		n = count[i];
		count[i] = sum;
		sum += n;
	}
	for (i = 0; i < len; i++)
		to[count[(from[i].start - base) >> shift & (DIGITS - 1)]++] =
		    from[i];
}

/* A third of the time of qsort(3) for the addresses of one file. */
static bool
radix_sort(struct pd_symtab *t)
{
	uint64_t min = UINT64_MAX, max = 0;
	struct pd_symbol *room, *swap;
	unsigned shift;
	size_t i;

	for (i = 0; i < t->len; i++) {
		min = t->syms[i].start < min ? t->syms[i].start : min;
		max = t->syms[i].start > max ? t->syms[i].start : max;
	}
	room = malloc(t->cap * sizeof(*room));
	if (room == NULL)
		return false;
	for (shift = 0; shift < 64 && (max - min) >> shift != 0;
	    shift += DIGIT_BITS) {
		sort_digit(t->syms, room, t->len, min, shift);
		swap = t->syms;
		t->syms = room;
		room = swap;
	}
	free(room);
	return true;
}

static int
by_start_and_order(const void *a, const void *b)
{
	const struct pd_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->outer < y->outer ? -1 : x->outer > y->outer;
}

static uint64_t
page_after(uint64_t addr)
{
	uint64_t end = (addr + 2 * PAGE - 1) & ~(uint64_t)(PAGE - 1);

	return end > addr ? end : UINT64_MAX;
}

/*
 * A symbol without a size reaches to the next.  Behind the last symbol of the
 * kernel and of each module in kallsyms lies a gap that belongs to nobody.
 */
static void
fill_ends(struct pd_symtab *t)
{
	struct pd_symbol *s, *next;
	size_t i;

	for (i = 0; i < t->len; i++) {
		s = &t->syms[i];
		if (s->end != s->start || s->name == NULL)
			continue;
		s->flags |= PD_SYM_LABEL;
		next = i + 1 < t->len ? s + 1 : NULL;
		if (next == NULL || (t->kind == PD_SYMTAB_KALLSYMS &&
		    next->module != s->module))
			s->end = page_after(s->start);
		else
			s->end = next->start;
	}
}

static size_t
underscores(const char *s)
{
	size_t n = 0;

	while (s[n] == '_')
		n++;
	return n;
}

/* "SyS_read" was, until Linux 4.17, an alias of the better "sys_read". */
static bool
is_sys_alias(const char *s)
{
	return strncmp(s, "SyS", 3) == 0 || strncmp(s, "compat_SyS", 10) == 0;
}

/* The name by which aliases are compared. */
static const char *
alias_name(struct pd_symtab *t, int side, const char *name)
{
	struct pd_error err;
	const char *s;

	if (t->kind != PD_SYMTAB_ELF_PERF)
		return name;
	s = pd_demangle(&t->names[side], name, PD_DEMANGLE_SHORT, &err);
	return s == NULL ? name : s;
}

/* Is b a better name than a, whose binding is as good? */
static bool
is_better_name(const char *a, const char *b)
{
	size_t m = underscores(a), n = underscores(b);

	if (m != n)
		return n < m;
	m = strlen(a);
	n = strlen(b);
	if (m != n)
		return n > m;
	return is_sys_alias(a);
}

/* Is b a better symbol than a for the address where both start? */
static bool
is_better(struct pd_symtab *t, const struct pd_symbol *a,
    const struct pd_symbol *b)
{
	bool x, y;

	x = a->end != a->start;
	y = b->end != b->start;
	if (x != y)
		return y;
	x = a->flags & PD_SYM_WEAK;
	y = b->flags & PD_SYM_WEAK;
	if (x != y)
		return x;
	x = a->flags & PD_SYM_GLOBAL;
	y = b->flags & PD_SYM_GLOBAL;
	if (x != y)
		return y;
	return is_better_name(alias_name(t, 0, a->name),
	    alias_name(t, 1, b->name));
}

/* Drop the bounds, and all but the best of the symbols with one start. */
static void
drop_aliases(struct pd_symtab *t)
{
	struct pd_symbol *s;
	size_t i, n = 0;

	for (i = 0; i < t->len; i++) {
		s = &t->syms[i];
		if (s->name == NULL)
			continue;
		if (n == 0 || t->syms[n - 1].start != s->start)
			t->syms[n++] = *s;
		else if (is_better(t, &t->syms[n - 1], s))
			t->syms[n - 1] = *s;
	}
	t->len = n;
}

/*
 * Drop what has no size inside a symbol that has one: it marks a place in that
 * function (a return point, a deoptimisation), and is no function.
 */
static void
drop_labels(struct pd_symtab *t)
{
	const struct pd_symbol *s;
	uint64_t end = 0;
	size_t i, n = 0;

	for (i = 0; i < t->len; i++) {
		s = &t->syms[i];
		if ((s->flags & PD_SYM_LABEL) && s->start < end)
			continue;
		if (!(s->flags & PD_SYM_LABEL) && s->end > end)
			end = s->end;
		t->syms[n++] = *s;
	}
	t->len = n;
}

/*
 * Let `outer` be the nearest symbol before that ends later.  A symbol around
 * an address behind the end of a nested one is found on this chain: each step
 * costs one comparison a symbol in total.
 */
static void
link_outer(struct pd_symtab *t)
{
	uint32_t i, j;

	for (i = 0; i < t->len; i++) {
		j = i == 0 ? NONE : i - 1;
		while (j != NONE && t->syms[j].end <= t->syms[i].end)
			j = t->syms[j].outer;
		t->syms[i].outer = j;
	}
}

void
pd_symtab_finish(struct pd_symtab *t)
{
	size_t i;

	for (i = 0; i < t->len; i++)
		t->syms[i].outer = (uint32_t)i;
	if (!t->sorted && !radix_sort(t))
		qsort(t->syms, t->len, sizeof(*t->syms), by_start_and_order);
	t->sorted = true;
	fill_ends(t);
	drop_aliases(t);
	drop_labels(t);
	link_outer(t);
	t->ready = t->len;
}

size_t
pd_symtab_len(const struct pd_symtab *t)
{
	return t->ready;
}

size_t
pd_symtab_pending(const struct pd_symtab *t)
{
	return t->len - t->ready;
}

const struct pd_symbol *
pd_symtab_get(const struct pd_symtab *t, size_t i)
{
	return &t->syms[i];
}

const char *
pd_symtab_module(const struct pd_symtab *t, const struct pd_symbol *sym)
{
	return sym->module == 0 ? NULL : t->modules[sym->module - 1];
}

const struct pd_symbol *
pd_symtab_find(const struct pd_symtab *t, uint64_t addr)
{
	size_t lo = 0, hi = t->ready, mid;
	uint32_t i;
	int step;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (t->syms[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	i = lo == 0 ? NONE : (uint32_t)(lo - 1);
	for (step = 0; i != NONE && step < MAX_NESTING; step++) {
		if (addr < t->syms[i].end)
			return &t->syms[i];
		i = t->syms[i].outer;
	}
	return NULL;
}

bool
pd_symtab_cut(struct pd_symtab *t, uint64_t addr, uint64_t end)
{
	const struct pd_symbol *sym = pd_symtab_find(t, addr);

	if (sym == NULL)
		return false;
	if (end < sym->end)
		t->syms[sym - t->syms].end = end;
	return true;
}
