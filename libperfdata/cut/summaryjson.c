/* Writes what a recording is, for programs. */
#include <inttypes.h>

#include "base/json.h"
#include "base/text.h"
#include "cut/summary.h"
#include "record/event.h"
#include "record/reader.h"
#include "record/tracing.h"

static void
put_time(struct pd_json *j, const char *key, uint64_t time)
{
	if (time == PD_NOTIME)
		pd_json_null(j, key);
	else
		pd_json_u64(j, key, time);
}

static void
put_id(struct pd_json *j, const char *key, uint32_t id)
{
	if (id == PD_NOID)
		pd_json_null(j, key);
	else
		pd_json_u64(j, key, id);
}

static void
put_info(struct pd_json *j, const struct pd_summary *s)
{
	const struct pd_info *i = pd_reader_info(s->rd);
	uint64_t done, total;

	pd_reader_progress(s->rd, &done, &total);
	pd_json_string(j, "command", i->cmdline);
	pd_json_string(j, "perf", i->version);
	pd_json_string(j, "host", i->hostname);
	pd_json_string(j, "kernel", i->osrelease);
	pd_json_string(j, "arch", i->arch);
	pd_json_string(j, "cpu", i->cpudesc);
	pd_json_u64(j, "cpus_online", i->ncpus_online);
	pd_json_u64(j, "memory_kb", i->total_mem);
	pd_json_string(j, "container", i->directory ? "directory" :
	    i->pipe ? "pipe" : "file");
	pd_json_u64(j, "bytes", total ? total : done);
	pd_json_bool(j, "compressed", i->compressed);
	pd_json_bool(j, "big_endian", i->big_endian);
	pd_json_bool(j, "complete", !i->killed);
}

static void
put_times(struct pd_json *j, const struct pd_summary *s)
{
	const struct pd_info *i = pd_reader_info(s->rd);
	char buf[48];

	pd_json_object(j, "time");
	if (i->clockid < 0)
		pd_json_null(j, "clockid");
	else
		pd_json_i64(j, "clockid", i->clockid);
	pd_json_string(j, "clock", pd_summary_clock(i->clockid));
	put_time(j, "first_ns", s->first);
	put_time(j, "last_ns", s->last);
	pd_json_string(j, "first_wall", pd_summary_wall(buf, i, s->first));
	pd_json_string(j, "last_wall", pd_summary_wall(buf, i, s->last));
	pd_json_object_end(j);
}

static void
put_fields(struct pd_json *j, const struct pd_summary *s,
    const struct pd_event *ev)
{
	const struct pd_tracepoints *tps =
	    pd_reader_features(s->rd)->tracepoints;
	struct pd_field f;
	size_t at = 0;

	pd_json_array(j, "fields");
	while (pd_tracepoints_field(tps, ev->config, &at, &f))
		pd_json_text(j, NULL, f.name, f.name_len);
	pd_json_array_end(j);
}

static void
put_events(struct pd_json *j, const struct pd_summary *s)
{
	static const char *const asked[] = { "all", "period", "hz" };
	const struct pd_sum_event *e = s->events;

	pd_json_array(j, "events");
	for (size_t k = 0; k < s->nevents; k++, e++) {
		uint64_t n;
		enum pd_asked a = pd_summary_asked(e->ev, &n);
		uint64_t interval = pd_summary_interval(s, e);

		pd_json_object(j, NULL);
		pd_json_string(j, "name", e->ev->name);
		pd_json_u64(j, "samples", e->samples);
		pd_json_object(j, "asked");
		pd_json_u64(j, asked[a], a == PD_ASKED_ALL ? 1 : n);
		pd_json_object_end(j);
		if (interval > 0)
			pd_json_u64(j, "interval_ns", interval);
		else
			pd_json_null(j, "interval_ns");
		pd_json_bool(j, "callchain",
		    e->ev->sample_type & PD_SAMPLE_CALLCHAIN);
		pd_json_bool(j, "copied_stack",
		    e->ev->sample_type & PD_SAMPLE_STACK_USER);
		if (e->ev->type == PD_TYPE_TRACEPOINT)
			put_fields(j, s, e->ev);
		pd_json_object_end(j);
	}
	pd_json_array_end(j);
}

static void
put_pairs(struct pd_json *j, const struct pd_summary *s)
{
	const struct pd_sum_pair *p = s->pairs;

	pd_json_array(j, "sections");
	for (size_t k = 0; k < s->npairs; k++, p++) {
		const struct pd_histogram *d = &p->durations;

		pd_json_object(j, NULL);
		pd_json_string(j, "begin", p->begin->name);
		pd_json_string(j, "end", p->end->name);
		pd_json_u64(j, "count", d->len);
		pd_json_u64(j, "unfinished", p->pairing.counts.unfinished);
		pd_json_u64(j, "nested", p->pairing.counts.nested);
		pd_json_u64(j, "ends_without_begin", p->pairing.counts.stray);
		pd_json_u64(j, "median_ns", pd_histogram_quantile(d, 500));
		pd_json_u64(j, "p99_ns", pd_histogram_quantile(d, 990));
		pd_json_u64(j, "max_ns", d->max);
		pd_json_object_end(j);
	}
	pd_json_array_end(j);
}

static void
put_threads(struct pd_json *j, const struct pd_summary *s)
{
	const struct pd_sum_thread *t = s->threads;

	pd_json_array(j, "threads");
	for (size_t k = 0; k < s->nthreads; k++, t++) {
		pd_json_object(j, NULL);
		put_id(j, "pid", t->pid);
		put_id(j, "tid", t->tid);
		pd_json_string(j, "comm", t->comm);
		pd_json_string(j, "process", t->leader_comm);
		pd_json_u64(j, "samples", t->samples);
		pd_json_object_end(j);
	}
	pd_json_array_end(j);
}

static void
put_gap(struct pd_json *j, const struct pd_sum_gap *g)
{
	pd_json_u64(j, "gap_from_ns", g->start);
	pd_json_u64(j, "gap_ns", g->length);
}

static void
put_gaps(struct pd_json *j, const struct pd_summary *s)
{
	const struct pd_sum_cpu *c = s->cpus;
	size_t i;

	pd_json_array(j, "gaps");
	for (i = 0; i < PD_SUM_GAPS && s->gaps[i].length > 0; i++) {
		pd_json_object(j, NULL);
		put_gap(j, &s->gaps[i]);
		pd_json_object_end(j);
	}
	pd_json_array_end(j);
	pd_json_array(j, "cpus");
	for (size_t k = 0; pd_summary_on_cpus(s) && k < s->ncpus; k++, c++) {
		pd_json_object(j, NULL);
		pd_json_u64(j, "cpu", c->cpu);
		pd_json_u64(j, "samples", c->samples);
		put_gap(j, &c->gap);
		pd_json_object_end(j);
	}
	pd_json_array_end(j);
}

static void
put_files(struct pd_json *j, const struct pd_summary *s)
{
	size_t i;

	pd_json_array(j, "without_build_id");
	for (i = 0; i < s->dsos_cap; i++) {
		if (!pd_summary_lacks_id(s, i))
			continue;
		pd_json_object(j, NULL);
		pd_json_string(j, "file", pd_session_dso(s->session, i)->name);
		pd_json_u64(j, "samples", s->dsos[i]);
		pd_json_object_end(j);
	}
	pd_json_array_end(j);
}

void
pd_summary_json(const struct pd_summary *s, const char *name, FILE *out)
{
	struct pd_counts n = pd_reader_counts(s->rd);
	struct pd_json j = { .out = out };

	pd_json_object(&j, NULL);
	pd_json_string(&j, "recording", name);
	pd_json_u64(&j, "samples", s->samples);
	pd_json_u64(&j, "untimed", s->untimed);
	pd_json_u64(&j, "lost", n.lost);
	pd_json_u64(&j, "throttled", n.throttled);
	pd_json_u64(&j, "damaged", n.skipped);
	put_info(&j, s);
	put_times(&j, s);
	put_events(&j, s);
	put_pairs(&j, s);
	put_threads(&j, s);
	put_gaps(&j, s);
	put_files(&j, s);
	pd_json_object_end(&j);
	pd_json_newline(&j);
}
