/* Protobuf that comes from outside, and what is made of a pprof profile. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "export/proto.h"
#include "push/parts.h"
#include "push/protoread.h"
#include "push/request.h"
#include "tap.h"

static void
fields_are_read_as_they_were_written(void)
{
	struct pd_proto m = { 0 };
	const uint64_t many[] = { 1, 300, UINT64_MAX };
	uint64_t v[3];
	size_t len = 0;
	struct pd_field f;
	struct pd_proto_in in;

	pd_proto_u64(&m, 1, 150);
	pd_proto_u64(&m, 2, UINT64_MAX);
	pd_proto_string(&m, 3, "text");
	pd_proto_packed(&m, 4, many, 3);
	in = pd_proto_in(m.buf, m.len);
	CHECK(pd_proto_next(&in, &f) && f.number == 1 && f.value == 150);
	CHECK(pd_proto_next(&in, &f) && f.value == UINT64_MAX);
	CHECK(pd_proto_next(&in, &f) && f.size == 4 &&
	    memcmp(f.data, "text", 4) == 0);
	CHECK(pd_proto_next(&in, &f) && pd_field_numbers(&f, v, &len, 3));
	CHECK(len == 3 && memcmp(v, many, sizeof(v)) == 0);
	CHECK(!pd_proto_next(&in, &f) && !in.bad);
	pd_proto_free(&m);
}

static void
what_is_no_message_is_found_bad(void)
{
	static const struct { const char *bytes; size_t size; } bad[] = {
		{ "\x08", 1 }, { "\x08\x80", 2 }, { "\x0a\x05" "abc", 5 },
		{ "\x0d\1\2\3", 4 }, { "\x09\1\2\3\4\5\6\7", 8 },
		{ "\x0b", 1 }, { "\x0f\1", 2 }, { "\0\1", 2 },
		{ "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 12 },
		{ "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\1" "ab", 13 },
	};
	struct pd_proto_in in;
	struct pd_field f;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		in = pd_proto_in(bad[i].bytes, bad[i].size);
		while (pd_proto_next(&in, &f))
			;
		if (!CHECK(in.bad))
			printf("# %zu\n", i);
	}
}

/* A profile with n stacks of one frame each; types is of its samples. */
static struct pd_proto
profile(size_t n, const char *type)
{
	struct pd_proto m = { 0 }, in = { 0 }, line = { 0 };
	char name[32];

	pd_proto_u64(&in, 1, 1);
	pd_proto_u64(&in, 2, 2);
	pd_proto_message(&m, 1, &in);
	for (uint64_t i = 1; i <= n; i++) {
		in.len = 0;
		pd_proto_packed(&in, 1, &i, 1);
		pd_proto_packed(&in, 2, &i, 1);
		pd_proto_message(&m, 2, &in);
		in.len = 0;
		line.len = 0;
		pd_proto_u64(&line, 1, i);
		pd_proto_u64(&in, 1, i);
		pd_proto_message(&in, 4, &line);
		pd_proto_message(&m, 4, &in);
		in.len = 0;
		pd_proto_u64(&in, 1, i);
		pd_proto_u64(&in, 2, i + 2);
		pd_proto_message(&m, 5, &in);
	}
	pd_proto_string(&m, 6, "");
	pd_proto_string(&m, 6, type);
	pd_proto_string(&m, 6, "count");
	for (size_t i = 1; i <= n; i++) {
		snprintf(name, sizeof(name), "function_%zu", i);
		pd_proto_string(&m, 6, name);
	}
	pd_proto_u64(&m, 9, 1700000000000000000);
	pd_proto_free(&in);
	pd_proto_free(&line);
	return m;
}

static uint64_t sum;
static size_t most;

static int
add_up(void *ctx, const struct pd_push_part *p, struct pd_error *err)
{
	(void)ctx;
	(void)err;
	sum += p->samples;
	if (p->raw > most)
		most = p->raw;
	return 0;
}

static int
split(const struct pd_proto *m, const struct pd_parts_opts *o,
    struct pd_parts_seen *seen)
{
	struct pd_error err;

	*seen = (struct pd_parts_seen){ 0 };
	sum = most = 0;
	return pd_pprof_split(m->buf, m->len, o, add_up, NULL, seen, &err);
}

static void
parts_are_within_the_limits_and_hold_all(void)
{
	struct pd_proto m = profile(1000, "cpu");
	struct pd_parts_opts o = { 1000, 1 << 20, 100, false, 0 };
	struct pd_parts_seen seen;

	CHECK(split(&m, &o, &seen) == 0);
	CHECK_EQ(seen.parts, 1);
	CHECK_EQ(sum, 500500);
	o.samples = 300;
	CHECK(split(&m, &o, &seen) == 0);
	CHECK_EQ(seen.parts, 4);
	CHECK_EQ(sum, 500500);
	o.samples = 1000;
	o.size = 10000;
	CHECK(split(&m, &o, &seen) == 0);
	CHECK(seen.parts > 4);
	CHECK(most <= 10000);
	CHECK_EQ(sum, 500500);
	pd_proto_free(&m);
}

static void
every_prefix_of_a_profile_is_refused_or_a_profile(void)
{
	struct pd_proto m = profile(5, "cache-misses"), cut;
	struct pd_parts_opts o = { 2, 1 << 20, 100, true, 5 };
	struct pd_parts_seen seen;
	uint8_t old;

	CHECK(split(&m, &o, &seen) == 0);
	CHECK_EQ(seen.renamed, 1);
	CHECK_EQ(sum, 15);
	for (size_t n = 0; n < m.len; n++) {
		cut = (struct pd_proto){ .buf = m.buf, .len = n };
		split(&cut, &o, &seen);
		for (unsigned b = 0; b < 256; b += 5) {
			old = m.buf[n];
			m.buf[n] = (uint8_t)b;
			split(&m, &o, &seen);
			m.buf[n] = old;
		}
	}
	pd_proto_free(&m);
}

/* ---- requests ---------------------------------------------------------------- */

static void
labels_are_checked(void)
{
	static const struct pd_push_label bad[] = { { "", "x" }, { "a-b", "x" },
		{ "1a", "x" }, { "__name__", "x" }, { "service_name", "x" },
		{ "a", "\x1b" }, { "a", "\xff" } };
	struct pd_push_ident id = { .app = "app" };
	struct pd_error err;

	CHECK(pd_push_ident_check(&id, &err) == 0);
	id.nlabels = 1;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		id.labels = &bad[i];
		CHECK(pd_push_ident_check(&id, &err) == -1);
	}
	id.labels = &(struct pd_push_label){ "a", "x,y" };
	CHECK(pd_push_ident_check(&id, &err) == 0);
	id.api = PD_PUSH_INGEST;
	CHECK(pd_push_ident_check(&id, &err) == -1);
	id.nlabels = 0;
	id.app = "my app";
	CHECK(pd_push_ident_check(&id, &err) == -1);
	id.app = "";
	CHECK(pd_push_ident_check(&id, &err) == -1);
}

static int
add_part(void *b, const struct pd_push_part *p, struct pd_error *err)
{
	return pd_batch_add(b, p, err);
}

static void
halves_hold_the_same_profiles(void)
{
	const struct pd_push_ident id = { .app = "app" };
	struct pd_parts_opts o = { 100, 1 << 20, 100, false, 0 };
	struct pd_proto m = profile(70, "cpu");
	struct pd_parts_seen seen = { 0 };
	struct pd_request *r, *half[2];
	struct pd_error err;
	struct pd_batch *b = pd_batch_new(&id, &err);

	for (int i = 0; i < 5; i++)
		CHECK(pd_pprof_split(m.buf, m.len, &o, add_part, b, &seen,
		    &err) == 0);
	CHECK_EQ(pd_batch_profiles(b), 5);
	r = pd_batch_take(b, &err);
	CHECK_EQ(pd_batch_profiles(b), 0);
	CHECK_EQ(r->samples, 5 * 2485);
	if (CHECK(pd_request_split(r, half, &err) == 0)) {
		CHECK_EQ(half[0]->profiles, 2);
		CHECK_EQ(half[1]->profiles, 3);
		CHECK_EQ(half[0]->samples, 2 * 2485);
		CHECK_EQ(half[1]->samples, 3 * 2485);
		CHECK_EQ(half[0]->size + half[1]->size, r->size);
		CHECK(memcmp(half[0]->body, r->body, half[0]->size) == 0);
		CHECK(memcmp(half[1]->body, r->body + half[0]->size,
		    half[1]->size) == 0);
		CHECK_STR(half[1]->path, r->path);
		pd_request_free(half[0]);
		pd_request_free(half[1]);
	}
	pd_request_free(r);
	pd_batch_free(b);
	pd_proto_free(&m);
}

static void
a_request_is_no_larger_than_a_server_takes_at_once(void)
{
	const struct pd_push_ident id = { .app = "app" };
	const uint8_t data[8] = "profile";
	struct pd_push_part p = { data, sizeof(data), 100000, 1, 1, 1, "perf" };
	struct pd_error err;
	struct pd_batch *b = pd_batch_new(&id, &err);
	struct pd_request *r;

	CHECK(!pd_batch_full(b, 1u << 31));	/* one is always taken */
	while (!pd_batch_full(b, p.raw))
		CHECK(pd_batch_add(b, &p, &err) == 0);
	r = pd_batch_take(b, &err);
	CHECK(r->raw <= PD_SERVER_SIZE / 2 && r->profiles == 10);
	pd_request_free(r);
	p.raw = 10;
	while (!pd_batch_full(b, p.raw))
		CHECK(pd_batch_add(b, &p, &err) == 0);
	r = pd_batch_take(b, &err);
	CHECK_EQ(r->profiles, 256);
	pd_request_free(r);
	pd_batch_free(b);
}

int
main(void)
{
	RUN(fields_are_read_as_they_were_written);
	RUN(what_is_no_message_is_found_bad);
	RUN(parts_are_within_the_limits_and_hold_all);
	RUN(every_prefix_of_a_profile_is_refused_or_a_profile);
	RUN(labels_are_checked);
	RUN(halves_hold_the_same_profiles);
	RUN(a_request_is_no_larger_than_a_server_takes_at_once);
	return tap_done();
}
