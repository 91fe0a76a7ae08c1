/* Reads secrets, and leaves no copy of them in memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "push/secret.h"

#define MAX_SECRET	8192

static ssize_t
read_all(int fd, char *buf, size_t size)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = read(fd, buf + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

char *
pd_secret_read(const char *path, struct pd_error *err)
{
	char *s = pd_calloc(1, MAX_SECRET + 1, err);
	ssize_t n;
	int fd;

	if (s == NULL)
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	n = fd < 0 ? -1 : read_all(fd, s, MAX_SECRET);
	if (n < 0)
		pd_fail(err, PD_EIO, PD_NOWHERE, "%s", path);
	if (fd >= 0)
		close(fd);
	if (n < 0)
		goto fail;
	while (n > 0 && (s[n - 1] == '\n' || s[n - 1] == '\r'))
		s[--n] = '\0';
	if (n == 0 || n == MAX_SECRET || strlen(s) != (size_t)n ||
	    strpbrk(s, "\r\n") != NULL) {
		pd_fail(err, PD_EARG, PD_NOWHERE,
		    "%s: expected a file with one line of text", path);
		goto fail;
	}
	return s;

fail:
	pd_secret_free(s);
	return NULL;
}

void
pd_secret_free(char *s)
{
	if (s != NULL)
		explicit_bzero(s, strlen(s));
	free(s);
}
