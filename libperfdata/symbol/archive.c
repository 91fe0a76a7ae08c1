/*
 * Files by their build-id, out of what `perf archive` wrote: a tar of a part
 * of ~/.debug, where a file is NAME/BUILD-ID/elf and .build-id/ has links to
 * those directories.
 *
 * A compressed tar can only be read from its start, so all files that may be
 * asked for are unpacked at once, into temporary files without a name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/tmpfile.h"
#include "symbol/debugfile.h"
#include "symbol/plugin.h"

#include "symbol/archive.h"

#define LIBRARY		"libarchive.so.13"
/* Each is a descriptor, of which a process has 1,024 by default. */
#define MAX_MEMBERS	400
/* perf archive takes what had samples: far from it, but not without end. */
#define MAX_BYTES	(1ull << 33)

/* From archive.h and archive_entry.h, the same in all of libarchive 3. */
#define ARCHIVE_EOF	1
#define ARCHIVE_OK	0
#define ARCHIVE_WARN	(-20)
#define AE_IFREG	0100000u

struct library {
	void		*(*read_new)(void);
	int		(*read_free)(void *);
	int		(*tar)(void *), (*bzip2)(void *), (*gzip)(void *);
	int		(*xz)(void *), (*zstd)(void *);
	int		(*open_fd)(void *, int, size_t);
	int		(*next_header)(void *, void **);
	ssize_t		(*read_data)(void *, void *, size_t);
	const char	*(*pathname)(void *);
	unsigned	(*filetype)(void *);
};

struct member {
	struct pd_buildid	id;
	char			what[9];
	int			fd;
};

struct pd_archive {
	const char	*path;
	struct pd_notes	*notes;
	bool		looked;
	struct member	members[MAX_MEMBERS];
	size_t		len;
	uint64_t	bytes;
	struct library	lib;
};

struct pd_archive *
pd_archive_new(const char *path, struct pd_notes *notes, struct pd_error *err)
{
	struct pd_archive *a = pd_calloc(1, sizeof(*a), err);

	if (a != NULL) {
		a->path = path;
		a->notes = notes;
	}
	return a;
}

void
pd_archive_free(struct pd_archive *a)
{
	if (a == NULL)
		return;
	while (a->len > 0)
		close(a->members[--a->len].fd);
	free(a);
}

/* Fewer formats than it knows: each is a parser for hostile bytes. */
static bool
load(struct library *l)
{
	const struct pd_plugin_fn fns[] = {
		{ "archive_read_new", &l->read_new },
		{ "archive_read_free", &l->read_free },
		{ "archive_read_support_format_tar", &l->tar },
		{ "archive_read_support_filter_bzip2", &l->bzip2 },
		{ "archive_read_support_filter_gzip", &l->gzip },
		{ "archive_read_support_filter_xz", &l->xz },
		{ "archive_read_support_filter_zstd", &l->zstd },
		{ "archive_read_open_fd", &l->open_fd },
		{ "archive_read_next_header", &l->next_header },
		{ "archive_read_data", &l->read_data },
		{ "archive_entry_pathname", &l->pathname },
		{ "archive_entry_filetype", &l->filetype },
	};

	return pd_plugin_load(LIBRARY, fns, sizeof(fns) / sizeof(*fns));
}

/* ---- names of members -------------------------------------------------------- */

static int
hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	    c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* All of s[0..len) as a build-id. */
static bool
parse_buildid(const char *s, size_t len, struct pd_buildid *id)
{
	int high, low;
	size_t i;

	*id = (struct pd_buildid){ .size = (uint8_t)(len / 2) };
	if (len % 2 != 0 || len < 16 || len > 2 * sizeof(id->bytes))
		return false;
	for (i = 0; i < len; i += 2) {
		high = hex_digit(s[i]);
		low = hex_digit(s[i + 1]);
		if (high == -1 || low == -1)
			return false;
		id->bytes[i / 2] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/* "usr/bin/x/0123abc.../elf", or before Linux 4.14 without the last part. */
static bool
parse_name(const char *name, struct member *m)
{
	static const char *const whats[] = { "elf", "debug", "vdso",
		"kallsyms" };
	const char *end = name + strlen(name), *slash, *dir;
	size_t i;

	m->what[0] = '\0';
	slash = strrchr(name, '/');
	for (i = 0; slash != NULL && i < sizeof(whats) / sizeof(*whats); i++) {
		if (strcmp(slash + 1, whats[i]) != 0)
			continue;
		strcpy(m->what, whats[i]);
		end = slash;
	}
	dir = memrchr(name, '/', (size_t)(end - name));
	dir = dir ? dir + 1 : name;
	return parse_buildid(dir, (size_t)(end - dir), &m->id);
}

/* ---- unpacking ----------------------------------------------------------------- */

/* The data of the entry that is read: NULL, or why it cannot be had. */
static const char *
unpack(struct pd_archive *a, void *r, int fd)
{
	struct pd_error err;
	char buf[65536];
	ssize_t n;

	while ((n = a->lib.read_data(r, buf, sizeof(buf))) > 0) {
		a->bytes += (uint64_t)n;
		if (a->bytes > MAX_BYTES)
			return "too large";
		if (pd_write_all(fd, buf, (size_t)n, "temporary file",
		    &err) == -1)
			return "no space for temporary files (see TMPDIR)";
	}
	return n == 0 ? NULL : "damaged, or not a tar archive";
}

static const char *
add_member(struct pd_archive *a, void *r, const char *name)
{
	struct member *m = &a->members[a->len];
	struct pd_error err;
	const char *why;

	if (a->len == MAX_MEMBERS)
		return "too many files: unpack it and use --buildid-dir";
	if (name == NULL || !parse_name(name, m))
		return NULL;
	m->fd = pd_tmpfile(&err);
	if (m->fd == -1)
		return "cannot make temporary files (see TMPDIR)";
	why = unpack(a, r, m->fd);
	if (why != NULL)
		close(m->fd);
	else
		a->len++;
	return why;
}

static const char *
read_members(struct pd_archive *a, void *r, int fd)
{
	const char *why = NULL;
	void *entry;
	int ret;

	if (a->lib.open_fd(r, fd, 65536) != ARCHIVE_OK)
		return "damaged, or not a tar archive";
	while (why == NULL &&
	    (ret = a->lib.next_header(r, &entry)) != ARCHIVE_EOF) {
		if (ret != ARCHIVE_OK && ret != ARCHIVE_WARN)
			return "damaged, or not a tar archive";
		if (a->lib.filetype(entry) == AE_IFREG)
			why = add_member(a, r, a->lib.pathname(entry));
	}
	return why;
}

static const char *
read_archive(struct pd_archive *a)
{
	struct library *l = &a->lib;
	const char *why;
	struct stat st;
	void *r;
	int fd;

	fd = pd_file_open(a->path, true, &st, &why);
	if (fd == -1)
		return why;
	if (!load(l))
		why = "cannot load " LIBRARY " (Debian: libarchive13)";
	else if ((r = l->read_new()) == NULL)
		why = "out of memory";
	else {
		l->tar(r);
		l->bzip2(r);
		l->gzip(r);
		l->xz(r);
		l->zstd(r);
		why = read_members(a, r, fd);
		l->read_free(r);
	}
	close(fd);
	return why;
}

char *
pd_archive_find(struct pd_archive *a, const struct pd_buildid *id,
    const char *what, struct pd_error *err)
{
	const char *why;
	size_t i;

	err->code = PD_OK;
	if (!a->looked) {
		a->looked = true;
		why = read_archive(a);
		if (why != NULL && a->notes != NULL)
			pd_note_add(a->notes, false, PD_NOWHERE,
			    "%.200s: %s", a->path, why);
	}
	for (i = 0; i < a->len; i++)
		if (strcmp(a->members[i].what, what) == 0 &&
		    pd_buildid_equal(&a->members[i].id, id))
			return pd_path(err, "/proc/self/fd/%d",
			    a->members[i].fd);
	return NULL;
}
