/* The functions that an ELF file names: symbol tables and PLT stubs. */
#ifndef PD_SYMBOL_ELFSYMS_H
#define PD_SYMBOL_ELFSYMS_H

#include "base/alloc.h"
#include "symbol/elf.h"
#include "symbol/symtab.h"

#define PD_SYMNAMES_BLOCKS	4

/* What holds the names of a symbol table; zero is empty. */
struct pd_symnames {
	struct pd_arena	arena;
	char		*blocks[PD_SYMNAMES_BLOCKS];	/* whole string tables */
	size_t		nblocks;
};

void pd_symnames_free(struct pd_symnames *n);

struct pd_elfsyms {
	struct pd_symtab	*table;
	struct pd_symnames	*names;		/* outlives the table */
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
 * has none or names is full, -1 without memory.
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

#endif
