/* What the formats share that write sample by sample. */
#ifndef PD_EXPORT_EXPORT_H
#define PD_EXPORT_EXPORT_H

#include "export/timeline.h"
#include "profile/label.h"

struct pd_export {
	struct pd_export_opts	opts;
	struct pd_pprof		*pprof;		/* PPROF only */
	struct pd_timeline	timeline;	/* all others */
	uint64_t		start, end;	/* of all samples; PPROF only */
	uint64_t		samples, weight;	/* likewise */
};

/* What is written from, once all samples are there. */
struct pd_export_source {
	const struct pd_reader	*rd;
	const struct pd_event	*event;		/* NULL: no sample */
	const struct pd_tree	*tree;
	struct pd_timeline	*timeline;
	struct pd_labels	labels;		/* of the frames */
	/* By weight, the heaviest first. */
	const struct pd_track	**tracks;
	enum pd_weight		weight;
	bool			timed;		/* weights are nanoseconds */
};

/* The weight of a sample. */
static inline uint64_t
pd_export_weight(const struct pd_export_source *s, const struct pd_moment *m)
{
	return s->timed ? m->duration : m->weight;
}

/* When a sample began, counted from the first one of all. */
static inline uint64_t
pd_export_start(const struct pd_export_source *s, const struct pd_moment *m)
{
	uint64_t at = m->time - s->timeline->start;

	return m->duration < at ? at - m->duration : 0;
}

/*
 * Samples of one stack that follow each other without a gap, or, with node 0,
 * a gap: where more than half a sample has room.  Only timed weights have gaps.
 */
struct pd_stretch {
	uint32_t	node;
	uint64_t	weight;
	struct pd_moment last;		/* of the samples; or what ends the gap */
};

struct pd_stretches {
	struct pd_export_source	*source;
	struct pd_moment	ahead;
	bool			has_ahead;
	bool			merge;		/* else, each sample is one */
	uint64_t		at;		/* where what was read ends */
};

int pd_stretches_open(struct pd_stretches *r, struct pd_export_source *s,
    const struct pd_track *track, bool merge, struct pd_error *err);
/* 1, 0 at the end, -1. */
int pd_stretches_next(struct pd_stretches *r, struct pd_stretch *run,
    struct pd_error *err);

int pd_export_speedscope(struct pd_export_source *s, FILE *out,
    struct pd_error *err);
int pd_export_jsonlines(struct pd_export_source *s, FILE *out,
    struct pd_error *err);
int pd_export_firefox(struct pd_export_source *s, FILE *out,
    struct pd_error *err);

#endif
