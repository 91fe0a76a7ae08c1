/*
 * Makes of a pprof profile what a server takes: names that are UTF-8, sample
 * types without '-', and no more samples, bytes and frames than its limits.
 *
 * What is within the limits is handed on as it came.  Else samples are put
 * into parts in their order; each has the mappings, locations and functions
 * that it needs.  Strings are known by their place, so those that a part does
 * not need are empty there: two bytes each.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "export/gzip.h"
#include "export/proto.h"
#include "push/parts.h"
#include "push/protoread.h"

#define MAX_INFLATED	(256u << 20)	/* bytes; the server's limit of a body */
#define MAX_VALUES	16

/* Fields of profile.proto. */
enum {
	SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING_TABLE,
	DROP_FRAMES, KEEP_FRAMES, TIME_NANOS, DURATION_NANOS, PERIOD_TYPE,
	PERIOD, COMMENT, DEFAULT_SAMPLE_TYPE,
};

/* A message of a table, as its bytes. */
struct item {
	const uint8_t	*data;
	size_t		size;
	uint32_t	part;		/* the last that has it; 0: none */
};

struct table {
	struct item	*items;
	size_t		len, cap;
	struct pd_map64	by_id;		/* not of samples and strings */
};

struct splitter {
	struct table	types, samples, mappings, locations, functions,
			strings;
	struct pd_proto_in in;
	uint64_t	time, duration, period, default_type;
	uint64_t	drop_frames, keep_frames;
	struct pd_field	period_type;
	uint64_t	*comments, *stack;
	size_t		ncomments, comments_cap, stack_cap;
	struct pd_arena	fixed;		/* names that were changed */
	bool		changed;
	const char	*name;
	const struct pd_parts_opts *opts;
	struct pd_parts_seen *seen;

	/* the part that is being made */
	uint32_t	part;
	size_t		first, size;
	uint64_t	sum;
};

static int
bad(struct pd_error *err)
{
	return pd_fail(err, PD_EFORMAT, PD_NOWHERE, "this is no pprof profile");
}

/* ---- reading --------------------------------------------------------------- */

static int
add_item(struct table *t, const struct pd_field *f, struct pd_error *err)
{
	if (f->wire != PD_WIRE_BYTES)
		return bad(err);
	if (t->len >= UINT32_MAX - 1 || pd_grow(&t->items, &t->cap, t->len + 1,
	    sizeof(*t->items), err) == -1)
		return -1;
	t->items[t->len++] = (struct item){ f->data, f->size, 0 };
	return 0;
}

static uint64_t
number_in(const struct item *it, unsigned field)
{
	struct pd_proto_in in = pd_proto_in(it->data, it->size);
	struct pd_field f;
	uint64_t v = 0;

	while (pd_proto_next(&in, &f))
		if (f.number == field && f.wire == PD_WIRE_VARINT)
			v = f.value;
	return v;
}

/* Tables whose elements begin with an id. */
static int
add_known(struct table *t, const struct pd_field *f, struct pd_error *err)
{
	uint64_t id;

	if (add_item(t, f, err) == -1)
		return -1;
	id = number_in(&t->items[t->len - 1], 1);
	if (id == 0 || pd_map64_find(&t->by_id, id) != PD_NOID)
		return pd_fail(err, PD_EFORMAT, PD_NOWHERE,
		    "pprof profile: an id is 0, or used twice");
	return pd_map64_put(&t->by_id, id, (uint32_t)(t->len - 1), err);
}

static int
add_comment(struct splitter *s, const struct pd_field *f, struct pd_error *err)
{
	size_t n = s->ncomments;

	if (!pd_field_numbers(f, s->comments, &n, s->comments_cap))
		return bad(err);
	if (n <= s->comments_cap) {
		s->ncomments = n;
		return 0;
	}
	if (pd_grow(&s->comments, &s->comments_cap, n, sizeof(*s->comments),
	    err) == -1)
		return -1;
	return add_comment(s, f, err);
}

static int
read_field(struct splitter *s, const struct pd_field *f, struct pd_error *err)
{
	switch (f->number) {
	case SAMPLE_TYPE: return add_item(&s->types, f, err);
	case SAMPLE: return add_item(&s->samples, f, err);
	case MAPPING: return add_known(&s->mappings, f, err);
	case LOCATION: return add_known(&s->locations, f, err);
	case FUNCTION: return add_known(&s->functions, f, err);
	case STRING_TABLE: return add_item(&s->strings, f, err);
	case DROP_FRAMES: s->drop_frames = f->value; break;
	case KEEP_FRAMES: s->keep_frames = f->value; break;
	case TIME_NANOS: s->time = f->value; break;
	case DURATION_NANOS: s->duration = f->value; break;
	case PERIOD_TYPE: s->period_type = *f; break;
	case PERIOD: s->period = f->value; break;
	case COMMENT: return add_comment(s, f, err);
	case DEFAULT_SAMPLE_TYPE: s->default_type = f->value; break;
	}
	return 0;
}

static int
read_profile(struct splitter *s, struct pd_error *err)
{
	struct pd_field f;

	while (pd_proto_next(&s->in, &f))
		if (read_field(s, &f, err) == -1)
			return -1;
	if (s->in.bad || s->types.len == 0 || s->types.len > MAX_VALUES ||
	    s->strings.len == 0 || s->strings.items[0].size != 0)
		return bad(err);
	return 0;
}

/* ---- names ------------------------------------------------------------------ */

/* A copy of a string in the arena that replaces it; NULL without memory. */
static char *
replace(struct splitter *s, struct item *it, struct pd_error *err)
{
	char *copy = pd_arena_strndup(&s->fixed, (const char *)it->data,
	    it->size, err);
	size_t i;

	for (i = 0; copy != NULL && i < it->size; i++)
		if (copy[i] == '\0')
			copy[i] = '?';
	return copy;
}

static bool
is_plain(const struct item *it)
{
	size_t i;

	for (i = 0; i < it->size; i++)
		if (it->data[i] < 0x20 || it->data[i] >= 0x7f)
			return false;
	return true;
}

/* One string that is not UTF-8 costs the whole profile. */
static int
fix_strings(struct splitter *s, struct pd_error *err)
{
	struct item *it;
	char *copy;
	size_t i;

	for (i = 0; i < s->strings.len; i++) {
		it = &s->strings.items[i];
		if (is_plain(it))
			continue;
		if ((copy = replace(s, it, err)) == NULL)
			return -1;
		pd_printable(copy);
		if (strlen(copy) == it->size &&
		    memcmp(copy, it->data, it->size) == 0)
			continue;
		it->data = (const uint8_t *)copy;
		it->size = strlen(copy);
		s->seen->renamed++;
		s->changed = true;
	}
	return 0;
}

static bool
is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_';
}

/*
 * Sample types become part of a profile type, "name:type:unit:...", and of a
 * label name.
 */
static int
fix_type(struct splitter *s, uint64_t string, struct pd_error *err)
{
	struct item *it;
	char *copy;
	size_t i;

	if (string >= s->strings.len)
		return bad(err);
	it = &s->strings.items[string];
	for (i = 0; i < it->size && is_name_byte((char)it->data[i]); i++)
		;
	if (i == it->size)
		return 0;
	if ((copy = replace(s, it, err)) == NULL)
		return -1;
	for (i = 0; i < it->size; i++)
		if (!is_name_byte(copy[i]))
			copy[i] = '_';
	it->data = (const uint8_t *)copy;
	s->seen->renamed++;
	s->changed = true;
	return 0;
}

static int
fix_types(struct splitter *s, struct pd_error *err)
{
	struct item period;
	size_t i;

	for (i = 0; i < s->types.len; i++)
		if (fix_type(s, number_in(&s->types.items[i], 1), err) == -1)
			return -1;
	if (s->period_type.wire != PD_WIRE_BYTES)
		return 0;
	period = (struct item){ s->period_type.data, s->period_type.size, 0 };
	return fix_type(s, number_in(&period, 1), err);
}

/* The type of profile, as the server itself guesses it for old clients. */
static const char *
type_of_profile(const struct splitter *s)
{
	static const char *const names[][2] = {
		{ "wall", "wall" }, { "cpu", "process_cpu" },
		{ "alloc_", "memory" }, { "inuse_", "memory" },
		{ "space", "memory" }, { "objects", "memory" },
		{ "mutex_", "mutex" }, { "contentions", "mutex" },
		{ "goroutine", "goroutine" },
	};
	const struct item *it;
	size_t i, j;

	for (j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
		for (i = 0; i < s->types.len; i++) {
			it = &s->strings.items[number_in(&s->types.items[i],
			    1)];
			if (memmem(it->data, it->size, names[j][0],
			    strlen(names[j][0])) != NULL)
				return names[j][1];
		}
	}
	return "perf";
}

/* ---- samples ---------------------------------------------------------------- */

struct sample {
	size_t		depth;		/* of s->stack, leaf first */
	int64_t		value[MAX_VALUES];
	size_t		labels;
	size_t		size;		/* when it is written */
};

static int
read_sample(struct splitter *s, const struct item *it, struct sample *smp,
    struct pd_error *err)
{
	struct pd_proto_in in = pd_proto_in(it->data, it->size);
	size_t nvalues = 0;
	uint64_t v[MAX_VALUES];
	struct pd_field f;
	bool ok = true;

	*smp = (struct sample){ .size = it->size };
	while (ok && pd_proto_next(&in, &f)) {
		if (f.number == 1) {
			if (pd_grow(&s->stack, &s->stack_cap, smp->depth +
			    (f.wire == PD_WIRE_BYTES ? f.size : 1),
			    sizeof(*s->stack), err) == -1)
				return -1;
			ok = pd_field_numbers(&f, s->stack, &smp->depth,
			    s->stack_cap);
		} else if (f.number == 2) {
			ok = pd_field_numbers(&f, v, &nvalues, MAX_VALUES);
		} else if (f.number == 3) {
			smp->labels++;
		}
	}
	if (!ok || in.bad || nvalues != s->types.len)
		return bad(err);
	memcpy(smp->value, v, nvalues * sizeof(v[0]));
	return 0;
}

/* What a table's element costs, when this part does not have it yet. */
static size_t
use(const struct splitter *s, struct item *it)
{
	if (it->part == s->part)
		return 0;
	it->part = s->part;
	return it->size + 12;		/* and its tag and size */
}

static int
use_string(struct splitter *s, uint64_t i, size_t *size, struct pd_error *err)
{
	if (i >= s->strings.len)
		return bad(err);
	*size += use(s, &s->strings.items[i]);
	return 0;
}

/* An element of a table by its id, and the strings in these fields of it. */
static int
use_known(struct splitter *s, struct table *t, uint64_t id, unsigned first,
    unsigned last, size_t *size, struct pd_error *err)
{
	uint32_t i = pd_map64_find(&t->by_id, id);
	struct pd_proto_in in;
	struct pd_field f;
	size_t new;

	if (i == PD_NOID)
		return bad(err);
	if ((new = use(s, &t->items[i])) == 0)
		return 0;
	*size += new;
	in = pd_proto_in(t->items[i].data, t->items[i].size);
	while (pd_proto_next(&in, &f))
		if (f.number >= first && f.number <= last &&
		    use_string(s, f.value, size, err) == -1)
			return -1;
	return in.bad ? bad(err) : 0;
}

static int
use_line(struct splitter *s, const struct pd_field *line, size_t *size,
    struct pd_error *err)
{
	struct item it = { line->data, line->size, 0 };

	if (line->wire != PD_WIRE_BYTES)
		return bad(err);
	return use_known(s, &s->functions, number_in(&it, 1), 2, 4, size, err);
}

static int
use_location(struct splitter *s, uint64_t id, size_t *size,
    struct pd_error *err)
{
	uint32_t i = pd_map64_find(&s->locations.by_id, id);
	struct pd_proto_in in;
	struct pd_field f;
	size_t new;

	if (i == PD_NOID)
		return bad(err);
	if ((new = use(s, &s->locations.items[i])) == 0)
		return 0;
	*size += new;
	in = pd_proto_in(s->locations.items[i].data,
	    s->locations.items[i].size);
	while (pd_proto_next(&in, &f)) {
		if (f.number == 2 && f.value != 0 && use_known(s, &s->mappings,
		    f.value, 5, 6, size, err) == -1)
			return -1;
		if (f.number == 4 && use_line(s, &f, size, err) == -1)
			return -1;
	}
	return in.bad ? bad(err) : 0;
}

static int
use_labels(struct splitter *s, const struct item *sample, size_t *size,
    struct pd_error *err)
{
	struct pd_proto_in in = pd_proto_in(sample->data, sample->size), label;
	struct pd_field f, g;

	while (pd_proto_next(&in, &f)) {
		if (f.number != 3)
			continue;
		label = pd_field_in(&f);
		while (pd_proto_next(&label, &g))
			if (g.number != 3 && use_string(s, g.value, size,
			    err) == -1)
				return -1;
	}
	return 0;
}

/* What a sample adds to the part that is being made. */
static int
use_sample(struct splitter *s, struct item *it, const struct sample *smp,
    size_t *size, struct pd_error *err)
{
	size_t n = smp->depth, i;

	if (n > s->opts->depth)
		n = s->opts->depth;
	*size = smp->size + 12;
	for (i = 0; i < n; i++)
		if (use_location(s, s->stack[i], size, err) == -1)
			return -1;
	return use_labels(s, it, size, err);
}

/* What every part has. */
static int
use_common(struct splitter *s, struct pd_error *err)
{
	const uint64_t single[] = { s->drop_frames, s->keep_frames,
		s->default_type };
	struct item *it;
	size_t i;

	s->size = 128 + 2 * s->strings.len;
	for (i = 0; i < s->ncomments; i++)
		if (use_string(s, s->comments[i], &s->size, err) == -1)
			return -1;
	for (i = 0; i < sizeof(single) / sizeof(single[0]); i++)
		if (use_string(s, single[i], &s->size, err) == -1)
			return -1;
	for (i = 0; i < s->types.len; i++) {
		it = &s->types.items[i];
		if (use_string(s, number_in(it, 1), &s->size, err) == -1 ||
		    use_string(s, number_in(it, 2), &s->size, err) == -1)
			return -1;
	}
	if (s->period_type.wire == PD_WIRE_BYTES) {
		struct item p = { s->period_type.data, s->period_type.size, 0 };

		if (use_string(s, number_in(&p, 1), &s->size, err) == -1 ||
		    use_string(s, number_in(&p, 2), &s->size, err) == -1)
			return -1;
	}
	return 0;
}

/* ---- writing ----------------------------------------------------------------- */

static int
compress_part(const void *raw, size_t size, char **out, size_t *out_size,
    struct pd_error *err)
{
	FILE *f = open_memstream(out, out_size);
	struct pd_gzip g;
	int r;

	if (f == NULL)
		return pd_fail_nomem(err);
	r = pd_gzip_open(&g, f, false, err);
	if (r == 0) {
		pd_gzip_put(&g, raw, size);
		r = pd_gzip_finish(&g, err);
	}
	/* The last allocation of all is not in the result of fclose(). */
	if ((fclose(f) != 0 || *out == NULL) && r == 0)
		r = pd_fail_nomem(err);
	return r;
}

typedef int put_fn(void *ctx, const struct pd_push_part *part,
    struct pd_error *err);

/* raw is to be compressed, unless that was done: gz. */
static int
put_part(struct splitter *s, const void *raw, size_t size, const void *gz,
    size_t gz_size, put_fn *put, void *ctx, struct pd_error *err)
{
	struct pd_push_part p = {
		.data = gz, .size = gz_size, .raw = size,
		.time = s->time, .duration = s->duration,
		.samples = s->sum, .name = s->name,
	};
	char *own = NULL;
	int r = 0;

	if (gz == NULL) {
		r = compress_part(raw, size, &own, &p.size, err);
		p.data = (const uint8_t *)own;
	}
	if (r == 0)
		r = put(ctx, &p, err);
	s->seen->parts++;
	free(own);
	return r;
}

static void
write_table(struct pd_proto *m, const struct splitter *s, unsigned field,
    const struct table *t)
{
	size_t i;

	for (i = 0; i < t->len; i++)
		if (t->items[i].part == s->part)
			pd_proto_bytes(m, field, t->items[i].data,
			    t->items[i].size);
}

static void
write_strings(struct pd_proto *m, const struct splitter *s)
{
	const struct item *it;
	size_t i;

	for (i = 0; i < s->strings.len; i++) {
		it = &s->strings.items[i];
		pd_proto_bytes(m, STRING_TABLE, it->data,
		    it->part == s->part ? it->size : 0);
	}
}

/* A stack that is too deep loses frames next to its root. */
static int
write_cut(struct pd_proto *m, struct splitter *s, const struct item *it,
    struct pd_error *err)
{
	struct pd_proto_in in = pd_proto_in(it->data, it->size);
	struct pd_proto inner = { 0 };
	struct sample smp;
	struct pd_field f;

	if (read_sample(s, it, &smp, err) == -1)
		return -1;
	pd_proto_packed(&inner, 1, s->stack, s->opts->depth);
	pd_proto_packed(&inner, 2, (const uint64_t *)smp.value, s->types.len);
	while (pd_proto_next(&in, &f))
		if (f.number == 3)
			pd_proto_bytes(&inner, 3, f.data, f.size);
	pd_proto_message(m, SAMPLE, &inner);
	pd_proto_free(&inner);
	return 0;
}

static int
write_samples(struct pd_proto *m, struct splitter *s, size_t end,
    struct pd_error *err)
{
	const struct item *it;
	struct sample smp;
	size_t i;

	for (i = s->first; i < end; i++) {
		it = &s->samples.items[i];
		if (read_sample(s, it, &smp, err) == -1)
			return -1;
		if (smp.depth <= s->opts->depth)
			pd_proto_bytes(m, SAMPLE, it->data, it->size);
		else if (write_cut(m, s, it, err) == -1)
			return -1;
	}
	return 0;
}

static int
write_part(struct splitter *s, size_t end, put_fn *put, void *ctx,
    struct pd_error *err)
{
	struct pd_proto m = { 0 };
	size_t i;
	int r;

	for (i = 0; i < s->types.len; i++)
		pd_proto_bytes(&m, SAMPLE_TYPE, s->types.items[i].data,
		    s->types.items[i].size);
	r = write_samples(&m, s, end, err);
	write_table(&m, s, MAPPING, &s->mappings);
	write_table(&m, s, LOCATION, &s->locations);
	write_table(&m, s, FUNCTION, &s->functions);
	write_strings(&m, s);
	pd_proto_u64(&m, DROP_FRAMES, s->drop_frames);
	pd_proto_u64(&m, KEEP_FRAMES, s->keep_frames);
	pd_proto_u64(&m, TIME_NANOS, s->time);
	pd_proto_u64(&m, DURATION_NANOS, s->duration);
	if (s->period_type.wire == PD_WIRE_BYTES)
		pd_proto_bytes(&m, PERIOD_TYPE, s->period_type.data,
		    s->period_type.size);
	pd_proto_u64(&m, PERIOD, s->period);
	pd_proto_packed(&m, COMMENT, s->comments, s->ncomments);
	pd_proto_u64(&m, DEFAULT_SAMPLE_TYPE, s->default_type);
	if (r == 0)
		r = m.failed ? pd_fail_nomem(err) :
		    put_part(s, m.buf, m.len, NULL, 0, put, ctx, err);
	pd_proto_free(&m);
	return r;
}

/* ---- all of it ---------------------------------------------------------------- */

static int
begin_part(struct splitter *s, size_t first, struct pd_error *err)
{
	s->part++;
	s->first = first;
	s->sum = 0;
	return use_common(s, err);
}

/* The part ends before sample i, whose names it has marked as its own. */
static int
end_part(struct splitter *s, size_t i, put_fn *put, void *ctx,
    struct pd_error *err)
{
	struct sample smp;
	size_t first = s->first, more, j;
	uint64_t sum = s->sum;

	if (begin_part(s, first, err) == -1)
		return -1;
	for (j = first; j < i; j++)
		if (read_sample(s, &s->samples.items[j], &smp, err) == -1 ||
		    use_sample(s, &s->samples.items[j], &smp, &more, err) == -1)
			return -1;
	s->sum = sum;
	if (write_part(s, i, put, ctx, err) == -1)
		return -1;
	s->time++;
	return begin_part(s, i, err);
}

/* Put sample i into the part, or into a new one. */
static int
split_sample(struct splitter *s, size_t i, put_fn *put, void *ctx,
    struct pd_error *err)
{
	struct item *it = &s->samples.items[i];
	struct sample smp;
	size_t more;

	if (read_sample(s, it, &smp, err) == -1 ||
	    use_sample(s, it, &smp, &more, err) == -1)
		return -1;
	if (i > s->first && (i - s->first >= s->opts->samples ||
	    s->size + more > s->opts->size)) {
		if (end_part(s, i, put, ctx, err) == -1 ||
		    read_sample(s, it, &smp, err) == -1 ||
		    use_sample(s, it, &smp, &more, err) == -1)
			return -1;
	}
	s->size += more;
	s->sum += (uint64_t)smp.value[0];
	if (s->size > s->opts->size)
		return pd_fail(err, PD_EUNSUPP, PD_NOWHERE, "a single stack "
		    "with its names is larger than the %zu bytes that the "
		    "server takes", s->opts->size);
	return 0;
}

static int
split(struct splitter *s, put_fn *put, void *ctx, struct pd_error *err)
{
	size_t i;

	if (begin_part(s, 0, err) == -1)
		return -1;
	for (i = 0; i < s->samples.len; i++)
		if (split_sample(s, i, put, ctx, err) == -1)
			return -1;
	return write_part(s, s->samples.len, put, ctx, err);
}

/* Hold all samples against the limits, and add them up. */
static int
check_samples(struct splitter *s, struct pd_error *err)
{
	struct sample smp;
	size_t i, j;

	for (i = 0; i < s->samples.len; i++) {
		if (read_sample(s, &s->samples.items[i], &smp, err) == -1)
			return -1;
		if (smp.labels > PD_SERVER_SAMPLE_LABELS)
			return pd_fail(err, PD_EUNSUPP, PD_NOWHERE, "a sample "
			    "has %zu labels, and the server takes %d",
			    smp.labels, PD_SERVER_SAMPLE_LABELS);
		if (smp.depth > s->opts->depth) {
			s->seen->cut++;
			s->changed = true;
		}
		s->sum += (uint64_t)smp.value[0];
		for (j = 0; j < s->types.len && smp.value[j] >= 0; j++)
			;
		s->seen->negative += j < s->types.len;
	}
	return 0;
}

static void
free_table(struct table *t)
{
	free(t->items);
	pd_map64_free(&t->by_id);
}

static int
too_large(struct pd_error *err)
{
	return pd_fail(err, PD_EUNSUPP, PD_NOWHERE, "the profile is larger "
	    "than %u MiB", MAX_INFLATED >> 20);
}

int
pd_pprof_read(int fd, uint8_t **data, size_t *size, struct pd_error *err)
{
	size_t cap = 0;
	ssize_t n;

	*data = NULL;
	*size = 0;
	do {
		if (*size > MAX_INFLATED)
			return too_large(err);
		if (pd_grow(data, &cap, *size + 65536, 1, err) == -1)
			return -1;
		n = read(fd, *data + *size, cap - *size);
		if (n > 0)
			*size += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? pd_fail(err, PD_EIO, PD_NOWHERE, "read") : 0;
}

static int
inflate_all(const void *data, size_t size, uint8_t **out, size_t *len,
    struct pd_error *err)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)data,
		.avail_in = (uInt)size };
	size_t cap = 0;
	int r;

	*out = NULL;
	*len = 0;
	if (size > UINT32_MAX || inflateInit2(&z, 31) != Z_OK)
		return pd_fail_nomem(err);
	do {
		if (*len >= MAX_INFLATED || pd_grow(out, &cap, *len + 65536, 1,
		    err) == -1) {
			r = Z_MEM_ERROR;
			break;
		}
		z.next_out = *out + *len;
		z.avail_out = (uInt)(cap - *len);
		r = inflate(&z, Z_NO_FLUSH);
		*len = cap - z.avail_out;
	} while (r == Z_OK);
	inflateEnd(&z);
	if (*len >= MAX_INFLATED)
		return too_large(err);
	if (r == Z_MEM_ERROR)
		return pd_fail_nomem(err);
	return r == Z_STREAM_END ? 0 : pd_fail(err, PD_EFORMAT, PD_NOWHERE,
	    "the compressed profile is damaged, or not whole");
}

static int
split_raw(struct splitter *s, const void *raw, size_t size, const void *gz,
    size_t gz_size, put_fn *put, void *ctx, struct pd_error *err)
{
	s->in = pd_proto_in(raw, size);
	if (read_profile(s, err) == -1 || fix_strings(s, err) == -1 ||
	    fix_types(s, err) == -1 || check_samples(s, err) == -1)
		return -1;
	s->name = type_of_profile(s);
	if (s->opts->retime && s->time != s->opts->time) {
		s->time = s->opts->time;
		s->changed = true;
	}
	if (s->changed || s->samples.len > s->opts->samples ||
	    size > s->opts->size)
		return split(s, put, ctx, err);
	return put_part(s, raw, size, gz, gz_size, put, ctx, err);
}

int
pd_pprof_split(const void *pprof, size_t size,
    const struct pd_parts_opts *opts, put_fn *put, void *ctx,
    struct pd_parts_seen *seen, struct pd_error *err)
{
	struct splitter s = { .opts = opts, .seen = seen };
	const uint8_t *p = pprof;
	uint8_t *raw = NULL;
	size_t raw_size;
	int r;

	if (size >= 2 && p[0] == 0x1f && p[1] == 0x8b) {
		r = inflate_all(pprof, size, &raw, &raw_size, err);
		if (r == 0)
			r = split_raw(&s, raw, raw_size, pprof, size, put, ctx,
			    err);
	} else {
		r = split_raw(&s, pprof, size, NULL, 0, put, ctx, err);
	}
	free(raw);
	free_table(&s.types);
	free_table(&s.samples);
	free_table(&s.mappings);
	free_table(&s.locations);
	free_table(&s.functions);
	free_table(&s.strings);
	free(s.comments);
	free(s.stack);
	pd_arena_free(&s.fixed);
	return r;
}
