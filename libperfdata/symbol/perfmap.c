/* Reads /tmp/perf-PID.map: "START SIZE NAME" in hex, a line a function. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "symbol/spans.h"

#include "symbol/perfmap.h"

#define MAX_SIZE	(1u << 30)

struct pd_perfmap {
	char			*text;
	struct pd_symbol	*syms;	/* in the order of lines */
	size_t			len, cap;
	struct pd_spanmap	owners;	/* places in syms */
	const char		*why;
};

/* ---- parsing ------------------------------------------------------------- */

/* A hexadecimal number, "0x" allowed, and the blank behind it. */
static char *
get_hex(char *s, uint64_t *out)
{
	char *end;

	if (*s == ' ' || *s == '-' || *s == '+' || *s == '\t')
		return NULL;
	*out = strtoull(s, &end, 16);
	return end != s && *end == ' ' ? end + 1 : NULL;
}

static int
parse_line(struct pd_perfmap *m, char *line, struct pd_error *err)
{
	struct pd_symbol sym = { .flags = PD_SYM_GLOBAL };
	uint64_t size;
	char *p;

	p = get_hex(line, &sym.start);
	p = p ? get_hex(p, &size) : NULL;
	if (p == NULL || size == 0 || *p == '\0' || sym.start + size < size)
		return 0;
	sym.end = sym.start + size;
	sym.name = p;
	if (m->len == UINT32_MAX / 2)
		return 0;
	if (pd_grow(&m->syms, &m->cap, m->len + 1, sizeof(sym), err) == -1)
		return -1;
	m->syms[m->len++] = sym;
	return 0;
}

static int
parse(struct pd_perfmap *m, size_t len, struct pd_error *err)
{
	char *p = m->text, *end = m->text + len, *nl;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (nl == NULL)
			nl = end;
		*nl = '\0';
		if (parse_line(m, p, err) == -1)
			return -1;
	}
	return 0;
}

/* ---- overlaps ------------------------------------------------------------ */

/* Where lines overlap, the later one is what is there. */
static int
settle(struct pd_perfmap *m, struct pd_error *err)
{
	struct pd_spans spans = { .len = 0 };
	int ret = 0;
	uint32_t i;

	for (i = 0; i < m->len && ret == 0; i++)
		ret = pd_spans_add(&spans, m->syms[i].start, m->syms[i].end, i,
		    i, err);
	if (ret == 0)
		ret = pd_spanmap_make(&m->owners, &spans, err);
	pd_spans_free(&spans);
	return ret;
}

/* ---- interface ----------------------------------------------------------- */

static int
read_map(struct pd_perfmap *m, int fd, struct pd_error *err)
{
	size_t len;

	m->text = pd_file_slurp(fd, MAX_SIZE, &len, err);
	if (m->text == NULL) {
		m->why = "perf map cannot be read";
		return err->code == PD_OK ? 0 : -1;
	}
	if (parse(m, len, err) == -1)
		return -1;
	if (m->len == 0) {
		m->why = "perf map has no names";
		return 0;
	}
	return settle(m, err);
}

/* Unless the user said where: never through a link, see pd_file_is_trusted(). */
static struct pd_perfmap *
open_map(const char *path, bool anywhere, struct pd_error *err)
{
	struct pd_perfmap *m = pd_calloc(1, sizeof(*m), err);
	struct stat st;
	int fd, ret = 0;

	if (m == NULL)
		return NULL;
	fd = pd_file_open(path, anywhere, &st, &m->why);
	if (fd == -1)
		return m;
	if (!anywhere && !pd_file_is_trusted(&st))
		m->why = "perf map belongs to another user";
	else
		ret = read_map(m, fd, err);
	close(fd);
	if (ret == -1) {
		pd_perfmap_free(m);
		return NULL;
	}
	return m;
}

struct pd_perfmap *
pd_perfmap_open(const char *root, uint32_t pid, struct pd_error *err)
{
	char path[PD_PATH_MAX];

	snprintf(path, sizeof(path), "%s/tmp/perf-%u.map", root, pid);
	return open_map(path, false, err);
}

struct pd_perfmap *
pd_perfmap_open_file(const char *path, struct pd_error *err)
{
	return open_map(path, true, err);
}

void
pd_perfmap_free(struct pd_perfmap *m)
{
	if (m == NULL)
		return;
	free(m->text);
	free(m->syms);
	pd_spanmap_free(&m->owners);
	free(m);
}

const char *
pd_perfmap_why(const struct pd_perfmap *m)
{
	return m->why;
}

const struct pd_symbol *
pd_perfmap_find(const struct pd_perfmap *m, uint64_t ip)
{
	uint32_t i = pd_spanmap_find(&m->owners, ip);

	return i == PD_NOID ? NULL : &m->syms[i];
}
