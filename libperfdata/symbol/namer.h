/* The namer: from a symbol as stored to the name that a frame has. */
#ifndef PD_SYMBOL_NAMER_H
#define PD_SYMBOL_NAMER_H

#include "symbol/demangle.h"
#include "symbol/symtab.h"

struct pd_namer {
	struct pd_demangler	demangler;
	enum pd_demangle	mode;
	bool			perf_compat;
	char			*buf;
	size_t			cap;
};

void pd_namer_init(struct pd_namer *n, enum pd_demangle mode,
    bool perf_compat);
void pd_namer_free(struct pd_namer *n);

/*
 * Names are borrowed until the next call with the same n, or as long as what
 * they are made of; NULL without memory.
 */

/* The name of a symbol of the kernel or of a program. */
const char *pd_namer_symbol(struct pd_namer *n, const struct pd_symbol *sym,
    bool kernel, struct pd_error *err);

/* The name of an inlined function, mangled or as the source has it. */
const char *pd_namer_inlined(struct pd_namer *n, const char *name,
    bool mangled, struct pd_error *err);

#endif
