/* Events: attributes, their ids, and where they put the identity of records. */
#ifndef PD_RECORD_EVENT_H
#define PD_RECORD_EVENT_H

#include "base/cursor.h"
#include "base/hash.h"
#include "base/notes.h"
#include "perfdata.h"

/* enum perf_event_sample_format: include/uapi/linux/perf_event.h. */
enum {
	PD_SAMPLE_IP = 1 << 0,
	PD_SAMPLE_TID = 1 << 1,
	PD_SAMPLE_TIME = 1 << 2,
	PD_SAMPLE_ADDR = 1 << 3,
	PD_SAMPLE_READ = 1 << 4,
	PD_SAMPLE_CALLCHAIN = 1 << 5,
	PD_SAMPLE_ID = 1 << 6,
	PD_SAMPLE_CPU = 1 << 7,
	PD_SAMPLE_PERIOD = 1 << 8,
	PD_SAMPLE_STREAM_ID = 1 << 9,
	PD_SAMPLE_RAW = 1 << 10,
	PD_SAMPLE_BRANCH_STACK = 1 << 11,
	PD_SAMPLE_REGS_USER = 1 << 12,
	PD_SAMPLE_STACK_USER = 1 << 13,
	PD_SAMPLE_WEIGHT = 1 << 14,
	PD_SAMPLE_DATA_SRC = 1 << 15,
	PD_SAMPLE_IDENTIFIER = 1 << 16,
	PD_SAMPLE_TRANSACTION = 1 << 17,
	PD_SAMPLE_REGS_INTR = 1 << 18,
	PD_SAMPLE_PHYS_ADDR = 1 << 19,
	PD_SAMPLE_AUX = 1 << 20,
	PD_SAMPLE_CGROUP = 1 << 21,
	PD_SAMPLE_DATA_PAGE_SIZE = 1 << 22,
	PD_SAMPLE_CODE_PAGE_SIZE = 1 << 23,
	PD_SAMPLE_WEIGHT_STRUCT = 1 << 24,
	PD_SAMPLE_UNKNOWN = 1 << 25,	/* from here on */
};

/* __PERF_SAMPLE_CALLCHAIN_EARLY: the kernel's own, never in a recording. */
#define PD_SAMPLE_KERNEL_ONLY	(UINT64_C(1) << 63)

/* enum perf_branch_sample_type. */
#define PD_BRANCH_HW_INDEX	(1 << 17)
#define PD_BRANCH_COUNTERS	(1 << 19)

/* enum perf_event_read_format. */
enum {
	PD_FORMAT_TIME_ENABLED = 1, PD_FORMAT_TIME_RUNNING = 2,
	PD_FORMAT_ID = 4, PD_FORMAT_GROUP = 8, PD_FORMAT_LOST = 16,
};

/* Bits of the attribute's bit field, in the order of the header. */
enum {
	PD_ATTR_INHERIT = 1,
	PD_ATTR_EXCLUDE_USER = 4,
	PD_ATTR_EXCLUDE_KERNEL = 5,
	PD_ATTR_EXCLUDE_HV = 6,
	PD_ATTR_FREQ = 10,
	PD_ATTR_PRECISE_IP = 15,	/* two bits */
	PD_ATTR_SAMPLE_ID_ALL = 18,
	PD_ATTR_EXCLUDE_HOST = 19,
	PD_ATTR_EXCLUDE_GUEST = 20,
	PD_ATTR_USE_CLOCKID = 25,
};

/* enum perf_type_id. */
enum {
	PD_TYPE_HARDWARE, PD_TYPE_SOFTWARE, PD_TYPE_TRACEPOINT,
	PD_TYPE_HW_CACHE, PD_TYPE_RAW, PD_TYPE_BREAKPOINT,
};

#define PD_ATTR_SIZE_VER0	64
#define PD_NOPOS		0xff

/* An event with what the reader needs of it; pub is first. */
struct pd_evt {
	struct pd_event	pub;
	char		*name;		/* pub.name, free(3) */
	uint8_t		*attr;		/* the attribute as recorded, free(3) */
	uint32_t	attr_size;
	uint64_t	*ids;		/* free(3) */
	size_t		nids, ids_cap;
	int32_t		clockid;	/* -1 when the attribute names none */
	uint32_t	bp_type;	/* HW_BREAKPOINT_*, of a breakpoint */
	uint64_t	bp_addr;
	/*
	 * Positions in u64 words: in a SAMPLE from behind its header on, in
	 * the sample_id of other records from their end back (1: the last).
	 * PD_NOPOS when absent.  s_fixed words, up to the period, are always
	 * there; the sample_id has t_words.
	 */
	uint8_t		s_id, s_tid, s_time, s_cpu, s_fixed;
	uint8_t		t_id, t_tid, t_time, t_cpu, t_words;
};

struct pd_events {
	struct pd_evt	**evts;
	size_t		len, cap;
	struct pd_map64	by_id;
};

/*
 * Add the attribute at c, which has `room` bytes for it; c moves over what the
 * attribute says is its size, or over room when whole is set (a file entry).
 * NULL when it is damaged.
 */
struct pd_evt *pd_events_add(struct pd_events *es, struct pd_cursor *c,
    size_t room, bool whole, uint64_t offset, struct pd_error *err);

/* Give an event one more id; a second owner of an id is noted and refused. */
int pd_events_add_id(struct pd_events *es, struct pd_evt *ev, uint64_t id,
    struct pd_notes *notes, uint64_t offset, struct pd_error *err);

/* The event with this id, or NULL. */
struct pd_evt *pd_events_by_id(const struct pd_events *es, uint64_t id);

/*
 * The event that a kernel record belongs to, found as perf finds it: the only
 * one, or by id, or the first for id 0; NULL when the id is unknown or missing.
 */
struct pd_evt *pd_events_of(const struct pd_events *es, uint32_t type,
    const uint8_t *data, size_t size, bool swapped);

/* Name an event that the recording named; s[0..len) is copied. */
int pd_evt_set_name(struct pd_evt *ev, const char *s, size_t len,
    struct pd_error *err);

/*
 * Name an event from its attribute, as perf names it.  pmu is the name of its
 * PMU in the recording or NULL, tracepoint "sys:name" or NULL.
 */
int pd_evt_make_name(struct pd_evt *ev, const char *pmu,
    const char *tracepoint, struct pd_error *err);

/*
 * The key of a counter in samples: threads that inherit one have each their
 * own under its id (kernel 6.13; before, the two did not go together).
 */
static inline uint64_t
pd_counter_key(const struct pd_record *rec, uint64_t id)
{
	bool own = rec->event->flags >> PD_ATTR_INHERIT & 1 &&
	    rec->event->sample_type & PD_SAMPLE_TID;

	return own ? id ^ (uint64_t)rec->tid << 32 : id;
}

void pd_events_free(struct pd_events *es);

#endif
