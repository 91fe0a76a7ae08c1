/*
 * The files of --each.  A file gets its name when it is complete, so that what
 * is there under one is whole, whatever ends the program.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parts.h"

struct part {
	uint64_t	number;
	struct pd_part	part;
	char		file[100];
};

static int
fail(struct pd_error *err, const char *what, const char *name)
{
	*err = (struct pd_error){ .code = PD_EIO, .sys = errno,
		.offset = PD_NOWHERE };
	snprintf(err->msg, sizeof(err->msg), "%s: %.100s: %s", what, name,
	    strerror(errno));
	return -1;
}

/* "import_start-000042.data"; names of sections can be anything. */
static void
file_name(const struct parts *p, uint64_t i, char *out, size_t size)
{
	const char *name = p->of.list ? p->of.list[i].name : "piece";
	char plain[65];
	size_t n;

	for (n = 0; name[n] != '\0' && n < sizeof(plain) - 1; n++)
		plain[n] = isalnum((unsigned char)name[n]) ||
		    (strchr("._-+", name[n]) && n > 0) ? name[n] : '_';
	plain[n] = '\0';
	snprintf(out, size, "%s-%06" PRIu64 ".data", plain, i + 1);
}

/* Where files without name are not to be had, this one is in the way. */
static void
temp_name(uint64_t i, char *out, size_t size)
{
	snprintf(out, size, ".part-%ld-%" PRIu64, (long)getpid(), i);
}

static int
part_open(void *ctx, uint64_t i, struct pd_error *err)
{
	struct parts *p = ctx;
	char temp[64];
	int fd = openat(p->fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);

	if (fd >= 0)
		return fd;
	temp_name(i, temp, sizeof(temp));
	fd = openat(p->fd, temp, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
	return fd >= 0 ? fd : fail(err, "cannot write to", p->dir);
}

/* Give the file its name, in the place of one that had it. */
static int
name_file(const struct parts *p, uint64_t i, int fd, const char *name,
    struct pd_error *err)
{
	char temp[64], proc[64];
	struct stat st;

	temp_name(i, temp, sizeof(temp));
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) == 0 && st.st_nlink == 0 && linkat(AT_FDCWD, proc,
	    p->fd, temp, AT_SYMLINK_FOLLOW) == -1)
		return fail(err, "cannot name", name);
	if (renameat(p->fd, temp, p->fd, name) == -1) {
		fail(err, "cannot name", name);
		unlinkat(p->fd, temp, 0);
		return -1;
	}
	return 0;
}

static int
part_close(void *ctx, uint64_t i, int fd, const struct pd_part *part,
    struct pd_error *err)
{
	struct parts *p = ctx;
	struct part row = { .number = i }, *rows;
	char temp[64];
	int r;

	if (part == NULL) {
		temp_name(i, temp, sizeof(temp));
		unlinkat(p->fd, temp, 0);
		return close(fd);
	}
	row.part = *part;
	file_name(p, i, row.file, sizeof(row.file));
	r = name_file(p, i, fd, row.file, err);
	if (close(fd) == -1 && r == 0)
		r = fail(err, "write", row.file);
	if (r == -1)
		return -1;
	if (p->len == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 64;
		rows = realloc(p->rows, p->cap * sizeof(*rows));
		if (rows == NULL)
			return fail(err, "out of memory for", "index.tsv");
		p->rows = rows;
	}
	p->rows[p->len++] = row;
	return 0;
}

void
parts_open(struct parts *p, const struct cli *c, const char *dir,
    const struct pd_occurrence *list, size_t len, uint64_t every)
{
	struct rlimit limit;

	*p = (struct parts){ .cli = c, .dir = dir, .of = { list, len, every,
		part_open, part_close, p } };
	if (mkdir(dir, 0777) == -1 && errno != EEXIST)
		goto fail;
	p->fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->fd == -1)
		goto fail;
	/* Sections of many threads may go on at the same time. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	return;

fail:
	cli_say(c, dir, "%s", strerror(errno));
	exit(2);
}

static int
by_number(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void
put_id(FILE *out, uint32_t id)
{
	if (id == PD_NOID)
		fputs("\t-", out);
	else
		fprintf(out, "\t%" PRId32, (int32_t)id);
}

static void
put_row(const struct parts *p, const struct part *row, FILE *out)
{
	const struct pd_occurrence *of = p->of.list ?
	    &p->of.list[row->number] : NULL;

	fprintf(out, "%s\t%s", row->file, of ? of->name : "piece");
	put_id(out, of ? of->pid : PD_NOID);
	put_id(out, of ? of->tid : PD_NOID);
	put_id(out, of ? of->cpu : PD_NOID);
	fprintf(out, "\t%" PRIu64 ".%09" PRIu64 "\t%" PRIu64 "\t%s\t%" PRIu64
	    "\n", row->part.start / 1000000000, row->part.start % 1000000000,
	    of ? of->duration : row->part.stop - row->part.start,
	    of && of->unfinished ? "unfinished" : "whole", row->part.samples);
}

void
parts_close(struct parts *p)
{
	struct cli_output out;
	char *path;
	size_t i;

	if (asprintf(&path, "%s/index.tsv", p->dir) == -1) {
		cli_say(p->cli, p->dir, "out of memory");
		exit(2);
	}
	if (p->len > 0)
		qsort(p->rows, p->len, sizeof(*p->rows), by_number);
	cli_output_open(p->cli, &out, path);
	fputs("file\tname\tpid\ttid\tcpu\tstart\tduration_ns\tend\tsamples\n",
	    out.file);
	for (i = 0; i < p->len; i++)
		put_row(p, &p->rows[i], out.file);
	cli_output_close(p->cli, &out);
	free(path);
	free(p->rows);
	close(p->fd);
}
