/* Errors: who first notices fills the caller's struct, the others return. */
#ifndef PD_BASE_ERROR_H
#define PD_BASE_ERROR_H

#include "perfdata.h"

/*
 * Fill *err and return -1.  For PD_EIO, errno is kept and its text appended.
 * Control bytes that came from input are replaced, so that err->msg can be
 * printed to a terminal.
 */
int pd_fail(struct pd_error *err, enum pd_errc code, uint64_t offset,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* pd_fail() for failed allocations. */
int pd_fail_nomem(struct pd_error *err);

#endif
