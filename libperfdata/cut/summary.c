/*
 * Collects what a recording is, in one pass: memory grows with events, threads
 * and CPUs, not with samples.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/text.h"
#include "cut/point.h"
#include "cut/summary.h"
#include "record/event.h"
#include "record/record.h"

/* enum perf_sw_ids. */
enum { SW_CPU_CLOCK = 0, SW_TASK_CLOCK = 1 };

struct pd_summary *
pd_summary_new(struct pd_reader *rd, struct pd_error *err)
{
	struct pd_summary *s = pd_calloc(1, sizeof(*s), err);

	if (s == NULL)
		return NULL;
	s->rd = rd;
	s->first = s->last = PD_NOTIME;
	if ((s->session = pd_session_new(rd, err)) == NULL) {
		pd_summary_free(s);
		return NULL;
	}
	return s;
}

void
pd_summary_free(struct pd_summary *s)
{
	size_t i;

	if (s == NULL)
		return;
	for (i = 0; i < s->nevents; i++)
		pd_histogram_free(&s->events[i].intervals);
	for (i = 0; i < s->npairs; i++) {
		pd_pairing_free(&s->pairs[i].pairing);
		pd_histogram_free(&s->pairs[i].durations);
	}
	free(s->events);
	pd_map64_free(&s->lasts_of);
	free(s->lasts);
	pd_map64_free(&s->thread_of);
	free(s->threads);
	free(s->pairs);
	pd_map64_free(&s->cpu_of);
	free(s->cpus);
	free(s->dsos);
	pd_session_free(s->session);
	free(s);
}

/* ---- events that look like begin and end -------------------------------------- */

/* How names of begins and ends differ: at their end. */
static const struct {
	const char	*begin, *end;
} suffixes[] = {
	{ "_start", "_end" }, { "_start", "_stop" }, { "_start", "_finish" },
	{ "_start", "_done" }, { "_begin", "_end" }, { "_entry", "_exit" },
	{ "_entry", "_return" }, { "_enter", "_exit" }, { "_enter", "_leave" },
	{ "", "_end" }, { "", "_exit" }, { "", "_ret" }, { "", "_return" },
	{ "", "" },
};

/* What perf probe puts behind the name of a return probe. */
static const char ret[] = "__return";

/* Events by name. */
struct names {
	struct pd_strtab	texts;
	struct pd_map64		event_of;	/* id of text -> event */
};

/* The event that is called so, or NULL; *failed without memory. */
static struct pd_sum_event *
find_event(struct pd_summary *s, struct names *n, const char *name,
    bool *failed, struct pd_error *err)
{
	uint32_t id = pd_strtab_add(&n->texts, name, strlen(name), err), i;

	if (id == PD_NOID) {
		*failed = true;
		return NULL;
	}
	i = pd_map64_find(&n->event_of, id);
	return i == PD_NOID ? NULL : &s->events[i];
}

/* The name of an end for that of a begin; false where the suffix is not it. */
static bool
end_name(const char *begin, size_t i, bool returns, char *buf, size_t size)
{
	size_t len = strlen(begin), cut = strlen(suffixes[i].begin);

	if (len <= cut || strcmp(begin + len - cut, suffixes[i].begin) != 0)
		return false;
	snprintf(buf, size, "%.*s%s%s", (int)(len - cut), begin,
	    suffixes[i].end, returns ? ret : "");
	return strcmp(buf, begin) != 0;
}

/* The event that ends what ev begins, by their names. */
static struct pd_sum_event *
find_end(struct pd_summary *s, struct names *n, const struct pd_event *ev,
    bool *failed, struct pd_error *err)
{
	struct pd_sum_event *end = NULL;
	const char *enter = strstr(ev->name, "_enter_");
	char name[256];
	size_t i;

	if (strlen(ev->name) + sizeof("_finish__return") > sizeof(name))
		return NULL;
	if (enter != NULL) {			/* of system calls */
		snprintf(name, sizeof(name), "%.*s_exit_%s",
		    (int)(enter - ev->name), ev->name, enter + 7);
		return find_event(s, n, name, failed, err);
	}
	for (i = 0; end == NULL && !*failed &&
	    i < 2 * sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (end_name(ev->name, i / 2, i % 2, name, sizeof(name)))
			end = find_event(s, n, name, failed, err);
	return end;
}

static int
pair_done(void *ctx, const struct pd_occurrence *o, struct pd_error *err)
{
	struct pd_sum_pair *p = ctx;

	return o->unfinished ? 0 :
	    pd_histogram_add(&p->durations, o->duration, err);
}

static int
add_pair(struct pd_summary *s, struct pd_sum_event *begin,
    struct pd_sum_event *end, struct pd_error *err)
{
	if (pd_grow_zeroed(&s->pairs, &s->pairs_cap, s->npairs + 1,
	    sizeof(*s->pairs), err) == -1)
		return -1;
	begin->begins = end->ends = (uint32_t)s->npairs;
	s->pairs[s->npairs].begin = begin->ev;
	s->pairs[s->npairs++].end = end->ev;
	return 0;
}

static int
fill_names(struct pd_summary *s, struct names *n, struct pd_error *err)
{
	const char *name;
	uint32_t id;
	size_t i;

	for (i = s->nevents; i-- > 0;) {	/* of equal names, the first */
		name = s->events[i].ev->name;
		if (s->events[i].ev->type != PD_TYPE_TRACEPOINT)
			continue;
		id = pd_strtab_add(&n->texts, name, strlen(name), err);
		if (id == PD_NOID || pd_map64_put(&n->event_of, id,
		    (uint32_t)i, err) == -1)
			return -1;
	}
	return 0;
}

/* Once all names are known: which events are a pair. */
static int
find_pairs(struct pd_summary *s, struct pd_error *err)
{
	struct names n = { .texts.len = 0 };
	struct pd_sum_event *begin, *end;
	bool failed = fill_names(s, &n, err) == -1;

	s->paired = true;
	for (size_t i = 0; !failed && i < s->nevents; i++) {
		begin = &s->events[i];
		if (begin->ev->type != PD_TYPE_TRACEPOINT)
			continue;
		end = find_end(s, &n, begin->ev, &failed, err);
		if (end != NULL && end->ends == PD_NOID)
			failed = add_pair(s, begin, end, err) == -1;
	}
	for (size_t i = 0; i < s->npairs; i++) {
		s->pairs[i].pairing.done = pair_done;
		s->pairs[i].pairing.ctx = &s->pairs[i];
	}
	pd_map64_free(&n.event_of);
	pd_strtab_free(&n.texts);
	return failed ? -1 : 0;
}

/* ---- samples ------------------------------------------------------------------ */

/* In a pipe, events come with the records. */
static int
add_events(struct pd_summary *s, struct pd_error *err)
{
	const struct pd_event *ev;

	while ((ev = pd_reader_event(s->rd, s->nevents)) != NULL) {
		if (pd_grow_zeroed(&s->events, &s->events_cap, s->nevents + 1,
		    sizeof(*s->events), err) == -1)
			return -1;
		s->events[s->nevents++] = (struct pd_sum_event){ .ev = ev,
			.begins = PD_NOID, .ends = PD_NOID };
	}
	return 0;
}

/* The thread of a sample, made if it is not there; NULL: no memory. */
static struct pd_sum_thread *
thread_of(struct pd_summary *s, const struct pd_record *rec,
    struct pd_error *err)
{
	uint64_t key = (uint64_t)rec->pid << 32 | rec->tid;
	uint32_t i = pd_map64_find(&s->thread_of, key);

	if (i != PD_NOID)
		return &s->threads[i];
	i = (uint32_t)s->nthreads;
	if (pd_grow_zeroed(&s->threads, &s->threads_cap, i + 1,
	    sizeof(*s->threads), err) == -1 ||
	    pd_map64_put(&s->thread_of, key, i, err) == -1)
		return NULL;
	s->threads[i] = (struct pd_sum_thread){ .pid = rec->pid,
		.tid = rec->tid };
	s->nthreads++;
	return &s->threads[i];
}

/* The time since the one before of an event, on a CPU or in a thread. */
static int
add_interval(struct pd_summary *s, const struct pd_record *rec, size_t thread,
    struct pd_error *err)
{
	struct pd_sum_event *e = &s->events[rec->event->index];
	uint64_t where = rec->cpu != PD_NOID ? rec->cpu :
	    UINT64_C(0x80000000) | thread;
	uint64_t key = (uint64_t)rec->event->index << 32 | where;
	uint32_t at = pd_map64_find(&s->lasts_of, key);

	if (at == PD_NOID) {
		at = (uint32_t)s->nlasts;
		if (pd_grow(&s->lasts, &s->lasts_cap, at + 1,
		    sizeof(*s->lasts), err) == -1 ||
		    pd_map64_put(&s->lasts_of, key, at, err) == -1)
			return -1;
		s->nlasts++;
	} else if (pd_histogram_add(&e->intervals,
	    pd_earlier(rec->time, s->lasts[at]), err) == -1) {
		return -1;
	}
	s->lasts[at] = rec->time;
	return 0;
}

/* Keep the longest gaps, of equal ones the first. */
static void
add_gap(struct pd_summary *s, struct pd_sum_gap gap)
{
	struct pd_sum_gap *g = s->gaps, old;

	for (; g < s->gaps + PD_SUM_GAPS; g++)
		if (gap.length > g->length) {
			old = *g;
			*g = gap;
			gap = old;
		}
}

static int
add_cpu(struct pd_summary *s, const struct pd_record *rec,
    struct pd_error *err)
{
	uint32_t i = pd_map64_find(&s->cpu_of, rec->cpu);
	struct pd_sum_cpu *c;

	if (i == PD_NOID) {
		i = (uint32_t)s->ncpus;
		if (pd_grow(&s->cpus, &s->cpus_cap, i + 1, sizeof(*c), err) ==
		    -1 || pd_map64_put(&s->cpu_of, rec->cpu, i, err) == -1)
			return -1;
		s->cpus[s->ncpus++] = (struct pd_sum_cpu){ .cpu = rec->cpu,
			.last = rec->time };
	}
	c = &s->cpus[i];
	if (pd_earlier(rec->time, c->last) > c->gap.length)
		c->gap = (struct pd_sum_gap){ c->last, rec->time - c->last };
	if (rec->time > c->last)
		c->last = rec->time;
	c->samples++;
	s->on_cpus++;
	return 0;
}

static int
add_time(struct pd_summary *s, const struct pd_record *rec, size_t thread,
    struct pd_error *err)
{
	if (rec->time == PD_NOTIME) {
		s->untimed++;
		return 0;
	}
	if (s->first == PD_NOTIME)
		s->first = s->last = rec->time;
	if (rec->time < s->first)
		s->first = rec->time;
	if (rec->time > s->last) {
		add_gap(s, (struct pd_sum_gap){ s->last, rec->time - s->last });
		s->last = rec->time;
	}
	if (rec->cpu != PD_NOID && add_cpu(s, rec, err) == -1)
		return -1;
	return add_interval(s, rec, thread, err);
}

/* Which file, or kernel, ran. */
static int
add_dso(struct pd_summary *s, const struct pd_sample *smp,
    const struct pd_thread *th, struct pd_error *err)
{
	struct pd_space *space;
	const struct pd_map *map;

	switch (smp->cpumode) {
	case PD_CPUMODE_KERNEL:
		space = pd_session_kernel(s->session, false);
		break;
	case PD_CPUMODE_USER:
		pd_session_settle(s->session, th);
		space = pd_thread_space(th);
		break;
	default:
		return 0;
	}
	if ((map = pd_space_find(space, smp->ip)) == NULL)
		return 0;
	if (pd_grow_zeroed(&s->dsos, &s->dsos_cap, map->dso->id + 1,
	    sizeof(*s->dsos), err) == -1)
		return -1;
	s->dsos[map->dso->id]++;
	return 0;
}

/* What it begins or ends; an end goes first. */
static int
add_marker(struct pd_summary *s, const struct pd_record *rec, size_t thread,
    struct pd_error *err)
{
	const struct pd_sum_event *e = &s->events[rec->event->index];
	const struct pd_occurrence o = { .start = rec->time };

	if (rec->time == PD_NOTIME || rec->tid == PD_NOID)
		return 0;
	if (e->ends != PD_NOID && pd_pairing_end(&s->pairs[e->ends].pairing,
	    thread, rec->time, err) == -1)
		return -1;
	return e->begins == PD_NOID ? 0 : pd_pairing_begin(
	    &s->pairs[e->begins].pairing, thread, &o, err);
}

/* The sample of a group counts for those of its events that counted. */
static int
count_events(struct pd_summary *s, const struct pd_record *rec,
    const struct pd_sample *smp, struct pd_error *err)
{
	const struct pd_event *ev;
	uint64_t period;
	size_t i;
	int r;

	for (i = 0; (r = pd_reader_member(s->rd, rec, smp, i, &ev, &period,
	    err)) == 1; i++)
		if (ev != NULL && (smp->read == NULL || period > 0))
			s->events[ev->index].samples++;
	return r;
}

static int
put_sample(struct pd_summary *s, const struct pd_record *rec,
    struct pd_error *err)
{
	const struct pd_thread *th;
	struct pd_sum_thread *t;
	struct pd_sample smp;
	size_t at;

	if (rec->event == NULL || !pd_reader_sample(s->rd, rec, &smp))
		return 0;
	if (add_events(s, err) == -1 ||
	    (!s->paired && find_pairs(s, err) == -1))
		return -1;
	if ((th = pd_session_thread(s->session, rec->pid, rec->tid, err)) ==
	    NULL || (t = thread_of(s, rec, err)) == NULL)
		return -1;
	at = (size_t)(t - s->threads);
	s->samples++;
	t->samples++;
	t->comm = th->comm;
	t->leader_comm = th->leader_comm;
	return count_events(s, rec, &smp, err) == -1 ||
	    add_time(s, rec, at, err) == -1 ||
	    add_marker(s, rec, at, err) == -1 ? -1 :
	    add_dso(s, &smp, th, err);
}

/* ---- records ------------------------------------------------------------------ */

/*
 * A number that is given to a new thread is another thread's from then on.
 * Until then it is not: a thread may have samples behind its EXIT.
 */
static void
put_task(struct pd_summary *s, const struct pd_record *rec)
{
	struct pd_error why;
	union pd_body body;
	uint64_t key;
	uint32_t i;

	if (pd_record_decode(rec, &body, &why) != 1)
		return;
	key = (uint64_t)body.task.pid << 32 | body.task.tid;
	if ((i = pd_map64_find(&s->thread_of, key)) == PD_NOID)
		return;
	if (rec->type == PD_RECORD_EXIT)
		s->threads[i].ended = true;
	else if (s->threads[i].ended)
		pd_map64_del(&s->thread_of, key);
}

int
pd_summary_next(struct pd_summary *s, struct pd_error *err)
{
	struct pd_record rec;
	int r = pd_reader_next(s->rd, &rec, err);

	if (r <= 0)
		return r;
	if (pd_session_apply(s->session, &rec, err) == -1)
		return -1;
	if (rec.type == PD_RECORD_FORK || rec.type == PD_RECORD_EXIT)
		put_task(s, &rec);
	if (rec.type == PD_RECORD_SAMPLE && put_sample(s, &rec, err) == -1)
		return -1;
	return 1;
}

const struct pd_session *
pd_summary_session(const struct pd_summary *s)
{
	return s->session;
}

/* ---- answers ------------------------------------------------------------------ */

enum pd_asked
pd_summary_asked(const struct pd_event *ev, uint64_t *n)
{
	*n = ev->period_or_freq;
	if (ev->is_freq)
		return PD_ASKED_HZ;
	if (ev->type == PD_TYPE_SOFTWARE && *n > 0 &&
	    (ev->config == SW_CPU_CLOCK || ev->config == SW_TASK_CLOCK)) {
		*n = (PD_SECOND + *n / 2) / *n;
		return PD_ASKED_HZ;
	}
	return *n <= 1 ? PD_ASKED_ALL : PD_ASKED_PERIOD;
}

bool
pd_summary_on_cpus(const struct pd_summary *s)
{
	return s->samples > 0 && s->on_cpus == s->samples;
}

/*
 * Threads wait, also for each other: then what is between their samples is no
 * interval of the event, but the shorter ones are.
 */
uint64_t
pd_summary_interval(const struct pd_summary *s, const struct pd_sum_event *e)
{
	return e->intervals.len < 20 ? 0 : pd_histogram_quantile(&e->intervals,
	    pd_summary_on_cpus(s) ? 500 : 100);
}

bool
pd_summary_lacks_id(const struct pd_summary *s, size_t i)
{
	const struct pd_dso *dso = pd_session_dso(s->session, i);

	return i < s->dsos_cap && s->dsos[i] > 0 && dso->buildid.size == 0 &&
	    (dso->kind == PD_DSO_FILE || dso->kind == PD_DSO_KERNEL ||
	    dso->kind == PD_DSO_MODULE);
}

static int
more_samples(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int
by_samples(const void *va, const void *vb)
{
	const struct pd_sum_thread *a = va, *b = vb;
	int r = more_samples(a->samples, b->samples);

	if (r == 0)
		r = (a->pid > b->pid) - (a->pid < b->pid);
	return r != 0 ? r : (a->tid > b->tid) - (a->tid < b->tid);
}

static int
by_cpu(const void *va, const void *vb)
{
	const struct pd_sum_cpu *a = va, *b = vb;

	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

int
pd_summary_write(struct pd_summary *s, const char *name,
    enum pd_summary_form form, FILE *out, struct pd_error *err)
{
	size_t i;

	if (add_events(s, err) == -1)
		return -1;
	for (i = 0; i < s->npairs; i++)
		if (pd_pairing_finish(&s->pairs[i].pairing, 0, err) == -1)
			return -1;
	if (s->nthreads > 1)
		qsort(s->threads, s->nthreads, sizeof(*s->threads), by_samples);
	if (s->ncpus > 1)
		qsort(s->cpus, s->ncpus, sizeof(*s->cpus), by_cpu);
	if (form == PD_SUMMARY_JSON)
		pd_summary_json(s, name, out);
	else
		pd_summary_text(s, name, form == PD_SUMMARY_ALL, out);
	return ferror(out) ? pd_fail(err, PD_EIO, PD_NOWHERE, "write") : 0;
}
