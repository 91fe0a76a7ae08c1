/* Tells again what was known before a cut. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cut/state.h"

/* enum perf_bpf_event_type, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER. */
#define BPF_PROG_UNLOAD		2
#define KSYMBOL_UNREGISTER	1

struct pd_past_record {
	uint64_t	key;
	uint8_t		*data;		/* free(3); NULL: it is gone */
	uint16_t	size;
	uint16_t	time;		/* where it has its time; 0: nowhere */
	uint32_t	tid;		/* of NAMESPACES, else PD_NOID */
};

/* ---- what belongs to no thread ------------------------------------------------- */

/* What a record is on: its type and a number; false for other records. */
static bool
key_of(const struct pd_record *rec, uint64_t *key, bool *ends)
{
	struct pd_cursor c = pd_record_body(rec);
	uint64_t id, type = rec->type;
	uint32_t pid;

	*ends = false;
	switch (rec->type) {
	case PD_REC_MMAP:
	case PD_REC_MMAP2:
		type = PD_REC_MMAP;
		pid = pd_get_u32(&c);
		pd_get_u32(&c);
		id = pd_get_u64(&c) ^ (uint64_t)pid << 32;
		break;
	case PD_REC_KSYMBOL:			/* addr len type flags */
		id = pd_get_u64(&c);
		pd_get_bytes(&c, 6);
		*ends = pd_get_u16(&c) & KSYMBOL_UNREGISTER;
		break;
	case PD_REC_BPF_EVENT:			/* type flags id */
		*ends = pd_get_u16(&c) == BPF_PROG_UNLOAD;
		pd_get_u16(&c);
		id = pd_get_u32(&c);
		break;
	case PD_REC_NAMESPACES:			/* pid tid */
		pd_get_u32(&c);
		id = pd_get_u32(&c);
		break;
	case PD_REC_CGROUP:			/* id */
	case PD_REC_TEXT_POKE:			/* addr */
		id = pd_get_u64(&c);
		break;
	default:
		return false;
	}
	*key = pd_hash_u64(id) ^ type << 56;
	return !c.bad;
}

/* Whether the session keeps it as a map of its process. */
static bool
is_user_map(const struct pd_record *rec)
{
	int mode = rec->misc & PD_MISC_CPUMODE;

	return (rec->type == PD_REC_MMAP || rec->type == PD_REC_MMAP2) &&
	    mode != PD_CPUMODE_KERNEL && mode != PD_CPUMODE_GUEST_KERNEL &&
	    mode != PD_CPUMODE_GUEST_USER;
}

static void
forget(struct pd_past *p, uint64_t key)
{
	uint32_t i = pd_map64_find(&p->index, key);

	if (i == PD_NOID)
		return;
	free(p->records[i].data);
	p->records[i].data = NULL;
	p->gone++;
	pd_map64_del(&p->index, key);
}

/* Where a record of the kernel that is no sample has its time, or 0. */
static uint16_t
time_of(const struct pd_record *rec)
{
	const struct pd_evt *evt = (const struct pd_evt *)rec->event;

	return rec->time == PD_NOTIME || evt == NULL ? 0 :
	    (uint16_t)(rec->size - 8 * (size_t)evt->t_time);
}

/* Close the gaps once they are most of it. */
static int
close_gaps(struct pd_past *p, struct pd_error *err)
{
	size_t i, n = 0;

	if (p->gone < 64 || p->gone * 2 < p->len)
		return 0;
	for (i = 0; i < p->len; i++)
		if (p->records[i].data != NULL)
			p->records[n++] = p->records[i];
	p->len = n;
	p->gone = 0;
	for (i = 0; i < n; i++)
		if (pd_map64_put(&p->index, p->records[i].key, (uint32_t)i,
		    err) == -1)
			return -1;
	return 0;
}

int
pd_past_apply(struct pd_past *p, const struct pd_record *rec,
    struct pd_error *err)
{
	struct pd_cursor c = pd_record_body(rec);
	struct pd_past_record *new;
	uint64_t key;
	bool ends;

	if (rec->type == PD_RECORD_EXIT || rec->type == PD_RECORD_FORK) {
		pd_get_u64(&c);		/* pid, ppid: this tid is another's now */
		forget(p, pd_hash_u64(pd_get_u32(&c)) ^
		    (uint64_t)PD_REC_NAMESPACES << 56);
		return 0;
	}
	if (is_user_map(rec) || !key_of(rec, &key, &ends))
		return 0;
	forget(p, key);
	if (ends)
		return 0;
	if (close_gaps(p, err) == -1 ||
	    pd_grow(&p->records, &p->cap, p->len + 1, sizeof(*new), err) == -1)
		return -1;
	new = &p->records[p->len];
	*new = (struct pd_past_record){ key, malloc(rec->size),
		(uint16_t)rec->size, time_of(rec), PD_NOID };
	if (new->data == NULL)
		return pd_fail_nomem(err);
	memcpy(new->data, rec->data, rec->size);
	if (rec->type == PD_REC_NAMESPACES) {
		pd_get_u32(&c);
		new->tid = pd_get_u32(&c);
	}
	p->len++;
	return pd_map64_put(&p->index, key, (uint32_t)p->len - 1, err);
}

void
pd_past_free(struct pd_past *p)
{
	size_t i;

	for (i = 0; i < p->len; i++)
		free(p->records[i].data);
	free(p->records);
	pd_map64_free(&p->index);
}

/* With the time of now: its own may be one that its reader is done with. */
static int
tell_again(const struct pd_teller *t, const struct pd_past_record *r,
    uint64_t time, struct pd_error *err)
{
	if (r->time > 0 && time != PD_NOTIME)
		pd_store_u64(r->data + r->time, time, t->swapped);
	return pd_writer_put(t->writer, r->data, r->size, err);
}

/* All but what belongs to a thread. */
static int
tell_past(const struct pd_teller *t, uint64_t time, struct pd_error *err)
{
	const struct pd_past *p = t->past;
	size_t i;

	for (i = 0; i < p->len; i++)
		if (p->records[i].data != NULL &&
		    p->records[i].tid == PD_NOID &&
		    tell_again(t, &p->records[i], time, err) == -1)
			return -1;
	t->told->past = true;
	return 0;
}

static bool
was_told(const struct pd_told *t, uint64_t serial)
{
	return pd_map64_find(&t->serials, serial) != PD_NOID;
}

/* ---- records made up ------------------------------------------------------------ */

/* A record is built here; a map's form is what may be large. */
struct draft {
	uint8_t		buf[UINT16_MAX + 1];
	size_t		len;
	bool		swapped;
};

static void
add_u32(struct draft *d, uint32_t v)
{
	pd_store_u32(d->buf + d->len, v, d->swapped);
	d->len += 4;
}

static void
add_u64(struct draft *d, uint64_t v)
{
	pd_store_u64(d->buf + d->len, v, d->swapped);
	d->len += 8;
}

/* With its NUL, and more up to a multiple of 8. */
static void
add_str(struct draft *d, const char *s)
{
	size_t len = strlen(s) + 1, pad = -len & 7;

	memcpy(d->buf + d->len, s, len);
	memset(d->buf + d->len + len, 0, pad);
	d->len += len + pad;
}

static void
begin(struct draft *d, const struct pd_teller *t, uint32_t type, uint16_t misc)
{
	d->swapped = t->swapped;
	d->len = 0;
	add_u32(d, type);
	pd_store_u16(d->buf + 4, misc, d->swapped);
	d->len = PD_HEADER_SIZE;
}

/*
 * Behind the body, the sample_id of the first event with id 0, as perf does it
 * for what it makes up itself (tools/perf/util/synthetic-events.c).
 */
static int
finish(struct draft *d, const struct pd_teller *t, const struct pd_thr *th,
    uint64_t time, struct pd_error *err)
{
	const struct pd_evt *evt = t->events->evts[0];
	uint8_t *end;

	memset(d->buf + d->len, 0, 8 * (size_t)evt->t_words);
	d->len += 8 * (size_t)evt->t_words;
	end = d->buf + d->len;
	if (evt->t_tid != PD_NOPOS) {
		pd_store_u32(end - 8 * evt->t_tid, th->pub.pid, d->swapped);
		pd_store_u32(end - 8 * evt->t_tid + 4, th->pub.tid, d->swapped);
	}
	if (evt->t_time != PD_NOPOS && time != PD_NOTIME)
		pd_store_u64(end - 8 * evt->t_time, time, d->swapped);
	pd_store_u16(d->buf + 6, (uint16_t)d->len, d->swapped);
	return pd_writer_put(t->writer, d->buf, d->len, err);
}

static int
tell_comm(const struct pd_teller *t, struct draft *d, const struct pd_thr *th,
    uint16_t misc, uint64_t time, struct pd_error *err)
{
	begin(d, t, PD_RECORD_COMM, misc);
	add_u32(d, th->pub.pid);
	add_u32(d, th->pub.tid);
	add_str(d, th->pub.comm);
	return finish(d, t, th, time, err);
}

static int
tell_fork(const struct pd_teller *t, struct draft *d, const struct pd_thr *th,
    uint64_t time, struct pd_error *err)
{
	const struct pd_thr *parent = pd_session_find(t->session, th->ptid);
	/* It would be made anew, in the place of whoever has its number now. */
	bool other = parent != NULL && parent->pub.pid != th->ppid;

	begin(d, t, PD_RECORD_FORK, PD_MISC_FORK_EXEC);
	add_u32(d, th->pub.pid);
	add_u32(d, other ? PD_NOID : th->ppid);
	add_u32(d, th->pub.tid);
	add_u32(d, other ? PD_NOID : th->ptid);
	add_u64(d, time == PD_NOTIME ? 0 : time);
	return finish(d, t, th, time, err);
}

/* A map as process pid has it; name is that of its record where it is NULL. */
static int
put_map(const struct pd_teller *t, struct draft *d, const struct pd_thr *th,
    uint32_t pid, const struct pd_map *m, const char *name, uint64_t time,
    struct pd_error *err)
{
	struct pd_form form;
	size_t size;

	memcpy(&form, m->form, sizeof(form));
	begin(d, t, form.type, form.misc);
	add_u32(d, pid);
	add_u32(d, pid);
	add_u64(d, m->start);
	add_u64(d, m->end - m->start);
	add_u64(d, name ? m->start : m->pgoff);
	/* MMAP2 has file and protection before the name */
	size = name == NULL ? form.size : form.type == PD_REC_MMAP2 ? 32 : 0;
	memcpy(d->buf + d->len, m->form + sizeof(form), size);
	d->len += size;
	if (name != NULL)
		add_str(d, name);
	return finish(d, t, th, time, err);
}

/*
 * JIT code that a forked process has from another one has its names from
 * there, by address.  The record can only say so by the name of their file,
 * and perf looks for it by the number of the process that mapped it last.
 */
static int
tell_map(const struct pd_teller *t, struct draft *d, const struct pd_thr *th,
    const struct pd_map *m, uint64_t time, struct pd_error *err)
{
	uint32_t pid = th->pub.pid, owner = m->dso->pid;
	const struct pd_thr *now;

	if (m->dso->kind != PD_DSO_ANON || owner == 0 || owner == pid)
		return put_map(t, d, th, pid, m, NULL, time, err);
	if (put_map(t, d, th, pid, m, m->dso->name, time, err) == -1)
		return -1;
	now = pd_session_find(t->session, owner);
	return now != NULL && (now->pub.pid != owner ||
	    was_told(t->told, now->proc->serial)) ? 0 :
	    put_map(t, d, th, owner, m, "//anon", time, err);
}

static int
tell_maps(const struct pd_teller *t, struct draft *d, const struct pd_thr *th,
    const struct pd_map *maps, size_t len, uint64_t time,
    struct pd_error *err)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (tell_map(t, d, th, &maps[i], time, err) == -1)
			return -1;
	return 0;
}

/* ---- threads -------------------------------------------------------------------------- */

/* Serials that no thread or process has any more. */
static int
forget_gone(const struct pd_teller *t, struct pd_error *err)
{
	struct pd_told *told = t->told;
	struct pd_map64 all = told->serials;
	const struct pd_thr *th;
	size_t i = 0;
	int r = 0;

	told->serials = (struct pd_map64){ 0 };
	while (r == 0 && (th = pd_session_next(t->session, &i)) != NULL) {
		if (pd_map64_find(&all, th->serial) != PD_NOID)
			r = pd_map64_put(&told->serials, th->serial, 1, err);
		if (r == 0 && pd_map64_find(&all, th->proc->serial) != PD_NOID)
			r = pd_map64_put(&told->serials, th->proc->serial, 1,
			    err);
	}
	pd_map64_free(&all);
	return r;
}

/* Threads come and go as long as the recorder runs: there is a limit. */
static int
set_told(const struct pd_teller *t, uint64_t serial, struct pd_error *err)
{
	struct pd_told *told = t->told;

	if (told->serials.used >= told->limit) {
		if (told->limit > 0 && forget_gone(t, err) == -1)
			return -1;
		told->limit = 2 * told->serials.used + 1024;
	}
	return pd_map64_put(&told->serials, serial, 1, err);
}

/* The maps; between exec and the first sample of the new program, of both. */
static int
tell_space(const struct pd_teller *t, struct draft *d,
    const struct pd_thr *th, uint64_t time, struct pd_error *err)
{
	const struct pd_space *sp = &th->proc->space;

	if (sp->old_len > 0 && (tell_maps(t, d, th, sp->old, sp->old_len,
	    time, err) == -1 ||
	    tell_comm(t, d, th, PD_MISC_COMM_EXEC, time, err) == -1))
		return -1;
	return tell_maps(t, d, th, sp->maps, sp->len, time, err) == -1 ? -1 :
	    set_told(t, th->proc->serial, err);
}

static int
tell_namespaces(const struct pd_teller *t, uint32_t tid, uint64_t time,
    struct pd_error *err)
{
	uint32_t i = pd_map64_find(&t->past->index, pd_hash_u64(tid) ^
	    (uint64_t)PD_REC_NAMESPACES << 56);

	return i == PD_NOID ? 0 : tell_again(t, &t->past->records[i], time,
	    err);
}

static int
tell_thread(const struct pd_teller *t, struct draft *d,
    const struct pd_thr *th, uint64_t time, struct pd_error *err)
{
	if ((th->ptid != PD_NOID && tell_fork(t, d, th, time, err) == -1) ||
	    (th->named && tell_comm(t, d, th, 0, time, err) == -1) ||
	    tell_namespaces(t, th->pub.tid, time, err) == -1)
		return -1;
	return set_told(t, th->serial, err);
}

/*
 * The first thread of a process comes before its maps, whoever has the sample:
 * the FORK of a number that is in use makes a new process.  Some views show
 * its name, too.
 */
static int
tell_new(const struct pd_teller *t, struct draft *d, const struct pd_thr *th,
    uint64_t time, struct pd_error *err)
{
	const struct pd_thr *first = pd_session_find(t->session, th->pub.pid);

	if (first != NULL && first != th && first->proc == th->proc &&
	    !was_told(t->told, first->serial) &&
	    tell_thread(t, d, first, time, err) == -1)
		return -1;
	if (tell_thread(t, d, th, time, err) == -1)
		return -1;
	return was_told(t->told, th->proc->serial) ? 0 :
	    tell_space(t, d, th, time, err);
}

int
pd_tell(const struct pd_teller *t, const struct pd_thread *thread,
    uint64_t time, struct pd_error *err)
{
	const struct pd_thr *th = (const struct pd_thr *)thread;
	struct draft *d;
	int r = 0;

	if (t->told->last == th->serial)
		return 0;
	if (!t->told->past && tell_past(t, time, err) == -1)
		return -1;
	if (!was_told(t->told, th->serial)) {
		if ((d = malloc(sizeof(*d))) == NULL)
			return pd_fail_nomem(err);
		r = tell_new(t, d, th, time, err);
		free(d);
	}
	t->told->last = th->serial;
	return r;
}

/* ---- records that change what was told -------------------------------------------------- */

static const struct pd_thr *
thread_of(const struct pd_teller *t, uint32_t pid, uint32_t tid)
{
	const struct pd_thr *th = pd_session_find(t->session, tid);

	return th != NULL && th->pub.pid == pid ? th : NULL;
}

/*
 * Only where the parent, whose name the child has, is known to the reader of
 * the cut, in the same process.  Else the child is told of when it has samples
 * itself.
 */
static int
concerns_fork(const struct pd_teller *t, struct pd_cursor *c,
    struct pd_error *err)
{
	uint32_t pid = pd_get_u32(c), ppid = pd_get_u32(c);
	const struct pd_thr *th = thread_of(t, pid, pd_get_u32(c));
	const struct pd_thr *parent = thread_of(t, ppid, pd_get_u32(c));

	if (pid != ppid || th == NULL || parent == NULL ||
	    !was_told(t->told, parent->serial))
		return 0;
	return set_told(t, th->serial, err) == -1 ? -1 : 1;
}

/*
 * Whether the subject of a record is known to the reader of the cut; the
 * thread that execs becomes so, as its process is another one from then on.
 */
static int
concerns(const struct pd_teller *t, const struct pd_record *rec,
    struct pd_error *err)
{
	struct pd_cursor c = pd_record_body(rec), fork = c;
	uint32_t pid = pd_get_u32(&c), tid = pd_get_u32(&c);
	const struct pd_process *proc;
	const struct pd_thr *th;
	bool told;

	if (rec->type == PD_REC_EXIT)		/* pid ppid tid ptid */
		tid = pd_get_u32(&c);
	th = thread_of(t, pid, tid);
	told = th != NULL && was_told(t->told, th->serial);
	proc = th ? th->proc : pd_session_process(t->session, pid);
	switch (rec->type) {
	case PD_REC_MMAP:
	case PD_REC_MMAP2:
		if (is_user_map(rec))
			return proc && was_told(t->told, proc->serial);
		break;
	case PD_REC_COMM:
		if (!(rec->misc & PD_MISC_COMM_EXEC) || proc == NULL ||
		    !was_told(t->told, proc->serial))
			return told;
		return th && pd_tell(t, &th->pub, rec->time, err) == -1 ? -1 : 1;
	case PD_REC_NAMESPACES:
	case PD_REC_EXIT:
		return told;
	case PD_REC_FORK:
		return concerns_fork(t, &fork, err);
	}
	return t->told->past;
}

int
pd_tell_record(const struct pd_teller *t, const struct pd_record *rec,
    struct pd_error *err)
{
	int r = concerns(t, rec, err);

	return r <= 0 ? r : pd_writer_put(t->writer, rec->data, rec->size, err);
}

void
pd_told_free(struct pd_told *t)
{
	pd_map64_free(&t->serials);
}
