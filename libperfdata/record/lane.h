/*
 * Lanes: sequences of records, the data section of a file or pipe or a file of
 * a directory.  A lane frames records, those in compressed records too.
 */
#ifndef PD_RECORD_LANE_H
#define PD_RECORD_LANE_H

#include "base/notes.h"
#include "input/stream.h"
#include "input/unzstd.h"
#include "record/container.h"

/* A record as read: where it is and how big, before its type matters. */
struct pd_framed {
	uint32_t	type;
	uint16_t	misc, size;
	uint64_t	offset;		/* in the input, or of what it was packed in */
	const uint8_t	*data;		/* in block, which the caller may hold */
	struct pd_block	*block;
	bool		unpacked;	/* out of a compressed record */
};

struct pd_lane {
	const struct pd_container *ct;
	struct pd_notes		*notes;
	struct pd_source	*src;
	struct pd_source	own;	/* of a directory's file, else closed */
	struct pd_stream	raw, z;	/* as stored, decompressed */
	struct pd_unzstd	unzstd;
	uint64_t		time;	/* of its latest record, see reader.c */
	bool			ended;
	bool			z_dead;	/* no more can be decompressed */
};

/*
 * Read records from src between two offsets.  All pointers are borrowed; the
 * lane must not move any more.
 */
void pd_lane_start(struct pd_lane *ln, const struct pd_container *ct,
    struct pd_source *src, uint64_t from, uint64_t to,
    struct pd_blocks *pool, struct pd_notes *notes);
void pd_lane_free(struct pd_lane *ln);

/*
 * The next record: 1, 0 when the lane has ended (damage is noted), -1.  Its
 * data are borrowed until the next call.
 */
int pd_lane_next(struct pd_lane *ln, struct pd_framed *fr,
    struct pd_error *err);

/* Decompress what a COMPRESSED (81) or COMPRESSED2 (83) record holds. */
int pd_lane_feed(struct pd_lane *ln, const struct pd_framed *fr,
    struct pd_error *err);

/*
 * What follows a record outside of it: pass over size bytes, or read them into
 * *buf (*len, free(3)).  When the input ends before, the lane ends, noted.
 */
int pd_lane_skip(struct pd_lane *ln, const struct pd_framed *fr,
    uint64_t size, struct pd_error *err);
int pd_lane_read(struct pd_lane *ln, const struct pd_framed *fr,
    uint64_t size, uint8_t **buf, size_t *len, struct pd_error *err);

#endif
