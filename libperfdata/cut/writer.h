/*
 * The writer: records, and what describes them, into a file or a pipe
 * (Documentation/perf.data-file-format.txt in the kernel's tools/perf).
 */
#ifndef PD_CUT_WRITER_H
#define PD_CUT_WRITER_H

#include "record/container.h"

struct pd_writer_opts {
	bool	pipe;		/* what describes the recording are records too */
	bool	swapped;	/* the byte order of the records to come */
	int	level;		/* of zstd; 0: not compressed */
};

struct pd_writer;

/*
 * Write to fd, which stays the caller's; for a file it must be seekable and
 * stand where the file begins.
 */
struct pd_writer *pd_writer_new(int fd, const struct pd_writer_opts *opts,
    struct pd_error *err);
void pd_writer_free(struct pd_writer *w);

/* A record, header included. */
int pd_writer_put(struct pd_writer *w, const uint8_t *data, size_t size,
    struct pd_error *err);

/* An event: its attribute, size bytes, and its ids. */
int pd_writer_attr(struct pd_writer *w, const uint8_t *attr, uint32_t size,
    const uint64_t *ids, size_t nids, struct pd_error *err);

/*
 * A feature.  In a pipe that is possible at any time, but one that no record
 * can hold is left out: 0; in a file after pd_writer_end() only.  1 when it
 * was written.
 */
int pd_writer_feature(struct pd_writer *w, unsigned id, const uint8_t *data,
    size_t size, struct pd_error *err);

/* The TRACING_DATA of a pipe, which is a feature in a file. */
int pd_writer_tracing(struct pd_writer *w, const uint8_t *data, size_t size,
    struct pd_error *err);

/* No record follows; at most so many features will. */
int pd_writer_end(struct pd_writer *w, unsigned features,
    struct pd_error *err);

/* Write what is left in memory. */
int pd_writer_flush(struct pd_writer *w, struct pd_error *err);
/* pd_writer_flush(), and complete a file. */
int pd_writer_finish(struct pd_writer *w, struct pd_error *err);

/* Bytes so far. */
uint64_t pd_writer_size(const struct pd_writer *w);

#endif
