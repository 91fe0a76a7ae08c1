/* A source: the descriptor that a recording is read from. */
#ifndef PD_INPUT_SOURCE_H
#define PD_INPUT_SOURCE_H

#include <sys/types.h>

#include "perfdata.h"

struct pd_source {
	int		fd;
	bool		seekable;
	uint64_t	pos;		/* of the next sequential read */
	uint64_t	size;		/* PD_NOWHERE when not seekable */
	/*
	 * NULL, or called before a read that will wait, and every half second
	 * where none does: of a pipe.
	 */
	int		(*wait)(void *ctx, struct pd_error *err);
	void		*wait_ctx;
	uint64_t	waited;		/* ms, when it was called */
	/* See pd_reader_on_idle(). */
	int		(*idle)(void *ctx, bool waiting);
	void		*idle_ctx;
	int		idle_ms;
};

/*
 * Open path, "-" for standard input.  A FIFO waits for its writer, as cat(1)
 * does.
 */
int pd_source_open(struct pd_source *s, const char *path,
    struct pd_error *err);
/* Read from a copy of fd. */
int pd_source_open_fd(struct pd_source *s, int fd, struct pd_error *err);
void pd_source_close(struct pd_source *s);

/* Up to size bytes at pos, 0 at the end: the count, or -1. */
ssize_t pd_source_read(struct pd_source *s, void *buf, size_t size,
    struct pd_error *err);

/* Exactly size bytes at offset of a seekable source: 1, 0 if it ends before. */
int pd_source_pread(const struct pd_source *s, void *buf, size_t size,
    uint64_t offset, struct pd_error *err);

/*
 * Make a pipe seekable: head[0..len), which was read from it, and all that
 * follows go to an unlinked temporary file, which the source then is.
 */
int pd_source_spool(struct pd_source *s, const void *head, size_t len,
    struct pd_error *err);

#endif
