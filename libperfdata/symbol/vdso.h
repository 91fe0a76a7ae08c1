/* The vdso of a recording: an ELF image that is in no file. */
#ifndef PD_SYMBOL_VDSO_H
#define PD_SYMBOL_VDSO_H

#include "session/dso.h"
#include "symbol/sources.h"

/*
 * Open the copy of perf's cache, or the image of this process if it is the
 * same: 1, 0 when there is none, -1 without memory.  *path is the file's, to
 * be freed with free(3), or NULL.  Close it with pd_elf_close() when 1.
 */
int pd_vdso_open(struct pd_elf *e, char **path, const struct pd_dso *dso,
    const struct pd_symsources *src, struct pd_error *err);

#endif
