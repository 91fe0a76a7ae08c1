/* Writes what a recording is, for people. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "cut/summary.h"
#include "record/event.h"
#include "record/reader.h"
#include "record/tracing.h"

enum { SHOWN = 20 };			/* of a long list */

/* ---- words -------------------------------------------------------------------- */

/* A text of the recording, safe for a terminal. */
static void
put_text(FILE *out, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t left = strlen(s), n;

	for (; left > 0; left -= n, p += n) {
		n = pd_utf8_len(p, left);
		if (n == 0 || *p < 0x20 || *p == 0x7f ||
		    (p[0] == 0xc2 && p[1] < 0xa0)) {
			putc('?', out);
			n += n == 0;
		} else {
			fwrite(p, 1, n, out);
		}
	}
}

/* Three digits and a unit. */
static const char *
duration(char buf[32], uint64_t ns)
{
	static const struct { uint64_t ns; const char *unit; } units[] = {
		{ PD_SECOND, "s" }, { 1000000, "ms" }, { 1000, "us" },
		{ 1, "ns" },
	};
	size_t i = 0;
	double v;

	while (units[i].ns > ns && units[i].ns > 1)
		i++;
	v = (double)ns / (double)units[i].ns;
	snprintf(buf, 32, "%.*f %s", units[i].ns == 1 || v >= 99.95 ? 0 :
	    v >= 9.995 ? 1 : 2, v, units[i].unit);
	return buf;
}

static const char *
seconds(char buf[32], uint64_t ns)
{
	snprintf(buf, 32, "%" PRIu64 ".%09" PRIu64, ns / PD_SECOND,
	    ns % PD_SECOND);
	return buf;
}

const char *
pd_summary_wall(char buf[48], const struct pd_info *info, uint64_t time)
{
	uint64_t wall = info->clock_wall + (time - info->clock_mono);
	time_t t = (time_t)(wall / PD_SECOND);
	struct tm tm;
	size_t n;

	if (info->clock_wall == 0 || time == PD_NOTIME ||
	    gmtime_r(&t, &tm) == NULL ||
	    (n = strftime(buf, 48, "%Y-%m-%dT%H:%M:%S", &tm)) == 0)
		return NULL;
	snprintf(buf + n, 48 - n, ".%09" PRIu64 "Z", wall % PD_SECOND);
	return buf;
}

const char *
pd_summary_clock(int32_t id)
{
	static const char *const names[] = {
		[CLOCK_REALTIME] = "CLOCK_REALTIME",
		[CLOCK_MONOTONIC] = "CLOCK_MONOTONIC",
		[CLOCK_MONOTONIC_RAW] = "CLOCK_MONOTONIC_RAW",
		[CLOCK_BOOTTIME] = "CLOCK_BOOTTIME",
		[CLOCK_TAI] = "CLOCK_TAI",
	};

	return id < 0 || (size_t)id >= sizeof(names) / sizeof(names[0]) ?
	    NULL : names[id];
}

/* ---- what all of it is -------------------------------------------------------- */

static void
key(FILE *out, const char *name)
{
	fprintf(out, "%-12s", name);
}

/* Texts that are there, with a separator between them. */
static void
put_texts(FILE *out, const char *name, const char *const *texts, size_t len)
{
	const char *sep = "";
	size_t i;

	for (i = 0; i < len; i++) {
		if (texts[i] == NULL || *texts[i] == '\0')
			continue;
		if (*sep == '\0')
			key(out, name);
		fputs(sep, out);
		put_text(out, texts[i]);
		sep = ", ";
	}
	if (*sep != '\0')
		putc('\n', out);
}

static void
put_container(const struct pd_summary *s, FILE *out)
{
	const struct pd_info *info = pd_reader_info(s->rd);
	uint64_t done, total;

	pd_reader_progress(s->rd, &done, &total);
	key(out, "container");
	fprintf(out, "%s, %" PRIu64 " bytes%s%s%s\n", info->directory ?
	    "directory" : info->pipe ? "pipe" : "file", total ? total : done,
	    info->compressed ? ", compressed" : "",
	    info->big_endian ? ", big-endian" : "",
	    info->killed ? ", not completed: perf record was killed" : "");
}

static void
put_times(const struct pd_summary *s, FILE *out)
{
	const struct pd_info *info = pd_reader_info(s->rd);
	const char *clock = pd_summary_clock(info->clockid), *from, *to;
	char a[48], b[48], c[32];

	key(out, "clock");
	if (info->clockid < 0)
		fprintf(out, "perf's own\n");
	else if (clock == NULL)
		fprintf(out, "clock %" PRId32 "\n", info->clockid);
	else
		fprintf(out, "%s\n", clock);
	if (s->first == PD_NOTIME)
		return;
	key(out, "time");
	fprintf(out, "%s to %s, %s\n", seconds(a, s->first),
	    seconds(b, s->last), duration(c, s->last - s->first));
	from = pd_summary_wall(a, info, s->first);
	to = pd_summary_wall(b, info, s->last);
	if (from != NULL && to != NULL) {
		key(out, "wall clock");
		fprintf(out, "%s to %s\n", from, to);
	}
}

static void
put_losses(const struct pd_summary *s, FILE *out)
{
	struct pd_counts n = pd_reader_counts(s->rd);

	key(out, "lost");
	fprintf(out, "%" PRIu64, n.lost);
	if (n.lost > 0)
		fprintf(out, " (%.2f%%)", 100 * (double)n.lost /
		    ((double)n.lost + (double)n.samples));
	fprintf(out, "; throttled %" PRIu64 " times\n", n.throttled);
	if (n.skipped > 0) {
		key(out, "damaged");
		fprintf(out, "%" PRIu64 " records, left out\n", n.skipped);
	}
	if (s->untimed > 0) {
		key(out, "untimed");
		fprintf(out, "%" PRIu64 " samples\n", s->untimed);
	}
}

static void
put_head(const struct pd_summary *s, const char *name, FILE *out)
{
	const struct pd_info *i = pd_reader_info(s->rd);
	char d[32], cpus[48] = "", mem[48] = "";
	size_t events = 0;

	for (size_t e = 0; e < s->nevents; e++)
		events += s->events[e].samples > 0;
	put_text(out, name);
	fprintf(out, ": %" PRIu64 " samples of %zu event%s in %s, %zu "
	    "thread%s\n\n", s->samples, events, events == 1 ? "" : "s",
	    duration(d, s->first == PD_NOTIME ? 0 : s->last - s->first),
	    s->nthreads, s->nthreads == 1 ? "" : "s");
	put_texts(out, "command", &i->cmdline, 1);
	put_texts(out, "perf", &i->version, 1);
	put_texts(out, "host", (const char *const[]){ i->hostname,
	    i->osrelease, i->arch }, 3);
	if (i->ncpus_online > 0)
		snprintf(cpus, sizeof(cpus), "%" PRIu32 " CPUs online",
		    i->ncpus_online);
	if (i->total_mem > 0)
		snprintf(mem, sizeof(mem), "%.1f GiB of memory",
		    (double)i->total_mem / (1 << 20));
	put_texts(out, "machine", (const char *const[]){ i->cpudesc, cpus,
	    mem }, 3);
	put_container(s, out);
	put_times(s, out);
	put_losses(s, out);
}

/* ---- events ------------------------------------------------------------------- */

static void
put_asked(const struct pd_event *ev, FILE *out)
{
	uint64_t n;

	switch (pd_summary_asked(ev, &n)) {
	case PD_ASKED_ALL: fprintf(out, "  %12s", "all"); break;
	case PD_ASKED_HZ: fprintf(out, "  %9" PRIu64 " Hz", n); break;
	case PD_ASKED_PERIOD: fprintf(out, "  1 in %7" PRIu64, n); break;
	}
}

/* What else a sample of the event has. */
static void
put_extras(const struct pd_event *ev, FILE *out)
{
	static const struct { uint64_t bit; const char *name; } extras[] = {
		{ PD_SAMPLE_CALLCHAIN, "callchain" },
		{ PD_SAMPLE_BRANCH_STACK, "branches" },
		{ PD_SAMPLE_STACK_USER, "copied stack" },
		{ PD_SAMPLE_ADDR, "address" }, { PD_SAMPLE_CGROUP, "cgroup" },
	};
	const char *sep = "  with ";
	size_t i;

	for (i = 0; i < sizeof(extras) / sizeof(extras[0]); i++)
		if (ev->sample_type & extras[i].bit) {
			fprintf(out, "%s%s", sep, extras[i].name);
			sep = ", ";
		}
}

static void
put_events(const struct pd_summary *s, FILE *out)
{
	const struct pd_sum_event *e = s->events;

	fprintf(out, "\nEVENTS\n%10s  %12s  %12s  event\n", "samples", "asked",
	    "achieved");
	for (size_t k = 0; k < s->nevents; k++, e++) {
		uint64_t interval = pd_summary_interval(s, e), n;

		fprintf(out, "%10" PRIu64, e->samples);
		put_asked(e->ev, out);
		/* a tracepoint comes as often as its code runs */
		if (interval > 0 && e->ev->type != PD_TYPE_TRACEPOINT &&
		    pd_summary_asked(e->ev, &n) != PD_ASKED_ALL)
			fprintf(out, "  %9.0f Hz  ", 1e9 / (double)interval);
		else
			fprintf(out, "  %12s  ", "-");
		put_text(out, e->ev->name);
		put_extras(e->ev, out);
		putc('\n', out);
	}
}

/* ---- markers ------------------------------------------------------------------ */

static void
put_fields(const struct pd_summary *s, const struct pd_event *ev, FILE *out)
{
	const struct pd_tracepoints *tps =
	    pd_reader_features(s->rd)->tracepoints;
	const char *sep = ": ";
	struct pd_field f;
	char name[64];
	size_t at = 0;

	while (pd_tracepoints_field(tps, ev->config, &at, &f)) {
		snprintf(name, sizeof(name), "%.*s", (int)f.name_len, f.name);
		if (pd_starts(name, "common_") || pd_starts(name, "__probe_"))
			continue;
		fprintf(out, "%s%s", sep, name);
		sep = ", ";
	}
}

static void
put_markers(const struct pd_summary *s, FILE *out)
{
	const struct pd_sum_event *e = s->events;
	bool any = false;

	for (size_t k = 0; k < s->nevents; k++, e++) {
		if (e->ev->type != PD_TYPE_TRACEPOINT)
			continue;
		if (!any)
			fprintf(out, "\nMARKERS\n%10s  event: fields\n", "count");
		any = true;
		fprintf(out, "%10" PRIu64 "  ", e->samples);
		put_text(out, e->ev->name);
		put_fields(s, e->ev, out);
		putc('\n', out);
	}
}

static void
put_pairs(const struct pd_summary *s, FILE *out)
{
	const struct pd_sum_pair *p = s->pairs;
	char a[32], b[32], c[32];

	if (s->npairs == 0)
		return;
	fprintf(out, "\nSECTIONS\n%10s  %9s  %9s  %9s  %10s  between\n",
	    "count", "median", "p99", "max", "unfinished");
	for (size_t k = 0; k < s->npairs; k++, p++) {
		const struct pd_histogram *d = &p->durations;

		fprintf(out, "%10" PRIu64 "  %9s  %9s  %9s  %10" PRIu64 "  ",
		    d->len, d->len ? duration(a,
		    pd_histogram_quantile(d, 500)) : "-", d->len ?
		    duration(b, pd_histogram_quantile(d, 990)) : "-",
		    d->len ? duration(c, d->max) : "-",
		    p->pairing.counts.unfinished);
		put_text(out, p->begin->name);
		putc(' ', out);
		put_text(out, p->end->name);
		putc('\n', out);
	}
}

/* ---- threads and CPUs --------------------------------------------------------- */

static void
put_id(FILE *out, uint32_t id)
{
	if (id == PD_NOID)
		fprintf(out, "  %7s", "-");
	else
		fprintf(out, "  %7" PRIu32, id);
}

static void
put_more(FILE *out, size_t n, uint64_t samples)
{
	fprintf(out, "%10" PRIu64 "  in %zu more (-v lists all)\n", samples, n);
}

static void
put_threads(const struct pd_summary *s, bool all, FILE *out)
{
	size_t shown = all || s->nthreads <= SHOWN ? s->nthreads : SHOWN, i;
	uint64_t rest = 0;

	if (s->nthreads == 0)
		return;
	fprintf(out, "\nTHREADS\n%10s  %6s  %7s  %7s  name\n", "samples",
	    "share", "pid", "tid");
	for (i = 0; i < shown; i++) {
		const struct pd_sum_thread *t = &s->threads[i];

		fprintf(out, "%10" PRIu64 "  %5.1f%%", t->samples, 100 *
		    (double)t->samples / (double)s->samples);
		put_id(out, t->pid);
		put_id(out, t->tid);
		fputs("  ", out);
		put_text(out, t->comm);
		if (strcmp(t->comm, t->leader_comm) != 0) {
			fputs(", of ", out);
			put_text(out, t->leader_comm);
		}
		putc('\n', out);
	}
	for (; i < s->nthreads; i++)
		rest += s->threads[i].samples;
	if (shown < s->nthreads)
		put_more(out, s->nthreads - shown, rest);
}

static void
put_gap(FILE *out, const struct pd_sum_gap *g)
{
	char a[32], b[32];

	fprintf(out, "  %9s  %20s  ", duration(a, g->length),
	    seconds(b, g->start));
}

static void
put_gaps(const struct pd_summary *s, bool all, FILE *out)
{
	size_t shown = all || s->ncpus <= SHOWN ? s->ncpus : SHOWN, i;
	uint64_t rest = 0;

	if (s->gaps[0].length == 0)
		return;
	if (!pd_summary_on_cpus(s))
		shown = 0;
	fprintf(out, "\nLONGEST WITHOUT A SAMPLE\n%10s  %9s  %20s  where\n",
	    "samples", "gap", "from");
	for (i = 0; i < PD_SUM_GAPS && s->gaps[i].length > 0; i++) {
		fprintf(out, "%10s", "");
		put_gap(out, &s->gaps[i]);
		fprintf(out, "anywhere\n");
	}
	for (i = 0; i < shown; i++) {
		fprintf(out, "%10" PRIu64, s->cpus[i].samples);
		put_gap(out, &s->cpus[i].gap);
		fprintf(out, "CPU %" PRIu32 "\n", s->cpus[i].cpu);
	}
	for (; i < s->ncpus; i++)
		rest += s->cpus[i].samples;
	if (shown > 0 && shown < s->ncpus)
		put_more(out, s->ncpus - shown, rest);
}

/* ---- files and hints ---------------------------------------------------------- */

static size_t
put_files(const struct pd_summary *s, bool all, FILE *out)
{
	size_t i, n = 0, shown = all ? SIZE_MAX : SHOWN;
	uint64_t rest = 0;

	for (i = 0; i < s->dsos_cap; i++) {
		if (!pd_summary_lacks_id(s, i))
			continue;
		if (n++ == 0)
			fprintf(out, "\nWITHOUT BUILD-ID\n%10s  file\n",
			    "samples");
		if (n > shown) {
			rest += s->dsos[i];
			continue;
		}
		fprintf(out, "%10" PRIu64 "  ", s->dsos[i]);
		put_text(out, pd_session_dso(s->session, i)->name);
		putc('\n', out);
	}
	if (n > shown)
		put_more(out, n - shown, rest);
	return n;
}

struct hints {
	FILE	*out;
	bool	any;
};

static void
__attribute__((format(printf, 2, 3)))
hint(struct hints *h, const char *fmt, ...)
{
	va_list ap;

	if (!h->any)
		fprintf(h->out, "\nHINTS\n");
	h->any = true;
	fputs("  ", h->out);
	va_start(ap, fmt);
	vfprintf(h->out, fmt, ap);
	va_end(ap);
	putc('\n', h->out);
}

/* What a shell takes for one word, or nothing where it might not. */
static bool
is_plain(const char *s)
{
	return s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789_:.-")] == '\0';
}

static void
hint_rates(const struct pd_summary *s, struct hints *h)
{
	const struct pd_sum_event *e = s->events;
	uint64_t asked;

	for (size_t k = 0; k < s->nevents; k++, e++)
		/* counters of the processor are not steady when it is idle */
		if (e->ev->type == PD_TYPE_SOFTWARE &&
		    pd_summary_asked(e->ev, &asked) == PD_ASKED_HZ &&
		    1e9 / (double)pd_summary_interval(s, e) <
		    0.8 * (double)asked) {
			hint(h, "events came slower than asked for: "
			    "sysctl kernel.perf_event_max_sample_rate and "
			    "perf_cpu_time_max_percent limit them");
			return;
		}
}

/* perf record -F is for all events, and gives tracepoints a period. */
static void
hint_sampled(const struct pd_summary *s, struct hints *h)
{
	const struct pd_sum_event *e = s->events;
	uint64_t asked;

	for (size_t k = 0; k < s->nevents; k++, e++)
		if (e->ev->type == PD_TYPE_TRACEPOINT && e->samples > 0 &&
		    pd_summary_asked(e->ev, &asked) != PD_ASKED_ALL) {
			hint(h, "not each time that a tracepoint was passed is "
			    "there: instead of -F, perf record -e "
			    "cpu-clock/freq=N/ with the tracepoints behind it");
			return;
		}
}

static void
hint_pairs(const struct pd_summary *s, struct hints *h)
{
	const struct pd_sum_pair *p = s->pairs;

	for (size_t k = 0; k < s->npairs; k++, p++)
		if (p->durations.len > 1 && is_plain(p->begin->name) &&
		    is_plain(p->end->name)) {
			hint(h, "the slowest section alone: pd-slice --between %s "
			    "%s --slowest 1", p->begin->name, p->end->name);
			return;
		}
}

static void
put_hints(const struct pd_summary *s, size_t without_id, FILE *out)
{
	const struct pd_info *info = pd_reader_info(s->rd);
	struct pd_counts n = pd_reader_counts(s->rd);
	struct hints h = { out, false };
	uint64_t types = 0, all = UINT64_MAX;
	size_t i;

	for (i = 0; i < s->nevents; i++)
		if (s->events[i].samples > 0) {
			types |= s->events[i].ev->sample_type;
			all &= s->events[i].ev->sample_type;
		}
	hint_pairs(s, &h);
	hint_rates(s, &h);
	hint_sampled(s, &h);
	if (n.lost > 0)
		hint(&h, "a larger buffer loses less: perf record -m 16M");
	if (n.throttled > 0)
		hint(&h, "the kernel throttles what samples too often: perf "
		    "record with a lower -F or a larger -c");
	if (types != 0 && !(types & PD_SAMPLE_CALLCHAIN))
		hint(&h, "there are no callers: perf record -g, or "
		    "--call-graph dwarf");
	if (types & PD_SAMPLE_STACK_USER)
		hint(&h, "it holds copies of stacks, with whatever secrets were "
		    "there: pd-slice --strip-stacks before it is given away");
	if (s->samples > 0 && !(all & PD_SAMPLE_TIME))
		hint(&h, "samples have no time, so there are no windows: perf "
		    "record -T");
	if (info->clock_wall == 0)
		hint(&h, "it does not tell the time of day: perf record -k "
		    "CLOCK_MONOTONIC");
	if (without_id > 0)
		hint(&h, "files without build-id may be other builds by now: "
		    "perf record --buildid-mmap");
}

void
pd_summary_text(const struct pd_summary *s, const char *name, bool all,
    FILE *out)
{
	size_t without_id;

	put_head(s, name, out);
	put_events(s, out);
	put_markers(s, out);
	put_pairs(s, out);
	put_threads(s, all, out);
	put_gaps(s, all, out);
	without_id = put_files(s, all, out);
	put_hints(s, without_id, out);
}
