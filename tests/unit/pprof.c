/* pprof: each byte of a small profile, and the parts of large ones. */
#include <stdlib.h>
#include <zlib.h>

#include "base/tree.h"
#include "export/proto.h"
#include "tap.h"

static struct pd_tree *tree;
static struct pd_pprof *pprof;
static struct pd_error err;
static char *bytes;
static size_t size;

static void
begin(void)
{
	static const struct pd_text_opts plain;

	tree = pd_tree_new(&err);
	pprof = pd_pprof_new(tree, &plain, &err);
}

static void
end(void)
{
	pd_pprof_free(pprof);
	pd_tree_free(tree);
	free(bytes);
	bytes = NULL;
}

static uint32_t
child(uint32_t parent, struct pd_frame f)
{
	return pd_tree_child(tree, parent, pd_tree_add_frame(tree, &f, &err),
	    &err);
}

static uint32_t
function(uint32_t parent, const char *name)
{
	return child(parent, (struct pd_frame){ .name = name,
	    .dso = "/bin/t" });
}

/* The next profile, into bytes: what pd_pprof_write() gives. */
static int
write_profile(const struct pd_pprof_head *h)
{
	size_t plain;
	FILE *out;
	int r;

	free(bytes);
	bytes = NULL;
	out = open_memstream(&bytes, &size);
	r = pd_pprof_write(pprof, h, out, &plain, &err);
	fclose(out);
	if (h->raw)
		CHECK_EQ(plain, size);
	return r;
}

/* ---- a reader ---------------------------------------------------------------- */

static uint64_t
varint(const uint8_t **p)
{
	uint64_t v = 0;
	unsigned shift = 0;

	for (; **p & 0x80; shift += 7)
		v |= (uint64_t)(*(*p)++ & 0x7f) << shift;
	return v | (uint64_t)*(*p)++ << shift;
}

struct field {
	unsigned	number;
	uint64_t	value;
	const uint8_t	*data, *end;
};

static bool
next_field(const uint8_t **p, const uint8_t *end, struct field *f)
{
	uint64_t tag;

	if (*p >= end)
		return false;
	tag = varint(p);
	*f = (struct field){ .number = (unsigned)(tag >> 3) };
	f->value = varint(p);
	if ((tag & 7) == 2) {
		f->data = *p;
		*p += f->value;
		f->end = *p;
	}
	return true;
}

/* What is in a profile. */
struct seen {
	size_t		samples, locations, functions, strings, mappings;
	uint64_t	count, weight, ids;	/* sums over samples */
	char		text[2048];		/* of all strings, "|" between */
};

static struct seen
look(void)
{
	const uint8_t *p = (const uint8_t *)bytes, *stop = p + size, *q;
	struct field f, in;
	struct seen s = { 0 };

	while (next_field(&p, stop, &f)) {
		switch (f.number) {
		case 2:
			s.samples++;
			for (q = f.data; next_field(&q, f.end, &in);) {
				if (in.number == 1)
					for (const uint8_t *i = in.data; i < in.end; s.ids++)
						varint(&i);
				if (in.number == 2) {
					const uint8_t *v = in.data;

					s.count += varint(&v);
					s.weight += v < in.end ? varint(&v) : 0;
				}
			}
			break;
		case 3: s.mappings++; break;
		case 4: s.locations++; break;
		case 5: s.functions++; break;
		case 6:
			s.strings++;
			if (strlen(s.text) + f.value + 2 < sizeof(s.text)) {
				strncat(s.text, (const char *)f.data, f.value);
				strcat(s.text, "|");
			}
			break;
		}
	}
	CHECK(p == stop);
	return s;
}

static const struct pd_pprof_head cpu = {
	.weight = { "cpu", "nanoseconds" }, .raw = true };

/* ---- tests --------------------------------------------------------------------- */

static void
messages_are_encoded_as_protobuf_says(void)
{
	static const uint8_t want[] = {
		0x08, 0x96, 0x01,			/* 1: 150 */
		0x12, 0x07, 't', 'e', 's', 't', 'i', 'n', 'g',
		0x22, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05,
		0x1a, 0x00,				/* 3: an empty one */
		0x80, 0x01, 0x01,			/* 16: 1 */
		0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
	};
	static const uint64_t numbers[] = { 3, 270, 86942 };
	struct pd_proto m = { 0 }, empty = { 0 };

	pd_proto_u64(&m, 1, 150);
	pd_proto_u64(&m, 2, 0);
	pd_proto_string(&m, 2, "testing");
	pd_proto_packed(&m, 4, numbers, 3);
	pd_proto_packed(&m, 4, numbers, 0);
	pd_proto_message(&m, 3, &empty);
	pd_proto_u64(&m, 16, 1);
	pd_proto_u64(&m, 1, UINT64_MAX);
	CHECK(!m.failed);
	CHECK_EQ(m.len, sizeof(want));
	CHECK(m.len == sizeof(want) && memcmp(m.buf, want, m.len) == 0);
	pd_proto_free(&m);
}

static void
a_profile_is_these_bytes(void)
{
	static const uint8_t want[] = {
		0x0a, 0x04, 0x08, 0x01, 0x10, 0x02, /* sample_type */
		0x0a, 0x04, 0x08, 0x03, 0x10, 0x04, /* sample_type */
		0x5a, 0x04, 0x08, 0x03, 0x10, 0x04, /* period type */
		0x48, 0x05, /* time */
		0x50, 0x06, /* duration */
		0x60, 0x07, /* period */
		0x6a, 0x01, 0x05, /* comment */
		0x70, 0x03, /* default */
		/* sample: leaf first */
		0x12, 0x16, 0x0a, 0x02, 0x01, 0x03, 0x12, 0x02, 0x02, 0x1e,
		0x1a, 0x04, 0x08, 0x09, 0x10, 0x0a, 0x1a, 0x06, 0x08, 0x0b,
		0x18, 0x07, 0x20, 0x0c,
		/* mapping */
		0x1a, 0x12, 0x08, 0x01, 0x10, 0x80, 0x20, 0x18, 0x80, 0x40,
		0x20, 0x10, 0x28, 0x0d, 0x30, 0x0e, 0x38, 0x01, 0x50, 0x01,
		/* location */
		0x22, 0x0b, 0x08, 0x01, 0x10, 0x01, 0x18, 0xa0, 0x20, 0x22,
		0x02, 0x08, 0x01,
		/* location */
		0x22, 0x0f, 0x08, 0x03, 0x10, 0x01, 0x18, 0x90, 0x20, 0x22,
		0x02, 0x08, 0x03, 0x22, 0x02, 0x08, 0x02,
		0x2a, 0x04, 0x08, 0x01, 0x10, 0x06, /* function */
		0x2a, 0x04, 0x08, 0x02, 0x10, 0x07, /* function */
		0x2a, 0x04, 0x08, 0x03, 0x10, 0x08, /* function */
	};
	char *comments[] = { "host: h" };
	struct pd_pprof_head h = {
		.weight = { "cpu", "nanoseconds" },
		.period_type = { "cpu", "nanoseconds" },
		.period = 7, .time = 5, .duration = 6,
		.comments = comments, .ncomments = 1, .raw = true,
	};
	struct pd_pprof_label l[] = { { "thread", "w", 0, NULL },
		{ "pid", NULL, 7, "id" } };
	struct pd_mapping m = { .start = 0x1000, .end = 0x2000, .pgoff = 0x10,
		.dso = "/bin/t", .buildid = { 2, { 0xab, 0xcd } } };
	uint32_t map, node;
	struct seen s;

	begin();
	map = pd_tree_add_map(tree, 0, &m, &err);
	node = child(0, (struct pd_frame){ .name = "main", .dso = "/bin/t",
	    .map = map, .place = 0x1010 });
	node = child(node, (struct pd_frame){ .name = "in", .dso = "/bin/t",
	    .inlined = true });
	node = child(node, (struct pd_frame){ .name = "f", .dso = "/bin/t",
	    .map = map, .place = 0x1020 });
	CHECK(pd_pprof_add(pprof, node, pd_pprof_labels(pprof, l, 2, &err), 1,
	    10, &err) == 0);
	CHECK(pd_pprof_add(pprof, node, pd_pprof_labels(pprof, l, 2, &err), 1,
	    20, &err) == 0);
	CHECK_EQ(pd_pprof_len(pprof), 1);
	CHECK(write_profile(&h) == 0);
	/* Behind it are the strings. */
	CHECK(size > sizeof(want) && memcmp(bytes, want, sizeof(want)) == 0);
	s = look();
	CHECK_EQ(s.samples, 1);
	CHECK_EQ(s.ids, 2);		/* "in" is a line of main's */
	CHECK_EQ(s.locations, 2);
	CHECK_EQ(s.functions, 3);
	CHECK_EQ(s.mappings, 1);
	CHECK_EQ(s.count, 2);
	CHECK_EQ(s.weight, 30);
	CHECK_STR(s.text, "|samples|count|cpu|nanoseconds|host: h|f|main|in|"
	    "thread|w|pid|id|/bin/t|abcd|");
	CHECK_EQ(pd_pprof_len(pprof), 0);
	end();
}

/* One a function, called by main; each has some labels. */
static void
add_functions(size_t n, size_t name_size)
{
	uint32_t top = function(0, "main");
	char *name = malloc(name_size + 16);

	for (size_t i = 0; i < n; i++) {
		size_t len = (size_t)sprintf(name, "%zu-", i);

		memset(name + len, 'x', name_size);
		name[len + name_size] = '\0';
		CHECK(pd_pprof_add(pprof, function(top, name), 0, 1, i,
		    &err) == 0);
	}
	free(name);
}

static void
compressed_or_not_it_is_the_same(void)
{
	struct pd_pprof_head h = cpu;
	uint8_t *plain = malloc(1 << 20);
	size_t n;
	z_stream z = { 0 };

	begin();
	add_functions(1000, 20);
	h.raw = false;
	CHECK(write_profile(&h) == 0);
	CHECK(size > 10 && memcmp(bytes, "\x1f\x8b\x08\0\0\0\0\0", 8) == 0);
	CHECK(inflateInit2(&z, 31) == Z_OK);
	z.next_in = (Bytef *)bytes;
	z.avail_in = (uInt)size;
	z.next_out = plain;
	z.avail_out = 1 << 20;
	CHECK(inflate(&z, Z_FINISH) == Z_STREAM_END);
	n = z.total_out;
	inflateEnd(&z);
	add_functions(1000, 20);
	CHECK(write_profile(&cpu) == 0);
	CHECK_EQ(n, size);
	CHECK(n == size && memcmp(plain, bytes, n) == 0);
	free(plain);
	end();
}

static void
what_was_written_is_forgotten(void)
{
	uint32_t node;
	struct seen s;

	begin();
	node = function(0, "first");
	CHECK(pd_pprof_add(pprof, node, 0, 1, 1, &err) == 0);
	CHECK(write_profile(&cpu) == 0);
	CHECK_STR(look().text, "|samples|count|cpu|nanoseconds|first|/bin/t|");
	pd_tree_forget(tree);
	CHECK_EQ(function(0, "second"), node);
	CHECK(pd_pprof_add(pprof, node, 0, 2, 3, &err) == 0);
	CHECK(write_profile(&cpu) == 0);
	s = look();
	CHECK_STR(s.text, "|samples|count|cpu|nanoseconds|second|/bin/t|");
	CHECK_EQ(s.count, 2);
	CHECK_EQ(s.weight, 3);
	CHECK(write_profile(&cpu) == 0);
	CHECK_STR(look().text, "|samples|count|cpu|nanoseconds|");
	end();
}

/* Labels are part of a profile, so they must not pile up. */
static void
labels_are_sets(void)
{
	struct pd_pprof_label l[] = { { "a", "x", 0, NULL },
		{ "b", NULL, -1, "u" } };
	uint32_t both, one, node;

	begin();
	node = function(0, "f");
	CHECK_EQ(pd_pprof_labels(pprof, l, 0, &err), 0);
	both = pd_pprof_labels(pprof, l, 2, &err);
	one = pd_pprof_labels(pprof, l, 1, &err);
	CHECK(both != 0 && one != 0 && both != one);
	CHECK_EQ(pd_pprof_labels(pprof, l, 2, &err), both);
	CHECK(pd_pprof_add(pprof, node, both, 1, 1, &err) == 0);
	CHECK(pd_pprof_add(pprof, node, one, 1, 1, &err) == 0);
	CHECK(pd_pprof_add(pprof, node, 0, 1, 1, &err) == 0);
	CHECK_EQ(pd_pprof_len(pprof), 3);
	CHECK(write_profile(&cpu) == 0);
	CHECK_EQ(look().samples, 3);
	CHECK_STR(look().text, "|samples|count|cpu|nanoseconds|f|a|x|b|u|"
	    "/bin/t|");
	l[0].text = "other";
	CHECK(pd_pprof_labels(pprof, l, 1, &err) != 0);
	CHECK(pd_pprof_add(pprof, node, 1, 1, 1, &err) == 0);
	CHECK(write_profile(&cpu) == 0);
	CHECK_STR(look().text, "|samples|count|cpu|nanoseconds|f|a|other|"
	    "/bin/t|");
	end();
}

/* Write all in parts: how many, none of them too large or without samples. */
static size_t
write_parts(struct pd_pprof_head h, size_t samples, uint64_t *weight)
{
	size_t parts = 0, all = 0;
	struct seen s;
	int r;

	*weight = 0;
	do {
		r = write_profile(&h);
		s = look();
		CHECK(r >= 0 && s.samples > 0);
		CHECK(h.max_samples == 0 || s.samples <= h.max_samples);
		CHECK(h.max_size == 0 || size <= h.max_size);
		/* Each part has all that it refers to, and nothing else. */
		CHECK_EQ(s.functions, s.samples + 1);
		CHECK_EQ(s.locations, s.samples + 1);
		all += s.samples;
		*weight += s.weight;
		parts++;
	} while (r == 1);
	CHECK_EQ(all, samples);
	return parts;
}

static void
parts_hold_no_more_than_they_may(void)
{
	struct pd_pprof_head h = cpu;
	uint64_t weight;

	begin();
	add_functions(1000, 20);
	h.max_samples = 300;
	CHECK_EQ(write_parts(h, 1000, &weight), 4);
	CHECK_EQ(weight, 499500);
	h.max_samples = 0;
	for (h.max_size = 2000; h.max_size < 100000; h.max_size *= 3) {
		add_functions(1000, 100);
		CHECK(write_parts(h, 1000, &weight) >= 130000 / h.max_size);
		CHECK_EQ(weight, 499500);
	}
	end();
}

static void
a_sample_that_is_too_large_is_alone(void)
{
	struct pd_pprof_head h = cpu;
	uint64_t weight;

	begin();
	add_functions(3, 5000);
	h.max_size = 100;
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(write_profile(&h), i < 2);
		CHECK_EQ(look().samples, 1);
	}
	h.max_size = 6000;
	add_functions(3, 5000);
	CHECK_EQ(write_parts(h, 3, &weight), 3);
	end();
}

/* Folded text has names of files at most, and marks for inlined frames. */
static void
frames_need_no_place(void)
{
	struct pd_frame unnamed = { .dso = "/lib/libc.so.6" };
	struct pd_frame root = { .name = "w", .kind = PD_FRAME_ROOT };
	struct pd_frame in = { .name = "in", .inlined = true };
	struct seen s;

	begin();
	/* What is inlined into nothing is a location of its own. */
	CHECK(pd_pprof_add(pprof, child(child(child(0, root), in), unnamed), 0,
	    1, 1, &err) == 0);
	CHECK(pd_pprof_add(pprof, child(child(child(0, in), in), in), 0,
	    1, 1, &err) == 0);
	CHECK(write_profile(&cpu) == 0);
	s = look();
	CHECK_EQ(s.ids, 3 + 1);
	CHECK_EQ(s.locations, 4);
	CHECK_EQ(s.functions, 3);
	CHECK_EQ(s.mappings, 1);
	CHECK_STR(s.text, "|samples|count|cpu|nanoseconds|[libc.so.6]|in|w|"
	    "/lib/libc.so.6|");
	end();
}

static void
texts_are_printable_utf8(void)
{
	struct pd_pprof_label l = { "a\xff", "</script>\033[31m\xc3\xa4", 0,
		NULL };
	char *comments[] = { "c\n" };
	struct pd_pprof_head h = { .comments = comments, .ncomments = 1,
		.raw = true };

	begin();
	CHECK(pd_pprof_add(pprof, child(0, (struct pd_frame){
	    .name = "f\xc0<a; b>\n", .dso = "d\x80" }),
	    pd_pprof_labels(pprof, &l, 1, &err), 1, 1, &err) == 0);
	CHECK(write_profile(&h) == 0);
	CHECK_STR(look().text, "|samples|count|c?|f?<a: b>?|a?|"
	    "</script>?[31m\xc3\xa4|d?|");
	CHECK_EQ(look().weight, 0);	/* weights were not asked for */
	end();
}

int
main(void)
{
	RUN(compressed_or_not_it_is_the_same);
	RUN(what_was_written_is_forgotten);
	RUN(labels_are_sets);
	RUN(parts_hold_no_more_than_they_may);
	RUN(a_sample_that_is_too_large_is_alone);
	RUN(frames_need_no_place);
	RUN(texts_are_printable_utf8);
	RUN(messages_are_encoded_as_protobuf_says);
	RUN(a_profile_is_these_bytes);
	return tap_done();
}
