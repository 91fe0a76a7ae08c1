/*
 * What describes a recording, on its way into another: events, features,
 * build-ids, tracing data, each as the container to be written has it.
 */
#ifndef PD_CUT_DESCRIBE_H
#define PD_CUT_DESCRIBE_H

#include "cut/writer.h"
#include "record/reader.h"

struct pd_describe {
	const struct pd_reader	*rd;
	struct pd_notes		*notes;
	bool			pipe;		/* is written */
	bool			strip, unwound;	/* see rewrite.h */
	const char *const	*argv;
	/* What came through a pipe and stands at the end of a file. */
	struct pd_kept_feature	*kept;
	size_t			nkept, kept_cap;
	uint8_t			*buildids;
	size_t			buildids_len, buildids_cap;
};

/* Where it goes; events counts those that were written to it. */
struct pd_described {
	struct pd_writer	*writer;
	size_t			events;
};

/* Before the first record: what is known of a file that goes into a pipe. */
int pd_describe_begin(struct pd_describe *d, struct pd_described *to,
    struct pd_error *err);

/* Events that the reader found since the last time. */
int pd_describe_events(struct pd_describe *d, struct pd_described *to,
    struct pd_error *err);

/*
 * A record of class STREAM: 1 when it was dealt with, 0 when it is to be
 * written as it is.  to is for a pipe only.
 */
int pd_describe_record(struct pd_describe *d, struct pd_described *to,
    const struct pd_record *rec, struct pd_error *err);

/* After the last record.  first and last: times of samples, or PD_NOTIME. */
int pd_describe_end(struct pd_describe *d, struct pd_described *to,
    uint64_t first, uint64_t last, struct pd_error *err);

void pd_describe_free(struct pd_describe *d);

#endif
