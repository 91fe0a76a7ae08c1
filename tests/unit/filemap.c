/* Files that change and shrink while they are mapped. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/filemap.h"
#include "tap.h"

enum { PAGE = 4096 };

static int
temporary(size_t size)
{
	FILE *f = tmpfile();
	int fd = f ? dup(fileno(f)) : -1;
	char block[PAGE];

	if (f == NULL)
		return -1;
	fclose(f);
	memset(block, 'x', sizeof(block));
	while (size > sizeof(block) && write(fd, block, sizeof(block)) > 0)
		size -= sizeof(block);
	return write(fd, block, size) == (ssize_t)size ? fd : -1;
}

static void
zeros_follow(void)
{
	static const size_t sizes[] = { 1, 100, PAGE - 1, PAGE, PAGE + 1,
		16 * PAGE };
	volatile sig_atomic_t shrunk = 0;
	struct pd_filemap m;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		int fd = temporary(sizes[i]);

		CHECK_EQ(pd_filemap_open(&m, fd, sizes[i], false, &shrunk), 0);
		CHECK_EQ(strlen((char *)m.data), sizes[i]);
		CHECK_EQ(m.data[sizes[i] + PAGE - 1], 0);
		pd_filemap_close(&m);
		pd_filemap_close(&m);
		close(fd);
	}
	CHECK_EQ(shrunk, 0);
	CHECK_EQ(pd_filemap_open(&m, -1, 10, false, &shrunk), -1);
	pd_filemap_close(&m);
}

static void
what_is_gone_reads_as_zeros(void)
{
	volatile sig_atomic_t shrunk[3] = { 0 };
	struct pd_filemap m[3];
	int fd[3], i;

	for (i = 0; i < 3; i++) {
		fd[i] = temporary(8 * PAGE);
		CHECK_EQ(pd_filemap_open(&m[i], fd[i], 8 * PAGE, i == 1,
		    &shrunk[i]), 0);
	}
	pd_filemap_close(&m[2]);	/* the newest, and the oldest */
	pd_filemap_close(&m[0]);
	m[1].data[5 * PAGE] = 'y';	/* ours, whatever becomes of the file */
	CHECK_EQ(ftruncate(fd[1], 3 * PAGE - 100), 0);
	CHECK_EQ(m[1].data[0], 'x');
	CHECK_EQ(shrunk[1], 0);
	CHECK_EQ(m[1].data[3 * PAGE], 0);
	CHECK_EQ(shrunk[1], 1);
	CHECK_EQ(m[1].data[8 * PAGE - 1], 0);
	CHECK_EQ(m[1].data[3 * PAGE - 101], 'x');
	CHECK_EQ(m[1].data[3 * PAGE - 100], 0);
	CHECK_EQ(shrunk[0] + shrunk[2], 0);
	pd_filemap_close(&m[1]);
	for (i = 0; i < 3; i++)
		close(fd[i]);
}

static sigjmp_buf jump;

static void
handle(int sig)
{
	siglongjmp(jump, sig);
}

/* A program's own mapping is its own affair: its handler, or the end. */
static void
others_keep_their_signal(void)
{
	int fd = temporary(PAGE), status, i;
	pid_t pid;

	for (i = 0; i < 2; i++) {
		if ((pid = fork()) == 0) {
			char *own = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd,
			    0);

			signal(SIGBUS, i == 1 ? handle : SIG_DFL);
			pd_catch_sigbus();
			if (ftruncate(fd, 0) == -1)
				_exit(1);
			if (sigsetjmp(jump, 1) == 0)
				_exit(*(volatile char *)own + 1);
			_exit(7);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		if (i == 1)
			CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
		else
			CHECK(WIFSIGNALED(status) ?
			    WTERMSIG(status) == SIGBUS :
			    WEXITSTATUS(status) > 1);	/* a sanitizer's */
		CHECK_EQ(ftruncate(fd, PAGE), 0);
	}
	close(fd);
}

int
main(void)
{
	RUN(others_keep_their_signal);
	RUN(zeros_follow);
	pd_catch_sigbus();
	RUN(what_is_gone_reads_as_zeros);
	return tap_done();
}
