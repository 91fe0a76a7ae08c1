/* Keeps samples by thread and time, most of them in a file. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/tmpfile.h"
#include "export/timeline.h"

/*
 * A sample is written as what it has else than the one before: a byte of
 * flags, how much later it is, its stack, and what the flags say.  Numbers
 * have seven bits a byte, the lowest first; the last byte has no high bit.
 */
enum { HAS_WEIGHT = 1, HAS_DURATION = 2, HAS_CPU = 4, HAS_COMM = 8 };

#define BLOCK		4096		/* of one track, in the file */
#define FIRST_BLOCK	64		/* most threads have few samples */
#define MAX_MOMENT	(1 + 3 * 10 + 3 * 5)

void
pd_timeline_init(struct pd_timeline *t)
{
	*t = (struct pd_timeline){ .fd = -1 };
	pd_timeline_clear(t);
}

void
pd_timeline_clear(struct pd_timeline *t)
{
	size_t i;

	for (i = 0; i < t->len; i++) {
		free(t->tracks[i].block);
		free(t->tracks[i].blocks);
	}
	t->len = 0;
	pd_map64_free(&t->by_tid);
	t->recent = PD_NOID;
	t->comm = NULL;
	t->start = PD_NOTIME;
	t->end = 0;
	if (t->file_size > 0)
		lseek(t->fd, 0, SEEK_SET);
	t->file_size = 0;
	t->track = NULL;
}

void
pd_timeline_free(struct pd_timeline *t)
{
	pd_timeline_clear(t);
	free(t->tracks);
	pd_strtab_free(&t->comms);
	free(t->read);
	free(t->sorted);
	if (t->fd != -1)
		close(t->fd);
}

static struct pd_track *
track_of(struct pd_timeline *t, const struct pd_thread *th,
    struct pd_error *err)
{
	uint64_t key = (uint64_t)th->pid << 32 | th->tid;
	uint32_t i = t->recent;

	if (i != PD_NOID && t->tracks[i].tid == th->tid &&
	    t->tracks[i].pid == th->pid)
		return &t->tracks[i];
	i = pd_map64_find(&t->by_tid, key);
	if (i == PD_NOID) {
		if (pd_grow(&t->tracks, &t->cap, t->len + 1,
		    sizeof(*t->tracks), err) == -1 ||
		    pd_map64_put(&t->by_tid, key, (uint32_t)t->len, err) == -1)
			return NULL;
		i = (uint32_t)t->len++;
		t->tracks[i] = (struct pd_track){ .pid = th->pid,
			.tid = th->tid, .comm = PD_NOID, .start = PD_NOTIME,
			.last = { .cpu = PD_NOID, .comm = PD_NOID } };
	}
	t->recent = i;
	return &t->tracks[i];
}

/* The number of a thread's name.  Names are interned, so mostly one pointer. */
static uint32_t
comm_of(struct pd_timeline *t, const struct pd_thread *th,
    struct pd_error *err)
{
	if (t->comm == th->comm)
		return t->comm_id;
	t->comm_id = pd_strtab_add(&t->comms, th->comm, strlen(th->comm), err);
	t->comm = t->comm_id == PD_NOID ? NULL : th->comm;
	return t->comm_id;
}

static uint8_t *
put_number(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static uint64_t
get_number(const uint8_t **p)
{
	uint64_t v = 0;
	unsigned shift = 0;

	for (; **p & 0x80; shift += 7)
		v |= (uint64_t)(*(*p)++ & 0x7f) << shift;
	return v | (uint64_t)*(*p)++ << shift;
}

static void
put_moment(struct pd_track *tr, const struct pd_moment *m)
{
	uint8_t *p = tr->block + tr->size, *flags = p++;
	const struct pd_moment *last = &tr->last;

	*flags = 0;
	p = put_number(p, m->time - last->time);	/* it may wrap around */
	p = put_number(p, m->node);
	if (m->weight != last->weight) {
		*flags |= HAS_WEIGHT;
		p = put_number(p, m->weight);
	}
	if (m->duration != last->duration) {
		*flags |= HAS_DURATION;
		p = put_number(p, m->duration);
	}
	if (m->cpu != last->cpu) {
		*flags |= HAS_CPU;
		p = put_number(p, m->cpu);
	}
	if (m->comm != last->comm) {
		*flags |= HAS_COMM;
		p = put_number(p, m->comm);
	}
	tr->size = (size_t)(p - tr->block);
	tr->last = *m;
}

static void
get_moment(const uint8_t **p, struct pd_moment *m)
{
	uint8_t flags = *(*p)++;

	m->time += get_number(p);
	m->node = (uint32_t)get_number(p);
	if (flags & HAS_WEIGHT)
		m->weight = get_number(p);
	if (flags & HAS_DURATION)
		m->duration = get_number(p);
	if (flags & HAS_CPU)
		m->cpu = (uint32_t)get_number(p);
	if (flags & HAS_COMM)
		m->comm = (uint32_t)get_number(p);
}

/* Put the block in memory into the file. */
static int
spill(struct pd_timeline *t, struct pd_track *tr, struct pd_error *err)
{
	if ((t->fd == -1 && (t->fd = pd_tmpfile(err)) == -1) ||
	    pd_grow(&tr->blocks, &tr->blocks_cap, tr->nblocks + 1,
	    sizeof(*tr->blocks), err) == -1 ||
	    pd_write_all(t->fd, tr->block, tr->size, "temporary file",
	    err) == -1)
		return -1;
	tr->blocks[tr->nblocks++] = (struct pd_track_block){ t->file_size,
		tr->size };
	t->file_size += tr->size;
	tr->size = 0;
	return 0;
}

/* Make room for one sample more. */
static int
make_room(struct pd_timeline *t, struct pd_track *tr, struct pd_error *err)
{
	if (tr->cap - tr->size >= MAX_MOMENT)
		return 0;
	if (tr->cap == BLOCK)
		return spill(t, tr, err);
	return pd_grow(&tr->block, &tr->cap, tr->cap ? 2 * tr->cap :
	    FIRST_BLOCK, 1, err);
}

int
pd_timeline_add(struct pd_timeline *t, const struct pd_fold_sample *s,
    struct pd_error *err)
{
	struct pd_track *tr = track_of(t, s->thread, err);
	struct pd_moment m = { s->time, s->weight, s->duration, s->node,
		s->cpu, comm_of(t, s->thread, err) };
	uint64_t start = s->time;

	if (tr == NULL || m.comm == PD_NOID || make_room(t, tr, err) == -1)
		return -1;
	if (tr->samples > 0 && m.time < tr->last.time)
		tr->late = true;
	put_moment(tr, &m);
	tr->comm = m.comm;
	tr->leader = s->thread->leader_comm;
	tr->samples++;
	tr->weight += m.weight;
	if (m.time == PD_NOTIME)
		return 0;
	if (m.duration != PD_NOTIME)
		start -= m.duration < start ? m.duration : start;
	if (start < tr->start)
		tr->start = start;
	if (m.time > tr->end)
		tr->end = m.time;
	if (start < t->start)
		t->start = start;
	if (m.time > t->end)
		t->end = m.time;
	return 0;
}

/* ---- reading ---------------------------------------------------------------- */

struct pd_late {
	struct pd_moment	m;
	size_t			place;	/* equal times keep their order */
};

static int
by_time(const void *a, const void *b)
{
	const struct pd_late *x = a, *y = b;

	if (x->m.time != y->m.time)
		return x->m.time < y->m.time ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

/* Make the next block the one that is read: 1, 0 when there is none, -1. */
static int
next_block(struct pd_timeline *t, struct pd_error *err)
{
	const struct pd_track *tr = t->track;
	const struct pd_track_block *b;
	size_t done;
	ssize_t n;

	if (t->next_block > tr->nblocks)
		return 0;
	if (t->next_block++ == tr->nblocks) {	/* that in memory is the last */
		t->p = tr->block;
		t->block_end = tr->block + tr->size;
		return 1;
	}
	b = &tr->blocks[t->next_block - 1];
	if (t->read == NULL && (t->read = pd_calloc(BLOCK, 1, err)) == NULL)
		return -1;
	for (done = 0; done < b->size; done += (size_t)n) {
		n = pread(t->fd, t->read + done, b->size - done,
		    (off_t)(b->at + done));
		if (n <= 0)
			return pd_fail(err, PD_EIO, PD_NOWHERE,
			    "temporary file");
	}
	t->p = t->read;
	t->block_end = t->read + b->size;
	return 1;
}

/* The next sample as it was added. */
static int
next_added(struct pd_timeline *t, struct pd_moment *m, struct pd_error *err)
{
	int r;

	while (t->p == t->block_end)
		if ((r = next_block(t, err)) != 1)
			return r;
	get_moment(&t->p, &t->moment);
	*m = t->moment;
	return 1;
}

int
pd_timeline_open(struct pd_timeline *t, const struct pd_track *track,
    struct pd_error *err)
{
	struct pd_late *l;
	int r = 1;

	t->track = track;
	t->moment = (struct pd_moment){ .cpu = PD_NOID, .comm = PD_NOID };
	t->p = t->block_end = NULL;
	t->next_block = 0;
	t->nsorted = t->next_sorted = 0;
	while (track->late && r == 1) {
		if (pd_grow(&t->sorted, &t->sorted_cap, t->nsorted + 1,
		    sizeof(*t->sorted), err) == -1)
			return -1;
		l = &t->sorted[t->nsorted];
		l->place = t->nsorted;
		if ((r = next_added(t, &l->m, err)) == 1)
			t->nsorted++;
	}
	if (t->nsorted > 0)
		qsort(t->sorted, t->nsorted, sizeof(*t->sorted), by_time);
	return r == -1 ? -1 : 0;
}

int
pd_timeline_next(struct pd_timeline *t, struct pd_moment *m,
    struct pd_error *err)
{
	if (!t->track->late)
		return next_added(t, m, err);
	if (t->next_sorted == t->nsorted)
		return 0;
	*m = t->sorted[t->next_sorted++].m;
	return 1;
}
