/* The functions that an ELF file names: symbol tables and PLT stubs. */
#ifndef PD_SYMBOL_ELFSYMS_H
#define PD_SYMBOL_ELFSYMS_H

#include "base/alloc.h"
#include "symbol/elf.h"
#include "symbol/symtab.h"

struct pd_elfsyms {
	struct pd_symtab	*table;
	struct pd_arena		*names;		/* owns the added names */
	uint64_t		shift;		/* added to each address */
	/*
	 * Where each section lies, for relocatable files (ET_REL), whose
	 * symbols count from their section; UINT64_MAX: nowhere.  Or NULL.
	 */
	const uint64_t		*bases;
	bool			perf_compat;
};

/*
 * Add the symbols of a table: SHT_SYMTAB or SHT_DYNSYM.  0, 1 when the file
 * has none, -1 without memory.
 */
int pd_elfsyms_add(const struct pd_elfsyms *to, const struct pd_elf *e,
    uint32_t type, struct pd_error *err);

/*
 * Add "name@plt" for the stubs through which a file calls other files: x86,
 * x86-64 and AArch64.  e is the run-time file; call it when to->table is
 * finished, and finish that again.
 */
int pd_elfsyms_add_plt(const struct pd_elfsyms *to, const struct pd_elf *e,
    struct pd_error *err);

/* The address of a symbol, whatever its type: true if there is one. */
bool pd_elfsyms_lookup(const struct pd_elf *e, const char *name,
    uint64_t *addr, struct pd_error *err);

#endif
