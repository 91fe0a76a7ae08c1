/* Temporary files, which have no name. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/tmpfile.h"

int
pd_tmpfile(struct pd_error *err)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	if (dir == NULL || *dir == '\0')
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	/* Not every file system has O_TMPFILE (open(2)). */
	snprintf(path, sizeof(path), "%s/perfdata-XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return pd_fail(err, PD_EIO, PD_NOWHERE,
		    "temporary file in %s", dir);
	unlink(path);
	return fd;
}

int
pd_write_all(int fd, const void *buf, size_t len, const char *what,
    struct pd_error *err)
{
	const char *p = buf;
	ssize_t n;

	while (len > 0) {
		n = write(fd, p, len);
		if (n < 0 && errno != EINTR)
			return pd_fail(err, PD_EIO, PD_NOWHERE, "%s", what);
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}
