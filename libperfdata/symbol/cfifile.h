/* Gives the unwinder what it needs of the file that a DSO was. */
#ifndef PD_SYMBOL_CFIFILE_H
#define PD_SYMBOL_CFIFILE_H

#include "symbol/dsosyms.h"
#include "unwind/unwind.h"

/* src must outlive the unwinder that gets the result. */
struct pd_unwind_files pd_cfifiles(struct pd_symsources *src);

/* What unwinding needs of an ELF file, into *img, which is zero. */
int pd_cfifile_add(struct pd_image *img, const struct pd_elf *e,
    struct pd_error *err);

#endif
