/* Tells what an input is from its first bytes, and leaves them in it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

/* A copy of what is in a pipe, through another one: tee(2) takes nothing. */
static ssize_t
peek_pipe(int fd, void *buf, size_t size)
{
	int copy[2], saved;
	ssize_t n;

	if (pipe2(copy, O_CLOEXEC) == -1)
		return -1;
	do {
		n = tee(fd, copy[1], size, 0);
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		n = read(copy[0], buf, (size_t)n);
	saved = errno;
	close(copy[0]);
	close(copy[1]);
	errno = saved;
	return n;
}

static ssize_t
peek_once(int fd, const struct stat *st, void *buf, size_t size)
{
	if (S_ISREG(st->st_mode))
		return pread(fd, buf, size, lseek(fd, 0, SEEK_CUR));
	if (S_ISFIFO(st->st_mode))
		return peek_pipe(fd, buf, size);
	if (S_ISSOCK(st->st_mode))
		return recv(fd, buf, size, MSG_PEEK);
	return 0;			/* a terminal: people type text */
}

/*
 * Up to size bytes: a writer may give them one by one, and is waited for as
 * long as what is there could be the beginning of something.
 */
static ssize_t
peek(int fd, char *buf, size_t size, const char *expected)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	ssize_t n, before = -1;
	struct stat st;
	int same = 0;

	if (fstat(fd, &st) == -1)
		return -1;
	for (;;) {
		n = peek_once(fd, &st, buf, size);
		if (n <= 0 || (size_t)n == size ||
		    memcmp(buf, expected, (size_t)n) != 0 ||
		    S_ISREG(st.st_mode))
			return n;
		/* No more after a second: it has ended, or is as good as. */
		same = n == before ? same + 1 : 0;
		if (same == 1000)
			return n;
		before = n;
		nanosleep(&pause, NULL);
	}
}

int
pd_kind_of(int fd, enum pd_kind *kind, struct pd_error *err)
{
	static const char baseline[] = "pd-baseline";
	char head[8] = "";

	*kind = PD_KIND_FOLDED;
	if (peek(fd, head, sizeof(head), "PERFILE2") < 0)
		return pd_fail(err, PD_EIO, PD_NOWHERE, "cannot read");
	/* gzip, or the first field of a Profile, which is a ValueType */
	if (head[0] == 0x1f || (head[0] == 0x0a && head[1] > 0 &&
	    head[1] < 0x20 && (head[2] == 0x08 || head[2] == 0x10)))
		*kind = PD_KIND_PPROF;
	else if (memcmp(head, "PERFILE2", 8) == 0 ||
	    memcmp(head, "2ELIFREP", 8) == 0)
		*kind = PD_KIND_RECORDING;
	else if (memcmp(head, baseline, 8) == 0)
		*kind = PD_KIND_BASELINE;
	return 0;
}
