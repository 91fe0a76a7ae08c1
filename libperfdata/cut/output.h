/* An output of a slice: its writer, and what its reader knows by now. */
#ifndef PD_CUT_OUTPUT_H
#define PD_CUT_OUTPUT_H

#include "cut/describe.h"
#include "cut/rewrite.h"
#include "cut/state.h"

struct pd_output {
	struct pd_described	to;
	struct pd_told		told;
	struct pd_teller	teller;
	struct pd_reads		reads;
	struct pd_map64		waiting;	/* tids of deferred callchains */
	bool			ordered;	/* records come in order */
	uint64_t		round;		/* size at the last mark */
	uint64_t		first, last;	/* times of samples; PD_NOTIME */
	uint64_t		samples;
	uint64_t		start, stop;	/* what it is of: all time */
	/* Of a slice in parts. */
	int			fd;
	uint64_t		part;
	const struct pd_occurrence *of;		/* NULL: a piece of time */
};

/*
 * o is zero; d, past, and what records are of; ordered: records come by time, and none of
 * their marks is passed on.
 */
int pd_output_open(struct pd_output *o, int fd,
    const struct pd_writer_opts *opts, struct pd_describe *d,
    const struct pd_session *s, const struct pd_past *past, bool ordered,
    struct pd_error *err);

int pd_output_put(struct pd_output *o, const uint8_t *data, size_t size,
    struct pd_error *err);

/* Count a sample that was put. */
void pd_output_count(struct pd_output *o, uint64_t time);

/* Nothing more for now: write what there is, for who reads it now. */
int pd_output_flush(struct pd_output *o, struct pd_error *err);

int pd_output_finish(struct pd_output *o, struct pd_describe *d,
    struct pd_error *err);
void pd_output_free(struct pd_output *o);

#endif
