/* Applies records to threads and maps, as tools/perf/util/machine.c does. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/notes.h"
#include "record/reader.h"
#include "record/record.h"
#include "session/session.h"

#define KERNEL_NAME	"[kernel.kallsyms]"
#define GUEST_NAME	"[guest.kernel.kallsyms]"

#define PROT_EXEC	4	/* asm-generic/mman-common.h of the kernel */
#define MAP_HUGETLB	0x40000
#define KSYMBOL_UNREGISTER	1	/* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */

/*
 * Threads that have ended stay for records that are a little late; the
 * oldest go when there are more of them than this.
 */
#define ENDED_MAX	256

/* Objects by a number that is reused: tids and pids. */
struct table {
	struct pd_map64	index;		/* number -> place in items */
	void		**items;
	size_t		len, cap;
	uint32_t	*free;		/* places */
	size_t		nfree, free_cap;
};

struct pd_session {
	const struct pd_reader	*rd;
	struct pd_notes		notes;
	struct pd_dsos		dsos;
	struct pd_strtab	strs;		/* comms and cgroup paths */
	struct pd_strtab	forms;		/* see space.h */
	struct pd_map64		cgroups;	/* id -> path in strs */
	struct table		threads, procs;
	struct pd_thr		*last;		/* found or made */
	struct {
		uint32_t	tid;
		uint64_t	end;
	}			ended[ENDED_MAX];	/* a ring */
	uint64_t		nended;
	uint64_t		execs;	/* whose new program has not run yet */
	struct pd_space		kernel, guest;
	uint64_t		versions, serials;
	uint64_t		ref_addr;
	const char		*ref_symbol;
	size_t			buildids;	/* of the features, seen */
};

/* ---- tables ------------------------------------------------------------------ */

static void *
table_find(const struct table *t, uint32_t number)
{
	uint32_t i = pd_map64_find(&t->index, number);

	return i == PD_NOID ? NULL : t->items[i];
}

static int
table_add(struct table *t, uint32_t number, void *item, struct pd_error *err)
{
	uint32_t place;

	/* Room on the free list is made here, so that removal cannot fail. */
	if (pd_grow(&t->items, &t->cap, t->len + 1, sizeof(item), err) ||
	    pd_grow(&t->free, &t->free_cap, t->cap, sizeof(*t->free), err))
		return -1;
	place = t->nfree > 0 ? t->free[t->nfree - 1] : (uint32_t)t->len;
	if (pd_map64_put(&t->index, number, place, err) == -1)
		return -1;
	if (t->nfree > 0)
		t->nfree--;
	else
		t->len++;
	t->items[place] = item;
	return 0;
}

static void
table_remove(struct table *t, uint32_t number)
{
	uint32_t place = pd_map64_find(&t->index, number);

	t->items[place] = NULL;
	t->free[t->nfree++] = place;
	pd_map64_del(&t->index, number);
}

static void
table_free(struct table *t)
{
	pd_map64_free(&t->index);
	free(t->items);
	free(t->free);
}

/* ---- threads and processes ------------------------------------------------------ */

static void
process_free(struct pd_process *p)
{
	if (p != NULL)
		pd_space_free(&p->space);
	free(p);
}

static struct pd_process *
process_get(struct pd_session *s, uint32_t pid, struct pd_error *err)
{
	struct pd_process *p = table_find(&s->procs, pid);

	if (p != NULL)
		return p;
	if ((p = pd_calloc(1, sizeof(*p), err)) == NULL)
		return NULL;
	p->pid = pid;
	p->serial = ++s->serials;
	pd_space_init(&p->space, &s->versions);
	if (table_add(&s->procs, pid, p, err) == -1) {
		process_free(p);
		return NULL;
	}
	return p;
}

/* A process is found by its pid no more; threads may still belong to it. */
static void
process_forget(struct pd_session *s, struct pd_process *p)
{
	if (table_find(&s->procs, p->pid) == p)
		table_remove(&s->procs, p->pid);
}

static void
thread_remove(struct pd_session *s, struct pd_thr *th)
{
	if (s->last == th)
		s->last = NULL;
	table_remove(&s->threads, th->pub.tid);
	if (--th->proc->threads == 0) {
		process_forget(s, th->proc);
		process_free(th->proc);
	}
	free(th);
}

static int
thread_set_comm(struct pd_session *s, struct pd_thr *th, const char *comm,
    struct pd_error *err)
{
	const char *str = pd_strtab_str(&s->strs, comm, err);

	if (str == NULL)
		return -1;
	th->pub.comm = str;
	if (th->pub.tid == th->pub.pid)
		th->proc->comm = str;
	return 0;
}

static struct pd_thr *
thread_new(struct pd_session *s, uint32_t pid, uint32_t tid,
    struct pd_error *err)
{
	struct pd_thr *th = pd_calloc(1, sizeof(*th), err);

	if (th == NULL)
		return NULL;
	th->pub.pid = pid;
	th->pub.tid = tid;
	th->serial = ++s->serials;
	th->ppid = th->ptid = PD_NOID;
	th->proc = process_get(s, pid, err);
	if (th->proc == NULL ||
	    table_add(&s->threads, tid, th, err) == -1) {
		/* A process without threads goes with the session. */
		free(th);
		return NULL;
	}
	th->proc->threads++;
	return th;
}

static struct pd_thr *
thread_get(struct pd_session *s, uint32_t pid, uint32_t tid,
    struct pd_error *err)
{
	struct pd_thr *th = s->last;

	if (th != NULL && th->pub.tid == tid && th->pub.pid == pid)
		return th;
	th = table_find(&s->threads, tid);
	/* The number was given to another process, and the FORK is lost. */
	if (th != NULL && th->pub.pid != pid) {
		thread_remove(s, th);
		th = NULL;
	}
	if (th == NULL)
		th = thread_new(s, pid, tid, err);
	s->last = th;
	return th;
}

/*
 * The idle threads have no COMM record; others show their number.  Strings
 * stay for good, so there is one only for who is asked for before it is named.
 */
static int
name_by_number(struct pd_session *s, struct pd_thr *th, struct pd_error *err)
{
	char comm[16];

	snprintf(comm, sizeof(comm), th->pub.tid == 0 ? "swapper" :
	    ":%" PRId32, (int32_t)th->pub.tid);
	th->pub.comm = pd_strtab_str(&s->strs, comm, err);
	return th->pub.comm ? 0 : -1;
}

const struct pd_thread *
pd_session_thread(struct pd_session *s, uint32_t pid, uint32_t tid,
    struct pd_error *err)
{
	struct pd_thr *th = thread_get(s, pid, tid, err);

	if (th == NULL || (th->pub.comm == NULL &&
	    name_by_number(s, th, err) == -1))
		return NULL;
	th->pub.leader_comm = th->proc->comm ? th->proc->comm : th->pub.comm;
	return &th->pub;
}

/* ---- records ---------------------------------------------------------------------- */

static int
apply_comm(struct pd_session *s, const struct pd_record *rec,
    const struct pd_comm *c, struct pd_error *err)
{
	struct pd_thr *th = thread_get(s, c->pid, c->tid, err);

	if (th == NULL || thread_set_comm(s, th, c->comm, err) == -1)
		return -1;
	th->named = true;
	/* exec: the kernel names the thread, then maps the new program. */
	if (rec->misc & PD_MISC_COMM_EXEC)
		pd_space_exec(&th->proc->space, &s->versions);
	s->execs += !!(rec->misc & PD_MISC_COMM_EXEC);
	return 0;
}

/* A child has its parent's maps and JIT code, as they are now. */
static int
inherit(struct pd_session *s, struct pd_process *child,
    const struct pd_process *parent, uint64_t now, struct pd_error *err)
{
	struct pd_space *sp = &child->space;
	size_t i;

	if (pd_space_copy(sp, &parent->space, &s->versions, err) == -1)
		return -1;
	for (i = 0; i < sp->njits; i++)
		if (now < sp->jits[i].until)
			sp->jits[i].until = now;
	return 0;
}

/*
 * A new thread shares its process; a new process starts with its parent's
 * maps, unless FORK_EXEC says that its own follow: perf sets the bit on the
 * records it makes up for processes that were there before
 * (tools/perf/util/synthetic-events.c).
 */
static int
apply_fork(struct pd_session *s, const struct pd_record *rec,
    const struct pd_task *t, struct pd_error *err)
{
	struct pd_thr *parent, *child = table_find(&s->threads, t->tid);
	struct pd_process *proc;

	if (t->tid == t->ptid)		/* nobody is their own parent */
		return 0;
	if (child != NULL)		/* the number is reused */
		thread_remove(s, child);
	proc = table_find(&s->procs, t->pid);
	if (proc != NULL && t->pid != t->ppid && t->pid == t->tid)
		process_forget(s, proc);
	parent = thread_get(s, t->ppid, t->ptid, err);
	if (parent == NULL)
		return -1;
	child = thread_get(s, t->pid, t->tid, err);
	if (child == NULL)
		return -1;
	child->ppid = t->ppid;
	child->ptid = t->ptid;
	if (parent->named) {
		if (thread_set_comm(s, child, parent->pub.comm, err) == -1)
			return -1;
		child->named = true;
	}
	if (child->proc != parent->proc && child->proc->space.len == 0 &&
	    !(rec->misc & PD_MISC_FORK_EXEC))
		return inherit(s, child->proc, parent->proc, rec->time, err);
	return 0;
}

static void
apply_exit(struct pd_session *s, const struct pd_task *t)
{
	size_t place = s->nended % ENDED_MAX;
	struct pd_thr *th;

	if (s->nended >= ENDED_MAX) {
		th = table_find(&s->threads, s->ended[place].tid);
		if (th != NULL && th->ended == s->ended[place].end)
			thread_remove(s, th);
	}
	th = table_find(&s->threads, t->tid);
	if (th == NULL || t->tid == 0)
		return;
	th->ended = ++s->nended;
	s->ended[place].tid = t->tid;
	s->ended[place].end = th->ended;
}

/*
 * The kernel's own text comes as "[kernel.kallsyms]_text": the symbol behind
 * the bracket is a reference whose address is in pgoff, which tells where
 * KASLR put the kernel (perf_event__synthesize_kernel_mmap()).
 */
static int
apply_kernel_mmap(struct pd_session *s, const struct pd_record *rec,
    const struct pd_mmap *m, struct pd_error *err)
{
	bool guest = (rec->misc & PD_MISC_CPUMODE) == PD_CPUMODE_GUEST_KERNEL;
	bool text = pd_starts(m->name, guest ? GUEST_NAME : KERNEL_NAME);
	struct pd_map map = { .start = m->start, .end = m->start + m->len,
		.pgoff = m->pgoff };

	if (text) {
		if (m->len == 0)	/* the whole of it, by an old perf */
			map.end = UINT64_MAX;
		if (!guest && m->pgoff != 0) {
			s->ref_addr = m->pgoff;
			s->ref_symbol = pd_strtab_str(&s->strs,
			    m->name + strlen(KERNEL_NAME), err);
			if (s->ref_symbol == NULL)
				return -1;
		}
	} else if (m->name[0] != '/' && m->name[0] != '[') {
		return 0;
	}
	map.dso = pd_dsos_get(&s->dsos,
	    !text ? m->name : guest ? GUEST_NAME : KERNEL_NAME,
	    text ? PD_DSO_KERNEL : PD_DSO_MODULE, NULL, err);
	if (map.dso == NULL)
		return -1;
	map.dso->guest = guest;
	if (map.dso->buildid.size == 0)
		map.dso->buildid = m->buildid;
	return pd_space_map(guest ? &s->guest : &s->kernel, &map,
	    &s->versions, err);
}

/*
 * A process maps its .../jit-PID.dump executable, only so that there is a
 * record of it (jit_detect() in tools/perf/util/jitdump.c).  In a container,
 * PID is not the one that was recorded.
 */
static bool
is_jitdump(const char *name)
{
	const char *base = strrchr(name, '/'), *p;

	if (base == NULL || !pd_starts(base, "/jit-"))
		return false;
	p = base + strlen("/jit-");
	return *p >= '0' && *p <= '9' &&
	    strcmp(p + strspn(p, "0123456789"), ".dump") == 0;
}

/* The code itself is elsewhere, in memory without a file. */
static int
apply_jitdump(struct pd_session *s, struct pd_space *sp,
    const struct pd_mmap *m, struct pd_error *err)
{
	struct pd_dso *dso = pd_dsos_get_of(&s->dsos, m->name, m->pid, err);

	return dso == NULL ? -1 : pd_space_add_jit(sp, dso, m->start, err);
}

/* Many processes map the same files: each form is kept once. */
static const uint8_t *
form_of(struct pd_session *s, const struct pd_record *rec,
    struct pd_error *err)
{
	struct pd_cursor c = pd_record_body(rec);
	uint8_t buf[UINT16_MAX + sizeof(struct pd_form)];
	struct pd_form form = { rec->type, rec->misc, 0 };
	uint32_t id;

	pd_get_bytes(&c, 32);		/* pid, tid, start, length, offset */
	form.size = (uint16_t)pd_left(&c);
	memcpy(buf, &form, sizeof(form));
	memcpy(buf + sizeof(form), c.p, form.size);
	id = pd_strtab_add(&s->forms, (const char *)buf,
	    sizeof(form) + form.size, err);
	return id == PD_NOID ? NULL :
	    (const uint8_t *)pd_strtab_get(&s->forms, id);
}

/*
 * JIT code of its parent in a process that was forked, as a slice names it:
 * the MMAP record itself only says that there is no file.
 */
static bool
is_perfmap(const char *name, uint32_t *pid)
{
	const char *p = name + strlen("/tmp/perf-");
	char *end;

	if (!pd_starts(name, "/tmp/perf-") || *p < '0' || *p > '9')
		return false;
	*pid = (uint32_t)strtoul(p, &end, 10);
	return strcmp(end, ".map") == 0;
}

static int
apply_mmap(struct pd_session *s, const struct pd_record *rec,
    const struct pd_mmap *m, struct pd_error *err)
{
	int mode = rec->misc & PD_MISC_CPUMODE;
	enum pd_dso_kind kind = pd_dso_kind_of(m->name);
	struct pd_map map = { .start = m->start, .end = m->start + m->len,
		.pgoff = m->pgoff };
	uint32_t owner = m->pid;
	char name[32];
	struct pd_thr *th;
	bool exec;

	if (mode == PD_CPUMODE_KERNEL || mode == PD_CPUMODE_GUEST_KERNEL)
		return apply_kernel_mmap(s, rec, m, err);
	if (mode == PD_CPUMODE_GUEST_USER)
		return 0;
	exec = m->has_prot ? m->prot & PROT_EXEC :
	    !(rec->misc & PD_MISC_MMAP_DATA);
	map.data = !exec;
	if ((m->flags & MAP_HUGETLB) || is_perfmap(m->name, &owner))
		kind = PD_DSO_ANON;
	if (kind == PD_DSO_ANON && exec) {
		snprintf(name, sizeof(name), "/tmp/perf-%" PRId32 ".map",
		    (int32_t)owner);
		map.dso = pd_dsos_get_of(&s->dsos, name, owner, err);
	} else {
		map.dso = pd_dsos_get(&s->dsos, m->name, kind,
		    m->buildid.size > 0 ? &m->buildid : NULL, err);
	}
	th = thread_get(s, m->pid, m->tid, err);
	map.form = form_of(s, rec, err);
	if (map.dso == NULL || th == NULL || map.form == NULL)
		return -1;
	if (exec)
		map.dso->use = (struct pd_dso_use){ m->pid, m->start,
			m->start + m->len };
	if (exec && is_jitdump(m->name) &&
	    apply_jitdump(s, &th->proc->space, m, err) == -1)
		return -1;
	return pd_space_map(&th->proc->space, &map, &s->versions, err);
}

static int
apply_ksymbol(struct pd_session *s, const struct pd_ksymbol *k,
    struct pd_error *err)
{
	struct pd_map map = { .start = k->addr, .end = k->addr + k->len };

	if (map.end < map.start)
		return 0;
	if (k->flags & KSYMBOL_UNREGISTER)
		return pd_space_unmap(&s->kernel, map.start, map.end,
		    &s->versions, err);
	map.dso = pd_dsos_get(&s->dsos, k->name, PD_DSO_BPF, NULL, err);
	return map.dso == NULL ? -1 :
	    pd_space_map(&s->kernel, &map, &s->versions, err);
}

/* NAMESPACES: the mount namespace is MNT_NS_INDEX of perf_event.h. */
static int
apply_namespaces(struct pd_session *s, const struct pd_record *rec,
    struct pd_error *err)
{
	struct pd_cursor c = pd_record_body(rec);
	uint32_t pid = pd_get_u32(&c), tid = pd_get_u32(&c);
	enum { MNT_NS_INDEX = 5 };
	uint64_t nr = pd_get_u64(&c), i, ino = 0;
	struct pd_thr *th = thread_get(s, pid, tid, err);

	if (th == NULL)
		return -1;
	for (i = 0; i < nr && i <= MNT_NS_INDEX; i++) {
		pd_get_u64(&c);		/* device */
		ino = pd_get_u64(&c);
	}
	if (i > MNT_NS_INDEX && !c.bad)
		th->proc->mnt_ns = ino;
	return 0;
}

static int
apply_cgroup(struct pd_session *s, const struct pd_record *rec,
    struct pd_error *err)
{
	struct pd_cursor c = pd_record_body(rec);
	uint64_t id = pd_get_u64(&c);
	const char *path = pd_get_str(&c);
	uint32_t str;

	if (path == NULL)
		return 0;
	str = pd_strtab_add(&s->strs, path, strlen(path), err);
	return str == PD_NOID ? -1 : pd_map64_put(&s->cgroups, id, str, err);
}

/* Hand the build-ids that were read since the last time to the DSOs. */
static int
apply_buildids(struct pd_session *s, struct pd_error *err)
{
	const struct pd_features *f = pd_reader_features(s->rd);
	const struct pd_buildid_entry *e;
	enum pd_dso_kind kind;
	struct pd_dso *dso;
	int mode;

	for (; s->buildids < f->nbuildids; s->buildids++) {
		e = &f->buildids[s->buildids];
		mode = e->misc & PD_MISC_CPUMODE;
		kind = mode != PD_CPUMODE_KERNEL ? pd_dso_kind_of(e->name) :
		    pd_starts(e->name, KERNEL_NAME) ? PD_DSO_KERNEL :
		    PD_DSO_MODULE;
		if (mode > PD_CPUMODE_USER)
			continue;
		/* Maps of it may come later: the DSO is made here. */
		dso = pd_dsos_get(&s->dsos, e->name, kind, NULL, err);
		if (dso == NULL)
			return -1;
		if (dso->buildid.size == 0)
			dso->buildid = e->buildid;
	}
	return 0;
}

static void
apply_user_sample(struct pd_session *s, const struct pd_record *rec)
{
	struct pd_thr *th = table_find(&s->threads, rec->tid);

	if (th != NULL && th->pub.pid == rec->pid)
		pd_session_settle(s, &th->pub);
}

struct pd_thr *
pd_session_find(const struct pd_session *s, uint32_t tid)
{
	return table_find(&s->threads, tid);
}

struct pd_process *
pd_session_process(const struct pd_session *s, uint32_t pid)
{
	return table_find(&s->procs, pid);
}

struct pd_thr *
pd_session_next(const struct pd_session *s, size_t *i)
{
	struct pd_thr *th = NULL;

	while (th == NULL && *i < s->threads.len)
		th = s->threads.items[(*i)++];
	return th;
}

static int
apply_body(struct pd_session *s, const struct pd_record *rec,
    const union pd_body *body, struct pd_error *err)
{
	switch (rec->type) {
	case PD_RECORD_COMM: return apply_comm(s, rec, &body->comm, err);
	case PD_RECORD_FORK: return apply_fork(s, rec, &body->task, err);
	case PD_RECORD_EXIT: apply_exit(s, &body->task); return 0;
	case PD_RECORD_MMAP:
	case PD_RECORD_MMAP2: return apply_mmap(s, rec, &body->mmap, err);
	case PD_RECORD_KSYMBOL: return apply_ksymbol(s, &body->ksymbol, err);
	}
	return 0;
}

int
pd_session_apply(struct pd_session *s, const struct pd_record *rec,
    struct pd_error *err)
{
	union pd_body body;
	struct pd_error bad;

	switch (rec->type) {
	case PD_REC_SAMPLE:
		/* After exec: the new program runs. */
		if (s->execs > 0 &&
		    (rec->misc & PD_MISC_CPUMODE) == PD_CPUMODE_USER)
			apply_user_sample(s, rec);
		return 0;
	case PD_REC_NAMESPACES: return apply_namespaces(s, rec, err);
	case PD_REC_CGROUP: return apply_cgroup(s, rec, err);
	case PD_REC_HEADER_BUILD_ID: return apply_buildids(s, err);
	}
	switch (pd_record_decode(rec, &body, &bad)) {
	case -1:
		pd_note_error(&s->notes, &bad);
		return 0;
	case 1:
		return apply_body(s, rec, &body, err);
	}
	return 0;
}

/* ---- the object ---------------------------------------------------------------------- */

struct pd_session *
pd_session_new(const struct pd_reader *rd, struct pd_error *err)
{
	struct pd_session *s = pd_calloc(1, sizeof(*s), err);

	if (s == NULL)
		return NULL;
	s->rd = rd;
	pd_space_init(&s->kernel, &s->versions);
	pd_space_init(&s->guest, &s->versions);
	if (apply_buildids(s, err) == -1) {
		pd_session_free(s);
		return NULL;
	}
	return s;
}

void
pd_session_forget(struct pd_session *s)
{
	struct pd_process *p;
	size_t i;

	for (i = 0; i < s->procs.len; i++)
		if ((p = s->procs.items[i]) != NULL)
			pd_space_forget(&p->space, &s->versions);
	pd_space_forget(&s->kernel, &s->versions);
	pd_space_forget(&s->guest, &s->versions);
}

void
pd_session_free(struct pd_session *s)
{
	size_t i;

	if (s == NULL)
		return;
	for (i = 0; i < s->threads.len; i++)
		if (s->threads.items[i] != NULL)
			thread_remove(s, s->threads.items[i]);
	/* What is left never had a thread. */
	for (i = 0; i < s->procs.len; i++)
		process_free(s->procs.items[i]);
	table_free(&s->threads);
	table_free(&s->procs);
	pd_space_free(&s->kernel);
	pd_space_free(&s->guest);
	pd_map64_free(&s->cgroups);
	pd_strtab_free(&s->strs);
	pd_strtab_free(&s->forms);
	pd_dsos_free(&s->dsos);
	pd_notes_free(&s->notes);
	free(s);
}

const struct pd_note *
pd_session_note(const struct pd_session *s, size_t i)
{
	return pd_notes_get(&s->notes, i);
}

void
pd_session_settle(struct pd_session *s, const struct pd_thread *th)
{
	if (pd_thread_space(th)->old_len == 0)
		return;
	pd_space_settle(pd_thread_space(th), &s->versions);
	s->execs -= s->execs > 0;
}

void
pd_session_rename(struct pd_session *s, const struct pd_thread *th)
{
	pd_space_rename(pd_thread_space(th), &s->versions);
}

struct pd_space *
pd_session_kernel(struct pd_session *s, bool guest)
{
	return guest ? &s->guest : &s->kernel;
}

const struct pd_dso *
pd_session_dso(const struct pd_session *s, size_t i)
{
	return i < s->dsos.len ? s->dsos.dsos[i] : NULL;
}

uint64_t
pd_session_kernel_ref(const struct pd_session *s, const char **symbol)
{
	*symbol = s->ref_symbol;
	return s->ref_addr;
}

struct pd_dso *
pd_session_kernel_dso(struct pd_session *s, bool guest, struct pd_error *err)
{
	return pd_dsos_get(&s->dsos, guest ? GUEST_NAME : KERNEL_NAME,
	    PD_DSO_KERNEL, NULL, err);
}

const struct pd_info *
pd_session_info(const struct pd_session *s)
{
	return pd_reader_info(s->rd);
}

uint64_t
pd_session_mnt_ns(const struct pd_session *s, uint32_t pid)
{
	const struct pd_process *p = table_find(&s->procs, pid);

	return p ? p->mnt_ns : 0;
}

const char *
pd_session_cgroup(const struct pd_session *s, uint64_t id)
{
	uint32_t str = pd_map64_find(&s->cgroups, id);

	return str == PD_NOID ? NULL : pd_strtab_get(&s->strs, str);
}
