/* Builds perf.data recordings byte by byte, see pdbuild.h. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pdbuild.h"

#define MAX_EVENTS	16
#define MAX_FEATURES	256
#define ATTR_SIZE	128	/* PERF_ATTR_SIZE_VER7 */
#define FILE_HEADER	104

struct buf {
	uint8_t	*p;
	size_t	len, cap;
};

struct event {
	struct pdb_event e;
	uint64_t	first_id;
	uint64_t	*ids;
};

struct pdb {
	enum pdb_kind	kind;
	bool		swapped, killed;
	struct buf	data;		/* records */
	size_t		record;		/* where the open one begins */
	struct event	events[MAX_EVENTS];
	unsigned	nevents;
	struct buf	features[MAX_FEATURES];
	bool		has_feature[MAX_FEATURES];
};

static void
buf_put(struct buf *b, const void *p, size_t n)
{
	if (b->len + n > b->cap) {
		b->cap = (b->len + n) * 2 + 64;
		if ((b->p = realloc(b->p, b->cap)) == NULL)
			err(1, "pdbuild");
	}
	if (n > 0)
		memcpy(b->p + b->len, p, n);
	b->len += n;
}

static void
buf_int(struct buf *b, uint64_t v, size_t size, bool swapped)
{
	uint8_t bytes[8];

	memcpy(bytes, &v, 8);	/* little-endian: the low bytes come first */
	if (swapped)
		for (size_t i = 0; i < size / 2; i++) {
			uint8_t t = bytes[i];

			bytes[i] = bytes[size - 1 - i];
			bytes[size - 1 - i] = t;
		}
	buf_put(b, bytes, size);
}

/*
 * A bit field is filled from the other end of each byte on a big-endian
 * machine, and its bytes are not swapped.
 */
static void
buf_flags(struct buf *b, uint64_t v, bool swapped)
{
	uint8_t bytes[8] = { 0 };

	for (unsigned i = 0; i < 64; i++)
		if (v >> i & 1)
			bytes[i / 8] |= 1 << (swapped ? 7 - i % 8 : i % 8);
	buf_put(b, bytes, 8);
}

struct pdb *
pdb_new(enum pdb_kind kind, bool swapped)
{
	struct pdb *b = calloc(1, sizeof(*b));

	if (b == NULL)
		err(1, "pdbuild");
	b->kind = kind;
	b->swapped = swapped;
	if (kind == PDB_PIPE) {
		buf_int(&b->data, 0x32454c4946524550, 8, swapped);
		pdb_u64(b, 16);
	}
	return b;
}

void pdb_u8(struct pdb *b, uint8_t v) { buf_put(&b->data, &v, 1); }
void pdb_u16(struct pdb *b, uint16_t v) { buf_int(&b->data, v, 2, b->swapped); }
void pdb_u32(struct pdb *b, uint32_t v) { buf_int(&b->data, v, 4, b->swapped); }
void pdb_u64(struct pdb *b, uint64_t v) { buf_int(&b->data, v, 8, b->swapped); }
void pdb_bytes(struct pdb *b, const void *p, size_t n) { buf_put(&b->data, p, n); }
size_t pdb_size(const struct pdb *b) { return b->data.len; }
void pdb_killed(struct pdb *b) { b->killed = true; }

static void
pdb_u64s(struct pdb *b, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pdb_u64(b, v[i]);
}

static void
pdb_zeroes(struct pdb *b, size_t n)
{
	while (n-- > 0)
		pdb_u8(b, 0);
}

void
pdb_str(struct pdb *b, const char *s)
{
	size_t n = strlen(s) + 1;

	pdb_bytes(b, s, n);
	pdb_bytes(b, "\0\0\0\0\0\0\0", -n & 7);
}

void
pdb_begin(struct pdb *b, uint32_t type, uint16_t misc)
{
	b->record = b->data.len;
	pdb_u32(b, type);
	pdb_u16(b, misc);
	pdb_u16(b, 0);
}

void
pdb_end(struct pdb *b)
{
	struct buf size = { 0 };

	buf_int(&size, b->data.len - b->record, 2, b->swapped);
	memcpy(b->data.p + b->record + 6, size.p, 2);
	free(size.p);
}

static void
put_attr(struct buf *to, const struct pdb_event *e, bool swapped)
{
	struct buf a = { 0 };
	uint32_t size = e->attr_size;

	buf_int(&a, e->type, 4, swapped);
	buf_int(&a, size, 4, swapped);
	buf_int(&a, e->config, 8, swapped);
	buf_int(&a, e->period, 8, swapped);
	buf_int(&a, e->sample_type, 8, swapped);
	buf_int(&a, e->read_format, 8, swapped);
	buf_flags(&a, e->flags, swapped);
	buf_put(&a, (uint8_t[24]){ 0 }, 24);	/* wakeup, breakpoints */
	buf_int(&a, e->branch_type, 8, swapped);
	buf_int(&a, e->regs_user, 8, swapped);
	buf_int(&a, e->stack_user, 4, swapped);
	buf_int(&a, 0, 4, swapped);		/* clockid */
	buf_int(&a, e->regs_intr, 8, swapped);
	while (a.len < size)
		buf_put(&a, "", 1);
	buf_put(to, a.p, size);
	free(a.p);
}

unsigned
pdb_event(struct pdb *b, const struct pdb_event *want)
{
	struct event *ev = &b->events[b->nevents];
	struct pdb_event *e = &ev->e;
	uint64_t some_id = 1000 + b->nevents;

	if (b->nevents == MAX_EVENTS)
		errx(1, "pdbuild: too many events");
	*e = *want;
	if (e->type == 0 && e->config == 0)
		e->type = 1;			/* software: cpu-clock */
	if (e->attr_size == 0)
		e->attr_size = ATTR_SIZE;
	if (e->period == 0)
		e->period = 1000;
	if (!e->no_sample_id_all)
		e->flags |= PDB_FLAG_SAMPLE_ID_ALL;
	if (e->nids == 0) {
		e->nids = 1;
		e->ids = &some_id;
	}
	if ((ev->ids = calloc(e->nids, 8)) == NULL)
		err(1, "pdbuild");
	memcpy(ev->ids, e->ids, e->nids * 8);
	e->ids = ev->ids;

	if (b->kind == PDB_PIPE) {
		pdb_begin(b, 64, 0);		/* HEADER_ATTR */
		put_attr(&b->data, e, b->swapped);
		pdb_u64s(b, e->ids, e->nids);
		pdb_end(b);
		if (e->name != NULL) {
			pdb_begin(b, 78, 0);	/* EVENT_UPDATE: name */
			pdb_u64(b, 2);
			pdb_u64(b, e->ids[0]);
			pdb_str(b, e->name);
			pdb_end(b);
		}
	}
	return b->nevents++;
}

/* The identifying fields, in the order of perf_event_open(2). */
void
pdb_trailer(struct pdb *b, unsigned ev, const struct pdb_id *id)
{
	const struct pdb_event *e = &b->events[ev].e;
	uint64_t event_id = id->id ? id->id : e->ids[0];

	if (!(e->flags & PDB_FLAG_SAMPLE_ID_ALL))
		return;
	if (e->sample_type & PDB_TID) {
		pdb_u32(b, id->pid);
		pdb_u32(b, id->tid);
	}
	if (e->sample_type & PDB_TIME)
		pdb_u64(b, id->time);
	if (e->sample_type & PDB_ID)
		pdb_u64(b, event_id);
	if (e->sample_type & PDB_STREAM_ID)
		pdb_u64(b, id->stream_id);
	if (e->sample_type & PDB_CPU) {
		pdb_u32(b, id->cpu);
		pdb_u32(b, 0);
	}
	if (e->sample_type & PDB_IDENTIFIER)
		pdb_u64(b, event_id);
}

static void
put_regs(struct pdb *b, uint64_t abi, uint64_t mask, const uint64_t *regs)
{
	pdb_u64(b, abi);
	if (abi != 0)
		pdb_u64s(b, regs, __builtin_popcountll(mask));
}

void
pdb_sample(struct pdb *b, unsigned ev, const struct pdb_sample *s)
{
	const struct pdb_event *e = &b->events[ev].e;
	uint64_t t = e->sample_type;
	uint64_t event_id = s->id.id ? s->id.id : e->ids[0];

	pdb_begin(b, 9, s->misc ? s->misc : PDB_USER);
	if (t & PDB_IDENTIFIER)
		pdb_u64(b, event_id);
	if (t & PDB_IP)
		pdb_u64(b, s->ip);
	if (t & PDB_TID) {
		pdb_u32(b, s->id.pid);
		pdb_u32(b, s->id.tid);
	}
	if (t & PDB_TIME)
		pdb_u64(b, s->id.time);
	if (t & PDB_ADDR)
		pdb_u64(b, s->addr);
	if (t & PDB_ID)
		pdb_u64(b, event_id);
	if (t & PDB_STREAM_ID)
		pdb_u64(b, s->id.stream_id);
	if (t & PDB_CPU) {
		pdb_u32(b, s->id.cpu);
		pdb_u32(b, 0);
	}
	if (t & PDB_PERIOD)
		pdb_u64(b, s->period);
	if (t & PDB_READ) {
		pdb_u64s(b, s->read, s->nread);
		if (s->nread == 0)	/* a value and what else it asks for */
			pdb_zeroes(b, 8 + 8 * __builtin_popcountll(e->read_format));
	}
	if (t & PDB_CALLCHAIN) {
		pdb_u64(b, s->nchain);
		pdb_u64s(b, s->chain, s->nchain);
	}
	if (t & PDB_RAW) {
		pdb_u32(b, s->raw_size ? s->raw_size : 4);
		pdb_bytes(b, s->raw, s->raw_size);
		if (s->raw_size == 0)
			pdb_u32(b, 0);
	}
	if (t & PDB_BRANCH_STACK) {
		pdb_u64(b, s->nbranches);
		pdb_u64s(b, s->branches, 3 * s->nbranches);
	}
	if (t & PDB_REGS_USER)
		put_regs(b, s->user_abi, e->regs_user, s->user_regs);
	if (t & PDB_STACK_USER) {
		pdb_u64(b, s->stack_size);
		pdb_bytes(b, s->stack, s->stack_size);
		if (s->stack_size > 0)
			pdb_u64(b, s->stack_dyn);
	}
	if (t & PDB_WEIGHT)
		pdb_u64(b, s->weight);
	if (t & PDB_DATA_SRC)
		pdb_u64(b, s->data_src);
	if (t & PDB_TRANSACTION)
		pdb_u64(b, s->transaction);
	if (t & PDB_REGS_INTR)
		put_regs(b, s->intr_abi, e->regs_intr, s->intr_regs);
	if (t & PDB_PHYS_ADDR)
		pdb_u64(b, s->phys_addr);
	pdb_end(b);
}

void
pdb_comm(struct pdb *b, unsigned ev, const struct pdb_id *id, const char *comm,
    bool exec)
{
	pdb_begin(b, 3, exec ? PDB_COMM_EXEC : 0);
	pdb_u32(b, id->pid);
	pdb_u32(b, id->tid);
	pdb_str(b, comm);
	pdb_trailer(b, ev, id);
	pdb_end(b);
}

static void
put_map(struct pdb *b, const struct pdb_id *id, const struct pdb_map *m)
{
	pdb_u32(b, id->pid);
	pdb_u32(b, id->tid);
	pdb_u64(b, m->start);
	pdb_u64(b, m->len);
	pdb_u64(b, m->pgoff);
}

void
pdb_mmap(struct pdb *b, unsigned ev, const struct pdb_id *id,
    const struct pdb_map *m)
{
	pdb_begin(b, 1, m->misc ? m->misc : PDB_USER);
	put_map(b, id, m);
	pdb_str(b, m->path);
	pdb_trailer(b, ev, id);
	pdb_end(b);
}

void
pdb_mmap2(struct pdb *b, unsigned ev, const struct pdb_id *id,
    const struct pdb_map *m)
{
	pdb_begin(b, 10, (m->misc ? m->misc : PDB_USER) |
	    (m->build_id ? PDB_MMAP_BUILD_ID : 0));
	put_map(b, id, m);
	if (m->build_id != NULL) {
		pdb_bytes(b, "\24\0\0\0", 4);	/* size 20, reserved */
		pdb_bytes(b, m->build_id, 20);
	} else {
		pdb_u32(b, 8);			/* major, minor, inode, gen */
		pdb_u32(b, 1);
		pdb_u64(b, 0);
		pdb_u64(b, 0);
	}
	pdb_u32(b, m->prot ? m->prot : 5);
	pdb_u32(b, 2);				/* MAP_PRIVATE */
	pdb_str(b, m->path);
	pdb_trailer(b, ev, id);
	pdb_end(b);
}

static void
put_task(struct pdb *b, unsigned ev, const struct pdb_id *id, uint32_t ppid,
    uint32_t ptid)
{
	pdb_u32(b, id->pid);
	pdb_u32(b, ppid);
	pdb_u32(b, id->tid);
	pdb_u32(b, ptid);
	pdb_u64(b, id->time);
	pdb_trailer(b, ev, id);
	pdb_end(b);
}

void
pdb_fork(struct pdb *b, unsigned ev, const struct pdb_id *id, uint32_t ppid,
    uint32_t ptid, uint16_t misc)
{
	pdb_begin(b, 7, misc);
	put_task(b, ev, id, ppid, ptid);
}

void
pdb_exit(struct pdb *b, unsigned ev, const struct pdb_id *id)
{
	pdb_begin(b, 4, 0);
	put_task(b, ev, id, id->pid, id->tid);
}

void
pdb_lost(struct pdb *b, unsigned ev, const struct pdb_id *id, uint64_t n)
{
	pdb_begin(b, 2, 0);
	pdb_u64(b, id->id ? id->id : b->events[ev].e.ids[0]);
	pdb_u64(b, n);
	pdb_trailer(b, ev, id);
	pdb_end(b);
}

void
pdb_round(struct pdb *b)
{
	pdb_begin(b, 68, 0);
	pdb_end(b);
}

/*
 * The bodies of records that have no function of their own: a letter for
 * each field, 4 and 8 bytes with small numbers, s a string, z 8 and Z 512
 * zeroes; t is the trailer of the kernel's records.
 */
static const struct {
	uint32_t	type;
	const char	*body;
} kinds[] = {
	{ 5, "888t" },			/* THROTTLE: time, id, stream id */
	{ 6, "888t" },			/* UNTHROTTLE */
	{ 8, "448t" },			/* READ: pid, tid, value */
	{ 11, "888t" },			/* AUX: offset, size, flags */
	{ 12, "44t" },			/* ITRACE_START */
	{ 13, "8t" },			/* LOST_SAMPLES */
	{ 14, "t" },			/* SWITCH */
	{ 15, "44t" },			/* SWITCH_CPU_WIDE */
	{ 16, "44zt" },			/* NAMESPACES: none */
	{ 17, "84zst" },		/* KSYMBOL; the type and flags are in z */
	{ 18, "44zt" },			/* BPF_EVENT: a tag of zeroes */
	{ 19, "8st" },			/* CGROUP */
	{ 20, "8zt" },			/* TEXT_POKE: no bytes */
	{ 21, "8t" },			/* AUX_OUTPUT_HW_ID */
	{ 22, "888t" },			/* CALLCHAIN_DEFERRED: one ip */
	{ 65, "8ssssssss" },		/* EVENT_TYPE, obsolete */
	{ 67, "48zzzs" },		/* BUILD_ID */
	{ 69, "88888" },		/* ID_INDEX: one entry */
	{ 70, "448" },			/* AUXTRACE_INFO */
	{ 72, "444444488s" },		/* AUXTRACE_ERROR */
	{ 73, "88ss" },			/* THREAD_MAP: one entry */
	{ 74, "z" },			/* CPU_MAP */
	{ 75, "888" },			/* STAT_CONFIG: one entry */
	{ 76, "844888" },		/* STAT */
	{ 77, "88" },			/* STAT_ROUND */
	{ 78, "z8s" },			/* EVENT_UPDATE */
	{ 79, "888" },			/* TIME_CONV */
	{ 82, "" },			/* FINISHED_INIT */
	{ 84, "Zz" },			/* BPF_METADATA: no entries */
	{ 63, "88t" },			/* of a future kernel */
	{ 200, "88" },			/* of a future perf */
};

static void
put_kind(struct pdb *b, unsigned ev, const struct pdb_id *id, size_t i)
{
	pdb_begin(b, kinds[i].type, 0);
	for (const char *c = kinds[i].body; *c != '\0'; c++)
		switch (*c) {
		case '4': pdb_u32(b, 1); break;
		case '8': pdb_u64(b, 1); break;
		case 'z': pdb_zeroes(b, 8); break;
		case 'Z': pdb_zeroes(b, 512); break;
		case 's': pdb_str(b, "name"); break;
		case 't': pdb_trailer(b, ev, id); break;
		}
	pdb_end(b);
}

bool
pdb_any(struct pdb *b, unsigned ev, const struct pdb_id *id, size_t i)
{
	static const uint8_t build_id[20] = "0123456789abcdefghi";
	struct pdb_map m = { .start = 0x1000, .len = 0x2000, .path = "/bin/x" };

	switch (i) {
	case 0: pdb_comm(b, ev, id, "worker", false); break;
	case 1: pdb_mmap(b, ev, id, &m); break;
	case 2: pdb_mmap2(b, ev, id, &m); break;
	case 3:
		m.build_id = build_id;
		pdb_mmap2(b, ev, id, &m);
		break;
	case 4: pdb_fork(b, ev, id, 1, 1, 0); break;
	case 5: pdb_exit(b, ev, id); break;
	case 6: pdb_lost(b, ev, id, 3); break;
	case 7: pdb_round(b); break;
	case 8: pdb_sample(b, ev, &(struct pdb_sample){ .id = *id }); break;
	default:
		if (i - 9 >= sizeof(kinds) / sizeof(*kinds))
			return false;
		put_kind(b, ev, id, i - 9);
	}
	return true;
}

void
pdb_feature(struct pdb *b, unsigned feat, const void *p, size_t n)
{
	if (feat >= MAX_FEATURES)
		errx(1, "pdbuild: no feature %u", feat);
	if (b->kind == PDB_PIPE) {
		pdb_begin(b, 80, 0);
		pdb_u64(b, feat);
		pdb_bytes(b, p, n);
		pdb_bytes(b, "\0\0\0\0\0\0\0", -n & 7);
		pdb_end(b);
		return;
	}
	b->has_feature[feat] = true;
	buf_put(&b->features[feat], p, n);
}

void
pdb_tracing(struct pdb *b, const char *system, const char *const *formats,
    size_t n)
{
	bool big = b->swapped != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	struct pdb *t = pdb_new(PDB_PIPE, b->swapped);
	size_t head = pdb_size(t), size;
	uint8_t *all;

	pdb_bytes(t, "\x17\x08\x44tracing0.6", 14);
	pdb_bytes(t, big ? "\1\10" : "\0\10", 2);	/* size of a long: 8 */
	pdb_u32(t, 4096);
	pdb_bytes(t, "header_page", 12);
	pdb_u64(t, 0);
	pdb_bytes(t, "header_event", 13);
	pdb_u64(t, 0);
	pdb_u32(t, 0);				/* formats of ftrace */
	pdb_u32(t, 1);				/* systems */
	pdb_bytes(t, system, strlen(system) + 1);
	pdb_u32(t, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		pdb_u64(t, strlen(formats[i]));
		pdb_bytes(t, formats[i], strlen(formats[i]));
	}
	pdb_u32(t, 0);				/* kallsyms */
	pdb_u32(t, 0);				/* printk formats */
	pdb_u64(t, 0);				/* names of tasks */
	all = pdb_finish(t, &size);
	pdb_feature(b, 1, all + head, size - head);
	free(all);
}

void
pdb_feature_str(struct pdb *b, unsigned feat, const char *s)
{
	struct buf f = { 0 };
	size_t n = strlen(s) + 1;

	buf_int(&f, (n + 63) & ~(size_t)63, 4, b->swapped);
	buf_put(&f, s, n);
	while ((f.len - 4) % 64 != 0)
		buf_put(&f, "", 1);
	pdb_feature(b, feat, f.p, f.len);
	free(f.p);
}

/* EVENT_DESC, where a file keeps the names of its events. */
static void
put_event_desc(struct pdb *b)
{
	struct buf f = { 0 };
	bool named = false;

	buf_int(&f, b->nevents, 4, b->swapped);
	buf_int(&f, ATTR_SIZE, 4, b->swapped);
	for (unsigned i = 0; i < b->nevents; i++) {
		struct pdb_event e = b->events[i].e;
		const char *name = e.name ? e.name : "";
		size_t n = (strlen(name) + 64) & ~(size_t)63;

		named |= e.name != NULL;
		e.attr_size = ATTR_SIZE;
		put_attr(&f, &e, b->swapped);
		buf_int(&f, e.nids, 4, b->swapped);
		buf_int(&f, n, 4, b->swapped);
		buf_put(&f, name, strlen(name));
		for (size_t k = strlen(name); k < n; k++)
			buf_put(&f, "", 1);
		for (size_t k = 0; k < e.nids; k++)
			buf_int(&f, e.ids[k], 8, b->swapped);
	}
	if (named && !b->has_feature[12])
		pdb_feature(b, 12, f.p, f.len);
	free(f.p);
}

static void
finish_file(struct pdb *b, struct buf *out)
{
	bool sw = b->swapped;
	size_t entry = b->nevents ? b->events[0].e.attr_size + 16 : 144;
	size_t nids = 0, ids_at, data_at, feat_at, nfeat = 0;
	uint64_t bitmap[MAX_FEATURES / 64] = { 0 };

	put_event_desc(b);
	for (unsigned i = 0; i < b->nevents; i++)
		nids += b->events[i].e.nids;
	for (unsigned i = 0; i < MAX_FEATURES; i++)
		if (b->has_feature[i]) {
			bitmap[i / 64] |= 1ull << i % 64;
			nfeat++;
		}
	ids_at = FILE_HEADER + b->nevents * entry;
	data_at = ids_at + nids * 8;

	buf_int(out, 0x32454c4946524550, 8, sw);
	buf_int(out, FILE_HEADER, 8, sw);
	buf_int(out, entry, 8, sw);
	buf_int(out, FILE_HEADER, 8, sw);
	buf_int(out, b->nevents * entry, 8, sw);
	buf_int(out, data_at, 8, sw);
	buf_int(out, b->killed ? 0 : b->data.len, 8, sw);
	buf_int(out, 0, 8, sw);			/* event types: unused */
	buf_int(out, 0, 8, sw);
	for (size_t i = 0; i < MAX_FEATURES / 64; i++)
		buf_int(out, b->killed ? 0 : bitmap[i], 8, sw);

	for (unsigned i = 0; i < b->nevents; i++) {
		const struct pdb_event *e = &b->events[i].e;

		if (e->attr_size + 16 != entry)
			errx(1, "pdbuild: attributes differ in size");
		put_attr(out, e, sw);
		buf_int(out, ids_at, 8, sw);
		buf_int(out, e->nids * 8, 8, sw);
		ids_at += e->nids * 8;
	}
	for (unsigned i = 0; i < b->nevents; i++)
		for (size_t k = 0; k < b->events[i].e.nids; k++)
			buf_int(out, b->events[i].ids[k], 8, sw);
	buf_put(out, b->data.p, b->data.len);
	if (b->killed)
		return;

	feat_at = data_at + b->data.len + 16 * nfeat;
	for (unsigned i = 0; i < MAX_FEATURES; i++)
		if (b->has_feature[i]) {
			buf_int(out, feat_at, 8, sw);
			buf_int(out, b->features[i].len, 8, sw);
			feat_at += b->features[i].len;
		}
	for (unsigned i = 0; i < MAX_FEATURES; i++)
		buf_put(out, b->features[i].p, b->features[i].len);
}

uint8_t *
pdb_finish(struct pdb *b, size_t *size)
{
	struct buf out = { 0 };

	if (b->kind == PDB_FILE) {
		finish_file(b, &out);
		free(b->data.p);
	} else {
		out = b->data;
	}
	for (unsigned i = 0; i < b->nevents; i++)
		free(b->events[i].ids);
	for (unsigned i = 0; i < MAX_FEATURES; i++)
		free(b->features[i].p);
	free(b);
	*size = out.len;
	return out.p;
}

int
pdb_file(struct pdb *b, char path[32])
{
	size_t size;
	uint8_t *bytes = pdb_finish(b, &size);
	int fd = memfd_create("perf.data", 0);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		err(1, "pdbuild");
	free(bytes);
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}
