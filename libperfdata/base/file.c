/* Opens the files that a recording names, which may be anything. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"

static const char *
reason(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR: return "file not found";
	case EACCES:
	case EPERM: return "permission denied";
	case ELOOP: return "a symbolic link that leads nowhere";
	default: return "file cannot be opened";
	}
}

int
pd_file_open(const char *path, bool follow, struct stat *st, const char **why)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, fd;

	/* Ask first: to open a device may already do something. */
	if ((follow ? stat(path, st) : lstat(path, st)) == -1) {
		*why = reason(errno);
		return -1;
	}
	if (!S_ISREG(st->st_mode)) {
		*why = "not a regular file";
		return -1;
	}
	fd = open(path, flags | (follow ? 0 : O_NOFOLLOW));
	if (fd == -1) {
		*why = reason(errno);
		return -1;
	}
	if (fstat(fd, st) == -1 || !S_ISREG(st->st_mode)) {
		*why = "not a regular file";
		close(fd);
		return -1;
	}
	return fd;
}

bool
pd_file_is_trusted(const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == geteuid() || geteuid() == 0;
}

bool
pd_file_read(int fd, void *buf, size_t size, uint64_t offset)
{
	char *p = buf;
	ssize_t n;

	if (offset > INT64_MAX - size)
		return false;
	while (size > 0) {
		n = pread(fd, p, size, (off_t)offset);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		size -= (size_t)n;
		offset += (size_t)n;
	}
	return true;
}

char *
pd_file_slurp(int fd, size_t max, size_t *len, struct pd_error *err)
{
	size_t cap = 0, n = 0;
	char *buf = NULL;
	struct stat st;
	ssize_t got;

	/* All of a file that says its size fits at once. */
	if (fstat(fd, &st) == 0 && st.st_size > 0 && (size_t)st.st_size < max)
		cap = (size_t)st.st_size + 65536 + 2;
	if (cap > 0 && (buf = malloc(cap)) == NULL)
		cap = 0;
	err->code = PD_OK;
	for (;;) {
		/* Ask for more than is there at each end of the buffer. */
		if (pd_grow(&buf, &cap, n + 65536 + 1, 1, err) == -1)
			break;
		got = read(fd, buf + n, cap - n - 1);
		if (got == -1 && errno == EINTR)
			continue;
		if (got == 0) {
			buf[n] = '\0';
			*len = n;
			return buf;
		}
		if (got == -1 || (size_t)got > max - n)
			break;
		n += (size_t)got;
	}
	free(buf);
	return NULL;
}
