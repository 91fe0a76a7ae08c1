/* A pprof profile as one or more that a server takes. */
#ifndef PD_PUSH_PARTS_H
#define PD_PUSH_PARTS_H

#include "perfdata.h"

/*
 * Defaults of Pyroscope 2 (pkg/validation/limits.go).  The size is that of the
 * burst of its rate limiter, which counts labels as well: what is larger is
 * answered 429 for ever.
 */
#define PD_SERVER_SAMPLES	16000
#define PD_SERVER_SIZE		(2u << 20)
#define PD_SERVER_DEPTH		1000
#define PD_SERVER_SAMPLE_LABELS	100

struct pd_parts_opts {
	size_t		samples, size, depth;	/* a part holds no more */
	bool		retime;
	uint64_t	time;		/* of the first part, if retime */
};

/* One of the parts; data is borrowed until the callback returns. */
struct pd_push_part {
	const uint8_t	*data;		/* compressed by gzip */
	size_t		size;
	size_t		raw;		/* before that */
	uint64_t	time, duration;	/* ns, of the wall clock; time 0: none */
	uint64_t	samples;	/* sum of the first kind of value */
	const char	*name;		/* of the profile type: "process_cpu" */
};

/* What had to be changed, or will be lost on the server. */
struct pd_parts_seen {
	size_t		parts;
	uint64_t	renamed;	/* names that were no UTF-8, or illegal */
	uint64_t	cut;		/* stacks that were too deep */
	uint64_t	negative;	/* samples that the server drops */
};

/* All that fd gives, up to some 256 MiB: free(3) *data, also after -1. */
int pd_pprof_read(int fd, uint8_t **data, size_t *size, struct pd_error *err);

/*
 * Check a profile, compressed or not, and hand its parts to put(), which
 * returns 0 or -1.  PD_EFORMAT when it is no profile, PD_EUNSUPP when no part
 * of it would be taken.  *seen is added to.
 *
 * Parts differ in time by 1 ns each: of two that are alike in labels and time
 * the server keeps one.
 */
int pd_pprof_split(const void *pprof, size_t size,
    const struct pd_parts_opts *opts,
    int (*put)(void *ctx, const struct pd_push_part *part, struct pd_error *err),
    void *ctx, struct pd_parts_seen *seen, struct pd_error *err);

#endif
