/*
 * Markers: occurrences of critical sections, from the events that they begin
 * and end with, or from files.
 */
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "cut/condition.h"
#include "cut/markerfile.h"
#include "cut/pairing.h"
#include "record/record.h"

/* What makes an occurrence. */
struct rule {
	struct pd_condition	*begin, *end;	/* end NULL: around begin */
};

/* Which rules an event may be of. */
struct role {
	bool	known, marker;
};

/* A marker file that a process mapped. */
struct mapped {
	const char	*path;		/* interned */
	uint32_t	pid;
};

struct pd_markers {
	struct pd_marker_opts	opts;
	struct pd_choice	choice;
	struct rule		*rules;
	size_t			nrules, rules_cap;
	struct role		*roles;		/* by event */
	size_t			roles_cap;
	struct pd_pairing	pairing;
	struct pd_occurrences	occs;
	struct pd_window_lines	lines;
	struct pd_map64		mapped_at;	/* path, pid -> mapped */
	struct mapped		*mapped;
	size_t			nmapped, mapped_cap;
	struct pd_strtab	names;
	struct pd_notes		notes;
	uint64_t		first, last;	/* samples */
	uint64_t		end;		/* of all records */
};

struct pd_markers *
pd_markers_new(struct pd_error *err)
{
	struct pd_markers *m = pd_calloc(1, sizeof(*m), err);

	if (m == NULL)
		return NULL;
	m->pairing.occs = &m->occs;
	m->first = m->last = PD_NOTIME;
	return m;
}

void
pd_markers_free(struct pd_markers *m)
{
	size_t i;

	if (m == NULL)
		return;
	for (i = 0; i < m->nrules; i++) {
		pd_condition_free(m->rules[i].begin);
		pd_condition_free(m->rules[i].end);
	}
	free(m->rules);
	free(m->roles);
	pd_pairing_free(&m->pairing);
	pd_occurrences_free(&m->occs);
	free(m->lines.list);
	pd_map64_free(&m->mapped_at);
	free(m->mapped);
	pd_choice_free(&m->choice);
	pd_strtab_free(&m->names);
	pd_notes_free(&m->notes);
	free(m);
}

void
pd_markers_set(struct pd_markers *m, const struct pd_marker_opts *opts)
{
	m->opts = *opts;
}

int
pd_markers_choose(struct pd_markers *m, enum pd_choose how, const char *text,
    struct pd_error *err)
{
	return pd_choice_add(&m->choice, how, text, err);
}

/* ---- where occurrences come from --------------------------------------------- */

static int
add_rule(struct pd_markers *m, const char *what, const char *begin,
    const char *end, struct pd_error *err)
{
	struct rule r = { .begin = NULL };

	if ((r.begin = pd_condition_parse(begin, what, err)) == NULL ||
	    (end != NULL &&
	    (r.end = pd_condition_parse(end, what, err)) == NULL) ||
	    pd_grow(&m->rules, &m->rules_cap, m->nrules + 1, sizeof(r),
	    err) == -1) {
		pd_condition_free(r.begin);
		pd_condition_free(r.end);
		return -1;
	}
	m->rules[m->nrules++] = r;
	return 0;
}

int
pd_markers_between(struct pd_markers *m, const char *begin, const char *end,
    struct pd_error *err)
{
	return add_rule(m, "--between", begin, end, err);
}

int
pd_markers_around(struct pd_markers *m, const char *event,
    struct pd_error *err)
{
	return add_rule(m, "--around", event, NULL, err);
}

int
pd_markers_file(struct pd_markers *m, const char *path, struct pd_error *err)
{
	return pd_markerfile_read(path, &m->occs, &m->names, err);
}

int
pd_markers_windows(struct pd_markers *m, const char *path,
    struct pd_error *err)
{
	return pd_windowfile_read(path, &m->lines, &m->names, err);
}

/* ---- records ---------------------------------------------------------------------- */

/* What of the event stands for all of a scope. */
static int
scope_id(const struct pd_markers *m, const struct pd_record *rec,
    uint32_t *id, struct pd_error *err)
{
	static const char *const names[] = { "thread", "process", "CPU" };

	*id = m->opts.scope == PD_SCOPE_THREAD ? rec->tid :
	    m->opts.scope == PD_SCOPE_PROCESS ? rec->pid :
	    m->opts.scope == PD_SCOPE_CPU ? rec->cpu : 0;
	if (*id != PD_NOID)
		return 0;
	return pd_fail(err, PD_EUNSUPP, PD_NOWHERE, "samples of %s do not tell "
	    "their %s%s", rec->event->name, names[m->opts.scope],
	    m->opts.scope == PD_SCOPE_CPU ? " (perf record --sample-cpu does)" : "");
}

static const char *
short_name(struct pd_markers *m, const struct pd_event *ev,
    struct pd_error *err)
{
	const char *colon = strchr(ev->name, ':');

	return pd_strtab_str(&m->names, colon && colon[1] ? colon + 1 :
	    ev->name, err);
}

static uint64_t
lane_key(size_t rule, uint32_t id)
{
	return (uint64_t)rule << 32 | id;
}

/* The occurrence that begins, or has its middle, with a record. */
static int
begin_of(struct pd_markers *m, const struct pd_record *rec,
    struct pd_occurrence *o, struct pd_error *err)
{
	bool thread = m->opts.scope == PD_SCOPE_THREAD;

	*o = (struct pd_occurrence){
		.start = rec->time,
		.pid = thread || m->opts.scope == PD_SCOPE_PROCESS ? rec->pid : PD_NOID,
		.tid = thread ? rec->tid : PD_NOID,
		.cpu = m->opts.scope == PD_SCOPE_CPU ? rec->cpu : PD_NOID,
		.name = short_name(m, rec->event, err),
	};
	return o->name ? 0 : -1;
}

static int
around(struct pd_markers *m, const struct pd_record *rec,
    struct pd_error *err)
{
	struct pd_occurrence o;

	if (begin_of(m, rec, &o, err) == -1)
		return -1;
	o.start = pd_earlier(rec->time, m->opts.before);
	o.stop = pd_later(pd_later(rec->time, m->opts.after), 1);
	o.duration = o.stop - o.start - 1;
	return pd_occurrences_add(&m->occs, &o, err);
}

/* An end goes first: one that is a begin too ends what the last one began. */
static int
apply_rule(struct pd_markers *m, size_t i, struct pd_reader *rd,
    const struct pd_record *rec, struct pd_error *err)
{
	struct rule *r = &m->rules[i];
	struct pd_occurrence o;
	int begins, ends = 0;
	uint64_t key;
	uint32_t id;

	if ((begins = pd_condition_match(r->begin, rd, rec, err)) == -1 ||
	    (r->end != NULL &&
	    (ends = pd_condition_match(r->end, rd, rec, err)) == -1))
		return -1;
	if (!begins && !ends)
		return 0;
	if (rec->time == PD_NOTIME)
		return pd_fail(err, PD_EUNSUPP, PD_NOWHERE,
		    "samples of %s have no time", rec->event->name);
	if (scope_id(m, rec, &id, err) == -1)
		return -1;
	if (r->end == NULL)
		return around(m, rec, err);
	key = lane_key(i, id);
	if (ends && (!begins || pd_pairing_open(&m->pairing, key)) &&
	    pd_pairing_end(&m->pairing, key, rec->time, err) == -1)
		return -1;
	return !begins ? 0 : begin_of(m, rec, &o, err) == -1 ? -1 :
	    pd_pairing_begin(&m->pairing, key, &o, err);
}

bool
pd_markers_is(const struct pd_markers *m, const struct pd_event *ev)
{
	size_t i;

	if (ev->index < m->roles_cap && m->roles[ev->index].known)
		return m->roles[ev->index].marker;
	for (i = 0; i < m->nrules; i++)
		if (pd_condition_names(m->rules[i].begin, ev) ||
		    (m->rules[i].end != NULL &&
		    pd_condition_names(m->rules[i].end, ev)))
			return true;
	return false;
}

static int
put_sample(struct pd_markers *m, struct pd_reader *rd,
    const struct pd_record *rec, struct pd_error *err)
{
	struct role *role;
	uint32_t id;
	size_t i;

	if (rec->event == NULL)
		return 0;
	if (rec->time != PD_NOTIME) {
		if (m->first == PD_NOTIME)
			m->first = rec->time;
		if (m->last == PD_NOTIME || rec->time > m->last)
			m->last = rec->time;
	}
	if (m->nrules == 0)
		return 0;
	/* Else samples would be missing in all occurrences, without a word. */
	if (m->opts.scope == PD_SCOPE_CPU && scope_id(m, rec, &id, err) == -1)
		return -1;
	if (pd_grow_zeroed(&m->roles, &m->roles_cap, rec->event->index + 1,
	    sizeof(*m->roles), err) == -1)
		return -1;
	role = &m->roles[rec->event->index];
	if (!role->known)
		*role = (struct role){ true, pd_markers_is(m, rec->event) };
	for (i = 0; role->marker && i < m->nrules; i++)
		if (apply_rule(m, i, rd, rec, err) == -1)
			return -1;
	return 0;
}

/* What a thread has begun ends with it, at the latest; so for a process. */
static int
put_exit(struct pd_markers *m, const struct pd_record *rec,
    struct pd_error *err)
{
	union pd_body body;
	struct pd_error why;
	uint32_t id;
	size_t i;

	if (pd_record_decode(rec, &body, &why) != 1)
		return 0;
	id = m->opts.scope == PD_SCOPE_THREAD ? body.task.tid :
	    m->opts.scope == PD_SCOPE_PROCESS && body.task.pid == body.task.tid ?
	    body.task.pid : PD_NOID;
	for (i = 0; id != PD_NOID && i < m->nrules; i++)
		if (pd_pairing_close(&m->pairing, lane_key(i, id),
		    rec->time == PD_NOTIME ? m->end : rec->time, err) == -1)
			return -1;
	return 0;
}

static int
put_mmap(struct pd_markers *m, const struct pd_record *rec,
    struct pd_error *err)
{
	union pd_body body;
	struct pd_error why;
	uint32_t pid, tid, path;
	uint64_t key;

	if (pd_record_decode(rec, &body, &why) != 1 ||
	    !pd_markerfile_named(body.mmap.name, &pid, &tid))
		return 0;
	path = pd_strtab_add(&m->names, body.mmap.name,
	    strlen(body.mmap.name), err);
	if (path == PD_NOID)
		return -1;
	key = (uint64_t)path << 32 | body.mmap.pid;
	if (pd_map64_find(&m->mapped_at, key) != PD_NOID)
		return 0;
	if (pd_grow(&m->mapped, &m->mapped_cap, m->nmapped + 1,
	    sizeof(*m->mapped), err) == -1 ||
	    pd_map64_put(&m->mapped_at, key, (uint32_t)m->nmapped, err) == -1)
		return -1;
	m->mapped[m->nmapped++] = (struct mapped){
		pd_strtab_get(&m->names, path), body.mmap.pid };
	return 0;
}

int
pd_markers_put(struct pd_markers *m, struct pd_reader *rd,
    const struct pd_record *rec, struct pd_error *err)
{
	if (rec->time != PD_NOTIME && rec->time > m->end)
		m->end = rec->time;
	switch (rec->type) {
	case PD_RECORD_SAMPLE: return put_sample(m, rd, rec, err);
	case PD_RECORD_EXIT: return put_exit(m, rec, err);
	case PD_RECORD_MMAP:
	case PD_RECORD_MMAP2:
		return m->opts.mapped ? put_mmap(m, rec, err) : 0;
	default: return 0;
	}
}

/* ---- the end ------------------------------------------------------------------------ */

/* An option whose event the recording does not have is a mistake. */
static int
check_event(const struct pd_condition *c, const struct pd_reader *rd,
    struct pd_error *err)
{
	const struct pd_event *ev;
	char list[160] = "";
	size_t i, n = 0;

	for (i = 0; (ev = pd_reader_event(rd, i)) != NULL; i++) {
		if (pd_condition_names(c, ev))
			return 0;
		if (n + strlen(ev->name) + 2 < sizeof(list))
			n += (size_t)sprintf(list + n, "%s%s", n > 0 ? ", " : "",
			    ev->name);
	}
	return pd_fail(err, PD_EARG, PD_NOWHERE, "%s: no event '%s' in the "
	    "recording, which has %s", pd_condition_what(c),
	    pd_condition_event(c), n > 0 ? list : "none");
}

static int
check_events(const struct pd_markers *m, const struct pd_reader *rd,
    struct pd_error *err)
{
	size_t i;

	for (i = 0; i < m->nrules; i++)
		if (check_event(m->rules[i].begin, rd, err) == -1 ||
		    (m->rules[i].end != NULL &&
		    check_event(m->rules[i].end, rd, err) == -1))
			return -1;
	return 0;
}

static int
read_mapped(struct pd_markers *m, const struct pd_info *info,
    struct pd_error *err)
{
	size_t i;

	if (m->nmapped > 0 && info->clockid != CLOCK_MONOTONIC)
		return pd_fail(err, PD_EUNSUPP, PD_NOWHERE, "marker files tell "
		    "the time of another clock than the recording (perf record "
		    "-k CLOCK_MONOTONIC makes it the same)");
	for (i = 0; i < m->nmapped; i++)
		if (pd_markerfile_read_mapped(m->mapped[i].path,
		    m->mapped[i].pid, &m->occs, &m->names, &m->notes,
		    err) == -1)
			return -1;
	return 0;
}

int
pd_markers_finish(struct pd_markers *m, const struct pd_reader *rd,
    struct pd_error *err)
{
	const struct pd_timebase base = { pd_reader_info(rd), m->first,
		m->last };

	if (check_events(m, rd, err) == -1 ||
	    pd_pairing_finish(&m->pairing, m->end, err) == -1 ||
	    read_mapped(m, base.info, err) == -1 ||
	    pd_windowfile_resolve(&m->lines, &base, &m->occs, err) == -1)
		return -1;
	m->pairing.counts.found = m->occs.len - m->pairing.counts.unfinished;
	return pd_occurrences_choose(&m->occs, &m->choice, m->opts.unfinished,
	    err) == -1 ? -1 : pd_occurrences_index(&m->occs, err);
}

/* ---- use -------------------------------------------------------------------------- */

const struct pd_occurrence *
pd_markers_get(const struct pd_markers *m, size_t *len)
{
	*len = m->occs.len;
	return m->occs.list;
}

bool
pd_markers_match(const struct pd_markers *m, uint64_t time, uint32_t pid,
    uint32_t tid, uint32_t cpu)
{
	return pd_occurrences_match(&m->occs, time, pid, tid, cpu);
}

bool
pd_markers_at(const struct pd_markers *m, uint64_t time)
{
	return pd_window_match(m->occs.all, m->occs.nall, time);
}

bool
pd_markers_over(const struct pd_markers *m, uint64_t time)
{
	return time != PD_NOTIME && (m->occs.nall == 0 ||
	    time >= m->occs.all[m->occs.nall - 1].stop);
}

struct pd_marker_counts
pd_markers_counts(const struct pd_markers *m)
{
	return m->pairing.counts;
}

const struct pd_note *
pd_markers_note(const struct pd_markers *m, size_t i)
{
	return pd_notes_get(&m->notes, i);
}
