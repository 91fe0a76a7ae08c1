/* Files that list occurrences: marker files of programs, windows from logs. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cut/markerfile.h"

enum { LINE_SIZE = 4096 };

static const char blanks[] = " \t";

struct lines {
	FILE		*f;
	const char	*path;
	size_t		no;		/* of the line, from 1 */
	char		text[LINE_SIZE];	/* without its newline */
};

static int
bad_line(const struct lines *l, struct pd_error *err, const char *why)
{
	return pd_fail(err, PD_EARG, PD_NOWHERE, "%s:%zu: %s", l->path, l->no,
	    why);
}

static const char too_long[] = "the line is too long";

/* The next line that is not empty: 1, 0 at the end, -1. */
static int
next_line(struct lines *l, struct pd_error *err)
{
	size_t n;

	while (fgets(l->text, sizeof(l->text), l->f) != NULL) {
		l->no++;
		n = strlen(l->text);
		if (n == sizeof(l->text) - 1 && l->text[n - 1] != '\n')
			return bad_line(l, err, too_long);
		while (n > 0 && strchr(" \t\r\n", l->text[n - 1]))
			l->text[--n] = '\0';
		if (n > 0)
			return 1;
	}
	return ferror(l->f) ? pd_fail(err, PD_EIO, PD_NOWHERE, "%s", l->path) :
	    0;
}

static int
open_lines(struct lines *l, const char *path, struct pd_error *err)
{
	l->path = path;
	l->no = 0;
	l->f = strcmp(path, "-") == 0 ? fdopen(dup(STDIN_FILENO), "r") :
	    fopen(path, "re");
	return l->f ? 0 : pd_fail(err, PD_EIO, PD_NOWHERE, "%s", path);
}

/* A number and what follows it; NULL when it is none. */
static const char *
parse_u64(const char *s, uint64_t *v)
{
	char *end;

	if (*s < '0' || *s > '9')
		return NULL;
	errno = 0;
	*v = strtoull(s, &end, 10);
	return errno == 0 ? end : NULL;
}

static const char *
printable(struct pd_strtab *names, char *name, struct pd_error *err)
{
	pd_printable(name);
	return pd_strtab_str(names, name, err);
}

/* ---- marker files ------------------------------------------------------------- */

bool
pd_markerfile_named(const char *path, uint32_t *pid, uint32_t *tid)
{
	const char *s = strrchr(path, '/');
	uint64_t v;

	*pid = *tid = PD_NOID;
	s = s ? s + 1 : path;
	if (!pd_starts(s, "marker-") ||
	    (s = parse_u64(s + strlen("marker-"), &v)) == NULL ||
	    v >= PD_NOID)
		return false;
	*pid = (uint32_t)v;
	if (*s == '-') {
		if ((s = parse_u64(s + 1, &v)) == NULL || v >= PD_NOID)
			return false;
		*tid = (uint32_t)v;
	}
	return strcmp(s, ".txt") == 0;
}

/* A time and the blanks behind it; what follows, NULL when it is none. */
static const char *
parse_time(const char *s, uint64_t *v)
{
	size_t n;

	if ((s = parse_u64(s, v)) == NULL || (n = strspn(s, blanks)) == 0)
		return NULL;
	return s + n;
}

/* "START END NAME" */
static int
parse_marker(struct lines *l, struct pd_occurrence *o,
    struct pd_strtab *names, struct pd_error *err)
{
	const char *s = parse_time(l->text, &o->start);

	if (s == NULL || (s = parse_time(s, &o->stop)) == NULL || *s == '\0')
		return bad_line(l, err, "expected START END NAME, the times "
		    "in nanoseconds");
	if (o->stop < o->start)
		return bad_line(l, err, "ends before it begins");
	o->duration = o->stop - o->start;
	o->name = printable(names, l->text + (s - l->text), err);
	return o->name ? 0 : -1;
}

/* Lines that are wrong are noted if notes is not NULL. */
static int
read_markers(struct lines *l, struct pd_occurrence o,
    struct pd_occurrences *os, struct pd_strtab *names,
    struct pd_notes *notes, struct pd_error *err)
{
	int r;

	while ((r = next_line(l, err)) == 1) {
		if (parse_marker(l, &o, names, err) == 0) {
			if (pd_occurrences_add(os, &o, err) == -1)
				return -1;
		} else if (notes == NULL || err->code != PD_EARG) {
			return -1;
		} else {
			pd_note_add(notes, true, PD_NOWHERE, "%s", err->msg);
		}
	}
	return r;
}

int
pd_markerfile_read(const char *path, struct pd_occurrences *os,
    struct pd_strtab *names, struct pd_error *err)
{
	struct pd_occurrence o = { .cpu = PD_NOID };
	struct lines l;
	int r;

	if (!pd_markerfile_named(path, &o.pid, &o.tid))
		o.pid = o.tid = PD_NOID;
	if (open_lines(&l, path, err) == -1)
		return -1;
	r = read_markers(&l, o, os, names, NULL, err);
	fclose(l.f);
	return r;
}

int
pd_markerfile_read_mapped(const char *path, uint32_t pid,
    struct pd_occurrences *os, struct pd_strtab *names,
    struct pd_notes *notes, struct pd_error *err)
{
	struct pd_occurrence o = { .pid = pid, .cpu = PD_NOID };
	struct lines l = { .path = path };
	uint32_t named_pid;
	const char *why;
	struct stat st;
	int fd, r;

	/* in a container, its threads have other numbers there */
	pd_markerfile_named(path, &named_pid, &o.tid);
	if (named_pid != pid)
		o.tid = PD_NOID;
	if ((fd = pd_file_open(path, true, &st, &why)) == -1) {
		pd_note_add(notes, true, PD_NOWHERE, "marker file %s: %s",
		    path, why);
		return 0;
	}
	if ((l.f = fdopen(fd, "r")) == NULL) {
		close(fd);
		return pd_fail_nomem(err);
	}
	r = read_markers(&l, o, os, names, notes, err);
	fclose(l.f);
	if (r == -1 && err->code != PD_ENOMEM) {
		pd_note_add(notes, true, PD_NOWHERE, "%s", err->msg);
		r = 0;
	}
	return r;
}

/* ---- windows with names --------------------------------------------------------- */

/* "tid=12": the number goes to its place in o; false for anything else. */
static bool
parse_id(const char *word, struct pd_occurrence *o)
{
	uint32_t *to = pd_starts(word, "pid=") ? &o->pid :
	    pd_starts(word, "tid=") ? &o->tid :
	    pd_starts(word, "cpu=") ? &o->cpu : NULL;
	const char *end;
	uint64_t v;

	if (to == NULL || (end = parse_u64(word + 4, &v)) == NULL ||
	    *end != '\0' || v >= PD_NOID)
		return false;
	*to = (uint32_t)v;
	return true;
}

static int
parse_window_line(struct lines *l, struct pd_window_line *w,
    struct pd_strtab *names, struct pd_error *err)
{
	char *s = l->text + strspn(l->text, blanks), *word, *rest, what[PD_PATH_MAX];
	size_t n = strcspn(s, blanks);

	rest = s[n] ? s + n + 1 : s + n;
	s[n] = '\0';
	snprintf(what, sizeof(what), "%s:%zu", l->path, l->no);
	if (pd_window_parse(s, what, &w->spec, err) == -1 ||
	    (w->text = pd_strtab_str(names, s, err)) == NULL)
		return -1;
	for (;;) {
		char old;

		word = rest + strspn(rest, blanks);
		n = strcspn(word, blanks);
		old = word[n];
		word[n] = '\0';
		if (n == 0 || !parse_id(word, &w->occ)) {
			word[n] = old;
			break;
		}
		rest = old ? word + n + 1 : word + n;
	}
	w->occ.name = *word ? printable(names, word, err) :
	    pd_strtab_str(names, "window", err);
	return w->occ.name ? 0 : -1;
}

int
pd_windowfile_read(const char *path, struct pd_window_lines *lines,
    struct pd_strtab *names, struct pd_error *err)
{
	struct lines l;
	int r;

	if (open_lines(&l, path, err) == -1)
		return -1;
	while ((r = next_line(&l, err)) == 1) {
		struct pd_window_line w = {
			.path = pd_strtab_str(names, path, err),
			.line = l.no,
			.occ = { .pid = PD_NOID, .tid = PD_NOID,
			    .cpu = PD_NOID },
		};

		if (l.text[0] == '#')
			continue;
		if (w.path == NULL ||
		    parse_window_line(&l, &w, names, err) == -1 ||
		    pd_grow(&lines->list, &lines->cap, lines->len + 1,
		    sizeof(w), err) == -1) {
			r = -1;
			break;
		}
		lines->list[lines->len++] = w;
	}
	fclose(l.f);
	return r;
}

int
pd_windowfile_resolve(const struct pd_window_lines *lines,
    const struct pd_timebase *base, struct pd_occurrences *os,
    struct pd_error *err)
{
	char what[PD_PATH_MAX];
	size_t i;

	for (i = 0; i < lines->len; i++) {
		const struct pd_window_line *w = &lines->list[i];
		struct pd_occurrence o = w->occ;
		struct pd_window span;

		snprintf(what, sizeof(what), "%s:%zu", w->path, w->line);
		if (pd_window_resolve(&w->spec, base, what, w->text, &span,
		    err) == -1)
			return -1;
		o.start = span.start;
		o.stop = span.stop;
		o.duration = span.stop - span.start;
		if (pd_occurrences_add(os, &o, err) == -1)
			return -1;
	}
	return 0;
}
