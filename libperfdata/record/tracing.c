/*
 * Reads the names of tracepoints from tracing data, the format of trace-cmd
 * (tools/perf/util/trace-event-info.c; trace-cmd.dat(5)).  A name needs the
 * first two lines of a format only, so the formats are not parsed here.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "record/tracing.h"

/*
 * Deeper nesting than any kernel writes: a parser that recurses on it would
 * run out of stack.
 */
#define NESTING_MAX	256

struct pd_tracepoints {
	struct pd_map64	by_id;
	struct pd_arena	arena;
	const char	**names;
	size_t		len, cap;
};

static const char *
skip_block(struct pd_cursor *c, size_t *size)
{
	uint64_t n = pd_get_u64(c);

	if (n > pd_left(c)) {
		c->bad = true;
		return NULL;
	}
	*size = (size_t)n;
	return (const char *)pd_get_bytes(c, (size_t)n);
}

static bool
nests_too_deep(const char *s, size_t len)
{
	size_t i, depth = 0;

	for (i = 0; i < len; i++) {
		if (s[i] == '(' && ++depth > NESTING_MAX)
			return true;
		if (s[i] == ')' && depth > 0)
			depth--;
	}
	return false;
}

/* "name: sched_switch\nID: 314\n..." */
static int
add_format(struct pd_tracepoints *t, const char *system, const char *s,
    size_t len, struct pd_error *err)
{
	char head[256], name[128], *full;
	unsigned long long id;
	size_t n;

	n = len < sizeof(head) - 1 ? len : sizeof(head) - 1;
	memcpy(head, s, n);
	head[n] = '\0';
	if (sscanf(head, "name: %127s ID: %llu", name, &id) != 2)
		return 0;
	n = strlen(system) + strlen(name) + 2;
	if (pd_grow(&t->names, &t->cap, t->len + 1, sizeof(*t->names), err) ||
	    (full = pd_arena_alloc(&t->arena, n, err)) == NULL)
		return -1;
	snprintf(full, n, "%s:%s", system, name);
	pd_printable(full);
	t->names[t->len] = full;
	return pd_map64_put(&t->by_id, id, (uint32_t)t->len++, err);
}

static int
add_system(struct pd_tracepoints *t, const char *system, uint32_t n,
    struct pd_cursor *c, uint64_t offset, struct pd_notes *notes,
    struct pd_error *err)
{
	const char *format;
	size_t len;

	for (; n > 0 && !c->bad; n--) {
		format = skip_block(c, &len);
		if (format == NULL)
			break;
		if (nests_too_deep(format, len))
			pd_note_add(notes, true, offset,
			    "tracing data: a format of %s nests too deep, its "
			    "fields are not usable", system);
		if (add_format(t, system, format, len, err) == -1)
			return -1;
	}
	return 0;
}

/* The head: magic, version, byte order, sizes, two page layouts. */
static void
skip_head(struct pd_cursor *c)
{
	static const char magic[] = "\x17\x08\x44tracing";
	const uint8_t *p = pd_get_bytes(c, sizeof(magic) - 1);
	const char *s;
	size_t len;

	if (p == NULL || memcmp(p, magic, sizeof(magic) - 1) != 0) {
		c->bad = true;
		return;
	}
	pd_get_str(c);			/* version */
	c->swapped = pd_get_u8(c) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	pd_get_u8(c);			/* sizeof(long) */
	pd_get_u32(c);			/* page size */
	s = pd_get_str(c);
	if (s == NULL || strcmp(s, "header_page") != 0)
		c->bad = true;
	skip_block(c, &len);
	s = pd_get_str(c);
	if (s == NULL || strcmp(s, "header_event") != 0)
		c->bad = true;
	skip_block(c, &len);
}

/* kallsyms, printk formats, and, since version 0.6, the names of tasks. */
static void
skip_tail(struct pd_cursor *c)
{
	size_t len;

	pd_get_bytes(c, pd_get_u32(c));
	pd_get_bytes(c, pd_get_u32(c));
	if (!c->bad && pd_left(c) >= 8)
		skip_block(c, &len);
}

int
pd_tracepoints_add(struct pd_tracepoints **tp, struct pd_cursor *c,
    uint64_t offset, struct pd_notes *notes, struct pd_error *err)
{
	struct pd_tracepoints *t = *tp;
	const char *system;
	uint32_t systems;

	if (t == NULL && (t = *tp = pd_calloc(1, sizeof(*t), err)) == NULL)
		return -1;
	skip_head(c);
	if (add_system(t, "ftrace", c->bad ? 0 : pd_get_u32(c), c, offset,
	    notes, err) == -1)
		return -1;
	for (systems = pd_get_u32(c); systems > 0 && !c->bad; systems--) {
		system = pd_get_str(c);
		if (system == NULL)
			break;
		if (add_system(t, system, pd_get_u32(c), c, offset, notes,
		    err) == -1)
			return -1;
	}
	skip_tail(c);
	return 0;
}

void
pd_tracepoints_free(struct pd_tracepoints *t)
{
	if (t == NULL)
		return;
	pd_map64_free(&t->by_id);
	pd_arena_free(&t->arena);
	free(t->names);
	free(t);
}

const char *
pd_tracepoints_find(const struct pd_tracepoints *t, uint64_t id)
{
	uint32_t i = t == NULL ? PD_NOID : pd_map64_find(&t->by_id, id);

	return i == PD_NOID ? NULL : t->names[i];
}
