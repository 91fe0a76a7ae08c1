/*
 * Reads names and fields of tracepoints from tracing data, the format of
 * trace-cmd (tools/perf/util/trace-event-info.c; trace-cmd.dat(5)).  How a
 * tracepoint is to be printed, which needs a parser of C, is left alone.
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

/* The fields of one tracepoint: the longest that kernels have is 10 kB. */
#define FIELDS_MAX	65536

struct tracepoint {
	const char	*name, *fields;	/* the lines of its fields */
};

struct pd_tracepoints {
	struct pd_map64		by_id;
	struct pd_arena		arena;
	struct tracepoint	*list;
	size_t			len, cap;
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

/*
 * "name: sched_switch\nID: 314\nformat:\n\tfield:...\nprint fmt: ..."; what
 * is behind the fields is not kept.
 */
static int
add_format(struct pd_tracepoints *t, const char *system, const char *s,
    size_t len, uint64_t offset, struct pd_notes *notes, struct pd_error *err)
{
	static const char behind[] = "\nprint fmt:";
	const char *end = memmem(s, len, behind, sizeof(behind) - 1);
	char name[128], *full, *text;
	unsigned long long id;
	size_t n = end ? (size_t)(end - s) : len;

	if (n > FIELDS_MAX) {
		pd_note_add(notes, true, offset, "tracing data: an event of %s "
		    "has too many fields, not all are usable", system);
		n = FIELDS_MAX;
	}
	if ((text = pd_arena_strndup(&t->arena, s, n, err)) == NULL)
		return -1;
	if (sscanf(text, "name: %127s ID: %llu", name, &id) != 2)
		return 0;
	n = strlen(system) + strlen(name) + 2;
	if (pd_grow(&t->list, &t->cap, t->len + 1, sizeof(*t->list), err) ||
	    (full = pd_arena_alloc(&t->arena, n, err)) == NULL)
		return -1;
	snprintf(full, n, "%s:%s", system, name);
	pd_printable(full);
	t->list[t->len] = (struct tracepoint){ full, text };
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
			    "tracing data: how an event of %s is printed nests "
			    "too deep to be used", system);
		if (add_format(t, system, format, len, offset, notes, err) == -1)
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
	free(t->list);
	free(t);
}

static const struct tracepoint *
find(const struct pd_tracepoints *t, uint64_t id)
{
	uint32_t i = t == NULL ? PD_NOID : pd_map64_find(&t->by_id, id);

	return i == PD_NOID ? NULL : &t->list[i];
}

const char *
pd_tracepoints_find(const struct pd_tracepoints *t, uint64_t id)
{
	const struct tracepoint *tp = find(t, id);

	return tp ? tp->name : NULL;
}

/* ---- fields ------------------------------------------------------------------ */

static bool
is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z');
}

/* Is the word in s[0..len)? */
static bool
has_word(const char *s, size_t len, const char *word)
{
	size_t n = strlen(word);
	const char *p = s, *end = s + len;

	for (; (p = memmem(p, (size_t)(end - p), word, n)) != NULL; p++)
		if ((p == s || !is_word(p[-1])) &&
		    (p + n == end || !is_word(p[n])))
			return true;
	return false;
}

/* The number behind key in the line, which ends at end. */
static bool
number(const char *line, const char *end, const char *key, uint32_t *v)
{
	const char *p = memmem(line, (size_t)(end - line), key, strlen(key));
	uint64_t u;

	if (p == NULL ||
	    pd_text_decimal(p + strlen(key), 1, &p, &u) != 0 || u > UINT32_MAX)
		return false;
	*v = (uint32_t)u;
	return true;
}

/*
 * "field:char comm[16];\toffset:8;\tsize:16;\tsigned:1;" without the first
 * word.  Dynamic arrays are "__data_loc char[] name".
 */
static bool
parse_field(const char *line, const char *end, struct pd_field *f)
{
	const char *semi = memchr(line, ';', (size_t)(end - line)), *p, *type;
	uint32_t is_signed = 0;
	bool array, text;

	if (semi == NULL || !number(semi, end, "offset:", &f->offset) ||
	    !number(semi, end, "size:", &f->size))
		return false;
	number(semi, end, "signed:", &is_signed);
	p = semi;
	array = p > line && p[-1] == ']';
	if (array)
		while (p > line && *p != '[')
			p--;
	type = p;
	while (type > line && is_word(type[-1]))
		type--;
	f->name = type;
	f->name_len = (size_t)(p - type);
	text = has_word(line, (size_t)(type - line), "char") &&
	    memchr(line, '*', (size_t)(type - line)) == NULL;
	if (has_word(line, (size_t)(type - line), "__data_loc"))
		f->kind = text ? PD_FIELD_DATA_LOC : PD_FIELD_OTHER;
	else if (has_word(line, (size_t)(type - line), "__rel_loc"))
		f->kind = text ? PD_FIELD_REL_LOC : PD_FIELD_OTHER;
	else if (array)
		f->kind = text ? PD_FIELD_TEXT : PD_FIELD_OTHER;
	else
		f->kind = is_signed ? PD_FIELD_SIGNED : PD_FIELD_UNSIGNED;
	return f->name_len > 0;
}

bool
pd_tracepoints_field(const struct pd_tracepoints *t, uint64_t id, size_t *at,
    struct pd_field *f)
{
	const struct tracepoint *tp = find(t, id);
	const char *p = tp ? tp->fields + *at : NULL, *end;

	while (p != NULL && (p = strstr(p, "\tfield:")) != NULL) {
		p += strlen("\tfield:");
		end = p + strcspn(p, "\n");
		*at = (size_t)(end - tp->fields);
		if (parse_field(p, end, f))
			return true;
		p = end;
	}
	return false;
}

/* Size bytes at an offset of the raw data, or NULL. */
static const uint8_t *
raw(const struct pd_sample *s, size_t offset, size_t size)
{
	return s->raw == NULL || offset > s->raw_size ||
	    size > s->raw_size - offset ? NULL : s->raw + offset;
}

bool
pd_field_text(const struct pd_field *f, const struct pd_sample *s,
    const char **text, size_t *len)
{
	size_t offset = f->offset, size = f->size;
	const uint8_t *p;
	uint32_t loc;

	if (f->kind == PD_FIELD_DATA_LOC || f->kind == PD_FIELD_REL_LOC) {
		if ((p = raw(s, offset, sizeof(loc))) == NULL)
			return false;
		loc = pd_load_u32(p, s->swapped);
		size = loc >> 16;
		/* from the start, or from behind this field */
		offset = (loc & 0xffff) + (f->kind == PD_FIELD_REL_LOC ?
		    offset + sizeof(loc) : 0);
	}
	if ((p = raw(s, offset, size)) == NULL)
		return false;
	*text = (const char *)p;
	*len = strnlen(*text, size);
	return true;
}

bool
pd_field_number(const struct pd_field *f, const struct pd_sample *s,
    uint64_t *v)
{
	const uint8_t *p = raw(s, f->offset, f->size);
	bool sign = f->kind == PD_FIELD_SIGNED;
	uint64_t u;

	if (p == NULL)
		return false;
	switch (f->size) {
	case 1: u = *p; *v = sign ? (uint64_t)(int8_t)u : u; break;
	case 2:
		u = pd_load_u16(p, s->swapped);
		*v = sign ? (uint64_t)(int16_t)u : u;
		break;
	case 4:
		u = pd_load_u32(p, s->swapped);
		*v = sign ? (uint64_t)(int32_t)u : u;
		break;
	case 8: *v = pd_load_u64(p, s->swapped); break;
	default: return false;
	}
	return true;
}
