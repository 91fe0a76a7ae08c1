/*
 * Decodes a SAMPLE: the fields in the order in which perf_output_sample() in
 * the kernel's kernel/events/core.c writes them (perf_event_open(2)).
 */
#include "base/error.h"
#include "record/event.h"
#include "record/record.h"

#define HAS(bit)	(ev->sample_type & PD_SAMPLE_##bit)

/* The words that every sample of the event has; one check covers them. */
static bool
decode_fixed(struct pd_cursor *c, const struct pd_evt *evt,
    struct pd_sample *s)
{
	const struct pd_event *ev = &evt->pub;
	const uint8_t *p = pd_get_bytes(c, (size_t)evt->s_fixed * 8);
	bool swapped = c->swapped;

	if (p == NULL)
		return false;
#define NEXT	pd_load_u64(p, swapped); p += 8
	if (HAS(IDENTIFIER)) {
		s->id = NEXT;
	}
	if (HAS(IP)) {
		s->ip = NEXT;
	}
	if (HAS(TID)) {
		s->pid = pd_load_u32(p, swapped);
		s->tid = pd_load_u32(p + 4, swapped);
		p += 8;
	}
	if (HAS(TIME)) {
		s->time = NEXT;
	}
	if (HAS(ADDR)) {
		s->addr = NEXT;
	}
	if (HAS(ID)) {
		s->id = NEXT;
	}
	if (HAS(STREAM_ID)) {
		s->stream_id = NEXT;
	}
	if (HAS(CPU)) {
		s->cpu = pd_load_u32(p, swapped);	/* and u32 reserved */
		p += 8;
	}
	if (HAS(PERIOD)) {
		s->period = NEXT;
	}
#undef NEXT
	return true;
}

/* struct read_format, see perf_event_open(2). */
static void
decode_read(struct pd_cursor *c, const struct pd_event *ev,
    struct pd_sample *s)
{
	uint64_t rf = ev->read_format, nr = 1;
	size_t each = 1 + !!(rf & PD_FORMAT_ID) + !!(rf & PD_FORMAT_LOST);
	size_t times = !!(rf & PD_FORMAT_TIME_ENABLED) +
	    !!(rf & PD_FORMAT_TIME_RUNNING);

	s->read = c->p;
	if (rf & PD_FORMAT_GROUP)
		nr = pd_get_u64(c);
	pd_get_bytes(c, times * 8);
	if (nr > pd_left(c) / 8)
		c->bad = true;
	else
		pd_get_bytes(c, (size_t)nr * each * 8);
	s->read_size = (size_t)(c->p - s->read);
}

/* u64 count, `extra` words, then count elements of `size` bytes. */
static const uint8_t *
decode_array(struct pd_cursor *c, size_t extra, size_t size, size_t *len)
{
	uint64_t nr = pd_get_u64(c);
	const uint8_t *p;

	pd_get_bytes(c, extra * 8);
	if (nr > pd_left(c) / size) {
		c->bad = true;
		return NULL;
	}
	p = pd_get_bytes(c, (size_t)nr * size);
	*len = (size_t)nr;
	return p;
}

static void
decode_branches(struct pd_cursor *c, const struct pd_event *ev,
    struct pd_sample *s)
{
	bool indexed = ev->branch_type & PD_BRANCH_HW_INDEX;
	struct pd_cursor index = *c;

	s->has_branches = true;
	s->branches = decode_array(c, indexed, 24, &s->branches_len);
	pd_get_u64(&index);		/* how many there are */
	if (indexed)
		s->branch_index = pd_get_u64(&index);
	if (ev->branch_type & PD_BRANCH_COUNTERS)
		pd_get_bytes(c, s->branches_len * 8);
}

static const uint8_t *
decode_regs(struct pd_cursor *c, uint64_t mask, uint64_t *abi)
{
	*abi = pd_get_u64(c);
	return *abi == 0 ? NULL :
	    pd_get_bytes(c, (size_t)__builtin_popcountll(mask) * 8);
}

static void
decode_stack(struct pd_cursor *c, struct pd_sample *s)
{
	uint64_t size = pd_get_u64(c), used;

	if (size == 0)
		return;
	if (size > pd_left(c)) {
		c->bad = true;
		return;
	}
	s->user_stack = pd_get_bytes(c, (size_t)size);
	used = pd_get_u64(c);		/* dyn_size: what was copied */
	s->stack_clamped = used > size;
	s->user_stack_size = (size_t)(used > size ? size : used);
}

/* What comes behind the call chain. */
static void
decode_rest(struct pd_cursor *c, const struct pd_event *ev,
    struct pd_sample *s)
{
	size_t aux;

	if (HAS(RAW)) {
		s->raw_size = pd_get_u32(c);
		s->raw = pd_get_bytes(c, s->raw_size);
	}
	if (HAS(BRANCH_STACK))
		decode_branches(c, ev, s);
	s->copied = c->p;
	if (HAS(REGS_USER))
		s->user_regs = decode_regs(c, ev->regs_user, &s->user_abi);
	if (HAS(STACK_USER))
		decode_stack(c, s);
	s->copied_size = (size_t)(c->p - s->copied);
	if (HAS(WEIGHT) || HAS(WEIGHT_STRUCT))
		s->weight = pd_get_u64(c);
	if (HAS(DATA_SRC))
		s->data_src = pd_get_u64(c);
	if (HAS(TRANSACTION))
		s->transaction = pd_get_u64(c);
	if (HAS(REGS_INTR))
		s->intr_regs = decode_regs(c, ev->regs_intr, &s->intr_abi);
	if (HAS(PHYS_ADDR))
		s->phys_addr = pd_get_u64(c);
	if (HAS(CGROUP))
		s->cgroup = pd_get_u64(c);
	if (HAS(DATA_PAGE_SIZE))
		pd_get_u64(c);
	if (HAS(CODE_PAGE_SIZE))
		pd_get_u64(c);
	if (HAS(AUX))
		decode_array(c, 0, 1, &aux);
}

int
pd_sample_decode(const struct pd_record *rec, struct pd_sample *s,
    struct pd_error *err)
{
	const struct pd_evt *evt = (const struct pd_evt *)rec->event;
	const struct pd_event *ev = rec->event;
	struct pd_cursor c = pd_cursor(rec->data + PD_HEADER_SIZE,
	    rec->size - PD_HEADER_SIZE, rec->swapped);

	*s = (struct pd_sample){
		.pid = PD_NOID, .tid = PD_NOID, .cpu = PD_NOID,
		.time = PD_NOTIME, .branch_index = PD_NOWHERE,
		.swapped = rec->swapped,
		.cpumode = rec->misc & PD_MISC_CPUMODE,
	};
	if (ev == NULL)
		return pd_fail(err, PD_EFORMAT, rec->offset,
		    "SAMPLE record: its id belongs to no event");
	if (ev->sample_type == 0)
		return pd_fail(err, PD_EFORMAT, rec->offset,
		    "SAMPLE record: samples of %s carry nothing", ev->name);
	if (!decode_fixed(&c, evt, s))
		return pd_fail(err, PD_EFORMAT, rec->offset,
		    "SAMPLE record: too short for its event");
	if (HAS(READ))
		decode_read(&c, ev, s);
	if (HAS(CALLCHAIN)) {
		s->has_callchain = true;
		s->callchain = decode_array(&c, 0, 8, &s->callchain_len);
		if (c.bad)
			return pd_fail(err, PD_EFORMAT, rec->offset,
			    "SAMPLE record: call chain longer than the record");
	}
	if (ev->sample_type >= PD_SAMPLE_RAW)
		decode_rest(&c, ev, s);
	if (c.bad)
		return pd_fail(err, PD_EFORMAT, rec->offset,
		    "SAMPLE record: a field is longer than the record");
	/* Fields that we do not know come last. */
	s->has_rest = pd_left(&c) > 0 && ev->sample_type < PD_SAMPLE_UNKNOWN;
	s->has_period = HAS(PERIOD);
	/* As perf has it (evsel__parse_sample()), also for a frequency. */
	if (!s->has_period)
		s->period = ev->period_or_freq;
	return 0;
}

bool
pd_event_is_clock(const struct pd_event *ev)
{
	/* PERF_COUNT_SW_CPU_CLOCK (0), PERF_COUNT_SW_TASK_CLOCK (1) */
	return ev->type == PD_TYPE_SOFTWARE && ev->config <= 1;
}

int
pd_sample_duration(const struct pd_event *ev, const struct pd_sample *s,
    uint64_t period, uint64_t *ns, struct pd_error *err)
{
	bool clock = pd_event_is_clock(ev);

	if (clock && (s->has_period || s->read != NULL || !ev->is_freq))
		*ns = period;
	else if ((clock || strstr(ev->name, "cycles") != NULL) &&
	    ev->is_freq && ev->period_or_freq > 0)
		*ns = UINT64_C(1000000000) / ev->period_or_freq;
	else
		return pd_fail(err, PD_EARG, PD_NOWHERE, "samples of %s stand "
		    "for no time: neither a clock, nor cycles recorded with a "
		    "frequency (perf record -F)", ev->name);
	return 0;
}
