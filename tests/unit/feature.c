/* Header features: their layouts, and what is taken from them. */
#include <stdlib.h>

#include "pdbuild.h"
#include "record/feature.h"
#include "record/tracing.h"
#include "tap.h"

static struct pd_error err;
static struct pd_events none;

/*
 * Fields as letters, with small numbers: 1 2 4 8 bytes, n a count of 1 in four
 * bytes and N in eight, s a string, d two bytes with their length, b a bitmap
 * of 70 bits.
 */
static void
put_fields(struct pdb *b, const char *fields)
{
	for (; *fields != '\0'; fields++)
		switch (*fields) {
		case '1': pdb_u8(b, 1); break;
		case '2': pdb_u16(b, 1); break;
		case '4': pdb_u32(b, 1); break;
		case '8': pdb_u64(b, 1); break;
		case 'n': pdb_u32(b, 1); break;
		case 'N': pdb_u64(b, 1); break;
		case 's':
			pdb_u32(b, 64);
			pdb_bytes(b, (char[64]){ "text" }, 64);
			break;
		case 'd':
			pdb_u32(b, 2);
			pdb_bytes(b, "ab", 2);
			break;
		case 'b':
			pdb_u64(b, 70);
			pdb_u64(b, 3);
			pdb_u64(b, 0);
			break;
		}
}

/* What was built in a pipe since it was made. */
static uint8_t *
take_bytes(struct pdb *b, size_t *size)
{
	uint8_t *all = pdb_finish(b, size), *p;

	*size -= 16;
	p = malloc(*size + 1);
	memcpy(p, all + 16, *size);
	free(all);
	return p;
}

/* Adds a feature from memory of just its size; the number of notes. */
static size_t
add(struct pd_features *f, struct pd_events *es, uint64_t id,
    const uint8_t *data, size_t size, bool swapped)
{
	struct pd_notes notes = { 0 };
	uint8_t *copy = malloc(size + !size);
	size_t n;

	memcpy(copy, data, size);
	CHECK_EQ(pd_features_add(f, es, id, copy, size, swapped, 0, &notes,
	    &err), 0);
	free(copy);
	n = notes.len;
	pd_notes_free(&notes);
	return n;
}

static size_t
notes_of(uint64_t id, const uint8_t *data, size_t size, bool swapped)
{
	struct pd_features f;
	size_t n;

	pd_features_init(&f);
	n = add(&f, &none, id, data, size, swapped);
	pd_features_free(&f);
	return n;
}

/* ---- layouts ------------------------------------------------------------ */

static const struct { unsigned id; const char *fields; } layouts[] = {
	{ 3, "s" }, { 4, "s" }, { 5, "s" }, { 6, "s" }, { 7, "44" },
	{ 8, "s" }, { 9, "s" }, { 10, "8" }, { 11, "ns" }, { 13, "nsns" },
	{ 14, "n488s" }, { 16, "n4s" }, { 20, "4n4444sss" },
	{ 21, "88" }, { 22, "88N8b" }, { 23, "8" }, { 24, "8" },
	{ 25, "n44811" }, { 26, "n4d" }, { 27, "44444" }, { 28, "nss" },
	{ 29, "4488" }, { 30, "nss" }, { 31, "nnsss" },
};

#define LAYOUTS	(sizeof(layouts) / sizeof(*layouts))

static void
a_feature_cut_anywhere_is_noted_and_ignored(void)
{
	for (int swapped = 0; swapped < 2; swapped++)
		for (size_t i = 0; i < LAYOUTS; i++) {
			struct pdb *b = pdb_new(PDB_PIPE, swapped);
			unsigned id = layouts[i].id;
			size_t size;
			uint8_t *data;

			put_fields(b, layouts[i].fields);
			data = take_bytes(b, &size);
			if (!CHECK_EQ(notes_of(id, data, size, swapped), 0))
				printf("# feature %u, whole\n", id);
			for (size_t n = 0; n < size; n++)
				if (!CHECK_EQ(notes_of(id, data, n, swapped),
				    1))
					printf("# feature %u, %zu of %zu\n", id,
					    n, size);
			free(data);
		}
}

/* perf appends fields: what comes behind those we know is no damage. */
static void
bytes_behind_what_we_know_are_fine(void)
{
	for (size_t i = 0; i < LAYOUTS; i++) {
		struct pdb *b = pdb_new(PDB_PIPE, false);
		size_t size;
		uint8_t *data;

		put_fields(b, layouts[i].fields);
		put_fields(b, "888");
		data = take_bytes(b, &size);
		CHECK_EQ(notes_of(layouts[i].id, data, size, false), 0);
		free(data);
	}
}

static void
a_count_that_cannot_be_is_noted(void)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		static const unsigned counted[11] = { 11, 12, 13, 14, 16, 17,
		    25, 26, 28, 30, 31 };

		for (size_t i = 0; i < 11; i++) {
			uint8_t data[64];

			memset(data, 0xff, sizeof(data));
			CHECK_EQ(notes_of(counted[i], data, sizeof(data),
			    swapped), 1);
		}
	}
}

static void
features_of_a_future_perf_are_passed_over(void)
{
	CHECK_EQ(notes_of(60, (const uint8_t *)"x", 1, false), 0);
	CHECK_EQ(notes_of(255, (const uint8_t *)"", 0, false), 0);
	CHECK_STR(pd_feature_name(60), NULL);
	CHECK_STR(pd_feature_name(UINT64_MAX), NULL);
	CHECK_STR(pd_feature_name(3), "HOSTNAME");
}

/* ---- what is taken from them -------------------------------------------- */

static void
put_string(struct pdb *b, const char *s)
{
	size_t n = (strlen(s) + 64) & ~(size_t)63;

	pdb_u32(b, (uint32_t)n);
	pdb_bytes(b, s, strlen(s));
	for (size_t i = strlen(s); i < n; i++)
		pdb_u8(b, 0);
}

static size_t
add_built(struct pd_features *f, struct pd_events *es, unsigned id,
    struct pdb *b, bool swapped)
{
	size_t size, n;
	uint8_t *data = take_bytes(b, &size);

	n = add(f, es, id, data, size, swapped);
	free(data);
	return n;
}

static void
strings_are_taken_and_made_printable(void)
{
	static const unsigned ids[] = { 3, 4, 5, 6, 8, 9 };

	for (int swapped = 0; swapped < 2; swapped++) {
		struct pd_features f;

		pd_features_init(&f);
		for (int i = 0; i < 6; i++) {
			struct pdb *b = pdb_new(PDB_PIPE, swapped);
			char text[] = "0: a\033]b c";

			text[0] += i;
			put_string(b, text);
			CHECK_EQ(add_built(&f, &none, ids[i], b, swapped), 0);
		}
		CHECK_STR(f.info.hostname, "0: a?]b c");
		CHECK_STR(f.info.osrelease, "1: a?]b c");
		CHECK_STR(f.info.version, "2: a?]b c");
		CHECK_STR(f.info.arch, "3: a?]b c");
		CHECK_STR(f.info.cpudesc, "4: a?]b c");
		CHECK_STR(f.info.cpuid, "5: a?]b c");
		pd_features_free(&f);
	}
}

static void
a_string_without_end_is_damage(void)
{
	struct pd_features f;
	struct pdb *b = pdb_new(PDB_PIPE, false);

	pd_features_init(&f);
	pdb_u32(b, 4);
	pdb_bytes(b, "hostmore\0", 9);
	CHECK_EQ(add_built(&f, &none, 3, b, false), 1);
	CHECK_STR(f.info.hostname, NULL);
	pd_features_free(&f);
}

static void
the_command_line_is_its_arguments_with_blanks_between(void)
{
	static const char *const args[] = { "/usr/bin/perf", "record", "-g",
	    "", "a b", "c\nd" };

	for (int swapped = 0; swapped < 2; swapped++) {
		struct pdb *b = pdb_new(PDB_PIPE, swapped);
		struct pd_features f;

		pd_features_init(&f);
		pdb_u32(b, 6);
		for (int i = 0; i < 6; i++)
			put_string(b, args[i]);
		CHECK_EQ(add_built(&f, &none, 11, b, swapped), 0);
		CHECK_STR(f.info.cmdline, "/usr/bin/perf record -g  a b c?d");
		b = pdb_new(PDB_PIPE, swapped);
		pdb_u32(b, 0);
		CHECK_EQ(add_built(&f, &none, 11, b, swapped), 0);
		CHECK_STR(f.info.cmdline, "");
		pd_features_free(&f);
	}
}

static void
numbers_are_taken(void)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct pd_features f;
		struct pdb *b;

		pd_features_init(&f);
		CHECK_EQ(f.info.first_time, PD_NOTIME);
		CHECK_EQ((uint32_t)f.info.clockid, (uint32_t)-1);

		/* write_nrcpus() of perf: the available ones come first */
		b = pdb_new(PDB_PIPE, swapped);
		pdb_u32(b, 64);
		pdb_u32(b, 48);
		CHECK_EQ(add_built(&f, &none, 7, b, swapped), 0);
		CHECK_EQ(f.info.ncpus_avail, 64);
		CHECK_EQ(f.info.ncpus_online, 48);

		b = pdb_new(PDB_PIPE, swapped);
		pdb_u64(b, 16314628);
		CHECK_EQ(add_built(&f, &none, 10, b, swapped), 0);
		CHECK_EQ(f.info.total_mem, 16314628);

		b = pdb_new(PDB_PIPE, swapped);
		pdb_u64(b, 1000000000001);
		pdb_u64(b, 2000000000002);
		CHECK_EQ(add_built(&f, &none, 21, b, swapped), 0);
		CHECK_EQ(f.info.first_time, 1000000000001);
		CHECK_EQ(f.info.last_time, 2000000000002);

		b = pdb_new(PDB_PIPE, swapped);
		pdb_u64(b, 25);
		CHECK_EQ(add_built(&f, &none, 23, b, swapped), 0);
		CHECK_EQ(f.info.clock_res, 25);

		b = pdb_new(PDB_PIPE, swapped);
		pdb_u32(b, 1);
		pdb_u32(b, 4);
		pdb_u64(b, 1700000000000000000);
		pdb_u64(b, 123456789);
		CHECK_EQ(add_built(&f, &none, 29, b, swapped), 0);
		CHECK_EQ(f.info.clockid, 4);
		CHECK_EQ(f.info.clock_wall, 1700000000000000000);
		CHECK_EQ(f.info.clock_mono, 123456789);
		pd_features_free(&f);
	}
}

/* ---- names of events ---------------------------------------------------- */

static struct pd_evt *
add_event(struct pd_events *es, uint32_t type, uint64_t config, uint64_t id)
{
	uint8_t a[64] = { (uint8_t)type, [4] = 64, [8] = (uint8_t)config,
	    [42] = 16 };			/* exclude_guest */
	struct pd_cursor c = pd_cursor(a, sizeof(a), false);
	struct pd_evt *e = pd_events_add(es, &c, 64, false, 0, &err);
	struct pd_notes notes = { 0 };

	if (id != 0)
		CHECK_EQ(pd_events_add_id(es, e, id, &notes, 0, &err), 0);
	pd_notes_free(&notes);
	return e;
}

static void
put_desc(struct pdb *b, const char *name, uint32_t nids, const uint64_t *ids)
{
	for (int i = 0; i < 9; i++)
		pdb_u64(b, 0);			/* the attribute */
	pdb_u32(b, nids);
	put_string(b, name);
	for (uint32_t i = 0; i < nids; i++)
		pdb_u64(b, ids[i]);
}

static struct pdb *
event_desc(bool swapped)
{
	static const uint64_t ids[] = { 22, 23 };
	struct pdb *b = pdb_new(PDB_PIPE, swapped);

	pdb_u32(b, 3);
	pdb_u32(b, 72);
	put_desc(b, "of id 22", 2, ids);
	put_desc(b, "the second", 0, NULL);
	put_desc(b, "no such event", 0, NULL);
	return b;
}

/* CPU_PMU_CAPS, or the same of two PMUs. */
static void
the_size_of_the_lbr_is_taken(void)
{
	for (int i = 0; i < 4; i++) {
		struct pdb *b = pdb_new(PDB_PIPE, i & 1);
		struct pd_features f;

		pd_features_init(&f);
		if (i & 2)
			pdb_u32(b, 2);
		for (int k = 0; k <= (i & 2); k += 2) {
			pdb_u32(b, 3);
			put_string(b, "branches_of_old");
			put_string(b, "8");
			put_string(b, "branches");
			put_string(b, "32");
			put_string(b, "max_precise");
			put_string(b, "3");
			if (i & 2)
				put_string(b, "cpu_core");
		}
		CHECK_EQ(add_built(&f, &none, i & 2 ? 31 : 28, b, i & 1), 0);
		CHECK_EQ(f.info.lbr_registers, 32);
		pd_features_free(&f);
	}
}

static void
event_desc_names_events_by_id_or_place(void)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct pd_events es = { 0 };
		struct pd_features f;
		struct pd_evt *a, *b;

		a = add_event(&es, 0, 0, 11);
		b = add_event(&es, 0, 0, 22);
		pd_features_init(&f);
		CHECK_EQ(add_built(&f, &es, 12, event_desc(swapped), swapped),
		    0);
		CHECK_STR(b->pub.name, "of id 22");	/* and keeps it */
		CHECK_STR(a->pub.name, "");
		CHECK_EQ(pd_features_name_events(&f, &es, &err), 0);
		CHECK_STR(a->pub.name, "cycles");
		CHECK_STR(b->pub.name, "of id 22");
		pd_features_free(&f);
		pd_events_free(&es);

		a = add_event(&es, 0, 0, 0);
		b = add_event(&es, 0, 0, 0);
		pd_features_init(&f);
		CHECK_EQ(add_built(&f, &es, 12, event_desc(swapped), swapped),
		    0);
		/* Without ids its place decides. */
		CHECK_STR(a->pub.name, "of id 22");
		CHECK_STR(b->pub.name, "the second");
		pd_features_free(&f);
		pd_events_free(&es);
	}
}

static void
event_desc_cut_anywhere_is_noted(void)
{
	size_t size;
	uint8_t *data = take_bytes(event_desc(false), &size);

	for (size_t n = 0; n < size; n++)
		CHECK_EQ(notes_of(12, data, n, false), 1);
	CHECK_EQ(notes_of(12, data, size, false), 0);
	free(data);
}

static void
pmu_mappings_name_events_of_dynamic_pmus(void)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct pdb *b = pdb_new(PDB_PIPE, swapped);
		struct pd_events es = { 0 };
		struct pd_features f;
		struct pd_evt *a = add_event(&es, 9, 0x40, 1);
		struct pd_evt *c = add_event(&es, 13, 1, 2);

		pd_features_init(&f);
		pdb_u32(b, 2);
		pdb_u32(b, 4);
		put_string(b, "cpu");
		pdb_u32(b, 9);
		put_string(b, "intel_pt");
		CHECK_EQ(add_built(&f, &es, 16, b, swapped), 0);
		CHECK_EQ(pd_features_name_events(&f, &es, &err), 0);
		CHECK_STR(a->pub.name, "intel_pt/config=0x40/");
		CHECK_STR(c->pub.name, "unknown attr type: 13");
		pd_features_free(&f);
		pd_events_free(&es);
	}
}

static void
groups_must_be_of_events_that_there_are(void)
{
	static const struct {
		uint32_t	leader, members;
		size_t		notes;
	} rows[] = {
		{ 0, 2, 0 }, { 1, 1, 0 }, { 0, 3, 1 }, { 2, 0, 1 },
		{ UINT32_MAX, 1, 1 }, { 1, UINT32_MAX, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct pdb *b = pdb_new(PDB_PIPE, false);
		struct pd_events es = { 0 };
		struct pd_features f;

		add_event(&es, 0, 0, 1);
		add_event(&es, 0, 1, 2);
		pd_features_init(&f);
		pdb_u32(b, 1);
		put_string(b, "{cycles,instructions}");
		pdb_u32(b, rows[i].leader);
		pdb_u32(b, rows[i].members);
		CHECK_EQ(add_built(&f, &es, 17, b, false), rows[i].notes);
		pd_features_free(&f);
		pd_events_free(&es);
	}
}

/* ---- tracing data ------------------------------------------------------- */

static void
put_block(struct pdb *b, const char *s)
{
	pdb_u64(b, strlen(s));
	pdb_bytes(b, s, strlen(s));
}

/* trace-cmd.dat(5), as perf writes it: it has its own byte order. */
static struct pdb *
tracing_data(bool big)
{
	struct pdb *b = pdb_new(PDB_PIPE, big);

	pdb_bytes(b, "\x17\x08\x44tracing0.6", 14);
	pdb_bytes(b, big ? "\1\10" : "\0\10", 2);	/* size of a long: 8 */
	pdb_u32(b, 4096);
	pdb_bytes(b, "header_page", 12);
	put_block(b, "\tfield: u64 timestamp;\n");
	pdb_bytes(b, "header_event", 13);
	put_block(b, "# compressed entry header\n");
	pdb_u32(b, 1);				/* formats of ftrace */
	put_block(b, "name: print\nID: 5\nformat:\n");
	pdb_u32(b, 2);				/* systems */
	pdb_bytes(b, "sched", 6);
	pdb_u32(b, 2);
	put_block(b, "name: sched_switch\nID: 314\nformat:\n");
	put_block(b, "name: sched_wakeup\nID: 315\nformat:\n");
	pdb_bytes(b, "probe_t", 8);
	pdb_u32(b, 1);
	put_block(b, "name: phase_b\nID: 2001\nformat:\n");
	pdb_u32(b, 0);				/* kallsyms */
	pdb_u32(b, 0);				/* printk formats */
	put_block(b, "1 init\n");		/* names of tasks */
	return b;
}

static void
tracing_data_name_tracepoints_in_their_own_byte_order(void)
{
	for (int big = 0; big < 2; big++)
		for (int swapped = 0; swapped < 2; swapped++) {
			struct pd_events es = { 0 };
			struct pd_features f;
			struct pd_evt *a = add_event(&es, 2, 5, 1);
			struct pd_evt *b = add_event(&es, 2, 77, 2);

			pd_features_init(&f);
			CHECK_EQ(add_built(&f, &es, 1, tracing_data(big),
			    swapped), 0);
			CHECK_EQ(pd_features_name_events(&f, &es, &err), 0);
			CHECK_STR(a->pub.name, "ftrace:print");
			CHECK_STR(b->pub.name, "unknown tracepoint");
			CHECK_STR(pd_tracepoints_find(f.tracepoints, 314),
			    "sched:sched_switch");
			CHECK_STR(pd_tracepoints_find(f.tracepoints, 315),
			    "sched:sched_wakeup");
			CHECK_STR(pd_tracepoints_find(f.tracepoints, 2001),
			    "probe_t:phase_b");
			pd_features_free(&f);
			pd_events_free(&es);
		}
}

static void
tracing_data_cut_anywhere_are_noted_and_keep_what_was_whole(void)
{
	size_t size;
	uint8_t *data = take_bytes(tracing_data(false), &size);
	size_t tasks = 8 + 7;		/* optional: before version 0.6 */
	bool seen = false;

	for (size_t n = 0; n < size; n++) {
		struct pd_features f;
		const char *name;
		size_t notes;

		pd_features_init(&f);
		notes = add(&f, &none, 1, data, n, false);
		/* A size of tasks that is cut is taken for none at all. */
		CHECK_EQ(notes, n < size - tasks || n >= size - 7);
		name = pd_tracepoints_find(f.tracepoints, 314);
		CHECK(name == NULL || strcmp(name, "sched:sched_switch") == 0);
		CHECK(!seen || name != NULL);
		seen = name != NULL;
		pd_features_free(&f);
	}
	CHECK(seen);
	free(data);
}

/* ---- build-ids ---------------------------------------------------------- */

static void
put_buildid(struct pdb *b, uint8_t size, const char *name, bool trailing)
{
	uint8_t id[24] = { 0xaa, 0xbb, [20] = size };

	pdb_begin(b, 0, 1 << 15 | PDB_USER);
	pdb_u32(b, 1);
	pdb_bytes(b, id, 24);
	if (trailing)
		pdb_str(b, name);
	else
		pdb_bytes(b, name, strlen(name));
	pdb_end(b);
}

static void
a_damaged_build_id_costs_only_itself(void)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct pdb *b = pdb_new(PDB_PIPE, swapped);
		struct pd_features f;

		pd_features_init(&f);
		put_buildid(b, 20, "/bin/a", true);
		put_buildid(b, 99, "/bin/too-long", true);
		put_buildid(b, 20, "/no/end/", false);
		put_buildid(b, 16, "/bin/b", true);
		CHECK_EQ(add_built(&f, &none, 2, b, swapped), 1);
		if (CHECK_EQ(f.nbuildids, 2)) {
			CHECK_STR(f.buildids[0].name, "/bin/a");
			CHECK_STR(f.buildids[1].name, "/bin/b");
			CHECK_EQ(f.buildids[1].buildid.size, 16);
			CHECK_EQ(f.buildids[1].buildid.bytes[1], 0xbb);
		}
		pd_features_free(&f);
	}
}

static void
build_ids_cut_anywhere_keep_those_that_are_whole(void)
{
	struct pdb *b = pdb_new(PDB_PIPE, false);
	size_t size, half;
	uint8_t *data;

	put_buildid(b, 20, "/bin/a", true);
	put_buildid(b, 20, "/bin/b", true);
	data = take_bytes(b, &size);
	half = size / 2;
	for (size_t n = 0; n <= size; n++) {
		struct pd_features f;

		pd_features_init(&f);
		CHECK_EQ(add(&f, &none, 2, data, n, false), n % half != 0);
		CHECK_EQ(f.nbuildids, n / half);
		pd_features_free(&f);
	}
	free(data);
}

int
main(void)
{
	RUN(a_feature_cut_anywhere_is_noted_and_ignored);
	RUN(bytes_behind_what_we_know_are_fine);
	RUN(a_count_that_cannot_be_is_noted);
	RUN(features_of_a_future_perf_are_passed_over);
	RUN(strings_are_taken_and_made_printable);
	RUN(a_string_without_end_is_damage);
	RUN(the_command_line_is_its_arguments_with_blanks_between);
	RUN(numbers_are_taken);
	RUN(the_size_of_the_lbr_is_taken);
	RUN(event_desc_names_events_by_id_or_place);
	RUN(event_desc_cut_anywhere_is_noted);
	RUN(pmu_mappings_name_events_of_dynamic_pmus);
	RUN(groups_must_be_of_events_that_there_are);
	RUN(tracing_data_name_tracepoints_in_their_own_byte_order);
	RUN(tracing_data_cut_anywhere_are_noted_and_keep_what_was_whole);
	RUN(a_damaged_build_id_costs_only_itself);
	RUN(build_ids_cut_anywhere_keep_those_that_are_whole);
	return tap_done();
}
