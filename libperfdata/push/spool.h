/*
 * The spool: requests in a directory, one a file, until the server has them.
 * A file is whole or not there, also after a power cut, and never changes:
 * what is sent again is the same, byte for byte.
 */
#ifndef PD_PUSH_SPOOL_H
#define PD_PUSH_SPOOL_H

#include "push/request.h"

struct pd_spool;

/*
 * Open the directory, made if its parent is there, for requests to target: a
 * text without secrets that is kept in the files.  PD_EARG when another
 * process uses it, or when it holds requests for another target.  It takes
 * max bytes, and no more.
 */
struct pd_spool *pd_spool_open(const char *dir, const char *target,
    uint64_t max, struct pd_error *err);
void pd_spool_close(struct pd_spool *s);

/* The numbers of what was in it when it was opened, oldest first. */
const uint64_t *pd_spool_old(const struct pd_spool *s, size_t *len);

/*
 * Keep a request: when this returns, it is on the disk.  1 and its number, 0
 * when there is no room below max, -1 on errors such as a full disk; nothing
 * is left behind then.
 */
int pd_spool_put(struct pd_spool *s, const struct pd_request *r,
    uint64_t *number, struct pd_error *err);

/*
 * Read it back.  PD_EFORMAT when the file is damaged: it is then renamed, so
 * that nobody stumbles over it again.
 */
struct pd_request *pd_spool_get(struct pd_spool *s, uint64_t number,
    struct pd_error *err);

/* It was delivered, or never will be. */
int pd_spool_remove(struct pd_spool *s, uint64_t number, struct pd_error *err);

#endif
