/* Names of JIT code, from the dumps that processes map. */
#ifndef PD_SYMBOL_JITS_H
#define PD_SYMBOL_JITS_H

#include "base/notes.h"
#include "session/session.h"
#include "symbol/debugfile.h"
#include "symbol/symtab.h"
#include "unwind/cfi.h"

struct pd_jits {
	const struct pd_symopts	*opts;
	struct pd_notes		*notes;
	struct pd_jitdump	**dumps;	/* by dso->id, NULL: not open */
	size_t			cap;
};

void pd_jits_free(struct pd_jits *j);

/*
 * It is now `time` for the process of th: what it made until then has names,
 * and caches of older names end.  Time never goes back.
 */
int pd_jits_advance(struct pd_jits *j, struct pd_session *s,
    const struct pd_thread *th, uint64_t time, struct pd_error *err);

/*
 * The code at an address of a process, as of pd_jits_advance(), and the DSO
 * that it belongs to; NULL for none.
 */
const struct pd_symbol *pd_jits_find(const struct pd_jits *j,
    const struct pd_space *sp, uint64_t ip, const struct pd_dso **dso);
/* Where it is in the source: pd_jitdump_line(). */
int pd_jits_line(const struct pd_jits *j, const struct pd_space *sp,
    uint64_t ip, const char **file, uint32_t *line, struct pd_error *err);
/* Its call frame information, for pd_unwind_files: pd_jitdump_cfi(). */
int pd_jits_cfi(void *jits, const struct pd_space *sp, uint64_t ip,
    struct pd_cfi **cfi, struct pd_error *err);

#endif
