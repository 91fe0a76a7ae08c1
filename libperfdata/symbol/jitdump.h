/* jit-PID.dump: the code that a JIT compiler made, by address and time. */
#ifndef PD_SYMBOL_JITDUMP_H
#define PD_SYMBOL_JITDUMP_H

#include "symbol/symtab.h"
#include "unwind/cfi.h"

struct pd_jitdump;

/*
 * Read a dump (tools/perf/Documentation/jitdump-specification.txt of the
 * kernel).  anywhere: through links and whoever owns it.  NULL only without
 * memory: a dump that is missing or cannot be trusted has no names and knows
 * why.
 */
struct pd_jitdump *pd_jitdump_open(const char *path, bool anywhere,
    struct pd_error *err);
void pd_jitdump_free(struct pd_jitdump *d);

/* Why there are no names, static text; NULL when there are some. */
const char *pd_jitdump_why(const struct pd_jitdump *d);

/* How many records were left out because they contradict themselves. */
size_t pd_jitdump_damaged(const struct pd_jitdump *d);

/* Its times are of a counter of the processor, not of CLOCK_MONOTONIC. */
bool pd_jitdump_counts(const struct pd_jitdump *d);

/*
 * Its events, code that was loaded or moved, are in the order of time: how
 * many there are up to a time, given that the first `from` are.
 */
size_t pd_jitdump_until(const struct pd_jitdump *d, size_t from,
    uint64_t time);

/*
 * The code at an address after the first n events: of the last of them that
 * put some there; or NULL.  *time is when it did.  Owned by d.
 */
const struct pd_symbol *pd_jitdump_find(const struct pd_jitdump *d, size_t n,
    uint64_t ip, uint64_t *time);

/*
 * Of code that was found: its call frame information, *cfi NULL where the
 * dump has none; and the source line of an address in it, NULL and 0 likewise.
 * Owned by d; -1 only without memory.
 */
int pd_jitdump_cfi(struct pd_jitdump *d, const struct pd_symbol *code,
    struct pd_cfi **cfi, struct pd_error *err);
int pd_jitdump_line(struct pd_jitdump *d, const struct pd_symbol *code,
    uint64_t ip, const char **file, uint32_t *line, struct pd_error *err);

#endif
