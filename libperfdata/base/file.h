/* Opens the files that a recording names, which may be anything. */
#ifndef PD_BASE_FILE_H
#define PD_BASE_FILE_H

#include <sys/stat.h>

#include "perfdata.h"

/*
 * Open a regular file for reading; -1 and a reason in static text for
 * anything else.  Never waits and never touches a device.
 */
int pd_file_open(const char *path, bool follow, struct stat *st,
    const char **why);

/*
 * Anybody may write to /tmp.  What names code is taken from a file of ours or
 * of root, so that nobody else names our functions; root, who looks at the
 * processes of others, takes theirs.
 */
bool pd_file_is_trusted(const struct stat *st);

/* Read exactly size bytes at an offset. */
bool pd_file_read(int fd, void *buf, size_t size, uint64_t offset);

/*
 * All of a file from here on and a NUL, at most max bytes; free(3).  NULL
 * with *err set without memory, NULL and PD_OK when it cannot be read.
 */
char *pd_file_slurp(int fd, size_t max, size_t *len, struct pd_error *err);

#endif
