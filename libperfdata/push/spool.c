/*
 * Keeps requests in files NUMBER.push.  They begin with a line of text,
 *
 *	perfdata-push 1 CHECKSUM\n
 *
 * where the checksum (XXH64, 16 hexadecimal digits) is that of all that
 * follows: lines "key value", an empty line, and the body.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "base/tmpfile.h"
#include "push/spool.h"

#define MAGIC		"perfdata-push 1 "
#define HEAD_SIZE	(sizeof(MAGIC) - 1 + 16 + 1)
#define SUFFIX		".push"
#define MAX_FILE	(1u << 30)

struct pd_spool {
	char		*dir, *target;
	int		fd, lock;
	uint64_t	max, used, next;
	uint64_t	*old;
	size_t		nold, old_cap;
};

struct name {
	char	text[40];
};

static struct name
name_of(uint64_t number, const char *suffix)
{
	struct name n;

	snprintf(n.text, sizeof(n.text), "%016" PRIx64 "%s", number, suffix);
	return n;
}

static int
fail_io(const struct pd_spool *s, const char *what, struct pd_error *err)
{
	return pd_fail(err, PD_EIO, PD_NOWHERE, "%.100s: %s", s->dir, what);
}

/* ---- opening ----------------------------------------------------------------------- */

/* The number in the name of a file, if it is one of ours. */
static bool
parse_name(const char *name, const char *suffix, uint64_t *number)
{
	char *end;

	if (strspn(name, "0123456789abcdef") != 16 ||
	    strcmp(name + 16, suffix) != 0)
		return false;
	*number = strtoull(name, &end, 16);
	return true;
}

static int
take_in(struct pd_spool *s, const char *name, struct pd_error *err)
{
	struct stat st;
	uint64_t number;

	/* What was being written when its process died. */
	if (parse_name(name, ".new", &number)) {
		unlinkat(s->fd, name, 0);
		return 0;
	}
	if (!parse_name(name, SUFFIX, &number))
		return 0;
	if (fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return fail_io(s, name, err);
	if (!S_ISREG(st.st_mode))
		return 0;
	if (pd_grow(&s->old, &s->old_cap, s->nold + 1, sizeof(*s->old),
	    err) == -1)
		return -1;
	s->old[s->nold++] = number;
	s->used += (uint64_t)st.st_size;
	if (number >= s->next)
		s->next = number + 1;
	return 0;
}

static int
by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int
read_dir(struct pd_spool *s, struct pd_error *err)
{
	int fd = openat(s->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	int r = 0;

	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return fail_io(s, "cannot read", err);
	}
	errno = 0;
	while (r == 0 && (e = readdir(d)) != NULL)
		r = take_in(s, e->d_name, err);
	if (r == 0 && errno != 0)
		r = fail_io(s, "cannot read", err);
	closedir(d);
	if (s->nold > 0)
		qsort(s->old, s->nold, sizeof(*s->old), by_number);
	return r;
}

static int
open_dir(struct pd_spool *s, struct pd_error *err)
{
	if (mkdir(s->dir, 0700) == -1 && errno != EEXIST)
		return fail_io(s, "cannot make", err);
	s->fd = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->fd < 0)
		return fail_io(s, "cannot open", err);
	s->lock = openat(s->fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	if (s->lock < 0)
		return fail_io(s, "cannot open lock", err);
	if (flock(s->lock, LOCK_EX | LOCK_NB) == -1)
		return pd_fail(err, PD_EARG, PD_NOWHERE, "%.100s: another "
		    "process uses this spool", s->dir);
	return 0;
}

/* They are all of one process after the other: the first tells for all. */
static int
check_target(struct pd_spool *s, struct pd_error *err)
{
	struct pd_request *r;

	if (s->nold == 0)
		return 0;
	r = pd_spool_get(s, s->old[0], err);
	if (r == NULL && err->code != PD_EFORMAT)
		return -1;
	pd_request_free(r);
	return 0;
}

struct pd_spool *
pd_spool_open(const char *dir, const char *target, uint64_t max,
    struct pd_error *err)
{
	struct pd_spool *s = pd_calloc(1, sizeof(*s), err);

	if (s == NULL)
		return NULL;
	s->fd = s->lock = -1;
	s->max = max;
	s->next = 1;
	if ((s->dir = pd_strdup(dir, err)) == NULL ||
	    (s->target = pd_strdup(target, err)) == NULL ||
	    open_dir(s, err) == -1 || read_dir(s, err) == -1 ||
	    check_target(s, err) == -1) {
		pd_spool_close(s);
		return NULL;
	}
	return s;
}

void
pd_spool_close(struct pd_spool *s)
{
	if (s == NULL)
		return;
	if (s->lock >= 0)
		close(s->lock);
	if (s->fd >= 0)
		close(s->fd);
	free(s->old);
	free(s->target);
	free(s->dir);
	free(s);
}

const uint64_t *
pd_spool_old(const struct pd_spool *s, size_t *len)
{
	*len = s->nold;
	return s->old;
}

/* ---- writing ------------------------------------------------------------------------- */

static char *
make_head(const struct pd_spool *s, const struct pd_request *r,
    struct pd_error *err)
{
	char *head;

	if (asprintf(&head, "target %s\npath %s\ntype %s\nprofiles %zu\n"
	    "samples %" PRIu64 "\nraw %" PRIu64 "\nsize %zu\n\n", s->target,
	    r->path, r->type, r->profiles, r->samples, r->raw, r->size) == -1) {
		pd_fail_nomem(err);
		return NULL;
	}
	return head;
}

static uint64_t
checksum(const char *head, size_t head_size, const void *body, size_t size)
{
	XXH64_state_t state;

	XXH64_reset(&state, 0);
	XXH64_update(&state, head, head_size);
	if (size > 0)
		XXH64_update(&state, body, size);
	return XXH64_digest(&state);
}

static int
write_file(const struct pd_spool *s, const char *name, const char *head,
    const struct pd_request *r, struct pd_error *err)
{
	char magic[HEAD_SIZE + 1];
	int fd, result;

	fd = openat(s->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail_io(s, name, err);
	snprintf(magic, sizeof(magic), MAGIC "%016" PRIx64 "\n",
	    checksum(head, strlen(head), r->body, r->size));
	result = pd_write_all(fd, magic, HEAD_SIZE, s->dir, err);
	if (result == 0)
		result = pd_write_all(fd, head, strlen(head), s->dir, err);
	if (result == 0)
		result = pd_write_all(fd, r->body, r->size, s->dir, err);
	if (result == 0 && fsync(fd) == -1)
		result = fail_io(s, name, err);
	if (close(fd) == -1 && result == 0)
		result = fail_io(s, name, err);
	return result;
}

int
pd_spool_put(struct pd_spool *s, const struct pd_request *r, uint64_t *number,
    struct pd_error *err)
{
	struct name new = name_of(s->next, ".new");
	struct name final = name_of(s->next, SUFFIX);
	char *head = make_head(s, r, err);
	uint64_t size;
	int result;

	if (head == NULL)
		return -1;
	size = HEAD_SIZE + strlen(head) + r->size;
	if (size > s->max || s->used > s->max - size) {
		free(head);
		return 0;
	}
	result = write_file(s, new.text, head, r, err);
	if (result == 0 && renameat(s->fd, new.text, s->fd, final.text) == -1)
		result = fail_io(s, final.text, err);
	if (result == -1)
		unlinkat(s->fd, new.text, 0);
	else if (fsync(s->fd) == -1) {		/* the name, too */
		result = fail_io(s, final.text, err);
		unlinkat(s->fd, final.text, 0);
	}
	free(head);
	if (result == -1)
		return -1;
	s->used += size;
	*number = s->next++;
	return 1;
}

/* ---- reading --------------------------------------------------------------------------- */

/* The value of a line "key value" of the head; NULL when it is not there. */
static const char *
value_of(char *head, const char *key)
{
	size_t n = strlen(key);
	char *line;

	for (line = head; *line != '\0'; line += strlen(line) + 1)
		if (strncmp(line, key, n) == 0 && line[n] == ' ')
			return line + n + 1;
	return NULL;
}

static uint64_t
number_of(char *head, const char *key)
{
	const char *v = value_of(head, key);

	return v != NULL ? strtoull(v, NULL, 10) : 0;
}

/* data is all of a file; its lines become strings. */
static struct pd_request *
parse(const struct pd_spool *s, char *data, size_t size, struct pd_error *err)
{
	const char *path, *type, *target;
	char *head = data + HEAD_SIZE, *end, *p;
	struct pd_request *r;
	char magic[HEAD_SIZE + 1];
	size_t body;

	if (size > HEAD_SIZE)
		snprintf(magic, sizeof(magic), MAGIC "%016" PRIx64 "\n",
		    checksum(head, size - HEAD_SIZE, NULL, 0));
	if (size <= HEAD_SIZE || memcmp(magic, data, HEAD_SIZE) != 0 ||
	    (end = memmem(head, size - HEAD_SIZE, "\n\n", 2)) == NULL)
		goto bad;
	body = (size_t)(end + 2 - data);
	for (p = head; p < end + 2; p++)
		if (*p == '\n')
			*p = '\0';
	path = value_of(head, "path");
	type = value_of(head, "type");
	target = value_of(head, "target");
	if (path == NULL || path[0] != '/' || type == NULL || target == NULL ||
	    number_of(head, "size") != size - body)
		goto bad;
	if (strcmp(target, s->target) != 0) {
		pd_fail(err, PD_EARG, PD_NOWHERE, "%.60s: this spool holds "
		    "requests for another server: %.80s", s->dir, target);
		return NULL;
	}
	if ((r = pd_calloc(1, sizeof(*r), err)) == NULL)
		return NULL;
	r->path = pd_strdup(path, err);
	r->type = pd_strdup(type, err);
	r->body = pd_calloc(1, size - body, err);
	if (r->path == NULL || r->type == NULL || r->body == NULL) {
		pd_request_free(r);
		return NULL;
	}
	r->size = size - body;
	memcpy(r->body, data + body, r->size);
	r->profiles = number_of(head, "profiles");
	r->samples = number_of(head, "samples");
	r->raw = number_of(head, "raw");
	return r;

bad:
	pd_fail(err, PD_EFORMAT, PD_NOWHERE, "damaged");
	return NULL;
}

static char *
read_file(const struct pd_spool *s, const char *name, size_t *size,
    struct pd_error *err)
{
	int fd = openat(s->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	char *data = NULL;
	size_t done = 0;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) == -1)
		goto fail;
	/* We wrote it, but a number is a number. */
	if (st.st_size > MAX_FILE)
		st.st_size = MAX_FILE;
	if ((data = pd_calloc(1, (size_t)st.st_size + 1, err)) == NULL) {
		close(fd);
		return NULL;
	}
	while (done < (size_t)st.st_size) {
		n = read(fd, data + done, (size_t)st.st_size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			goto fail;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	close(fd);
	*size = done;
	return data;

fail:
	fail_io(s, name, err);
	if (fd >= 0)
		close(fd);
	free(data);
	return NULL;
}

struct pd_request *
pd_spool_get(struct pd_spool *s, uint64_t number, struct pd_error *err)
{
	struct name name = name_of(number, SUFFIX);
	struct name aside = name_of(number, ".damaged");
	struct pd_request *r;
	size_t size = 0;
	char *data = read_file(s, name.text, &size, err);

	if (data == NULL)
		return NULL;
	r = parse(s, data, size, err);
	free(data);
	if (r == NULL && err->code == PD_EFORMAT) {
		renameat(s->fd, name.text, s->fd, aside.text);
		s->used -= size < s->used ? size : s->used;
		pd_fail(err, PD_EFORMAT, PD_NOWHERE, "%.100s/%s: damaged; kept "
		    "as %s", s->dir, name.text, aside.text);
	}
	return r;
}

int
pd_spool_remove(struct pd_spool *s, uint64_t number, struct pd_error *err)
{
	struct name name = name_of(number, SUFFIX);
	struct stat st;

	/* When this is lost in a power cut, it is sent once more: no harm. */
	if (fstatat(s->fd, name.text, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
	    unlinkat(s->fd, name.text, 0) == -1)
		return fail_io(s, name.text, err);
	s->used -= (uint64_t)st.st_size < s->used ? (uint64_t)st.st_size :
	    s->used;
	return 0;
}
