/* Files by their build-id, out of what `perf archive` wrote. */
#ifndef PD_SYMBOL_ARCHIVE_H
#define PD_SYMBOL_ARCHIVE_H

#include "base/notes.h"

struct pd_archive;

/* It is read at the first find; path and notes are borrowed. */
struct pd_archive *pd_archive_new(const char *path, struct pd_notes *notes,
    struct pd_error *err);
void pd_archive_free(struct pd_archive *a);

/*
 * A path to open what there is of a build-id, "elf", "debug", "vdso" or
 * "kallsyms", until pd_archive_free(); free(3).  NULL with PD_OK when the
 * archive has no such file.
 */
char *pd_archive_find(struct pd_archive *a, const struct pd_buildid *id,
    const char *what, struct pd_error *err);

#endif
