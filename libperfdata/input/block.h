/*
 * Blocks: the buffers that input is read into.  A record stays where it was
 * read, and keeps its block, until it has been delivered, so records are not
 * copied.  Blocks beyond a limit lie in an unlinked temporary file instead of
 * in memory, so that records can wait for their turn without memory growing.
 */
#ifndef PD_INPUT_BLOCK_H
#define PD_INPUT_BLOCK_H

#include <sys/types.h>

#include "perfdata.h"

#define PD_BLOCK_SIZE	((size_t)256 * 1024)

struct pd_block {
	uint8_t			*data;	/* PD_BLOCK_SIZE bytes */
	size_t			used;
	uint32_t		refs;
	bool			spooled;
	struct pd_blocks	*owner;
	struct pd_block		*next_free;
};

struct pd_blocks {
	struct pd_slab	*slabs;		/* what blocks in memory are cut from */
	size_t		slab_left;	/* blocks, of the first one */
	size_t		live;		/* in memory, in use */
	size_t		spool_used;	/* in the file, in use or free */
	int		spool_fd;	/* -1 until needed */
	struct pd_block	*free_mem, *free_spool;
};

/* Bytes of blocks in use that stay in memory; more go to the file. */
#define PD_BLOCKS_MEMORY	((size_t)40 * 1024 * 1024)

void pd_blocks_init(struct pd_blocks *pool);
/* All blocks must have been given back. */
void pd_blocks_free(struct pd_blocks *pool);

/* An empty block with one reference. */
struct pd_block *pd_block_new(struct pd_blocks *pool, struct pd_error *err);

static inline struct pd_block *
pd_block_ref(struct pd_block *b)
{
	b->refs++;
	return b;
}

/* Give a reference back; NULL is fine. */
void pd_block_unref(struct pd_block *b);

/* Nothing is added to b any more: a spooled block may leave memory. */
void pd_block_seal(struct pd_block *b);

#endif
