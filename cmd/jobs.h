/* Work that is done ahead by threads, and taken in order. */
#ifndef PD_CMD_JOBS_H
#define PD_CMD_JOBS_H

#include "cli.h"

struct cli_jobs;

/* As many as there are CPUs for this process. */
unsigned cli_jobs_default(void);

/*
 * To have work(ctx, i) called for each i in [0, len): by n threads, so that at
 * most n results are there that were not given back; or, with n < 2, when it
 * is taken.  Exit 2 without memory.
 */
struct cli_jobs *cli_jobs_new(const struct cli *c, unsigned n, size_t len,
    void (*work)(void *ctx, size_t i), void *ctx);

/*
 * Wait for the work on i; the first call starts the threads.  All are taken in
 * order, each when the result of the one before is not needed any more.
 */
void cli_jobs_take(struct cli_jobs *j, size_t i);

/* Whether i is the one that was taken last, for the work on it to ask. */
bool cli_jobs_awaited(const struct cli_jobs *j, size_t i);

/* All must have been taken. */
void cli_jobs_free(struct cli_jobs *j);

#endif
