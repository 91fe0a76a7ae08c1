/*
 * The reader: takes records out of its lanes, takes in those that describe the
 * recording, and delivers all in order.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "record/lane.h"
#include "record/order.h"
#include "record/reader.h"
#include "record/tracing.h"
#include "record/record.h"

struct pd_reader {
	enum pd_order		order;
	struct pd_blocks	blocks;
	struct pd_container	ct;
	struct pd_events	events;
	struct pd_features	features;
	struct pd_notes		notes;
	struct pd_counts	counts;
	struct pd_order_queue	queue;
	struct pd_map64		counter_of;	/* its key -> counters */
	uint64_t		*counters;	/* as of their last sample */
	size_t			ncounters, counters_cap;
	struct pd_lane		*lanes;
	size_t			nlanes, lanes_cap, lane;
	unsigned		turns;		/* left for this lane */
	uint64_t		kernel_records;
	uint8_t			*tracing;	/* free(3) */
	size_t			tracing_size;
	struct pd_block		*held;		/* of the record handed out */
	bool			named, ended;
};

/* ---- opening --------------------------------------------------------------- */

static int
add_lane(struct pd_reader *rd, struct pd_error *err)
{
	if (pd_grow(&rd->lanes, &rd->lanes_cap, rd->nlanes + 1,
	    sizeof(*rd->lanes), err) == -1)
		return -1;
	memset(&rd->lanes[rd->nlanes], 0, sizeof(*rd->lanes));
	rd->lanes[rd->nlanes].own.fd = -1;
	rd->nlanes++;
	return 0;
}

static void
start_lanes(struct pd_reader *rd)
{
	struct pd_lane *ln;
	size_t i;

	pd_lane_start(&rd->lanes[0], &rd->ct, &rd->ct.src, rd->ct.data,
	    rd->ct.data_end, &rd->blocks, &rd->notes);
	for (i = 1; i < rd->nlanes; i++) {
		ln = &rd->lanes[i];
		pd_lane_start(ln, &rd->ct, &ln->own, 0, PD_NOWHERE,
		    &rd->blocks, &rd->notes);
	}
}

/* The recording, or in a directory its first file. */
static int
open_source(struct pd_reader *rd, const struct pd_source *src,
    struct pd_error *err)
{
	return pd_container_open(&rd->ct, src, &rd->events, &rd->features,
	    &rd->notes, err) == -1 ? -1 : add_lane(rd, err);
}

static int
open_file(struct pd_reader *rd, const char *path, struct pd_error *err)
{
	struct pd_source src;

	if (pd_source_open(&src, path, err) == -1) {
		pd_source_close(&src);
		return -1;
	}
	return open_source(rd, &src, err);
}

/*
 * perf record --threads: DIR/data is a file as always, and each ring buffer
 * has its records in DIR/data.N (perf.data-directory-format.txt).
 */
static int
open_directory(struct pd_reader *rd, const char *path, struct pd_error *err)
{
	char name[PD_PATH_MAX];
	struct stat st;
	size_t i;

	snprintf(name, sizeof(name), "%s/data", path);
	if (stat(name, &st) == -1 || !S_ISREG(st.st_mode))
		return pd_fail(err, PD_EFORMAT, PD_NOWHERE, "a directory, but "
		    "no recording: it has no file 'data'");
	if (open_file(rd, name, err) == -1)
		return -1;
	rd->features.info.directory = true;
	for (i = 0;; i++) {
		snprintf(name, sizeof(name), "%s/data.%zu", path, i);
		if (stat(name, &st) == -1)
			return 0;
		if (!S_ISREG(st.st_mode))
			return pd_fail(err, PD_EFORMAT, PD_NOWHERE,
			    "data.%zu is not a regular file", i);
		if (add_lane(rd, err) == -1 ||
		    pd_source_open(&rd->lanes[i + 1].own, name, err) == -1)
			return -1;
	}
}

/* In a pipe more events, and their names, come with the records. */
static int
name_events(struct pd_reader *rd, struct pd_error *err)
{
	rd->named = !rd->ct.pipe;
	return rd->named ? pd_features_name_events(&rd->features, &rd->events,
	    err) : 0;
}

static struct pd_reader *
reader_new(enum pd_order order, struct pd_error *err)
{
	struct pd_reader *rd = pd_calloc(1, sizeof(*rd), err);

	if (rd == NULL)
		return NULL;
	rd->order = order;
	rd->ct.src.fd = -1;
	pd_blocks_init(&rd->blocks);
	pd_features_init(&rd->features);
	return rd;
}

/* Go on to the first record; r is whether it could be opened. */
static struct pd_reader *
start(struct pd_reader *rd, int r, struct pd_error *err)
{
	if (r == 0) {
		rd->queue.swapped = rd->ct.swapped;
		start_lanes(rd);
		r = name_events(rd, err);
	}
	if (r == -1) {
		pd_reader_close(rd);
		return NULL;
	}
	return rd;
}

struct pd_reader *
pd_reader_open(const char *path, enum pd_order order, struct pd_error *err)
{
	struct pd_reader *rd = reader_new(order, err);
	struct stat st;

	if (rd == NULL)
		return NULL;
	return start(rd, stat(path, &st) == 0 && S_ISDIR(st.st_mode) ?
	    open_directory(rd, path, err) : open_file(rd, path, err), err);
}

struct pd_reader *
pd_reader_open_fd(int fd, enum pd_order order, struct pd_error *err)
{
	struct pd_reader *rd = reader_new(order, err);
	struct pd_source src;

	if (rd == NULL)
		return NULL;
	if (pd_source_open_fd(&src, fd, err) == -1) {
		pd_source_close(&src);
		return start(rd, -1, err);
	}
	return start(rd, open_source(rd, &src, err), err);
}

void
pd_reader_on_idle(struct pd_reader *rd, uint64_t every,
    int (*idle)(void *ctx, bool waiting), void *ctx)
{
	uint64_t ms = every / 1000000;

	rd->ct.src.idle = idle;
	rd->ct.src.idle_ctx = ctx;
	rd->ct.src.idle_ms = ms == 0 ? 1 : ms < INT_MAX ? (int)ms : INT_MAX;
}

void
pd_reader_close(struct pd_reader *rd)
{
	size_t i;

	if (rd == NULL)
		return;
	pd_order_free(&rd->queue);
	pd_block_unref(rd->held);
	for (i = 0; i < rd->nlanes; i++)
		pd_lane_free(&rd->lanes[i]);
	free(rd->lanes);
	pd_map64_free(&rd->counter_of);
	free(rd->counters);
	free(rd->tracing);
	pd_container_close(&rd->ct);
	pd_events_free(&rd->events);
	pd_features_free(&rd->features);
	pd_notes_free(&rd->notes);
	pd_blocks_free(&rd->blocks);
	free(rd);
}

/* ---- records that describe the recording ----------------------------------- */

static int
read_attr(struct pd_reader *rd, const struct pd_framed *fr, struct pd_error *err)
{
	struct pd_cursor c = pd_cursor(fr->data + PD_HEADER_SIZE,
	    fr->size - PD_HEADER_SIZE, rd->ct.swapped);
	struct pd_evt *evt;

	evt = pd_events_add(&rd->events, &c, pd_left(&c), false, fr->offset,
	    err);
	if (evt == NULL)
		return -1;
	rd->named = false;
	while (pd_left(&c) >= 8)
		if (pd_events_add_id(&rd->events, evt, pd_get_u64(&c),
		    &rd->notes, fr->offset, err) == -1)
			return -1;
	return 0;
}

static int
read_feature(struct pd_reader *rd, const struct pd_framed *fr,
    struct pd_error *err)
{
	struct pd_cursor c = pd_cursor(fr->data + PD_HEADER_SIZE,
	    fr->size - PD_HEADER_SIZE, rd->ct.swapped);
	uint64_t id = pd_get_u64(&c);

	if (id >= PD_FEATURES) {
		pd_note_add(&rd->notes, true, fr->offset,
		    "HEADER_FEATURE record: no feature has number %" PRIu64,
		    id);
		return 0;
	}
	return pd_features_add(&rd->features, &rd->events, id, c.p,
	    pd_left(&c), rd->ct.swapped, fr->offset, &rd->notes, err);
}

/* PERF_EVENT_UPDATE__NAME (2) of enum in tools/lib/perf: type, id, name. */
static int
read_event_update(struct pd_reader *rd, const struct pd_framed *fr,
    struct pd_error *err)
{
	struct pd_cursor c = pd_cursor(fr->data + PD_HEADER_SIZE,
	    fr->size - PD_HEADER_SIZE, rd->ct.swapped);
	uint64_t type = pd_get_u64(&c), id = pd_get_u64(&c);
	struct pd_evt *evt = pd_events_by_id(&rd->events, id);
	const char *name;

	if (evt == NULL) {
		pd_note_add(&rd->notes, true, fr->offset,
		    "EVENT_UPDATE record: its id belongs to no event");
		return 0;
	}
	if (type != 2 || evt->name != NULL)
		return 0;
	name = pd_get_str(&c);
	if (name == NULL) {
		pd_note_add(&rd->notes, true, fr->offset,
		    "EVENT_UPDATE record: a name without end");
		return 0;
	}
	return pd_evt_set_name(evt, name, strlen(name), err);
}

static int
read_build_id(struct pd_reader *rd, const struct pd_framed *fr,
    struct pd_error *err)
{
	struct pd_cursor c = pd_cursor(fr->data, fr->size, rd->ct.swapped);
	struct pd_buildid_entry e;

	if (pd_buildid_decode(&c, &e) == -1 ||
	    strlen(e.name) >= PD_PATH_MAX) {
		pd_note_add(&rd->notes, true, fr->offset,
		    "BUILD_ID record: damaged, left out");
		return 0;
	}
	return pd_features_add_buildid(&rd->features, &e, err);
}

/* All formats of a kernel are a tenth of this. */
#define TRACING_DATA_MAX	(32 << 20)

/* Tracing data follow their record; what is there of them is read. */
static int
read_tracing_data(struct pd_reader *rd, struct pd_lane *ln,
    const struct pd_framed *fr, struct pd_error *err)
{
	uint32_t size = pd_load_u32(fr->data + PD_HEADER_SIZE, rd->ct.swapped);
	uint32_t take = size < TRACING_DATA_MAX ? size : TRACING_DATA_MAX;
	struct pd_cursor c;
	uint8_t *buf;
	size_t len;
	int r = pd_lane_read(ln, fr, take, &buf, &len, err);

	if (r == 0 && size > take && !ln->ended)
		r = pd_lane_skip(ln, fr, size - take, err);

	if (r == 0) {
		c = pd_cursor(buf ? buf : (const uint8_t *)"", len,
		    rd->ct.swapped);
		r = pd_tracepoints_add(&rd->features.tracepoints, &c,
		    fr->offset, &rd->notes, err);
		if (r == 0 && c.bad)
			pd_note_add(&rd->notes, true, fr->offset,
			    "TRACING_DATA record is damaged");
	}
	free(rd->tracing);
	rd->tracing = buf;
	rd->tracing_size = r == 0 ? len : 0;
	return r;
}

/*
 * Records that say how to read on.  perf compresses what the kernel wrote: out
 * of a compressed record these would act on the stream around it, and one that
 * unpacks to itself would never end.
 */
static bool
acts_on_stream(uint32_t type)
{
	return type == PD_REC_HEADER_ATTR || type == PD_REC_HEADER_FEATURE ||
	    type == PD_REC_HEADER_TRACING_DATA || type == PD_REC_AUXTRACE ||
	    type == PD_REC_COMPRESSED || type == PD_REC_COMPRESSED2;
}

/* What the reader itself does with one of perf's records. */
static int
take_in(struct pd_reader *rd, struct pd_lane *ln, const struct pd_framed *fr,
    struct pd_error *err)
{
	bool pipe = rd->ct.pipe;

	if (fr->unpacked && acts_on_stream(fr->type)) {
		pd_note_add(&rd->notes, true, fr->offset, "a %s record cannot "
		    "be compressed: it is ignored", pd_record_name(fr->type));
		return 0;
	}
	switch (fr->type) {
	case PD_REC_HEADER_ATTR: return pipe ? read_attr(rd, fr, err) : 0;
	case PD_REC_HEADER_FEATURE: return pipe ? read_feature(rd, fr, err) : 0;
	case PD_REC_HEADER_TRACING_DATA: return read_tracing_data(rd, ln, fr, err);
	case PD_REC_HEADER_BUILD_ID: return read_build_id(rd, fr, err);
	case PD_REC_EVENT_UPDATE: return read_event_update(rd, fr, err);
	case PD_REC_AUXTRACE:			/* u64 size of what follows */
		return pd_lane_skip(ln, fr, pd_load_u64(fr->data +
		    PD_HEADER_SIZE, rd->ct.swapped), err);
	case PD_REC_COMPRESSED:
	case PD_REC_COMPRESSED2:
		 return pd_lane_feed(ln, fr, err);
	case PD_REC_FINISHED_ROUND:
		if (rd->nlanes == 1)
			pd_order_round(&rd->queue);
		return 0;
	}
	return 0;
}

/* ---- identity and order ------------------------------------------------------ */

/* Where one word of a record's identity is, or NULL. */
static const uint8_t *
word(const struct pd_record *rec, uint8_t head, uint8_t tail)
{
	size_t words = (rec->size - PD_HEADER_SIZE) / 8;

	if (rec->type == PD_RECORD_SAMPLE)
		return head == PD_NOPOS || head >= words ? NULL :
		    rec->data + PD_HEADER_SIZE + 8 * (size_t)head;
	return tail == PD_NOPOS || tail > words ? NULL :
	    rec->data + rec->size - 8 * (size_t)tail;
}

static uint64_t
time_of(const struct pd_record *rec, const struct pd_evt *evt)
{
	const uint8_t *p = word(rec, evt->s_time, evt->t_time);

	return p ? pd_load_u64(p, rec->swapped) : PD_NOTIME;
}

/* Fill in what a kernel record says of itself. */
static void
identify(struct pd_record *rec, const struct pd_evt *evt)
{
	const uint8_t *tid = word(rec, evt->s_tid, evt->t_tid);
	const uint8_t *cpu = word(rec, evt->s_cpu, evt->t_cpu);

	rec->event = &evt->pub;
	rec->pid = tid ? pd_load_u32(tid, rec->swapped) : PD_NOID;
	rec->tid = tid ? pd_load_u32(tid + 4, rec->swapped) : PD_NOID;
	rec->cpu = cpu ? pd_load_u32(cpu, rec->swapped) : PD_NOID;
}

static void
record_of(const struct pd_reader *rd, const uint8_t *data, uint64_t offset,
    struct pd_record *rec)
{
	bool swapped = rd->ct.swapped;

	*rec = (struct pd_record){
		.type = pd_load_u32(data, swapped),
		.misc = pd_load_u16(data + 4, swapped),
		.size = pd_load_u16(data + 6, swapped),
		.pid = PD_NOID, .tid = PD_NOID, .cpu = PD_NOID,
		.time = PD_NOTIME, .swapped = swapped,
		.offset = offset, .data = data,
	};
}

static void
count(struct pd_reader *rd, const struct pd_record *rec)
{
	union pd_body body;
	struct pd_error err;

	switch (rec->type) {
	case PD_RECORD_SAMPLE:
		rd->counts.samples++;
		break;
	case PD_RECORD_LOST: case PD_RECORD_LOST_SAMPLES:
		if (pd_record_decode(rec, &body, &err) == 1)
			rd->counts.lost += body.lost;
		break;
	case PD_RECORD_THROTTLE:
		rd->counts.throttled++;
		break;
	}
}

/* Whether a record has the body that its type says; if not, it is left out. */
static bool
valid(struct pd_reader *rd, const struct pd_record *rec)
{
	if (pd_record_valid(rec))
		return true;
	rd->counts.skipped++;
	pd_note_add(&rd->notes, true, rec->offset,
	    "%s record: its body is damaged, left out",
	    pd_record_name(rec->type));
	return false;
}

/*
 * A record of the kernel: 1 when it is to be delivered now, 0 when it waits
 * for its time or is left out.
 */
static int
take_kernel_record(struct pd_reader *rd, struct pd_lane *ln,
    const struct pd_framed *fr, struct pd_record *rec, struct pd_error *err)
{
	struct pd_waiting w = { 0, fr->offset, fr->data, fr->block, NULL };

	if (rd->events.len == 0)
		return pd_fail(err, PD_EFORMAT, fr->offset,
		    "records without an event: the attributes are missing");
	if (!rd->named && pd_features_name_events(&rd->features, &rd->events,
	    err) == -1)
		return -1;
	rd->named = true;
	rd->kernel_records++;
	w.evt = pd_events_of(&rd->events, fr->type, fr->data, fr->size,
	    rd->ct.swapped);
	if (w.evt == NULL) {
		pd_note_add(&rd->notes, true, fr->offset,
		    "%s record: its id belongs to no event",
		    pd_record_name(fr->type) ? pd_record_name(fr->type) : "a");
		if (fr->type != PD_RECORD_SAMPLE)
			return valid(rd, rec);
		rd->counts.samples++;
		rd->counts.skipped++;
		return 0;
	}
	/* One event of several may be unusable; the only one may not. */
	if (fr->type == PD_RECORD_SAMPLE && w.evt->pub.sample_type == 0 &&
	    rd->events.len == 1)
		return pd_fail(err, PD_EFORMAT, fr->offset,
		    "the samples of %s carry nothing (sample_type is 0)",
		    w.evt->pub.name);
	rec->event = &w.evt->pub;
	if (fr->type != PD_RECORD_SAMPLE && !valid(rd, rec))
		return 0;
	count(rd, rec);
	w.time = time_of(rec, w.evt);
	if (w.time != PD_NOTIME && w.time > ln->time)
		ln->time = w.time;
	if (rd->order == PD_TIME_ORDER && w.time != 0 && w.time != PD_NOTIME)
		return pd_order_put(&rd->queue, &w, fr->size, err);
	rec->time = w.time;
	identify(rec, w.evt);
	return 1;
}

/* The lane that lags behind, for some records; the only one, mostly. */
static struct pd_lane *
pick_lane(struct pd_reader *rd)
{
	struct pd_lane *ln;
	uint64_t behind = PD_NOTIME;
	size_t i;

	if (rd->turns > 0 && !rd->lanes[rd->lane].ended) {
		rd->turns--;
		return &rd->lanes[rd->lane];
	}
	rd->turns = 64;
	for (i = 0; i < rd->nlanes; i++) {
		ln = &rd->lanes[i];
		if (!ln->ended && ln->time < behind) {
			behind = ln->time;
			rd->lane = i;
		}
	}
	if (behind == PD_NOTIME)
		return NULL;
	if (rd->nlanes > 1)
		pd_order_complete(&rd->queue, behind);
	return &rd->lanes[rd->lane];
}

/* ---- delivery ----------------------------------------------------------------- */

static void
hold(struct pd_reader *rd, struct pd_block *block)
{
	pd_block_unref(rd->held);
	rd->held = block;
}

/* All is read: say what the order could not do, and let the queue run out. */
static int
end(struct pd_reader *rd, struct pd_error *err)
{
	bool unreadable = false;	/* it was compressed, and all is lost */
	size_t i;

	rd->ended = true;
	pd_order_complete(&rd->queue, PD_NOTIME);
	if (!rd->named && pd_features_name_events(&rd->features, &rd->events,
	    err) == -1)
		return -1;
	if (rd->queue.late > 0)
		pd_note_add(&rd->notes, false, PD_NOWHERE, "%" PRIu64
		    " records were written too late to be put in order",
		    rd->queue.late);
	if (rd->queue.forced > 0)
		pd_note_add(&rd->notes, false, PD_NOWHERE, "too many records "
		    "waited for the end of a round: %" PRIu64 " times they were "
		    "delivered before it", rd->queue.forced);
	rd->counts.unordered = rd->queue.late;
	for (i = 0; i < rd->nlanes; i++)
		unreadable |= rd->lanes[i].z_dead && rd->counts.samples == 0;
	if (rd->kernel_records > 0 && !unreadable)
		return 0;
	for (i = rd->notes.len; i-- > 0;)
		if (rd->notes.notes[i].damage && !rd->ct.killed)
			return pd_fail(err, PD_EFORMAT,
			    rd->notes.notes[i].offset, "nothing can be read: "
			    "%s", rd->notes.notes[i].msg);
	if (rd->events.len == 0)
		return pd_fail(err, PD_ETRUNC, rd->lanes[0].raw.offset,
		    "the recording is empty: no events, no records");
	return 0;
}

/* Read one record: 1 when it is to be delivered now, 0 when not, or -1. */
static int
read_record(struct pd_reader *rd, struct pd_lane *ln, struct pd_record *rec,
    struct pd_error *err)
{
	struct pd_framed fr = { 0 };
	int r = pd_lane_next(ln, &fr, err);

	if (r <= 0)
		return r;
	/* Reading what follows a record must not take its block away. */
	hold(rd, pd_block_ref(fr.block));
	rd->counts.records++;
	record_of(rd, fr.data, fr.offset, rec);
	if (pd_record_name(fr.type) == NULL)
		pd_note_add(&rd->notes, false, fr.offset,
		    "records of an unknown type (%" PRIu32 ") passed over",
		    fr.type);
	if (fr.type < PD_RECORD_USER_START && fr.type != 0)
		return take_kernel_record(rd, ln, &fr, rec, err);
	if (!valid(rd, rec))
		return 0;
	return take_in(rd, ln, &fr, err) == -1 ? -1 : 1;
}

int
pd_reader_next(struct pd_reader *rd, struct pd_record *rec,
    struct pd_error *err)
{
	struct pd_waiting w;
	struct pd_lane *ln;
	int r;

	for (;;) {
		r = pd_order_take(&rd->queue, &w, err);
		if (r == 1) {
			hold(rd, w.block);
			record_of(rd, w.data, w.offset, rec);
			rec->time = w.time;
			identify(rec, w.evt);
		}
		if (r != 0 || rd->ended)
			return r;
		if ((ln = pick_lane(rd)) == NULL) {
			if (end(rd, err) == -1)
				return -1;
			continue;
		}
		if ((r = read_record(rd, ln, rec, err)) != 0)
			return r;
	}
}

/* ---- what else there is to know ------------------------------------------------ */

int
pd_reader_sample(struct pd_reader *rd, const struct pd_record *rec,
    struct pd_sample *s)
{
	struct pd_error err;

	if (pd_sample_decode(rec, s, &err) == -1) {
		rd->counts.skipped++;
		pd_note_error(&rd->notes, &err);
		return 0;
	}
	if (s->stack_clamped)
		pd_note_add(&rd->notes, true, rec->offset, "SAMPLE record: "
		    "claims more stack than was copied");
	if (s->has_rest)
		pd_note_add(&rd->notes, true, rec->offset, "SAMPLE record: "
		    "has bytes that its event does not tell of");
	if (s->cpumode > PD_CPUMODE_GUEST_USER)
		pd_note_add(&rd->notes, true, rec->offset,
		    "SAMPLE record: unknown CPU mode %u", s->cpumode);
	return 1;
}

/* What a counter has grown by since it was last seen. */
static int
count_up(struct pd_reader *rd, uint64_t id, uint64_t value, uint64_t *grown,
    struct pd_error *err)
{
	uint32_t at = pd_map64_find(&rd->counter_of, id);

	if (at == PD_NOID) {
		at = (uint32_t)rd->ncounters;
		if (pd_grow(&rd->counters, &rd->counters_cap, at + 1,
		    sizeof(*rd->counters), err) == -1 ||
		    pd_map64_put(&rd->counter_of, id, at, err) == -1)
			return -1;
		rd->counters[rd->ncounters++] = 0;
	}
	/* Counters only go up; what does not is damaged, and counts nothing. */
	*grown = value > rd->counters[at] ? value - rd->counters[at] : 0;
	rd->counters[at] = value;
	return 0;
}

int
pd_reader_member(struct pd_reader *rd, const struct pd_record *rec,
    const struct pd_sample *s, size_t i, const struct pd_event **ev,
    uint64_t *period, struct pd_error *err)
{
	uint64_t rf = rec->event->read_format, n = 1, value, id = s->id;
	const struct pd_evt *evt;
	struct pd_cursor c;
	size_t skip = 0;

	*ev = rec->event;
	*period = s->period;
	if (s->read == NULL)
		return i == 0;
	c = pd_cursor(s->read, s->read_size, s->swapped);
	if (rf & PD_FORMAT_GROUP)
		n = pd_get_u64(&c);
	else if (rf & PD_FORMAT_ID)
		rf &= ~(uint64_t)PD_FORMAT_ID;	/* it is the sample's own */
	if (i >= n)
		return 0;
	if (rf & PD_FORMAT_GROUP) {
		/* the times stand before the values, else behind the one */
		skip = !!(rf & PD_FORMAT_TIME_ENABLED) +
		    !!(rf & PD_FORMAT_TIME_RUNNING);
		skip += i * (1 + !!(rf & PD_FORMAT_ID) +
		    !!(rf & PD_FORMAT_LOST));
	}
	pd_get_bytes(&c, skip * 8);
	value = pd_get_u64(&c);
	if (rf & PD_FORMAT_ID) {
		id = pd_get_u64(&c);
		evt = pd_events_by_id(&rd->events, id);
		*ev = evt ? &evt->pub : NULL;
	}
	if (count_up(rd, pd_counter_key(rec, id), value, period, err) == -1)
		return -1;
	return 1;
}

int
pd_reader_bounds(struct pd_reader *rd, uint64_t *first, uint64_t *last,
    struct pd_error *err)
{
	struct pd_record rec;
	int r;

	*first = *last = PD_NOTIME;
	while ((r = pd_reader_next(rd, &rec, err)) == 1) {
		if (rec.type != PD_RECORD_SAMPLE || rec.time == PD_NOTIME)
			continue;
		if (rec.time < *first)
			*first = rec.time;
		if (*last == PD_NOTIME || rec.time > *last)
			*last = rec.time;
	}
	return r;
}

const struct pd_event *
pd_reader_event(const struct pd_reader *rd, size_t i)
{
	return i < rd->events.len ? &rd->events.evts[i]->pub : NULL;
}

const struct pd_info *
pd_reader_info(const struct pd_reader *rd)
{
	return &rd->features.info;
}

const struct pd_features *
pd_reader_features(const struct pd_reader *rd)
{
	return &rd->features;
}

const struct pd_events *
pd_reader_events(const struct pd_reader *rd)
{
	return &rd->events;
}

const struct pd_container *
pd_reader_container(const struct pd_reader *rd)
{
	return &rd->ct;
}

const uint8_t *
pd_reader_tracing(const struct pd_reader *rd, size_t *size)
{
	*size = rd->tracing_size;
	return rd->tracing;
}

void
pd_reader_on_wait(struct pd_reader *rd,
    int (*fn)(void *ctx, struct pd_error *err), void *ctx)
{
	rd->ct.src.wait = fn;
	rd->ct.src.wait_ctx = ctx;
}

struct pd_counts
pd_reader_counts(const struct pd_reader *rd)
{
	return rd->counts;
}

void
pd_reader_progress(const struct pd_reader *rd, uint64_t *done,
    uint64_t *total)
{
	uint64_t size;
	size_t i;

	*done = *total = 0;
	for (i = 0; i < rd->nlanes; i++) {
		*done += rd->lanes[i].src->pos;
		size = rd->lanes[i].src->size;
		*total += size == PD_NOWHERE ? 0 : size;
	}
}

const struct pd_note *
pd_reader_note(const struct pd_reader *rd, size_t i)
{
	return pd_notes_get(&rd->notes, i);
}
