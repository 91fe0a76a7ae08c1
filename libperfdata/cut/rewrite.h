/*
 * Samples without the user stack and registers that were copied for them
 * (perf record --call-graph dwarf), and the attributes of such samples.
 */
#ifndef PD_CUT_REWRITE_H
#define PD_CUT_REWRITE_H

#include "record/event.h"
#include "record/feature.h"

/* Whether samples of the event have copied stacks or registers. */
static inline bool
pd_rewrite_wanted(const struct pd_event *ev)
{
	return ev->sample_type & (PD_SAMPLE_STACK_USER | PD_SAMPLE_REGS_USER);
}

/*
 * Change the attribute, of size bytes, to that of samples that have none;
 * unwound: whose callchains have a user part instead.
 */
void pd_rewrite_attr(uint8_t *attr, size_t size, bool swapped, bool unwound);

/* The same for every attribute in an EVENT_DESC feature. */
void pd_rewrite_event_desc(uint8_t *data, size_t size, bool swapped,
    bool unwound);

/*
 * The record of a sample without what was copied, and with this callchain
 * where it is not NULL, into out, which has PD_REWRITE_MAX bytes: its size, 0
 * when no record can be so large.
 */
#define PD_REWRITE_MAX	(UINT16_MAX + 1)
size_t pd_rewrite_sample(const struct pd_record *rec,
    const struct pd_sample *s, const uint64_t *chain, size_t len,
    uint8_t *out);

/*
 * Counters in samples (perf record -e '{a,b}:S', or PERF_SAMPLE_READ) go on
 * counting where nothing is kept.  So that what each sample has counted since
 * the one before stays the same, they are written as if they had stood still.
 * Zero is empty.
 */
struct pd_reads {
	struct pd_map64	index;		/* key of a counter -> its place */
	struct pd_reading {
		uint64_t	seen, told;	/* its value here, and there */
	}		*readings;
	size_t		len, cap;
};

/*
 * A sample with counters: seen, and where copy is not NULL, a copy of its
 * record up to there, kept with other values.
 */
int pd_reads_apply(struct pd_reads *r, const struct pd_record *rec,
    const struct pd_sample *s, uint8_t *copy, struct pd_error *err);
int pd_reads_copy(struct pd_reads *to, const struct pd_reads *from,
    struct pd_error *err);
void pd_reads_free(struct pd_reads *r);

#endif
