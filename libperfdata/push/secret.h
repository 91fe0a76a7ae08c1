/* Secrets out of files. */
#ifndef PD_PUSH_SECRET_H
#define PD_PUSH_SECRET_H

#include "perfdata.h"

/*
 * The only line of a file; free with pd_secret_free().  The
 * error names the file, and nothing that is in it.
 */
char *pd_secret_read(const char *path, struct pd_error *err);
void pd_secret_free(char *s);

#endif
