/* Asks debuginfod servers for files by their build-id. */
#ifndef PD_SYMBOL_DEBUGINFOD_H
#define PD_SYMBOL_DEBUGINFOD_H

#include "base/notes.h"

struct pd_debuginfod;

/*
 * Nothing is loaded or asked before the first find.  notes, or NULL, gets to
 * know why servers were given up; opts has the callback.  Both are borrowed.
 */
struct pd_debuginfod *pd_debuginfod_new(const struct pd_stack_opts *opts,
    struct pd_notes *notes, struct pd_error *err);
void pd_debuginfod_free(struct pd_debuginfod *d);

/*
 * The path of a program, or of its debug information, in the cache of
 * downloads; free(3).  NULL with PD_OK when no server has it.  The caller
 * checks that it is the right one.
 */
char *pd_debuginfod_find(struct pd_debuginfod *d, const struct pd_buildid *id,
    bool program, struct pd_error *err);

#endif
