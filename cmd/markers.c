/* The options that say which critical sections count. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli.h"

static void
die_if(const struct cli *c, int r, const struct pd_error *err)
{
	if (r == -1)
		cli_die(c, NULL, err);
}

static void
add_source(const struct cli *c, int key, const char *arg,
    struct cli_markers *m)
{
	struct pd_error err;
	int r = 0;

	switch (key) {
	case CLI_BETWEEN:
		m->source = "between";
		m->events = true;
		r = pd_markers_between(m->markers, arg,
		    cli_second(c, m->source), &err);
		break;
	case CLI_AROUND:
		m->source = "around";
		m->around = m->events = true;
		r = pd_markers_around(m->markers, arg, &err);
		break;
	case CLI_MARKERS:
		m->source = "markers";
		r = pd_markers_file(m->markers, arg, &err);
		break;
	case CLI_WINDOWS:
		m->source = "windows";
		r = pd_markers_windows(m->markers, arg, &err);
		break;
	}
	die_if(c, r, &err);
}

static void
choose(const struct cli *c, enum pd_choose how, const char *option,
    const char *arg, struct cli_markers *m)
{
	struct pd_error err;

	m->choice = option;
	die_if(c, pd_markers_choose(m->markers, how, arg, &err), &err);
}

static bool
is_ours(int key)
{
	return key >= CLI_BETWEEN && key <= CLI_UNFINISHED;
}

bool
cli_markers(const struct cli *c, int key, const char *arg,
    struct cli_markers *m)
{
	struct pd_error err;

	if (!is_ours(key))
		return false;
	if (m->markers == NULL && (m->markers = pd_markers_new(&err)) == NULL)
		cli_die(c, NULL, &err);
	switch (key) {
	case CLI_BEFORE:
		m->margin = true;
		m->opts.before = cli_duration(c, "before", arg);
		break;
	case CLI_AFTER:
		m->margin = true;
		m->opts.after = cli_duration(c, "after", arg);
		break;
	case CLI_SCOPE:
		m->opts.scope = (enum pd_scope)cli_choice(c, "scope", arg,
		    "thread|process|cpu|system");
		m->choice = m->pairing = "scope";
		break;
	case CLI_MARKER:
		choose(c, PD_CHOOSE_NAME, "marker", arg, m);
		m->named = true;
		break;
	case CLI_NTH: choose(c, PD_CHOOSE_NTH, "nth", arg, m); break;
	case CLI_SLOWEST:
		choose(c, PD_CHOOSE_SLOWEST, "slowest", arg, m);
		break;
	case CLI_LONGER:
		choose(c, PD_CHOOSE_LONGER, "longer-than", arg, m);
		break;
	case CLI_QUANTILE:
		choose(c, PD_CHOOSE_QUANTILE, "quantile", arg, m);
		break;
	case CLI_UNFINISHED:
		m->opts.unfinished = true;
		m->choice = m->pairing = "unfinished";
		break;
	default: add_source(c, key, arg, m);
	}
	return true;
}

void
cli_markers_check(const struct cli *c, const struct cli_markers *m)
{
	if (m->markers == NULL)
		return;
	if (m->margin != m->around) {
		cli_say(c, NULL, m->around ? "--around needs --before or "
		    "--after" : "--before and --after need --around");
		exit(2);
	}
	if (m->source == NULL && !m->named) {
		cli_say(c, NULL, "--%s chooses from nothing: it needs --between, "
		    "--around, --markers, --windows or --marker", m->choice);
		exit(2);
	}
	if (m->pairing != NULL && !m->events) {
		cli_say(c, NULL, "--%s is of --between and --around, files say "
		    "it themselves", m->pairing);
		exit(2);
	}
}

int
cli_markers_find(const struct cli_markers *m, const char *input,
    struct cli_progress *progress, struct pd_error *err)
{
	struct pd_marker_opts opts = m->opts;
	struct pd_reader *rd;
	struct pd_record rec;
	int r;

	/* A name alone is that of a marker in a file that a program mapped. */
	opts.mapped = m->source == NULL;
	pd_markers_set(m->markers, &opts);
	if ((rd = pd_reader_open(input, PD_TIME_ORDER, err)) == NULL)
		return -1;
	while ((r = pd_reader_next(rd, &rec, err)) == 1) {
		cli_progress_step(progress, rd);
		if (cli_interrupted()) {
			*err = (struct pd_error){ .code = PD_EUNSUPP,
				.offset = PD_NOWHERE, .msg = "interrupted before "
				"it was known where its sections are" };
			r = -1;
			break;
		}
		if (pd_markers_put(m->markers, rd, &rec, err) == -1) {
			r = -1;
			break;
		}
	}
	if (r == 0)
		r = pd_markers_finish(m->markers, rd, err);
	pd_reader_close(rd);
	return r;
}

/* An event that was not recorded each time that it happened. */
static void
report_sampled(struct cli *c, const struct cli_markers *m,
    const struct pd_reader *rd)
{
	const struct pd_event *ev;
	size_t i;

	for (i = 0; (ev = pd_reader_event(rd, i)) != NULL; i++)
		if (pd_markers_is(m->markers, ev) && (ev->is_freq ||
		    ev->period_or_freq > 1))
			cli_warn(c, "%s was not recorded each time, so "
			    "occurrences may be missing: perf record -F counts "
			    "for all events, -e cpu-clock/freq=N/ for one",
			    ev->name);
}

void
cli_markers_report(struct cli *c, const struct cli_markers *m,
    const struct pd_reader *rd, const char *input, bool verbose)
{
	struct pd_marker_counts n;
	const struct pd_note *note;
	size_t chosen, i;

	if (m->markers == NULL)
		return;
	n = pd_markers_counts(m->markers);
	pd_markers_get(m->markers, &chosen);
	for (i = 0; (note = pd_markers_note(m->markers, i)) != NULL; i++)
		cli_warn_note(c, input, note);
	report_sampled(c, m, rd);
	if (n.unfinished > 0 && !m->opts.unfinished)
		cli_warn(c, "occurrences without an end were left out: %" PRIu64
		    " (--unfinished has them)", n.unfinished);
	if (chosen == 0)
		cli_warn(c, "none of %" PRIu64 " occurrences was chosen",
		    n.found);
	if (verbose)
		cli_say(c, NULL, "occurrences: %zu of %" PRIu64 " chosen; %"
		    PRIu64 " more inside of others, %" PRIu64 " without end, %"
		    PRIu64 " ends without begin", chosen, n.found, n.nested,
		    n.unfinished, n.stray);
}
