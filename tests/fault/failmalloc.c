/*
 * Preloaded, makes the FAIL_AT-th allocation fail, and with FAIL_ALL every
 * later one too.  FAIL_COUNT names a file that gets the number of allocations
 * at exit.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static atomic_ulong count;
static unsigned long fail_at;
static bool fail_all, started;

__attribute__((constructor)) static void
start(void)
{
	const char *at = getenv("FAIL_AT");

	fail_at = at != NULL ? strtoul(at, NULL, 10) : 0;
	fail_all = getenv("FAIL_ALL") != NULL;
	started = true;
}

__attribute__((destructor)) static void
stop(void)
{
	const char *path = getenv("FAIL_COUNT");
	char text[32];
	int fd, n;

	started = false;
	if (path == NULL || (fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600)) < 0)
		return;
	n = snprintf(text, sizeof(text), "%lu\n", atomic_load(&count));
	if (write(fd, text, n) != n)
		_exit(99);
	close(fd);
}

static bool
fails(void)
{
	unsigned long n;

	if (!started)
		return false;
	n = atomic_fetch_add(&count, 1) + 1;
	if (fail_at == 0 || (fail_all ? n < fail_at : n != fail_at))
		return false;
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}
