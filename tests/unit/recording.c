/*
 * Recordings made by hand, as files and pipes in both byte orders, are read
 * back as they were meant.
 */
#include <stdlib.h>
#include <unistd.h>

#include "pdbuild.h"
#include "perfdata.h"
#include "tap.h"

#define EVERYTHING (PDB_IDENTIFIER | PDB_IP | PDB_TID | PDB_TIME | PDB_ADDR | \
	PDB_CPU | PDB_PERIOD | PDB_CALLCHAIN)

static struct pd_error err;

/* Runs body for files and pipes of both byte orders. */
static void
each_container(void (*body)(enum pdb_kind, bool))
{
	body(PDB_FILE, false);
	body(PDB_FILE, true);
	body(PDB_PIPE, false);
	body(PDB_PIPE, true);
}

static struct pd_reader *
open_built(struct pdb *b, enum pd_order order, int *fd)
{
	char path[32];
	struct pd_reader *rd;

	*fd = pdb_file(b, path);
	rd = pd_reader_open(path, order, &err);
	if (rd == NULL)
		printf("# %s\n", err.msg);
	return rd;
}

static bool
next_of(struct pd_reader *rd, uint32_t type, struct pd_record *rec)
{
	while (pd_reader_next(rd, rec, &err) == 1)
		if (rec->type == type)
			return true;
	return false;
}

static void
sample_fields(enum pdb_kind kind, bool swapped)
{
	struct pdb *b = pdb_new(kind, swapped);
	struct pdb_id id = { .pid = 10, .tid = 11, .cpu = 3, .time = 12345 };
	uint64_t chain[] = { 0xfffffffffffffe00, 0x1000, 0x2000 };
	unsigned ev = pdb_event(b, &(struct pdb_event){ .sample_type = EVERYTHING });
	struct pd_record rec;
	struct pd_sample s;
	int fd;

	pdb_sample(b, ev, &(struct pdb_sample){ .id = id, .ip = 0x1000,
	    .addr = 0x77, .period = 42, .chain = chain, .nchain = 3 });

	struct pd_reader *rd = open_built(b, PD_TIME_ORDER, &fd);

	if (!CHECK(rd != NULL))
		return;
	CHECK_EQ(pd_reader_info(rd)->pipe, kind == PDB_PIPE);
	if (CHECK(next_of(rd, PD_RECORD_SAMPLE, &rec)) &&
	    CHECK_EQ(pd_sample_decode(&rec, &s, &err), 0)) {
		CHECK_EQ(rec.swapped, swapped);
		CHECK_EQ(rec.time, 12345);
		CHECK_EQ(rec.pid, 10);
		CHECK_EQ(rec.tid, 11);
		CHECK_EQ(rec.cpu, 3);
		CHECK_EQ(s.ip, 0x1000);
		CHECK_EQ(s.addr, 0x77);
		CHECK_EQ(s.period, 42);
		CHECK_EQ(s.callchain_len, 3);
		CHECK_EQ(s.cpumode, PDB_USER);
	}
	CHECK(!next_of(rd, PD_RECORD_SAMPLE, &rec));
	CHECK(pd_reader_note(rd, 0) == NULL);
	pd_reader_close(rd);
	close(fd);
}

static void
a_sample_keeps_its_fields(void)
{
	each_container(sample_fields);
}

static void
attributes(enum pdb_kind kind, bool swapped)
{
	struct pdb *b = pdb_new(kind, swapped);
	uint64_t ids[] = { 7, 8 };
	struct pd_record rec;
	int fd;

	pdb_event(b, &(struct pdb_event){ .name = "first", .nids = 2, .ids = ids,
	    .sample_type = EVERYTHING, .flags = PDB_FLAG_FREQ, .period = 99 });
	pdb_event(b, &(struct pdb_event){ .name = "second", .type = 2,
	    .config = 300, .sample_type = EVERYTHING });
	for (uint64_t id = 7; id < 9; id++)
		pdb_sample(b, 0, &(struct pdb_sample){ .id = { .id = id, .time = id } });
	pdb_sample(b, 1, &(struct pdb_sample){ .id = { .time = 9 } });

	struct pd_reader *rd = open_built(b, PD_TIME_ORDER, &fd);

	if (!CHECK(rd != NULL))
		return;
	for (int i = 0; i < 3; i++)
		if (CHECK(next_of(rd, PD_RECORD_SAMPLE, &rec)))
			CHECK_EQ(rec.event->index, i == 2);

	const struct pd_event *first = pd_reader_event(rd, 0);
	const struct pd_event *second = pd_reader_event(rd, 1);

	if (CHECK(first != NULL) && CHECK(second != NULL)) {
		CHECK_STR(first->name, "first");
		CHECK_STR(second->name, "second");
		CHECK_EQ(first->period_or_freq, 99);
		CHECK(first->is_freq);
		CHECK(!second->is_freq);
		CHECK(first->sample_id_all);
		CHECK_EQ(second->type, 2);
		CHECK_EQ(second->config, 300);
	}
	CHECK(pd_reader_event(rd, 2) == NULL);
	pd_reader_close(rd);
	close(fd);
}

static void
ids_lead_to_their_events(void)
{
	each_container(attributes);
}

static void
order(enum pdb_kind kind, bool swapped)
{
	static const uint64_t times[] = { 30, 10, 20, 0, 25, 50, 40, 0, 60 };
	struct pdb *b = pdb_new(kind, swapped);
	unsigned ev = pdb_event(b, &(struct pdb_event){ .sample_type = EVERYTHING });
	struct pd_record rec;
	uint64_t last = 0;
	size_t samples = 0;
	int fd;

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		if (times[i] == 0)
			pdb_round(b);
		else
			pdb_sample(b, ev,
			    &(struct pdb_sample){ .id = { .time = times[i] } });
	}

	struct pd_reader *rd = open_built(b, PD_TIME_ORDER, &fd);

	if (!CHECK(rd != NULL))
		return;
	for (; next_of(rd, PD_RECORD_SAMPLE, &rec); samples++) {
		CHECK(rec.time >= last);
		last = rec.time;
	}
	CHECK_EQ(samples, 7);
	pd_reader_close(rd);
	close(fd);
}

static void
time_order_is_restored_across_rounds(void)
{
	each_container(order);
}

static void
killed_file_is_read_to_its_end(void)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct pdb *b = pdb_new(PDB_FILE, swapped);
		unsigned ev = pdb_event(b,
		    &(struct pdb_event){ .sample_type = EVERYTHING });
		struct pd_record rec;
		size_t samples = 0;
		int fd;

		for (uint64_t t = 1; t <= 5; t++)
			pdb_sample(b, ev, &(struct pdb_sample){ .id = { .time = t } });
		pdb_killed(b);

		struct pd_reader *rd = open_built(b, PD_TIME_ORDER, &fd);

		if (!CHECK(rd != NULL))
			return;
		while (next_of(rd, PD_RECORD_SAMPLE, &rec))
			samples++;
		CHECK_EQ(samples, 5);
		CHECK(pd_reader_info(rd)->killed);
		CHECK(pd_reader_note(rd, 0) != NULL);
		pd_reader_close(rd);
		close(fd);
	}
}

/* A pipe with one record, cut to `keep` bytes, and a sample behind it. */
static struct pd_reader *
open_cut(size_t kind, bool swapped, size_t keep, size_t *size, int *fd)
{
	struct pdb *b = pdb_new(PDB_PIPE, swapped);
	struct pdb_id id = { .pid = 2, .tid = 2, .time = 1 };
	unsigned ev = pdb_event(b, &(struct pdb_event){ .sample_type = EVERYTHING });
	size_t at = pdb_size(b), total;

	*size = pdb_any(b, ev, &id, kind) ? pdb_size(b) - at : 0;
	id.time = 999;
	pdb_sample(b, ev, &(struct pdb_sample){ .id = id });

	uint8_t *bytes = pdb_finish(b, &total);
	struct pd_reader *rd = NULL;
	char path[32];

	*fd = -1;
	if (keep <= *size) {
		bytes[at + 6 + swapped] = keep;
		bytes[at + 7 - swapped] = keep >> 8;
		memmove(bytes + at + keep, bytes + at + *size, total - at - *size);

		struct pdb *raw = pdb_new(PDB_PIPE, swapped);

		pdb_bytes(raw, bytes + 16, total - 16 - (*size - keep));
		*fd = pdb_file(raw, path);
		rd = pd_reader_open(path, PD_TIME_ORDER, &err);
	}
	free(bytes);
	return rd;
}

static void
a_record_cut_anywhere_costs_only_itself(void)
{
	for (int swapped = 0; swapped < 2; swapped++)
		for (size_t kind = 0;; kind++) {
			size_t size = 0;

			for (size_t keep = 8; keep == 8 || keep <= size; keep++) {
				struct pd_record rec;
				bool found = false;
				int fd;
				struct pd_reader *rd =
				    open_cut(kind, swapped, keep, &size, &fd);

				if (fd < 0)
					break;
				if (CHECK(rd != NULL)) {
					while (next_of(rd, PD_RECORD_SAMPLE, &rec))
						found |= rec.time == 999;
					if (!CHECK(found))
						printf("# kind %zu, %zu of %zu bytes\n",
						    kind, keep, size);
				} else {
					printf("# kind %zu, %zu of %zu bytes: %s\n",
					    kind, keep, size, err.msg);
				}
				pd_reader_close(rd);
				close(fd);
			}
			if (size == 0)		/* past the last kind */
				break;
		}
}

int
main(void)
{
	RUN(a_sample_keeps_its_fields);
	RUN(ids_lead_to_their_events);
	RUN(time_order_is_restored_across_rounds);
	RUN(killed_file_is_read_to_its_end);
	RUN(a_record_cut_anywhere_costs_only_itself);
	return tap_done();
}
