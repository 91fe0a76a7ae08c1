/* Bodies of records: what is refused, and what comes out. */
#include <stdlib.h>

#include "base/shape.h"
#include "pdbuild.h"
#include "record/event.h"
#include "record/record.h"
#include "tap.h"

static struct pd_error err;

/* An event whose trailer is five words, all zeroes but the id. */
#define TRAILED	(PDB_IDENTIFIER | PDB_TID | PDB_TIME | PDB_CPU | PDB_STREAM_ID)

/* The last record of a pipe, in memory of just its size. */
static uint8_t *
last_record(struct pdb *b, size_t at, uint32_t *size)
{
	size_t total;
	uint8_t *all = pdb_finish(b, &total), *rec = malloc(total - at);

	memcpy(rec, all + at, total - at);
	free(all);
	*size = (uint32_t)(total - at);
	return rec;
}

static struct pd_record
record_of(const uint8_t *data, uint32_t size, const struct pd_evt *evt,
    bool swapped)
{
	return (struct pd_record){
		.type = pd_load_u32(data, swapped),
		.misc = pd_load_u16(data + 4, swapped),
		.size = size, .swapped = swapped, .data = data,
		.event = evt ? &evt->pub : NULL,
	};
}

/* ---- prefixes ----------------------------------------------------------- */

/* What a prefix of n bytes decodes to; whether its body was taken for good. */
static bool
try_prefix(const uint8_t *data, uint32_t n, const struct pd_evt *evt,
    bool swapped)
{
	uint8_t *copy = malloc(n);	/* so that no byte behind it is there */
	struct pd_record rec;
	union pd_body body;
	bool valid;
	int r;

	memcpy(copy, data, n);
	rec = record_of(copy, n, evt, swapped);
	valid = pd_record_valid(&rec);
	r = pd_record_decode(&rec, &body, &err);
	/* What the reader lets through is decoded. */
	CHECK(!valid || r != -1);
	free(copy);
	return valid;
}

static void
every_prefix(bool swapped, bool trailer)
{
	struct pd_evt evt = { .t_words = trailer ? 5 : 0 };

	for (size_t kind = 0;; kind++) {
		struct pdb *b = pdb_new(PDB_PIPE, swapped);
		struct pdb_id id = { .pid = 2, .tid = 2, .time = 1 };
		unsigned ev = pdb_event(b, &(struct pdb_event){
		    .sample_type = TRAILED, .no_sample_id_all = !trailer });
		size_t at = pdb_size(b);
		bool more = pdb_any(b, ev, &id, kind);
		uint32_t size, type, n;
		uint8_t *data = last_record(b, at, &size);

		if (!more) {
			free(data);
			CHECK(kind > 30);
			return;
		}
		type = pd_load_u32(data, swapped);
		bool kernel = type < PD_RECORD_USER_START;
		const struct pd_evt *of = kernel ? &evt : NULL;

		if (!CHECK(try_prefix(data, size, of, swapped)))
			printf("# type %u, whole\n", type);
		for (n = 8; n < size; n++)
			try_prefix(data, n, of, swapped);
		free(data);
	}
}

static void
every_prefix_of_every_record_is_decoded_or_refused(void)
{
	for (int swapped = 0; swapped < 2; swapped++)
		for (int trailer = 0; trailer < 2; trailer++)
			every_prefix(swapped, trailer);
}

/* The least that the layout of each type allows; one byte less fails. */
static void
the_least_body_is_what_the_layout_says(void)
{
	static const struct { uint32_t type; uint32_t body; } least[] = {
		{ 1, 33 }, { 2, 16 }, { 3, 9 }, { 4, 24 }, { 5, 24 }, { 6, 24 },
		{ 7, 24 }, { 8, 16 }, { 10, 65 }, { 11, 24 }, { 12, 8 },
		{ 13, 8 }, { 15, 8 }, { 16, 16 }, { 17, 17 }, { 18, 16 },
		{ 19, 9 }, { 20, 12 }, { 21, 8 }, { 22, 16 }, { 66, 4 },
		{ 67, 29 }, { 69, 8 }, { 70, 8 }, { 71, 36 }, { 72, 24 },
		{ 73, 8 }, { 74, 4 }, { 75, 8 }, { 76, 40 }, { 77, 16 },
		{ 78, 16 }, { 79, 24 }, { 80, 8 }, { 83, 8 }, { 84, 8 },
	};
	static const uint8_t zeroes[128];
	struct pd_evt evt = { .t_words = 0 };

	for (size_t i = 0; i < sizeof(least) / sizeof(*least); i++)
		for (uint32_t n = 0; n <= least[i].body; n++) {
			struct pd_record rec = { .type = least[i].type,
			    .size = 8 + n, .data = zeroes, .event = &evt.pub };

			if (!CHECK_EQ(pd_record_valid(&rec),
			    n == least[i].body))
				printf("# type %u, %u bytes\n", least[i].type,
				    n);
		}
}

static void
unknown_types_are_good_and_not_decoded(void)
{
	static const uint32_t types[] = { 0, 23, 63, 85, 200, UINT32_MAX };
	static const uint8_t header[8];

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct pd_record rec = { .type = types[i], .size = 8,
		    .data = header };
		union pd_body body;

		CHECK(pd_record_valid(&rec));
		CHECK_EQ(pd_record_decode(&rec, &body, &err), 0);
		CHECK_STR(pd_record_name(types[i]), NULL);
	}
	CHECK_EQ(pd_record_class(63), PD_TIMED);
	CHECK_EQ(pd_record_class(200), PD_STREAM);
	CHECK_EQ(pd_record_class(3), PD_STATE);
	CHECK_STR(pd_record_name(9), "SAMPLE");
}

/* ---- names -------------------------------------------------------------- */

/* A body that ends in a name, with `fill` bytes of text and no NUL. */
static int
decode_unended(uint32_t type, size_t before, size_t fill, bool trailer)
{
	struct pdb *b = pdb_new(PDB_PIPE, false);
	struct pd_evt evt = { .t_words = trailer ? 5 : 0 };
	struct pdb_id id = { .pid = 0 };
	unsigned ev = pdb_event(b, &(struct pdb_event){ .sample_type = TRAILED,
	    .no_sample_id_all = !trailer });
	size_t at = pdb_size(b);
	union pd_body body;
	uint8_t *data;
	uint32_t size;

	pdb_begin(b, type, 0);
	for (size_t i = 0; i < before; i++)
		pdb_u8(b, 0);
	for (size_t i = 0; i < fill; i++)
		pdb_u8(b, 'x');
	pdb_trailer(b, ev, &id);
	pdb_end(b);
	data = last_record(b, at, &size);

	struct pd_record rec = record_of(data, size, &evt, false);
	int r = pd_record_decode(&rec, &body, &err);

	CHECK_EQ(pd_record_valid(&rec), r == 1);
	free(data);
	return r;
}

static void
a_name_must_end_inside_the_body(void)
{
	static const struct { uint32_t type; size_t before; } named[] = {
		{ PD_RECORD_COMM, 8 }, { PD_RECORD_MMAP, 32 },
		{ PD_RECORD_MMAP2, 64 }, { PD_RECORD_KSYMBOL, 16 },
	};

	for (size_t i = 0; i < 4; i++)
		for (int trailer = 0; trailer < 2; trailer++)
			for (size_t fill = 0; fill <= 16; fill += 8)
				CHECK_EQ(decode_unended(named[i].type,
				    named[i].before, fill, trailer), -1);
}

static int
decode_mmap_named(size_t len, union pd_body *body)
{
	struct pdb *b = pdb_new(PDB_PIPE, false);
	struct pd_evt evt = { .t_words = 0 };
	char *path = malloc(len + 1);
	size_t at = pdb_size(b);
	uint32_t size;
	int r;

	memset(path, 'p', len);
	path[len] = '\0';
	pdb_begin(b, PD_RECORD_MMAP, 0);
	for (int i = 0; i < 4; i++)
		pdb_u64(b, 0);
	pdb_str(b, path);
	pdb_end(b);

	uint8_t *data = last_record(b, at, &size);
	struct pd_record rec = record_of(data, size, &evt, false);

	r = pd_record_decode(&rec, body, &err);
	if (r == 1)
		CHECK_STR(body->mmap.name, path);
	free(data);
	free(path);
	return r;
}

static void
a_path_is_no_longer_than_the_kernel_allows(void)
{
	union pd_body body;

	CHECK_EQ(decode_mmap_named(0, &body), 1);
	CHECK_EQ(decode_mmap_named(4095, &body), 1);
	CHECK_EQ(decode_mmap_named(4096, &body), -1);
	CHECK_EQ(decode_mmap_named(60000, &body), -1);
}

/* ---- fields ------------------------------------------------------------- */

static uint8_t *
mmap2_bytes(bool swapped, const struct pdb_map *m, uint32_t *size)
{
	struct pdb *b = pdb_new(PDB_PIPE, swapped);
	struct pdb_id id = { .pid = 7, .tid = 8 };
	unsigned ev = pdb_event(b, &(struct pdb_event){
	    .sample_type = TRAILED });
	size_t at = pdb_size(b);

	pdb_mmap2(b, ev, &id, m);
	return last_record(b, at, size);
}

static void
mmap2_fields_come_through_in_both_byte_orders(void)
{
	static const uint8_t id[20] = "0123456789abcdefghi";
	struct pdb_map m = { .start = 0x7f0000001000, .len = 0x2000,
	    .pgoff = 0x3000, .prot = 1, .path = "/a b (deleted)" };
	struct pd_evt evt = { .t_words = 5 };

	for (int swapped = 0; swapped < 2; swapped++)
		for (int with = 0; with < 2; with++) {
			union pd_body body;
			uint32_t size;
			uint8_t *data;

			m.build_id = with ? id : NULL;
			data = mmap2_bytes(swapped, &m, &size);

			struct pd_record rec = record_of(data, size, &evt,
			    swapped);

			if (CHECK_EQ(pd_record_decode(&rec, &body, &err), 1)) {
				CHECK_EQ(body.mmap.pid, 7);
				CHECK_EQ(body.mmap.tid, 8);
				CHECK_EQ(body.mmap.start, m.start);
				CHECK_EQ(body.mmap.len, m.len);
				CHECK_EQ(body.mmap.pgoff, m.pgoff);
				CHECK_EQ(body.mmap.prot, 1);
				CHECK(body.mmap.has_prot);
				CHECK_STR(body.mmap.name, m.path);
				CHECK_EQ(body.mmap.buildid.size, with ? 20 : 0);
				CHECK(!with || memcmp(body.mmap.buildid.bytes,
				    id, 20) == 0);
			}
			free(data);
		}
}

/* A size of a build-id that cannot be is no build-id; the map counts. */
static void
a_build_id_in_a_map_has_at_most_20_bytes(void)
{
	static const uint8_t id[20] = { 1 };
	struct pdb_map m = { .start = 0x1000, .len = 0x1000, .path = "/x",
	    .build_id = id };
	struct pd_evt evt = { .t_words = 5 };
	union pd_body body;
	uint32_t size;
	uint8_t *data = mmap2_bytes(false, &m, &size);
	struct pd_record rec = record_of(data, size, &evt, false);

	for (int n = 0; n < 256; n++) {
		data[8 + 32] = (uint8_t)n;
		if (CHECK_EQ(pd_record_decode(&rec, &body, &err), 1))
			CHECK_EQ(body.mmap.buildid.size, n <= 20 ? n : 0);
	}
	free(data);
}

static void
a_range_that_wraps_around_is_refused(void)
{
	static const struct { uint64_t start, len; int r; } ranges[] = {
		{ 0, UINT64_MAX, 1 }, { 1, UINT64_MAX, -1 },
		{ UINT64_MAX, 1, -1 }, { UINT64_MAX, 0, 1 },
		{ 0xffffffff81000000, 0x7effffff, 1 },
		{ 0xffffffff81000000, 0x7f000001, -1 },
	};
	struct pd_evt evt = { .t_words = 5 };

	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		struct pdb_map m = { .start = ranges[i].start,
		    .len = ranges[i].len, .path = "/x" };
		union pd_body body;
		uint32_t size;
		uint8_t *data = mmap2_bytes(false, &m, &size);
		struct pd_record rec = record_of(data, size, &evt, false);

		CHECK_EQ(pd_record_decode(&rec, &body, &err), ranges[i].r);
		free(data);
	}
}

static void
what_the_kernel_dropped_is_counted_from_either_record(void)
{
	struct pd_evt evt = { .t_words = 0 };
	union pd_body body;

	for (int swapped = 0; swapped < 2; swapped++)
		for (int type = 2; type <= 13; type += 11) {
			struct pdb *b = pdb_new(PDB_PIPE, swapped);
			size_t at = pdb_size(b);
			uint32_t size;

			pdb_begin(b, (uint32_t)type, 0);
			if (type == PD_RECORD_LOST)
				pdb_u64(b, 55);
			pdb_u64(b, 1234567890123);
			pdb_end(b);

			uint8_t *data = last_record(b, at, &size);
			struct pd_record rec = record_of(data, size, &evt,
			    swapped);

			CHECK_EQ(pd_record_decode(&rec, &body, &err), 1);
			CHECK_EQ(body.lost, 1234567890123);
			free(data);
		}
}

/* ---- build-ids ---------------------------------------------------------- */

static uint8_t *
buildid_entry(uint16_t misc, const uint8_t id[24], uint32_t *size)
{
	struct pdb *b = pdb_new(PDB_PIPE, false);
	size_t at = pdb_size(b);

	pdb_begin(b, 0, misc);
	pdb_u32(b, 4711);
	pdb_bytes(b, id, 24);
	pdb_str(b, "/lib/libc.so.6");
	pdb_end(b);
	return last_record(b, at, size);
}

static int
decode_buildid(const uint8_t *data, size_t size, struct pd_buildid_entry *e)
{
	struct pd_cursor c = pd_cursor(data, size, false);

	return pd_buildid_decode(&c, e);
}

static void
a_build_id_entry_says_its_size_or_is_cut_at_its_zeroes(void)
{
	static const struct {
		bool	flag;
		uint8_t	stored, used, want;
	} rows[] = {
		/* the flag of perf 5.11: the byte behind the id counts */
		{ true, 20, 20, 20 }, { true, 16, 16, 16 }, { true, 8, 20, 8 },
		{ true, 0, 20, 0 }, { true, 20, 12, 20 },
		/* before: filled up to 20, in words */
		{ false, 0, 20, 20 }, { false, 0, 16, 16 }, { false, 0, 8, 8 },
		{ false, 0, 13, 16 }, { false, 99, 17, 20 }, { false, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct pd_buildid_entry e;
		uint8_t id[24] = { 0 };
		uint32_t size;

		memset(id, 0xab, rows[i].used);
		id[20] = rows[i].stored;

		uint8_t *data = buildid_entry(rows[i].flag ? 1 << 15 : 0, id,
		    &size);

		if (CHECK_EQ(decode_buildid(data, size, &e), 0)) {
			CHECK_EQ(e.pid, 4711);
			CHECK_STR(e.name, "/lib/libc.so.6");
			if (!CHECK_EQ(e.buildid.size, rows[i].want))
				printf("# row %zu\n", i);
			CHECK(memcmp(e.buildid.bytes, id, e.buildid.size) == 0);
		}
		free(data);
	}
}

static void
a_build_id_entry_cut_anywhere_is_refused(void)
{
	static const uint8_t id[24] = { 1, [20] = 20 };
	struct pd_buildid_entry e;
	uint32_t size;
	uint8_t *data = buildid_entry(1 << 15, id, &size);

	for (uint32_t n = 0; n < size; n++) {
		uint8_t *copy = malloc(n + 1);

		memcpy(copy, data, n);
		CHECK_EQ(decode_buildid(copy, n, &e), -1);	/* input ends */
		free(copy);
	}
	/* It says that it is shorter. */
	for (uint16_t n = 0; n < 8 + 28 + 15; n++) {
		memcpy(data + 6, &n, 2);
		CHECK_EQ(decode_buildid(data, size, &e), -1);
	}
	free(data);
}

static void
a_build_id_of_more_than_20_bytes_is_refused(void)
{
	struct pd_buildid_entry e;

	for (int n = 21; n < 256; n++) {
		uint8_t id[24] = { 1, [20] = (uint8_t)n };
		uint32_t size;
		uint8_t *data = buildid_entry(1 << 15, id, &size);

		CHECK_EQ(decode_buildid(data, size, &e), -1);
		free(data);
	}
}

int
main(void)
{
	RUN(every_prefix_of_every_record_is_decoded_or_refused);
	RUN(the_least_body_is_what_the_layout_says);
	RUN(unknown_types_are_good_and_not_decoded);
	RUN(a_name_must_end_inside_the_body);
	RUN(a_path_is_no_longer_than_the_kernel_allows);
	RUN(mmap2_fields_come_through_in_both_byte_orders);
	RUN(a_build_id_in_a_map_has_at_most_20_bytes);
	RUN(a_range_that_wraps_around_is_refused);
	RUN(what_the_kernel_dropped_is_counted_from_either_record);
	RUN(a_build_id_entry_says_its_size_or_is_cut_at_its_zeroes);
	RUN(a_build_id_entry_cut_anywhere_is_refused);
	RUN(a_build_id_of_more_than_20_bytes_is_refused);
	return tap_done();
}
