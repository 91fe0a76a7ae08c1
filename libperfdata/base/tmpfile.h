/* Temporary files, which have no name. */
#ifndef PD_BASE_TMPFILE_H
#define PD_BASE_TMPFILE_H

#include "perfdata.h"

/* An unlinked file in $TMPDIR or /tmp: the descriptor, or -1. */
int pd_tmpfile(struct pd_error *err);

/* Write all of buf: 0, or -1, mostly because what is full. */
int pd_write_all(int fd, const void *buf, size_t len, const char *what,
    struct pd_error *err);

#endif
