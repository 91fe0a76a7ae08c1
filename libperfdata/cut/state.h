/*
 * The state before a cut: what the records that are left out said of threads,
 * maps and the kernel, told again by as few records as it takes.
 *
 * A thread is told of when its first sample is kept, as it is then: FORK (with
 * FORK_EXEC, so that no maps are inherited), COMM, and the maps of its process
 * where they have not been told of before.  From there on its own records are
 * kept.  So what has no samples in the cut costs nothing in it.
 */
#ifndef PD_CUT_STATE_H
#define PD_CUT_STATE_H

#include "cut/writer.h"
#include "session/session.h"

/*
 * What belongs to no thread, or is not kept by the session: kernel maps, BPF
 * programs, cgroups, namespaces.  Raw records, of which a later one replaces
 * one on the same thing.
 */
struct pd_past {
	struct pd_past_record	*records;
	size_t			len, cap, gone;
	struct pd_map64		index;		/* what it is on -> its place */
};

/* Take a record in; others than those are passed over. */
int pd_past_apply(struct pd_past *p, const struct pd_record *rec,
    struct pd_error *err);
void pd_past_free(struct pd_past *p);

/* What one output was told of.  Zero is nothing. */
struct pd_told {
	struct pd_map64	serials;	/* of threads and processes */
	size_t		limit;		/* of them, before some are forgotten */
	bool		past;		/* what belongs to no thread */
	uint64_t	last;		/* serial of the thread looked up last */
};

/* Where and how to tell. */
struct pd_teller {
	const struct pd_session	*session;
	const struct pd_events	*events;
	const struct pd_past	*past;
	struct pd_writer	*writer;
	struct pd_told		*told;
	bool			swapped;
};

/* Tell of a thread, as of this time, if that was not done. */
int pd_tell(const struct pd_teller *t, const struct pd_thread *th,
    uint64_t time, struct pd_error *err);

/*
 * Write a record of class STATE, if it is on something that was told of.
 * Before it is applied to the session; but after it where it is a FORK.
 */
int pd_tell_record(const struct pd_teller *t, const struct pd_record *rec,
    struct pd_error *err);

void pd_told_free(struct pd_told *t);

#endif
