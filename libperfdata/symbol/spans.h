/* Which of many ranges of addresses that may overlap owns an address. */
#ifndef PD_SYMBOL_SPANS_H
#define PD_SYMBOL_SPANS_H

#include "perfdata.h"

struct pd_span {
	uint64_t	lo, hi;		/* hi is the first address behind it */
	uint64_t	rank;		/* the higher owns what two claim */
	uint32_t	owner;
};

struct pd_spans {
	struct pd_span	*v;
	size_t		len, cap;
};

int pd_spans_add(struct pd_spans *s, uint64_t lo, uint64_t hi, uint64_t rank,
    uint32_t owner, struct pd_error *err);
void pd_spans_free(struct pd_spans *s);

/* The outcome, 12 bytes a step.  Zero is empty. */
struct pd_spanmap {
	uint64_t	*starts;	/* each reaches to the next */
	uint32_t	*owners;	/* PD_NOID: nobody */
	size_t		len;
};

/* Make the map of the spans, which it sorts: 0, or -1 without memory. */
int pd_spanmap_make(struct pd_spanmap *m, struct pd_spans *s,
    struct pd_error *err);
void pd_spanmap_free(struct pd_spanmap *m);

/* The owner of an address, or PD_NOID. */
uint32_t pd_spanmap_find(const struct pd_spanmap *m, uint64_t addr);

#endif
