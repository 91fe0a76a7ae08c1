/* The pool of input blocks. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/tmpfile.h"
#include "input/block.h"

/*
 * Blocks in memory come from slabs of one huge page, where the system has
 * them: a third of the time for a small input is the page faults of its
 * blocks otherwise.
 */
#define SLAB_SIZE	((size_t)2 << 20)

struct pd_slab {
	struct pd_slab	*next;
	uint8_t		*map;		/* twice the size, to find a boundary in */
	uint8_t		*data;
};

void
pd_blocks_init(struct pd_blocks *pool)
{
	*pool = (struct pd_blocks){ .spool_fd = -1 };
}

static void
block_free(struct pd_block *b)
{
	if (b->spooled)
		munmap(b->data, PD_BLOCK_SIZE);
	free(b);
}

static void
list_free(struct pd_block *b)
{
	struct pd_block *next;

	for (; b != NULL; b = next) {
		next = b->next_free;
		block_free(b);
	}
}

void
pd_blocks_free(struct pd_blocks *pool)
{
	struct pd_slab *slab;

	list_free(pool->free_mem);
	list_free(pool->free_spool);
	while ((slab = pool->slabs) != NULL) {
		pool->slabs = slab->next;
		munmap(slab->map, 2 * SLAB_SIZE);
		free(slab);
	}
	if (pool->spool_fd >= 0)
		close(pool->spool_fd);
	pd_blocks_init(pool);
}

static int
new_slab(struct pd_blocks *pool, struct pd_error *err)
{
	struct pd_slab *slab = pd_calloc(1, sizeof(*slab), err);
	void *p;

	if (slab == NULL)
		return -1;
	p = mmap(NULL, 2 * SLAB_SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED) {
		free(slab);
		return pd_fail_nomem(err);
	}
	slab->map = p;
	slab->data = (uint8_t *)(((uintptr_t)p + SLAB_SIZE - 1) &
	    ~(uintptr_t)(SLAB_SIZE - 1));
	madvise(slab->data, SLAB_SIZE, MADV_HUGEPAGE);
	slab->next = pool->slabs;
	pool->slabs = slab;
	pool->slab_left = SLAB_SIZE / PD_BLOCK_SIZE;
	return 0;
}

static int
cut_from_slab(struct pd_blocks *pool, struct pd_block *b,
    struct pd_error *err)
{
	if (pool->slab_left == 0 && new_slab(pool, err) == -1)
		return -1;
	b->data = pool->slabs->data + --pool->slab_left * PD_BLOCK_SIZE;
	return 0;
}

static int
map_spooled(struct pd_blocks *pool, struct pd_block *b, struct pd_error *err)
{
	void *p;

	if (pool->spool_fd < 0 && (pool->spool_fd = pd_tmpfile(err)) < 0)
		return -1;
	/* posix_fallocate: a full disk is an error here, not SIGBUS later. */
	errno = posix_fallocate(pool->spool_fd, (off_t)pool->spool_used,
	    PD_BLOCK_SIZE);
	if (errno != 0)
		return pd_fail(err, PD_EIO, PD_NOWHERE, "temporary file");
	p = mmap(NULL, PD_BLOCK_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
	    pool->spool_fd, (off_t)pool->spool_used);
	if (p == MAP_FAILED)
		return pd_fail(err, PD_EIO, PD_NOWHERE, "temporary file: mmap");
	b->data = p;
	b->spooled = true;
	pool->spool_used += PD_BLOCK_SIZE;
	return 0;
}

struct pd_block *
pd_block_new(struct pd_blocks *pool, struct pd_error *err)
{
	bool spool = pool->live >= PD_BLOCKS_MEMORY;
	struct pd_block **list = spool ? &pool->free_spool : &pool->free_mem;
	struct pd_block *b = *list;

	if (b != NULL) {
		*list = b->next_free;
	} else {
		b = pd_calloc(1, sizeof(*b), err);
		if (b == NULL)
			return NULL;
		if ((spool ? map_spooled(pool, b, err) :
		    cut_from_slab(pool, b, err)) == -1) {
			free(b);
			return NULL;
		}
		b->owner = pool;
	}
	b->refs = 1;
	b->used = 0;
	if (!spool)
		pool->live += PD_BLOCK_SIZE;
	return b;
}

void
pd_block_unref(struct pd_block *b)
{
	struct pd_block **list;

	if (b == NULL || --b->refs > 0)
		return;
	list = b->spooled ? &b->owner->free_spool : &b->owner->free_mem;
	if (!b->spooled)
		b->owner->live -= PD_BLOCK_SIZE;
	b->next_free = *list;
	*list = b;
}

void
pd_block_seal(struct pd_block *b)
{
	/* A shared mapping keeps its contents in the file: madvise(2). */
	if (b->spooled)
		madvise(b->data, PD_BLOCK_SIZE, MADV_DONTNEED);
}
