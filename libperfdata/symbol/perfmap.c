/* Reads /tmp/perf-PID.map: "START SIZE NAME" in hex, a line a function. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "symbol/file.h"

#include "symbol/perfmap.h"

#define MAX_SIZE	(1u << 30)

/* A stretch of addresses and the symbol that was there last. */
struct piece {
	uint64_t	start, end;
	uint32_t	sym;
};

struct pd_perfmap {
	char			*text;
	struct pd_symbol	*syms;	/* in file order until painted */
	size_t			len, cap;
	struct piece		*pieces;	/* disjoint, by start */
	size_t			npieces, pieces_cap;
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
	sym.outer = (uint32_t)m->len;		/* the later line wins */
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

static int
by_start(const void *a, const void *b)
{
	const struct pd_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->outer < y->outer ? -1 : x->outer > y->outer;
}

/* A heap of the symbols that cover an address; the last line is on top. */
struct heap {
	const struct pd_symbol	*syms;
	uint32_t		*v;
	size_t			len;
};

static bool
above(const struct heap *h, size_t i, size_t j)
{
	return h->syms[h->v[i]].outer > h->syms[h->v[j]].outer;
}

static void
swap(struct heap *h, size_t i, size_t j)
{
	uint32_t t = h->v[i];

	h->v[i] = h->v[j];
	h->v[j] = t;
}

static void
push(struct heap *h, uint32_t sym)
{
	size_t i = h->len++;

	h->v[i] = sym;
	for (; i > 0 && above(h, i, (i - 1) / 2); i = (i - 1) / 2)
		swap(h, i, (i - 1) / 2);
}

static void
pop(struct heap *h)
{
	size_t i = 0, child;

	h->v[0] = h->v[--h->len];
	while ((child = 2 * i + 1) < h->len) {
		if (child + 1 < h->len && above(h, child + 1, child))
			child++;
		if (!above(h, child, i))
			break;
		swap(h, i, child);
		i = child;
	}
}

static int
add_piece(struct pd_perfmap *m, uint64_t start, uint64_t end, uint32_t sym,
    struct pd_error *err)
{
	struct piece *last = m->npieces ? &m->pieces[m->npieces - 1] : NULL;

	if (last != NULL && last->sym == sym && last->end == start) {
		last->end = end;
		return 0;
	}
	if (pd_grow(&m->pieces, &m->pieces_cap, m->npieces + 1, sizeof(*last),
	    err) == -1)
		return -1;
	m->pieces[m->npieces++] = (struct piece){ start, end, sym };
	return 0;
}

/*
 * Sweep over the symbols by address: from each start to the next, the line
 * that came last is what is there.
 */
static int
paint(struct pd_perfmap *m, uint32_t *room, struct pd_error *err)
{
	struct heap h = { .syms = m->syms, .v = room };
	uint64_t at = 0, next, end;
	uint32_t i = 0;

	while (i < m->len || h.len > 0) {
		if (h.len == 0)
			at = m->syms[i].start;
		while (i < m->len && m->syms[i].start == at)
			push(&h, i++);
		next = i < m->len ? m->syms[i].start : UINT64_MAX;
		while (h.len > 0 && at < next) {
			end = m->syms[h.v[0]].end;
			if (end <= at) {
				pop(&h);
				continue;
			}
			end = end < next ? end : next;
			if (add_piece(m, at, end, h.v[0], err) == -1)
				return -1;
			at = end;
		}
		if (next == UINT64_MAX)
			break;
		at = next;
	}
	return 0;
}

static int
settle(struct pd_perfmap *m, struct pd_error *err)
{
	uint32_t *room;
	int ret;

	qsort(m->syms, m->len, sizeof(*m->syms), by_start);
	room = pd_calloc(m->len, sizeof(*room), err);
	if (room == NULL)
		return -1;
	ret = paint(m, room, err);
	free(room);
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
pd_perfmap_open(uint32_t pid, struct pd_error *err)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
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
	free(m->pieces);
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
	size_t lo = 0, hi = m->npieces, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (m->pieces[mid].start <= ip)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || ip >= m->pieces[lo - 1].end)
		return NULL;
	return &m->syms[m->pieces[lo - 1].sym];
}
