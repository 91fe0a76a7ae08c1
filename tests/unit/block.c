/* Blocks: those beyond the limit lie in a file that has no name. */
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/tmpfile.h"
#include "input/block.h"
#include "tap.h"

#define IN_MEMORY	(PD_BLOCKS_MEMORY / PD_BLOCK_SIZE)
#define MANY		(IN_MEMORY + 8)

static struct pd_error err;
static char dir[] = "/tmp/pd-block-XXXXXX";

static size_t
files_in_dir(void)
{
	DIR *d = opendir(dir);
	size_t n = 0;

	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n - 2;			/* . and .. */
}

/* A pattern that says whose bytes these are. */
static void
fill(struct pd_block *b, size_t which)
{
	uint32_t words[2] = { (uint32_t)which, ~(uint32_t)which };

	for (size_t i = 0; i < PD_BLOCK_SIZE; i += 4096)
		memcpy(b->data + i, words, sizeof(words));
	memcpy(b->data + PD_BLOCK_SIZE - sizeof(words), words, sizeof(words));
	b->used = PD_BLOCK_SIZE;
	pd_block_seal(b);
}

static bool
is_filled(const struct pd_block *b, size_t which)
{
	uint32_t words[2] = { (uint32_t)which, ~(uint32_t)which };

	for (size_t i = 0; i < PD_BLOCK_SIZE; i += 4096)
		if (memcmp(b->data + i, words, sizeof(words)) != 0)
			return false;
	return memcmp(b->data + PD_BLOCK_SIZE - sizeof(words), words,
	    sizeof(words)) == 0;
}

static void
blocks_beyond_the_limit_keep_their_bytes_in_tmpdir(void)
{
	static struct pd_block *blocks[MANY];
	struct pd_blocks pool;
	char link[64], target[256] = "";
	size_t spooled = 0;

	pd_blocks_init(&pool);
	for (size_t i = 0; i < MANY; i++) {
		blocks[i] = pd_block_new(&pool, &err);
		if (!CHECK(blocks[i] != NULL))
			return;
		fill(blocks[i], i);
		spooled += blocks[i]->spooled;
	}
	CHECK_EQ(spooled, 8);
	CHECK_EQ(pool.live, PD_BLOCKS_MEMORY);
	CHECK_EQ(pool.spool_used, 8 * PD_BLOCK_SIZE);

	snprintf(link, sizeof(link), "/proc/self/fd/%d", pool.spool_fd);
	CHECK(readlink(link, target, sizeof(target) - 1) > 0);
	CHECK(strncmp(target, dir, strlen(dir)) == 0);
	CHECK_EQ(files_in_dir(), 0);

	for (size_t i = 0; i < MANY; i++) {
		CHECK(is_filled(blocks[i], i));
		pd_block_unref(blocks[i]);
	}
	CHECK_EQ(pool.live, 0);
	pd_blocks_free(&pool);
	CHECK_EQ(files_in_dir(), 0);
}

/* A recording of any size needs no more file than waits at one time. */
static void
blocks_given_back_are_used_again(void)
{
	static struct pd_block *blocks[MANY];
	struct pd_blocks pool;

	pd_blocks_init(&pool);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < MANY; i++) {
			blocks[i] = pd_block_new(&pool, &err);
			CHECK_EQ(blocks[i]->used, 0);
			CHECK_EQ(blocks[i]->refs, 1);
		}
		CHECK_EQ(pool.spool_used, 8 * PD_BLOCK_SIZE);
		for (size_t i = MANY; i-- > 0;)
			pd_block_unref(blocks[i]);
	}
	pd_blocks_free(&pool);
}

static void
a_block_lives_until_its_last_reference(void)
{
	struct pd_blocks pool;
	struct pd_block *b;

	pd_blocks_init(&pool);
	b = pd_block_new(&pool, &err);
	pd_block_ref(b);
	pd_block_unref(b);
	CHECK_EQ(pool.live, PD_BLOCK_SIZE);
	pd_block_unref(b);
	CHECK_EQ(pool.live, 0);
	pd_block_unref(NULL);
	pd_blocks_free(&pool);
}

static void
a_tmpdir_that_is_not_there_is_an_error_that_names_it(void)
{
	char before[64];

	snprintf(before, sizeof(before), "%s", getenv("TMPDIR"));
	setenv("TMPDIR", "/nonexistent", 1);
	CHECK_EQ(pd_tmpfile(&err), -1);
	CHECK_EQ(err.code, PD_EIO);
	CHECK(strstr(err.msg, "/nonexistent") != NULL);
	setenv("TMPDIR", before, 1);
}

int
main(void)
{
	if (mkdtemp(dir) == NULL)
		return 1;
	setenv("TMPDIR", dir, 1);
	RUN(blocks_beyond_the_limit_keep_their_bytes_in_tmpdir);
	RUN(blocks_given_back_are_used_again);
	RUN(a_block_lives_until_its_last_reference);
	RUN(a_tmpdir_that_is_not_there_is_an_error_that_names_it);
	rmdir(dir);
	return tap_done();
}
