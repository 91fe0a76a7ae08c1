/* Files that are mapped into memory, and may change or shrink meanwhile. */
#ifndef PD_BASE_FILEMAP_H
#define PD_BASE_FILEMAP_H

#include <signal.h>

#include "perfdata.h"

struct pd_filemap {
	uint8_t			*data;	/* NULL: there is none */
	size_t			size;
	volatile sig_atomic_t	*shrunk;
	struct pd_filemap	*next, *prev;
};

/*
 * Map the first size bytes of a file, privately, to be written to if asked.
 * At least a page of zeros follows, where strings end that lost their NUL.
 * *shrunk is set when the file turns out to have become shorter: what is gone
 * reads as zeros.  That needs pd_catch_sigbus(), else it is SIGBUS.  m must
 * not move.  0, or -1 when the file cannot be mapped.
 */
int pd_filemap_open(struct pd_filemap *m, int fd, size_t size, bool writable,
    volatile sig_atomic_t *shrunk);
/* Nothing for one that is zero. */
void pd_filemap_close(struct pd_filemap *m);

#endif
