/* Opens either container: tools/perf/util/header.c in the kernel's tree. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "record/container.h"

#define PIPE_HEADER	16	/* struct perf_pipe_file_header */
#define FILE_HEADER	104	/* struct perf_file_header */
#define SECTION		16	/* struct perf_file_section */

struct section {
	uint64_t	offset, size;
};

/* What people hand over that is no perf.data, and what to do about it. */
static int
fail_magic(const uint8_t *p, struct pd_error *err)
{
	static const struct { const char *magic, *say; } others[] = {
		{ "\x28\xb5\x2f\xfd", "compressed by zstd as a whole: "
		    "decompress it first (zstd -dc FILE | ...)" },
		{ "\x1f\x8b", "compressed by gzip: decompress it first" },
		{ "\xfd" "7zXZ", "compressed by xz: decompress it first" },
		{ "BZh", "compressed by bzip2: decompress it first" },
		{ "PERFFILE", "a version 1 recording (perf before 2012): "
		    "not supported" },
		{ "\x7f" "ELF", "an ELF file, not a perf.data recording" },
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (memcmp(p, others[i].magic, strlen(others[i].magic)) == 0)
			return pd_fail(err, PD_EUNSUPP, 0, "%s",
			    others[i].say);
	return pd_fail(err, PD_EFORMAT, 0,
	    "not a perf.data recording (no PERFILE2 at its start)");
}

/* All of buf, from the source's position on: 1, 0 at an early end, -1. */
static int
read_all(struct pd_source *src, uint8_t *buf, size_t size,
    struct pd_error *err)
{
	size_t n;
	ssize_t got;

	for (n = 0; n < size; n += (size_t)got) {
		got = pd_source_read(src, buf + n, size - n, err);
		if (got <= 0)
			return (int)got;
	}
	return 1;
}

static struct section
get_section(struct pd_cursor *c)
{
	struct section s;

	s.offset = pd_get_u64(c);
	s.size = pd_get_u64(c);
	return s;
}

static bool
inside(const struct section *s, uint64_t from, uint64_t size)
{
	return s->offset >= from && s->offset <= size &&
	    s->size <= size - s->offset;
}

/* *budget is what all ids together may still have: they do not overlap. */
static int
read_ids(struct pd_container *ct, struct pd_evt *evt, const struct section *s,
    uint64_t at, uint64_t *budget, struct pd_events *es,
    struct pd_notes *notes, struct pd_error *err)
{
	uint8_t *ids;
	uint64_t i;
	int r;

	if (!inside(s, FILE_HEADER, ct->src.size) || s->size > *budget)
		return pd_fail(err, PD_EFORMAT, at,
		    "the ids of event %" PRIu32 " lie outside the file",
		    evt->pub.index);
	*budget -= s->size;
	if (s->size % 8 != 0)
		pd_note_add(notes, true, at,
		    "the size of an event's ids is no multiple of 8");
	if ((ids = malloc((size_t)s->size + 1)) == NULL)
		return pd_fail_nomem(err);
	r = pd_source_pread(&ct->src, ids, (size_t)s->size, s->offset, err);
	for (i = 0; r > 0 && i + 8 <= s->size; i += 8)
		if (pd_events_add_id(es, evt, pd_load_u64(ids + i, ct->swapped),
		    notes, s->offset + i, err) == -1)
			r = -1;
	free(ids);
	return r < 0 ? -1 : 0;
}

/* The attribute table: each entry is an attribute and the section of its ids. */
static int
read_attrs(struct pd_container *ct, const struct section *attrs,
    uint64_t entry, struct pd_events *es, struct pd_notes *notes,
    struct pd_error *err)
{
	uint8_t *table = malloc((size_t)attrs->size);
	struct pd_cursor c;
	struct section ids;
	struct pd_evt *evt;
	uint64_t at, budget = ct->src.size;
	int r;

	if (table == NULL)
		return pd_fail_nomem(err);
	r = pd_source_pread(&ct->src, table, (size_t)attrs->size,
	    attrs->offset, err);
	if (r == 0)
		r = pd_fail(err, PD_ETRUNC, attrs->offset,
		    "file ends in the attributes");
	for (at = 0; r > 0 && attrs->size - at >= entry; at += entry) {
		c = pd_cursor(table + at, (size_t)entry, ct->swapped);
		evt = pd_events_add(es, &c, (size_t)entry - SECTION, true,
		    attrs->offset + at, err);
		if (evt == NULL) {
			r = -1;
			break;
		}
		ids = get_section(&c);
		if (read_ids(ct, evt, &ids, attrs->offset + at, &budget, es,
		    notes, err) == -1)
			r = -1;
	}
	free(table);
	return r > 0 ? 0 : -1;
}

static int
read_feature(struct pd_container *ct, unsigned id, const struct section *s,
    uint64_t table_end, struct pd_events *es, struct pd_features *f,
    struct pd_notes *notes, struct pd_error *err)
{
	uint8_t *data;
	int r;

	if (!inside(s, table_end, ct->src.size)) {
		pd_note_add(notes, true, s->offset,
		    "%s feature lies outside its place: it is ignored",
		    pd_feature_name(id) ? pd_feature_name(id) : "a");
		return 0;
	}
	if (pd_grow(&ct->features, &ct->features_cap, ct->nfeatures_at + 1,
	    sizeof(*ct->features), err) == -1)
		return -1;
	ct->features[ct->nfeatures_at++] = (struct pd_feature_at){ id,
		s->offset, s->size };
	if (pd_feature_name(id) == NULL)
		return 0;
	data = malloc((size_t)s->size + 1);
	if (data == NULL)
		return pd_fail_nomem(err);
	r = pd_source_pread(&ct->src, data, (size_t)s->size, s->offset, err);
	if (r > 0)
		r = pd_features_add(f, es, id, data, (size_t)s->size,
		    ct->swapped, s->offset, notes, err);
	free(data);
	return r < 0 ? -1 : 0;
}

/* A table of sections, one for each bit that is set, behind the data. */
static int
read_features(struct pd_container *ct, const uint8_t *bits,
    struct pd_events *es, struct pd_features *f, struct pd_notes *notes,
    struct pd_error *err)
{
	uint64_t at = ct->data_end, end = at + ct->nfeatures * SECTION;
	struct pd_cursor c;
	struct section s;
	uint8_t buf[SECTION];
	unsigned id;

	if (end > ct->src.size) {
		pd_note_add(notes, true, at,
		    "file ends in the table of features: they are ignored");
		return 0;
	}
	for (id = 0; id < PD_FEATURES; id++) {
		if (!(bits[id / 8] >> id % 8 & 1))
			continue;
		if (pd_source_pread(&ct->src, buf, SECTION, at, err) < 0)
			return -1;
		at += SECTION;
		c = pd_cursor(buf, SECTION, ct->swapped);
		s = get_section(&c);
		if (read_feature(ct, id, &s, end, es, f, notes, err) == -1)
			return -1;
	}
	return 0;
}

bool
pd_container_table_at(const struct pd_container *ct, uint64_t offset)
{
	uint64_t end = offset + ct->nfeatures * SECTION;
	struct pd_error err;
	struct pd_cursor c;
	struct section s;
	uint8_t buf[SECTION];
	unsigned i;

	if (ct->nfeatures == 0 || end > ct->src.size)
		return false;
	for (i = 0; i < ct->nfeatures; i++) {
		if (pd_source_pread(&ct->src, buf, SECTION,
		    offset + i * SECTION, &err) <= 0)
			return false;
		c = pd_cursor(buf, SECTION, ct->swapped);
		s = get_section(&c);
		if (!inside(&s, end, ct->src.size))
			return false;
	}
	return true;
}

/* Where the data end, whatever the header says. */
static int
place_data(struct pd_container *ct, const struct section *data,
    struct pd_notes *notes, struct pd_error *err)
{
	uint64_t size = ct->src.size;

	if (data->offset < FILE_HEADER || data->offset > size)
		return pd_fail(err, PD_EFORMAT, 40,
		    "header: the data section lies outside the file");
	if (data->offset == size)
		return pd_fail(err, PD_ETRUNC, size, "the recording has no "
		    "records: the file ends where they would begin");
	ct->data = data->offset;
	ct->data_end = data->offset + data->size;
	if (data->size == 0) {
		ct->killed = true;
		ct->data_end = size;
		pd_note_add(notes, true, 48, "the recorder was killed before "
		    "it finished the file: read to the last whole record, "
		    "without features");
	} else if (data->size > size - data->offset) {
		pd_note_add(notes, true, size, "file ends in the data section"
		    ", which should go on for %" PRIu64 " bytes",
		    data->size - (size - data->offset));
		ct->data_end = size;
	}
	return 0;
}

/*
 * The feature bits are an array of unsigned long in the recording's byte
 * order: in a swapped one the bytes of each u64 come the other way round, of
 * each u32 where its long had 32 bits.  HOSTNAME is always there, which tells
 * the two apart (perf_file_header__read()).
 */
static void
load_bits(uint8_t *bits, const uint8_t *p, bool swapped)
{
	size_t unit = 8, i;

	if (swapped && !(p[7] >> PD_FEATURE_HOSTNAME & 1) &&
	    (p[3] >> PD_FEATURE_HOSTNAME & 1))
		unit = 4;
	for (i = 0; i < PD_FEATURES / 8; i++)
		bits[i] = p[swapped ? i / unit * unit + unit - 1 - i % unit : i];
}

static int
open_file(struct pd_container *ct, const uint8_t *head, struct pd_events *es,
    struct pd_features *f, struct pd_notes *notes, struct pd_error *err)
{
	struct pd_cursor c = pd_cursor(head, FILE_HEADER, ct->swapped);
	struct section attrs, data;
	uint8_t bits[PD_FEATURES / 8];
	uint64_t size, entry;
	unsigned i;

	pd_get_u64(&c);			/* magic */
	size = pd_get_u64(&c);
	entry = pd_get_u64(&c);
	attrs = get_section(&c);
	data = get_section(&c);
	get_section(&c);		/* event_types: not since perf 3.x */
	load_bits(bits, c.p, ct->swapped);
	for (i = 0; i < PD_FEATURES; i++)
		ct->nfeatures += bits[i / 8] >> i % 8 & 1;

	if (size < FILE_HEADER || size > ct->src.size)
		return pd_fail(err, PD_EFORMAT, 8,
		    "header: its size is %" PRIu64, size);
	if (!inside(&attrs, FILE_HEADER, ct->src.size))
		return pd_fail(err, PD_EFORMAT, 24,
		    "header: the attributes lie outside the file");
	if (entry < PD_ATTR_SIZE_VER0 + SECTION || entry > attrs.size)
		return pd_fail(err, PD_EFORMAT, 16, "header: attributes of %"
		    PRIu64 " bytes in a table of %" PRIu64, entry, attrs.size);
	if (place_data(ct, &data, notes, err) == -1 ||
	    read_attrs(ct, &attrs, entry, es, notes, err) == -1)
		return -1;
	ct->src.pos = ct->data;
	/* Without the end of the data the features cannot be found. */
	if (ct->killed || ct->data_end == ct->src.size)
		return 0;
	return read_features(ct, bits, es, f, notes, err);
}

int
pd_container_open(struct pd_container *ct, const struct pd_source *src,
    struct pd_events *es, struct pd_features *f, struct pd_notes *notes,
    struct pd_error *err)
{
	static const char magic[] = "PERFILE2", swapped[] = "2ELIFREP";
	uint8_t head[FILE_HEADER] = { 0 };
	uint64_t size;
	int r;

	*ct = (struct pd_container){ .src = *src, .data_end = PD_NOWHERE };
	r = read_all(&ct->src, head, PIPE_HEADER, err);
	if (r < 0)
		return -1;
	if (r == 0 && ct->src.pos == 0)
		return pd_fail(err, PD_ETRUNC, 0, "the input is empty");
	ct->swapped = memcmp(head, swapped, 8) == 0;
	if (!ct->swapped && memcmp(head, magic, 8) != 0)
		return fail_magic(head, err);
	if (r == 0)
		return pd_fail(err, PD_ETRUNC, ct->src.pos,
		    "the input ends in the header");
	size = pd_load_u64(head + 8, ct->swapped);
	f->info.big_endian = ct->swapped ==
	    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	if (size == PIPE_HEADER) {
		ct->pipe = f->info.pipe = true;
		ct->data = PIPE_HEADER;
		return 0;
	}
	r = read_all(&ct->src, head + PIPE_HEADER, FILE_HEADER - PIPE_HEADER,
	    err);
	if (r < 0)
		return -1;
	if (r == 0)
		return pd_fail(err, PD_ETRUNC, ct->src.pos,
		    "the input ends in the header");
	if (!ct->src.seekable &&
	    pd_source_spool(&ct->src, head, FILE_HEADER, err) == -1)
		return -1;
	r = open_file(ct, head, es, f, notes, err);
	f->info.killed = ct->killed;
	return r;
}

void
pd_container_close(struct pd_container *ct)
{
	pd_source_close(&ct->src);
	free(ct->features);
	ct->features = NULL;
}
