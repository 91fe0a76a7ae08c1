/*
 * The samples of each thread in order of time.  There may be millions, which
 * no memory should have to hold: they lie in a temporary file, of some seven
 * bytes each.
 */
#ifndef PD_EXPORT_TIMELINE_H
#define PD_EXPORT_TIMELINE_H

#include "base/hash.h"
#include "base/intern.h"

struct pd_moment {
	uint64_t	time;		/* PD_NOTIME when absent */
	uint64_t	weight;
	uint64_t	duration;	/* PD_NOTIME: it has none */
	uint32_t	node, cpu;
	uint32_t	comm;		/* of the thread, then */
};

/* What of the file is one block. */
struct pd_track_block {
	uint64_t	at;
	size_t		size;
};

struct pd_track {
	uint32_t	pid, tid;
	uint32_t	comm;		/* its last name: pd_timeline_comm() */
	const char	*leader;	/* that of its process; borrowed */
	uint64_t	samples, weight;
	uint64_t	start, end;	/* PD_NOTIME, 0: there is no time */
	bool		late;		/* some samples came after later ones */
	struct pd_moment last;		/* what the next one is compared with */
	uint8_t		*block;		/* the samples of the last block */
	size_t		size, cap;
	struct pd_track_block *blocks;	/* those in the file */
	size_t		nblocks, blocks_cap;
};

/* Zero but for fd, which is -1, is empty. */
struct pd_timeline {
	struct pd_track	*tracks;	/* by their first sample */
	size_t		len, cap;
	struct pd_map64	by_tid;
	uint32_t	recent;		/* the track of the last sample */
	struct pd_strtab comms;
	const char	*comm;		/* the last one */
	uint32_t	comm_id;
	uint64_t	start, end;	/* of all tracks */
	int		fd;		/* -1: no block was full yet */
	uint64_t	file_size;

	/* the track that is being read */
	const struct pd_track *track;
	struct pd_moment moment;
	uint8_t		*read;		/* a block of the file */
	const uint8_t	*p, *block_end;
	size_t		next_block;
	struct pd_late	*sorted;	/* all samples, of a track with late ones */
	size_t		nsorted, sorted_cap, next_sorted;
};

void pd_timeline_init(struct pd_timeline *t);
void pd_timeline_free(struct pd_timeline *t);
/* Forget all samples. */
void pd_timeline_clear(struct pd_timeline *t);

int pd_timeline_add(struct pd_timeline *t, const struct pd_fold_sample *s,
    struct pd_error *err);

/* Read the samples of a track, from the first. */
int pd_timeline_open(struct pd_timeline *t, const struct pd_track *track,
    struct pd_error *err);
/* The next: 1, 0 at the end, -1. */
int pd_timeline_next(struct pd_timeline *t, struct pd_moment *m,
    struct pd_error *err);

static inline const char *
pd_timeline_comm(const struct pd_timeline *t, uint32_t comm)
{
	return pd_strtab_get(&t->comms, comm);
}

#endif
