/* A sorted table of symbols, with aliases and missing ends settled. */
#ifndef PD_SYMBOL_SYMTAB_H
#define PD_SYMBOL_SYMTAB_H

#include "perfdata.h"

/* What is known of a symbol besides its range. */
enum {
	PD_SYM_WEAK = 1,
	PD_SYM_GLOBAL = 2,		/* neither: local */
	PD_SYM_PLT = 4,			/* a stub of the linker, "name@plt" */
	PD_SYM_LABEL = 8,		/* it had no size */
};

struct pd_symbol {
	uint64_t	start, end;	/* end is the first address behind it */
	const char	*name;		/* as stored: mangled; hostile text */
	uint32_t	outer;		/* used by the table */
	uint16_t	module;		/* pd_symtab_module(), 0: none */
	uint8_t		flags;		/* PD_SYM_* */
};

/*
 * Kallsyms has no sizes at all; there the last symbol of the kernel and of
 * each module ends with its page.  perf chooses between two names of one
 * address by their readable forms, which takes time: PERF does so too.
 */
enum pd_symtab_kind {
	PD_SYMTAB_ELF, PD_SYMTAB_ELF_PERF, PD_SYMTAB_KALLSYMS
};

struct pd_symtab;

struct pd_symtab *pd_symtab_new(enum pd_symtab_kind kind,
    struct pd_error *err);
void pd_symtab_free(struct pd_symtab *t);

/*
 * Add a symbol; size 0 means unknown.  name (and module, "[name]" or NULL)
 * are borrowed for as long as the table lives.
 */
int pd_symtab_add(struct pd_symtab *t, uint64_t start, uint64_t size,
    const char *name, const char *module, uint8_t flags,
    struct pd_error *err);

/* No symbol whose size is unknown reaches across addr: a section ends here. */
int pd_symtab_bound(struct pd_symtab *t, uint64_t addr,
    struct pd_error *err);

/* Let the symbol around addr end at `end`: false when there is none. */
bool pd_symtab_cut(struct pd_symtab *t, uint64_t addr, uint64_t end);

/*
 * Sort, fill in the missing ends and keep one name an address, by perf's
 * rules (tools/perf/util/symbol.c).  Call it after the last add and before
 * the first find; more may be added after it, and then again.
 */
void pd_symtab_finish(struct pd_symtab *t);

/* The module of a symbol as it was added, or NULL. */
const char *pd_symtab_module(const struct pd_symtab *t,
    const struct pd_symbol *sym);

/*
 * The address of "_text" or "_stext", by which a kernel is relocated, even
 * where another name won: true if it was added.
 */
bool pd_symtab_ref(const struct pd_symtab *t, const char *name,
    uint64_t *addr);

/* How many can be found, and how many were added since. */
size_t pd_symtab_len(const struct pd_symtab *t);
size_t pd_symtab_pending(const struct pd_symtab *t);
/* The i-th by address. */
const struct pd_symbol *pd_symtab_get(const struct pd_symtab *t, size_t i);

/*
 * The innermost symbol with start <= addr < end, or NULL.  Owned by the
 * table; the same pointer for all addresses of one function.
 */
const struct pd_symbol *pd_symtab_find(const struct pd_symtab *t,
    uint64_t addr);

#endif
