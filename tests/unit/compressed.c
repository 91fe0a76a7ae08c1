/* What perf record -z writes is read as what it was made from. */
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "pdbuild.h"
#include "perfdata.h"
#include "tap.h"

enum { COMPRESSED = 81, COMPRESSED2 = 83 };

static struct pd_error err;

/* ---- recordings --------------------------------------------------------- */

static unsigned
an_event(struct pdb *b)
{
	return pdb_event(b, &(struct pdb_event){ .name = "cycles",
	    .sample_type = PDB_IDENTIFIER | PDB_IP | PDB_TID | PDB_TIME |
	    PDB_CALLCHAIN });
}

/* Records with little in common, so that they do not shrink to nothing. */
static void
some_records(struct pdb *b, unsigned ev, size_t n)
{
	uint64_t chain[40];
	uint32_t seed = 1;

	for (size_t i = 0; i < n; i++) {
		struct pdb_id id = { .pid = 1, .tid = 1, .time = 1000 + i };

		for (size_t k = 0; k < 40; k++) {
			seed = seed * 1664525 + 1013904223;
			chain[k] = seed;
		}
		if (i % 16 == 0)
			pdb_comm(b, ev, &id, "worker", false);
		pdb_sample(b, ev, &(struct pdb_sample){ .id = id, .ip = i,
		    .chain = chain, .nchain = i % 40 });
	}
}

/* Only the bytes of the records, without what stands before them in a pipe. */
static uint8_t *
record_bytes(size_t n, bool swapped, size_t *size)
{
	struct pdb *b = pdb_new(PDB_PIPE, swapped);
	unsigned ev = an_event(b);
	size_t at = pdb_size(b);
	uint8_t *bytes;

	some_records(b, ev, n);
	bytes = pdb_finish(b, size);
	*size -= at;
	memmove(bytes, bytes + at, *size);
	return bytes;
}

static void
put_compressed(struct pdb *b, uint32_t type, const void *p, size_t n)
{
	pdb_begin(b, type, 0);
	if (type == COMPRESSED2)
		pdb_u64(b, n);
	pdb_bytes(b, p, n);
	if (type == COMPRESSED2)
		pdb_bytes(b, "\0\0\0\0\0\0\0", -n & 7);
	pdb_end(b);
}

/*
 * Compress as perf does: one stream, flushed for each record.  Its own records
 * stay as they are, and may stand in the middle of one of the kernel's.
 */
static void
compress(struct pdb *b, uint32_t type, const uint8_t *in, size_t size,
    size_t piece)
{
	ZSTD_CStream *z = ZSTD_createCStream();
	static uint8_t buf[60000];

	ZSTD_initCStream(z, 1);
	for (size_t at = 0; at < size; at += piece) {
		size_t n = size - at < piece ? size - at : piece;
		ZSTD_inBuffer from = { in + at, n, 0 };
		ZSTD_outBuffer to = { buf, sizeof(buf), 0 };

		CHECK_EQ(ZSTD_compressStream2(z, &to, &from, ZSTD_e_flush), 0);
		put_compressed(b, type, buf, to.pos);
		if (at / piece % 16 == 15)
			pdb_round(b);
	}
	ZSTD_freeCStream(z);
}

/* ---- reading ------------------------------------------------------------ */

/* All records of the kernel, as one text of times and bytes. */
static char *
contents(struct pdb *b, const char **note)
{
	static char first_note[248];
	struct pd_record rec;
	struct pd_reader *rd;
	char path[32], *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);
	int fd = pdb_file(b, path), r = -1;

	*note = NULL;
	rd = pd_reader_open(path, PD_TIME_ORDER, &err);
	while (rd != NULL && (r = pd_reader_next(rd, &rec, &err)) == 1) {
		if (rec.type >= PD_RECORD_USER_START)
			continue;
		fprintf(f, "%llu ", (unsigned long long)rec.time);
		for (size_t i = 0; i < rec.size; i++)
			fprintf(f, "%02x", rec.data[i]);
		fputc('\n', f);
	}
	if (r == -1)
		fprintf(f, "error: %s\n", err.msg);
	if (rd != NULL && pd_reader_note(rd, 0) != NULL) {
		snprintf(first_note, sizeof(first_note), "%s",
		    pd_reader_note(rd, 0)->msg);
		*note = first_note;
	}
	fclose(f);
	pd_reader_close(rd);
	close(fd);
	return out;
}

static void
check_equal(enum pdb_kind kind, bool swapped, uint32_t type, size_t piece)
{
	struct pdb *plain = pdb_new(kind, swapped), *z = pdb_new(kind, swapped);
	size_t size;
	uint8_t *bytes = record_bytes(600, swapped, &size);
	const char *note;
	char *want, *got;

	some_records(plain, an_event(plain), 600);
	an_event(z);
	compress(z, type, bytes, size, piece);
	want = contents(plain, &note);
	CHECK_STR(note, NULL);
	got = contents(z, &note);
	CHECK_STR(note, NULL);
	CHECK(strlen(want) > 100000);
	if (!CHECK(strcmp(want, got) == 0))
		printf("# kind %d, swapped %d, type %u, pieces of %zu\n", kind,
		    swapped, type, piece);
	free(want);
	free(got);
	free(bytes);
}

/* Pieces that end anywhere: records lie across them. */
static void
check_all(uint32_t type)
{
	static const size_t pieces[] = { 100, 999, 4096, 50000 };

	for (size_t i = 0; i < 4; i++) {
		check_equal(PDB_FILE, false, type, pieces[i]);
		check_equal(PDB_FILE, true, type, pieces[i]);
		check_equal(PDB_PIPE, false, type, pieces[i]);
		check_equal(PDB_PIPE, true, type, pieces[i]);
	}
}

static void
compressed_records_are_those_they_were_made_from(void)
{
	check_all(COMPRESSED);
}

static void
padded_compressed_records_too(void)
{
	check_all(COMPRESSED2);
}

/* perf writes what it makes up itself, such as MMAP2 records, as it is. */
static void
plain_records_may_stand_between_compressed_ones(void)
{
	struct pdb *plain = pdb_new(PDB_PIPE, false);
	struct pdb *z = pdb_new(PDB_PIPE, false);
	struct pdb_id id = { .pid = 5, .tid = 5, .time = 1 };
	size_t size;
	uint8_t *bytes = record_bytes(100, false, &size);
	const char *note;
	char *want, *got;
	unsigned ev = an_event(plain);

	pdb_comm(plain, ev, &id, "early", false);
	some_records(plain, ev, 100);
	id.time = 5000;
	pdb_comm(plain, ev, &id, "late", false);

	ev = an_event(z);
	id.time = 1;
	pdb_comm(z, ev, &id, "early", false);
	compress(z, COMPRESSED2, bytes, size, 2000);
	id.time = 5000;
	pdb_comm(z, ev, &id, "late", false);

	want = contents(plain, &note);
	got = contents(z, &note);
	CHECK_STR(got, want);
	CHECK_STR(note, NULL);
	free(want);
	free(got);
	free(bytes);
}

/* A frame may hold far more than is stored. */
static void
a_small_payload_may_be_many_records(void)
{
	struct pdb *b = pdb_new(PDB_PIPE, false), *z;
	unsigned ev = an_event(b);
	size_t at = pdb_size(b), size, lines = 0;
	const char *note;
	uint8_t *bytes;
	char *got;

	for (int i = 0; i < 30000; i++)
		pdb_sample(b, ev, &(struct pdb_sample){ .id = { .time = 77 } });
	bytes = pdb_finish(b, &size);
	z = pdb_new(PDB_PIPE, false);
	an_event(z);
	compress(z, COMPRESSED, bytes + at, size - at, size);
	CHECK(pdb_size(z) < 4096);
	got = contents(z, &note);
	for (char *p = got; (p = strchr(p, '\n')) != NULL; p++)
		lines++;
	CHECK_EQ(lines, 30000);
	CHECK_STR(note, NULL);
	free(got);
	free(bytes);
}

static void
damage_costs_what_is_compressed_behind_it_only(void)
{
	struct pdb *z = pdb_new(PDB_PIPE, false);
	struct pdb_id id = { .pid = 5, .tid = 5, .time = 9999 };
	size_t size;
	uint8_t *bytes = record_bytes(100, false, &size);
	unsigned ev = an_event(z);
	const char *note;
	char *got;

	compress(z, COMPRESSED, bytes, size, 5000);
	put_compressed(z, COMPRESSED, "this is no zstd at all..", 24);
	pdb_comm(z, ev, &id, "after", false);
	got = contents(z, &note);
	CHECK(strstr(got, "\n1099 ") != NULL);		/* the last sample */
	CHECK(strstr(got, "\n9999 ") != NULL);
	CHECK(note != NULL && strstr(note, "compressed data") != NULL);
	free(got);
	free(bytes);
}

static void
a_size_beyond_the_record_is_noted(void)
{
	struct pdb *z = pdb_new(PDB_PIPE, false);
	const char *note;
	unsigned ev = an_event(z);

	some_records(z, ev, 1);
	pdb_begin(z, COMPRESSED2, 0);
	pdb_u64(z, 1 << 20);
	pdb_u64(z, 0);
	pdb_end(z);
	free(contents(z, &note));
	CHECK(note != NULL && strstr(note, "longer than it can be") != NULL);
}

/* A killed perf leaves half a zstd block: the records before it are there. */
static void
the_end_inside_a_block_is_noted(void)
{
	size_t size;
	uint8_t *bytes = record_bytes(300, false, &size), *all;
	struct pdb *z = pdb_new(PDB_PIPE, false), *cut;
	const char *note;
	size_t total;
	char *got;

	an_event(z);
	compress(z, COMPRESSED, bytes, size, 5000);
	all = pdb_finish(z, &total);
	cut = pdb_new(PDB_PIPE, false);
	pdb_bytes(cut, all + 16, total - 16 - 700);
	got = contents(cut, &note);
	CHECK(strstr(got, "\n1100 ") != NULL);
	CHECK(note != NULL && strstr(note, "ends in a record") != NULL);
	free(got);
	free(all);
	free(bytes);
}

int
main(void)
{
	RUN(compressed_records_are_those_they_were_made_from);
	RUN(padded_compressed_records_too);
	RUN(plain_records_may_stand_between_compressed_ones);
	RUN(a_small_payload_may_be_many_records);
	RUN(damage_costs_what_is_compressed_behind_it_only);
	RUN(a_size_beyond_the_record_is_noted);
	RUN(the_end_inside_a_block_is_noted);
	return tap_done();
}
