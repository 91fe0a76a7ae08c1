/* /tmp/perf-PID.map: names that a JIT compiler wrote for its code. */
#ifndef PD_SYMBOL_PERFMAP_H
#define PD_SYMBOL_PERFMAP_H

#include "symbol/symtab.h"

struct pd_perfmap;

/*
 * Read the map of a process below a root, "" for ours (format:
 * tools/perf/Documentation/jit-interface.txt in the kernel).  NULL only
 * without memory: a map that is missing or cannot be trusted has no names and
 * knows why.
 */
struct pd_perfmap *pd_perfmap_open(const char *root, uint32_t pid,
    struct pd_error *err);
/* The same of any file, without the check of who owns it. */
struct pd_perfmap *pd_perfmap_open_file(const char *path,
    struct pd_error *err);
void pd_perfmap_free(struct pd_perfmap *m);

/* Why there are no names, static text; NULL when there are some. */
const char *pd_perfmap_why(const struct pd_perfmap *m);

/*
 * The name of an address, or NULL; ip is as recorded.  Where lines overlap
 * the later wins: code is written over code.  Owned by m.
 */
const struct pd_symbol *pd_perfmap_find(const struct pd_perfmap *m,
    uint64_t ip);

#endif
