/* What a recording is: collected by summary.c, written by the others. */
#ifndef PD_CUT_SUMMARY_H
#define PD_CUT_SUMMARY_H

#include "base/hash.h"
#include "cut/histogram.h"
#include "cut/pairing.h"
#include "session/session.h"

/* An event, by its index. */
struct pd_sum_event {
	const struct pd_event	*ev;
	uint64_t		samples;
	/* Between neighbours on a CPU, or in a thread where it is not known. */
	struct pd_histogram	intervals;
	uint32_t		begins, ends;	/* of a pair, or PD_NOID */
};

/* A thread; another one that had its number later is another. */
struct pd_sum_thread {
	uint32_t	pid, tid;
	uint64_t	samples;
	const char	*comm, *leader_comm;	/* at its last sample */
	bool		ended;
};

/* Events that look like begin and end of something. */
struct pd_sum_pair {
	const struct pd_event	*begin, *end;
	struct pd_pairing	pairing;
	struct pd_histogram	durations;
};

/* A stretch without samples. */
struct pd_sum_gap {
	uint64_t	start, length;
};

struct pd_sum_cpu {
	uint32_t		cpu;
	uint64_t		samples, last;	/* time */
	struct pd_sum_gap	gap;		/* the longest */
};

enum { PD_SUM_GAPS = 3 };

struct pd_summary {
	struct pd_reader	*rd;
	struct pd_session	*session;
	uint64_t		first, last;	/* samples; PD_NOTIME */
	uint64_t		samples, untimed;
	uint64_t		on_cpus;	/* samples that tell their CPU */
	struct pd_sum_event	*events;
	size_t			nevents, events_cap;
	struct pd_map64		lasts_of;	/* event, CPU or thread -> lasts */
	uint64_t		*lasts;
	size_t			nlasts, lasts_cap;
	struct pd_map64		thread_of;	/* pid, tid -> thread */
	struct pd_sum_thread	*threads;
	size_t			nthreads, threads_cap;
	struct pd_sum_pair	*pairs;
	size_t			npairs, pairs_cap;
	struct pd_map64		cpu_of;		/* -> cpus */
	struct pd_sum_cpu	*cpus;
	size_t			ncpus, cpus_cap;
	struct pd_sum_gap	gaps[PD_SUM_GAPS];	/* of all, longest first */
	uint64_t		*dsos;		/* samples, by id of the DSO */
	size_t			dsos_cap;
	bool			paired;
};

/* How often an event was asked for: its period, or Hz; all: each one. */
enum pd_asked { PD_ASKED_ALL, PD_ASKED_PERIOD, PD_ASKED_HZ };
enum pd_asked pd_summary_asked(const struct pd_event *ev, uint64_t *n);

/* The time between two samples of it while something ran; 0: not known. */
uint64_t pd_summary_interval(const struct pd_summary *s,
    const struct pd_sum_event *e);
/* Did all samples tell their CPU? */
bool pd_summary_on_cpus(const struct pd_summary *s);

/* A time of the wall clock, in UTC; NULL when it is not known. */
const char *pd_summary_wall(char buf[48], const struct pd_info *info,
    uint64_t time);
/* "CLOCK_MONOTONIC"; NULL for clocks without a name. */
const char *pd_summary_clock(int32_t id);

/* Were samples in a file whose build-id is not known? */
bool pd_summary_lacks_id(const struct pd_summary *s, size_t dso);

void pd_summary_text(const struct pd_summary *s, const char *name, bool all,
    FILE *out);
void pd_summary_json(const struct pd_summary *s, const char *name, FILE *out);

#endif
