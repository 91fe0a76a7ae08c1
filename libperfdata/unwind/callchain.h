/* Callchains: the addresses of a sample, outermost first, with their modes. */
#ifndef PD_UNWIND_CALLCHAIN_H
#define PD_UNWIND_CALLCHAIN_H

#include "perfdata.h"

struct pd_chain_entry {
	uint64_t	ip;
	uint8_t		mode;		/* enum pd_cpumode */
	/*
	 * The address ran (or called, in an LBR): not a return address, which
	 * may be the first one of the next function.
	 */
	bool		exact;
};

/* Zero is empty; reuse it for the next sample. */
struct pd_chain {
	struct pd_chain_entry	*buf;
	size_t			cap;
	struct pd_chain_entry	*entries;	/* in buf, outermost first */
	size_t			len;
	bool			lbr;	/* its user part is of the LBR */
	bool			bare;	/* not recorded: only where it ran */
	bool			deep;	/* as deep as the kernel records */
	bool			truncated;	/* the copied stack ended early */
	bool			stopped;	/* at code without unwind data */
};

/* The mode of an entry that is no address: the root is missing here. */
#define PD_MODE_TRUNCATED	8

static inline bool
pd_chain_entry_equal(const struct pd_chain_entry *a,
    const struct pd_chain_entry *b)
{
	return a->ip == b->ip && a->mode == b->mode && a->exact == b->exact;
}

/*
 * The chain of a sample of ev.  max > 0: only so many entries nearest the
 * leaf.  perf_compat: entries are exact, and a sample that has a callchain
 * without addresses has none, both as in perf 6.1.
 */
int pd_chain_build(struct pd_chain *c, const struct pd_event *ev,
    const struct pd_sample *s, size_t max, bool perf_compat,
    struct pd_error *err);

/*
 * Put n entries, leaf first, in the place of the user part of a chain.  cut:
 * more should come above them; if the chain had the last one, what it has
 * above that goes on top, else the chain is truncated.
 */
int pd_chain_set_user(struct pd_chain *c, const struct pd_chain_entry *e,
    size_t n, bool cut, struct pd_error *err);
/* Put n callers in user space, innermost first, on top of a chain. */
int pd_chain_put_above(struct pd_chain *c, const uint64_t *ips, size_t n,
    struct pd_error *err);
/* Say at the root of a chain that was just set that it is not the root. */
void pd_chain_mark_truncated(struct pd_chain *c);
void pd_chain_free(struct pd_chain *c);

#endif
