/* Files, pipes and standard input as one thing to read from. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/tmpfile.h"
#include "input/block.h"
#include "input/source.h"

/* fd is the source's from now on; it may be -1, with the reason in errno. */
static int
start(struct pd_source *s, int fd, struct pd_error *err)
{
	struct stat st;
	off_t here;

	*s = (struct pd_source){ .fd = fd, .size = PD_NOWHERE };
	if (s->fd < 0 || fstat(s->fd, &st) == -1)
		return pd_fail(err, PD_EIO, PD_NOWHERE, "cannot open");
	if (S_ISREG(st.st_mode)) {
		/* Standard input may stand anywhere: the file starts there. */
		here = lseek(s->fd, 0, SEEK_CUR);
		if (here == 0) {
			s->seekable = true;
			s->size = (uint64_t)st.st_size;
		}
		posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	} else {
		/* Fewer, larger reads; no privilege is needed up to 1 MiB. */
		fcntl(s->fd, F_SETPIPE_SZ, 1 << 20);
	}
	return 0;
}

int
pd_source_open(struct pd_source *s, const char *path, struct pd_error *err)
{
	if (strcmp(path, "-") == 0)
		return pd_source_open_fd(s, STDIN_FILENO, err);
	return start(s, open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), err);
}

int
pd_source_open_fd(struct pd_source *s, int fd, struct pd_error *err)
{
	return start(s, fcntl(fd, F_DUPFD_CLOEXEC, 3), err);
}

void
pd_source_close(struct pd_source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

#define WAIT_MS	500

/* Whether nobody was told of waiting for so long. */
static bool
is_due(struct pd_source *s)
{
	struct timespec t;
	uint64_t now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	now = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
	if (s->waited == 0)
		s->waited = now;
	if (now - s->waited < WAIT_MS)
		return false;
	s->waited = now;
	return true;
}

/*
 * Tell whoever wants to know that a read would wait: 1 when there is input, 0
 * when it is to end here.
 */
static int
wait_for_input(struct pd_source *s, struct pd_error *err)
{
	struct pollfd p = { s->fd, POLLIN, 0 };
	bool ready;
	int r;

	if (s->idle != NULL && s->idle(s->idle_ctx, false) != 0)
		return 0;
	ready = poll(&p, 1, 0) != 0;
	if (s->wait != NULL && (!ready || is_due(s)) &&
	    s->wait(s->wait_ctx, err) == -1)
		return -1;
	if (ready || s->idle == NULL)
		return 1;
	while ((r = poll(&p, 1, s->idle_ms)) == 0 || (r < 0 && errno == EINTR))
		if (s->idle(s->idle_ctx, true) != 0)
			return 0;
	return 1;
}

ssize_t
pd_source_read(struct pd_source *s, void *buf, size_t size,
    struct pd_error *err)
{
	ssize_t n;

	if ((s->wait != NULL || s->idle != NULL) && !s->seekable &&
	    (n = wait_for_input(s, err)) <= 0)
		return n;
	do {
		n = s->seekable ? pread(s->fd, buf, size, (off_t)s->pos) :
		    read(s->fd, buf, size);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return pd_fail(err, PD_EIO, s->pos, "read");
	s->pos += (uint64_t)n;
	return n;
}

int
pd_source_pread(const struct pd_source *s, void *buf, size_t size,
    uint64_t offset, struct pd_error *err)
{
	char *p = buf;
	ssize_t n;

	while (size > 0) {
		n = pread(s->fd, p, size, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pd_fail(err, PD_EIO, offset, "read");
		if (n == 0)
			return 0;
		p += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 1;
}

char *
pd_spool(const char *path, struct pd_error *err)
{
	struct pd_source s;
	struct stat st;
	char *name = NULL;

	if (strcmp(path, "-") != 0 && stat(path, &st) == 0 &&
	    (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return pd_strdup(path, err);
	if (pd_source_open(&s, path, err) == -1)
		return NULL;
	if (!s.seekable && pd_source_spool(&s, NULL, 0, err) == -1) {
		pd_source_close(&s);
		return NULL;
	}
	/* Each opening of it has its own position (proc(5)). */
	if (asprintf(&name, "/proc/self/fd/%d", s.fd) == -1) {
		pd_fail_nomem(err);
		name = NULL;
	}
	return name;
}

int
pd_source_spool(struct pd_source *s, const void *head, size_t len,
    struct pd_error *err)
{
	char *buf = malloc(PD_BLOCK_SIZE);
	int fd = -1;
	ssize_t n;
	uint64_t size = len;

	if (buf == NULL)
		return pd_fail_nomem(err);
	if ((fd = pd_tmpfile(err)) < 0 ||
	    pd_write_all(fd, head, len, "temporary file", err) == -1)
		goto fail;
	while ((n = pd_source_read(s, buf, PD_BLOCK_SIZE, err)) > 0) {
		if (pd_write_all(fd, buf, (size_t)n, "temporary file",
		    err) == -1)
			goto fail;
		size += (uint64_t)n;
	}
	if (n < 0)
		goto fail;
	free(buf);
	close(s->fd);
	*s = (struct pd_source){ .fd = fd, .seekable = true, .size = size };
	return 0;

fail:
	if (fd >= 0)
		close(fd);
	free(buf);
	return -1;
}
