/* The table of record types and the decoders of their bodies. */
#include "base/error.h"
#include "base/shape.h"
#include "record/event.h"
#include "record/record.h"

struct row {
	const char	*name, *shape;
	enum pd_class	class;
};

#define RECORD(number, name, class, shape) \
	[number] = { #name, shape, PD_##class },
static const struct row rows[] = {
#include "record/record.def"
};
#undef RECORD

static const struct row *
row_of(uint32_t type)
{
	if (type >= sizeof(rows) / sizeof(rows[0]) || rows[type].name == NULL)
		return NULL;
	return &rows[type];
}

const char *
pd_record_name(uint32_t type)
{
	const struct row *row = row_of(type);

	return row ? row->name : NULL;
}

enum pd_class
pd_record_class(uint32_t type)
{
	const struct row *row = row_of(type);

	if (row != NULL)
		return row->class;
	return type < PD_RECORD_USER_START ? PD_TIMED : PD_STREAM;
}

struct pd_cursor
pd_record_body(const struct pd_record *rec)
{
	const struct pd_evt *evt = (const struct pd_evt *)rec->event;
	size_t size = rec->size - PD_HEADER_SIZE, id = 0;

	if (evt != NULL && rec->type != PD_RECORD_SAMPLE)
		id = evt->t_words * (size_t)8;
	return pd_cursor(rec->data + PD_HEADER_SIZE, size < id ? 0 : size - id,
	    rec->swapped);
}

/* PERF_RECORD_TEXT_POKE: addr, u16 old_len, u16 new_len, the bytes. */
static bool
text_poke_valid(struct pd_cursor *c)
{
	size_t n = pd_get_u16(c);

	n += pd_get_u16(c);
	return pd_get_bytes(c, n) != NULL;
}

/* struct perf_record_cpu_map_data of tools/lib/perf/include/perf/event.h. */
static bool
cpu_map_valid(uint16_t type, struct pd_cursor *c)
{
	uint16_t nr = pd_get_u16(c), long_size;

	switch (type) {
	case 0:				/* PERF_CPU_MAP__CPUS: u16 each */
		return pd_get_bytes(c, (size_t)nr * 2) != NULL;
	case 1:				/* PERF_CPU_MAP__MASK */
		long_size = pd_get_u16(c);
		/* A mask of u64 words is aligned to 8 from the type on. */
		if (long_size == 8)
			pd_get_u16(c);
		return (long_size == 4 || long_size == 8) &&
		    pd_get_bytes(c, (size_t)nr * long_size) != NULL;
	case 2:				/* PERF_CPU_MAP__RANGE_CPUS */
		return pd_get_bytes(c, 4) != NULL;
	}
	return false;
}

bool
pd_record_valid(const struct pd_record *rec)
{
	const struct row *row = row_of(rec->type);
	struct pd_cursor c = pd_record_body(rec);

	if (row == NULL)
		return true;
	if (!pd_shape_skip(row->shape, &c))
		return false;
	if (rec->type == PD_REC_TEXT_POKE)
		return text_poke_valid(&c);
	if (rec->type == PD_REC_CPU_MAP)
		return cpu_map_valid(pd_load_u16(rec->data + PD_HEADER_SIZE,
		    rec->swapped), &c);
	return true;
}

static int
decode_mmap(const struct pd_record *rec, struct pd_mmap *m,
    struct pd_error *err)
{
	struct pd_cursor c = pd_record_body(rec);
	const uint8_t *id;

	*m = (struct pd_mmap){ .pid = pd_get_u32(&c) };
	m->tid = pd_get_u32(&c);
	m->start = pd_get_u64(&c);
	m->len = pd_get_u64(&c);
	m->pgoff = pd_get_u64(&c);
	if (rec->type == PD_RECORD_MMAP2) {
		/* maj, min, ino, ino_generation or the build-id: u8 size,
		 * u8 and u16 reserved, u8[20] */
		id = pd_get_bytes(&c, 24);
		if (id != NULL && (rec->misc & PD_MISC_MMAP_BUILD_ID) &&
		    id[0] <= sizeof(m->buildid.bytes)) {
			m->buildid.size = id[0];
			memcpy(m->buildid.bytes, id + 4, id[0]);
		}
		m->prot = pd_get_u32(&c);
		m->flags = pd_get_u32(&c);
		m->has_prot = true;
	}
	m->name = pd_get_str(&c);
	if (c.bad)
		return pd_fail(err, PD_EFORMAT, rec->offset,
		    "%s record: too short or a name without end",
		    pd_record_name(rec->type));
	if (strlen(m->name) >= PD_PATH_MAX)
		return pd_fail(err, PD_EFORMAT, rec->offset,
		    "%s record: name longer than a path can be",
		    pd_record_name(rec->type));
	if (m->start + m->len < m->start)
		return pd_fail(err, PD_EFORMAT, rec->offset,
		    "%s record: range wraps around",
		    pd_record_name(rec->type));
	return 1;
}

static int
decode_task(const struct pd_record *rec, struct pd_task *t,
    struct pd_error *err)
{
	struct pd_cursor c = pd_record_body(rec);

	t->pid = pd_get_u32(&c);
	t->ppid = pd_get_u32(&c);
	t->tid = pd_get_u32(&c);
	t->ptid = pd_get_u32(&c);
	if (c.bad)
		return pd_fail(err, PD_EFORMAT, rec->offset,
		    "%s record: too short", pd_record_name(rec->type));
	return 1;
}

static int
decode_comm(const struct pd_record *rec, struct pd_comm *m,
    struct pd_error *err)
{
	struct pd_cursor c = pd_record_body(rec);

	m->pid = pd_get_u32(&c);
	m->tid = pd_get_u32(&c);
	m->comm = pd_get_str(&c);
	if (c.bad)
		return pd_fail(err, PD_EFORMAT, rec->offset,
		    "COMM record: too short or a name without end");
	return 1;
}

static int
decode_ksymbol(const struct pd_record *rec, struct pd_ksymbol *k,
    struct pd_error *err)
{
	struct pd_cursor c = pd_record_body(rec);

	k->addr = pd_get_u64(&c);
	k->len = pd_get_u32(&c);
	k->type = pd_get_u16(&c);
	k->flags = pd_get_u16(&c);
	k->name = pd_get_str(&c);
	if (c.bad)
		return pd_fail(err, PD_EFORMAT, rec->offset,
		    "KSYMBOL record: too short or a name without end");
	return 1;
}

static int
decode_lost(const struct pd_record *rec, uint64_t *lost, struct pd_error *err)
{
	struct pd_cursor c = pd_record_body(rec);

	if (rec->type == PD_RECORD_LOST)
		pd_get_u64(&c);		/* id */
	*lost = pd_get_u64(&c);
	if (c.bad)
		return pd_fail(err, PD_EFORMAT, rec->offset,
		    "%s record: too short", pd_record_name(rec->type));
	return 1;
}

int
pd_record_decode(const struct pd_record *rec, union pd_body *body,
    struct pd_error *err)
{
	switch (rec->type) {
	case PD_RECORD_MMAP:
	case PD_RECORD_MMAP2:
		return decode_mmap(rec, &body->mmap, err);
	case PD_RECORD_COMM:
		return decode_comm(rec, &body->comm, err);
	case PD_RECORD_FORK:
	case PD_RECORD_EXIT:
		return decode_task(rec, &body->task, err);
	case PD_RECORD_KSYMBOL:
		return decode_ksymbol(rec, &body->ksymbol, err);
	case PD_RECORD_LOST:
	case PD_RECORD_LOST_SAMPLES:
		return decode_lost(rec, &body->lost, err);
	}
	return 0;
}

int
pd_buildid_decode(struct pd_cursor *c, struct pd_buildid_entry *e)
{
	struct pd_cursor in;
	const uint8_t *id, *body;
	uint16_t size;
	uint8_t n = sizeof(e->buildid.bytes);

	pd_get_u32(c);			/* type: 0 in the feature */
	e->misc = pd_get_u16(c);
	size = pd_get_u16(c);
	if (size < PD_HEADER_SIZE)
		return -1;
	body = pd_get_bytes(c, size - PD_HEADER_SIZE);
	if (body == NULL)
		return -1;
	in = pd_cursor(body, size - PD_HEADER_SIZE, c->swapped);
	e->pid = pd_get_u32(&in);
	id = pd_get_bytes(&in, 24);	/* u8[20], then the size, padding */
	e->name = pd_get_str(&in);
	if (in.bad)
		return -1;
	if (e->misc & PD_MISC_BUILD_ID_SIZE) {
		if (id[20] > n)
			return -1;
		n = id[20];
	} else {
		/* Before perf 5.11 a shorter id was filled up with zeros. */
		while (n >= 4 && memcmp(id + n - 4, "\0\0\0", 4) == 0)
			n -= 4;
	}
	e->buildid.size = n;
	memcpy(e->buildid.bytes, id, n);
	return 0;
}
