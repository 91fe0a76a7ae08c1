/* pd-slice: cut a recording by time, thread and more; a recording comes out. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parts.h"

enum {
	OPT_TIME = CLI_FIRST, OPT_COMM, OPT_PID, OPT_TID, OPT_CPU, OPT_CGROUP,
	OPT_STACK, OPT_INVERT, OPT_KEEP_STATE, OPT_STRIP_STACKS, OPT_UNWIND,
	OPT_PIPE, OPT_FILE, OPT_EACH, OPT_EVERY, OPT_LIST, OPT_DROP_MARKERS,
	OPT_PROGRESS, OPT_STRICT, OPT_FAIL_EMPTY,
};

static const struct cli_option options[] = {
	{ 'i', "input", "FILE", "read FILE (- is standard input)" },
	{ 'o', "output", "FILE", "write to FILE instead of standard output" },
	{ OPT_TIME, "time", "WINDOW",
	    "only this window: FROM,TO and more, see pd-time(7) (repeatable)" },
	{ OPT_COMM, "comm", "GLOB", "only threads of this name (repeatable)" },
	{ OPT_PID, "pid", "LIST", "only these processes: 12,40-50" },
	{ OPT_TID, "tid", "LIST", "only these threads" },
	{ OPT_CPU, "cpu", "LIST", "only these CPUs" },
	{ 'e', "event", "GLOB", "only events of this name (repeatable)" },
	{ OPT_CGROUP, "cgroup", "GLOB", "only this cgroup (repeatable)" },
	{ OPT_STACK, "stack", "GLOB",
	    "only stacks with a function of this name (repeatable)" },
	CLI_MARKER_OPTIONS
	{ OPT_DROP_MARKERS, "drop-markers", NULL,
	    "leave out the events that occurrences begin and end with" },
	{ OPT_INVERT, "invert", NULL, "the samples that are not selected" },
	{ OPT_UNWIND, "unwind", NULL,
	    "replace copied stacks by callchains" },
	{ OPT_STRIP_STACKS, "strip-stacks", NULL,
	    "leave out copied stacks and registers" },
	{ OPT_KEEP_STATE, "keep-state", "needed|all",
	    "threads and maps of before: what samples need (default), or all" },
	{ OPT_PIPE, "pipe", NULL, "write the form for pipes, also to a file" },
	{ OPT_FILE, "file", NULL, "write the form for files, or fail" },
	{ OPT_EACH, "each", "DIR",
	    "one file in DIR for each occurrence, and a table of them" },
	{ OPT_EVERY, "every", "DUR", "with --each: pieces of this length" },
	{ 'z', "compression-level", "[=LEVEL]", "compress by zstd" },
	CLI_SYMBOLS
	{ OPT_LIST, "list", "[=json]",
	    "describe the recording: events, threads, times, markers" },
	{ OPT_PROGRESS, "progress", NULL, "show progress, not only on a terminal" },
	{ OPT_STRICT, "strict", NULL, "exit 2 when anything was lost or unclear" },
	{ OPT_FAIL_EMPTY, "fail-empty", NULL, "exit 1 when no sample was kept" },
	{ 'v', "verbose", NULL, "say what was read and written" },
	{ 'q', "quiet", NULL, "do not say what was lost or unclear" },
	CLI_COMMON
};

struct slice {
	struct cli		cli;
	const char		*input, *output;
	char			*spooled;	/* what is read instead */
	struct pd_slice_opts	opts;
	struct pd_filter	*filter;
	struct pd_windows	*windows;
	struct cli_markers	markers;
	struct cli_progress	progress;
	const char		*each;		/* a directory, or NULL */
	uint64_t		every;
	struct parts		parts;
	bool			as_pipe, as_file, selects, list, json;
	bool			show_progress, strict, fail_empty, verbose;
	struct pd_reader	*rd;
	struct pd_slice		*slice;
};

/* ---- options -------------------------------------------------------------------- */

static void
add_filter(struct slice *s, enum pd_filter_kind kind, const char *arg)
{
	struct pd_error err;

	if (pd_filter_add(s->filter, kind, arg, &err) == -1)
		cli_die(&s->cli, NULL, &err);
	s->selects = true;
}

static void
add_window(struct slice *s, const char *arg)
{
	struct pd_error err;

	if (pd_windows_add(s->windows, arg, &err) == -1)
		cli_die(&s->cli, NULL, &err);
	s->opts.windows = s->windows;
	s->selects = true;
}

/* Options that do not go together, or need another one. */
static void
check_options(const struct slice *s)
{
	const struct pd_slice_opts *o = &s->opts;
	const char *amiss = NULL;
	bool sections = s->markers.markers != NULL;

	if (s->every > 0 && s->each == NULL)
		amiss = "--every needs --each DIR for its pieces";
	else if (s->every > 0 && sections)
		amiss = "--every does not cut what --between and the like choose";
	else if (s->each != NULL && s->every == 0 && !sections)
		amiss = "--each needs --every, or --between and the like";
	else if (s->each != NULL && (s->output != NULL || s->as_pipe))
		amiss = "--each writes files of its own, without -o and --pipe";
	else if (s->each != NULL && o->keep_state)
		amiss = "--each tells each file what it needs, without "
		    "--keep-state all";
	else if (o->drop_markers && !s->markers.events)
		amiss = "--drop-markers needs --between or --around";
	else if (o->strip_stacks && o->unwind)
		amiss = "--unwind strips stacks too: give one of --unwind and "
		    "--strip-stacks";
	else if (s->list && (s->selects || o->invert || s->each != NULL ||
	    sections))
		amiss = "--list is of a whole recording: give it a slice by a "
		    "pipe";
	else if (s->list && (s->as_pipe || s->as_file || o->level > 0 ||
	    o->strip_stacks || o->unwind || o->keep_state || s->fail_empty))
		amiss = "--list writes no recording, so options on what is in "
		    "it do nothing";
	if (amiss == NULL)
		return;
	cli_say(&s->cli, NULL, "%s", amiss);
	exit(2);
}

static void
parse_options(struct slice *s)
{
	struct cli *c = &s->cli;
	const char *arg;
	int key;

	while ((key = cli_next(c, &arg)) != -1) {
		if (cli_symbols(c, key, arg, &s->opts.stack, &s->progress) ||
		    cli_markers(c, key, arg, &s->markers))
			continue;
		switch (key) {
		case CLI_OPERAND:
			if (s->input != NULL)
				cli_bad_value(c, "input", arg,
				    "one recording at a time");
			/* FALLTHROUGH */
		case 'i': s->input = arg; break;
		case 'o': s->output = arg; break;
		case OPT_TIME: add_window(s, arg); break;
		case OPT_COMM: add_filter(s, PD_BY_COMM, arg); break;
		case OPT_PID: add_filter(s, PD_BY_PID, arg); break;
		case OPT_TID: add_filter(s, PD_BY_TID, arg); break;
		case OPT_CPU: add_filter(s, PD_BY_CPU, arg); break;
		case 'e': add_filter(s, PD_BY_EVENT, arg); break;
		case OPT_CGROUP: add_filter(s, PD_BY_CGROUP, arg); break;
		case OPT_STACK: add_filter(s, PD_BY_STACK, arg); break;
		case OPT_DROP_MARKERS: s->opts.drop_markers = true; break;
		case OPT_INVERT: s->opts.invert = true; break;
		case OPT_UNWIND: s->opts.unwind = true; break;
		case OPT_STRIP_STACKS: s->opts.strip_stacks = true; break;
		case OPT_KEEP_STATE:
			s->opts.keep_state = cli_choice(c, "keep-state", arg,
			    "needed|all") == 1;
			break;
		case OPT_EACH: s->each = arg; break;
		case OPT_EVERY:
			s->every = cli_duration(c, "every", arg);
			if (s->every == 0)
				cli_bad_value(c, "every", arg, "more than that");
			break;
		case OPT_PIPE: s->as_pipe = true; break;
		case OPT_FILE: s->as_file = true; break;
		case 'z':
			s->opts.level = arg == NULL ? 1 : (int)cli_number(c,
			    "compression-level", arg, 1, 22);
			break;
		case OPT_LIST:
			s->list = true;
			s->json = arg != NULL &&
			    cli_choice(c, "list", arg, "json") == 0;
			break;
		case OPT_PROGRESS: s->show_progress = true; break;
		case OPT_STRICT: s->strict = true; break;
		case OPT_FAIL_EMPTY: s->fail_empty = true; break;
		case 'v': s->verbose = true; break;
		case 'q': c->quiet = true; break;
		}
	}
	cli_markers_check(c, &s->markers);
	check_options(s);
	s->opts.markers = s->markers.markers;
	if (s->as_pipe && s->as_file)
		cli_bad_value(c, "pipe", "--file", "one of them");
	if (s->input == NULL)
		s->input = cli_default_input();
}

/* ---- all of it ---------------------------------------------------------------------- */

/* What is read twice must not be a pipe. */
static int
spool(struct slice *s, const char *why, struct pd_error *err)
{
	if (s->spooled == NULL &&
	    (s->spooled = pd_spool(s->input, err)) == NULL)
		return -1;
	if (s->verbose && strcmp(s->spooled, s->input) != 0)
		cli_say(&s->cli, cli_input_name(s->input), "%s: kept in a "
		    "temporary file", why);
	return 0;
}

static int
find_markers(struct slice *s, struct pd_error *err)
{
	int r;

	if (s->opts.markers == NULL)
		return 0;
	if (spool(s, "markers are looked for first", err) == -1)
		return -1;
	cli_progress_start(&s->progress, s->show_progress);
	r = cli_markers_find(&s->markers, s->spooled, &s->progress, err);
	cli_progress_end(&s->progress);
	return r;
}

/* Windows that count from the end need to know where it is. */
static int
look_ahead(struct slice *s, struct pd_error *err)
{
	const struct pd_info *info;
	struct stat st;
	int r = 0;

	s->opts.first_time = s->opts.last_time = PD_NOTIME;
	if (s->opts.windows == NULL || !(pd_windows_needs(s->windows) &
	    (PD_WINDOWS_FIRST | PD_WINDOWS_LAST)))
		return 0;
	if (pd_windows_needs(s->windows) & PD_WINDOWS_LAST) {
		if (spool(s, "a window counts from the end", err) == -1)
			return -1;
	} else if (s->spooled == NULL && (stat(s->input, &st) == -1 ||
	    S_ISFIFO(st.st_mode))) {
		return 0;		/* it can be read only once */
	}
	s->rd = pd_reader_open(s->spooled ? s->spooled : s->input,
	    PD_FILE_ORDER, err);
	if (s->rd == NULL)
		return -1;
	/* perf writes 0 where it did not look (perf record -B). */
	info = pd_reader_info(s->rd);
	if (info->first_time != PD_NOTIME && info->last_time != 0) {
		s->opts.first_time = info->first_time;
		s->opts.last_time = info->last_time;
	} else if (s->spooled != NULL) {
		r = pd_reader_bounds(s->rd, &s->opts.first_time,
		    &s->opts.last_time, err);
	}
	pd_reader_close(s->rd);
	s->rd = NULL;
	return r;
}

static int
slice_all(struct slice *s, int fd, struct pd_error *err)
{
	const char *input = s->spooled ? s->spooled : s->input;
	int r;

	s->rd = pd_reader_open(input, pd_slice_order(&s->opts, input), err);
	if (s->rd == NULL ||
	    (s->slice = pd_slice_new(s->rd, fd, &s->opts, err)) == NULL)
		return -1;
	cli_progress_start(&s->progress, s->show_progress);
	while ((r = pd_slice_next(s->slice, err)) == 1 && !cli_interrupted())
		cli_progress_step(&s->progress, s->rd);
	cli_progress_end(&s->progress);
	return r == -1 ? -1 : pd_slice_finish(s->slice, err);
}

static int
slice_to_file(struct slice *s, struct pd_error *err)
{
	struct cli *c = &s->cli;
	struct cli_output out;
	int r;

	if (s->output == NULL && isatty(STDOUT_FILENO)) {
		cli_say(c, "standard output", "a recording is not for a "
		    "terminal: use -o FILE or a pipe");
		exit(2);
	}
	cli_output_open(c, &out, s->output);
	s->opts.pipe = s->as_pipe || !cli_output_is_file(&out);
	if (s->as_file && s->opts.pipe) {
		cli_output_drop(&out);
		cli_say(c, s->output ? s->output : "standard output",
		    "not a file that --file could write to");
		exit(2);
	}
	r = find_markers(s, err) == -1 || look_ahead(s, err) == -1 ||
	    slice_all(s, fileno(out.file), err) == -1 ? -1 : 0;
	if (r == 0)
		cli_output_close(c, &out);
	else
		cli_output_drop(&out);
	return r;
}

static int
slice_to_parts(struct slice *s, struct pd_error *err)
{
	const struct pd_occurrence *list = NULL;
	size_t len = 0;

	if (find_markers(s, err) == -1 || look_ahead(s, err) == -1)
		return -1;
	if (s->opts.markers != NULL)
		list = pd_markers_get(s->opts.markers, &len);
	parts_open(&s->parts, &s->cli, s->each, list, len, s->every);
	s->opts.parts = &s->parts.of;
	if (slice_all(s, -1, err) == -1) {
		pd_slice_free(s->slice);	/* with the parts it has open */
		return -1;
	}
	parts_close(&s->parts);
	return 0;
}

/* ---- --list ------------------------------------------------------------------------- */

static int
list_all(struct slice *s, FILE *out, struct pd_error *err)
{
	enum pd_summary_form form = s->json ? PD_SUMMARY_JSON :
	    s->verbose ? PD_SUMMARY_ALL : PD_SUMMARY_TEXT;
	struct pd_summary *sum = NULL;
	int r = -1;

	s->rd = pd_reader_open(s->input, PD_TIME_ORDER, err);
	if (s->rd != NULL && (sum = pd_summary_new(s->rd, err)) != NULL) {
		cli_progress_start(&s->progress, s->show_progress);
		while ((r = pd_summary_next(sum, err)) == 1)
			cli_progress_step(&s->progress, s->rd);
		cli_progress_end(&s->progress);
	}
	if (r == 0)
		r = pd_summary_write(sum, cli_input_name(s->input), form, out,
		    err);
	if (r == 0)
		cli_report_reader(&s->cli, s->input, s->rd,
		    pd_summary_session(sum));
	pd_summary_free(sum);
	return r;
}

/* Text: none of the output of a slice. */
static int
list(struct slice *s)
{
	struct cli_output out;
	struct pd_error err;

	cli_expect_interrupt(s->input);
	cli_output_open(&s->cli, &out, s->output);
	if (list_all(s, out.file, &err) == -1) {
		cli_output_drop(&out);
		cli_die(&s->cli, cli_input_name(s->input), &err);
	}
	cli_output_close(&s->cli, &out);
	return s->strict && s->cli.warnings > 0 ? 2 : 0;
}

/* ---- the end ------------------------------------------------------------------------ */

static void
report(struct slice *s)
{
	struct pd_slice_counts n = pd_slice_counts(s->slice);
	struct cli *c = &s->cli;
	const struct pd_note *note;
	size_t i;

	cli_report_reader(c, s->input, s->rd, pd_slice_session(s->slice));
	cli_markers_report(c, &s->markers, s->rd, s->input, s->verbose);
	for (i = 0; (note = pd_slice_note(s->slice, i)) != NULL; i++)
		cli_warn_note(c, s->input, note);
	if (n.aux > 0)
		cli_warn(c, "%" PRIu64 " records of AUX data (hardware trace) "
		    "were left out", n.aux);
	if (n.stopped > 0)
		cli_warn(c, "%" PRIu64 " of %" PRIu64 " copied stacks could "
		    "not be unwound to their root", n.stopped, n.unwound);
	if (n.truncated > 0)
		cli_warn(c, "%" PRIu64 " of %" PRIu64 " copied stacks are too "
		    "short for their root", n.truncated, n.unwound);
	if (cli_interrupted())
		cli_warn(c, "interrupted: the slice ends where it was");
	if (n.kept == 0)
		cli_warn(c, "no sample was kept");
	if (s->verbose && s->each != NULL)
		cli_say(c, s->each, "%zu files", s->parts.len);
	if (s->verbose)
		cli_say(c, NULL, "%" PRIu64 " of %" PRIu64 " samples read "
		    "were kept, %" PRIu64 " bytes", n.kept, n.samples, n.bytes);
}

static int
slice(struct slice *s)
{
	struct pd_error err;

	cli_finish_on_interrupt(s->input);
	if ((s->each ? slice_to_parts(s, &err) : slice_to_file(s, &err)) == -1)
		cli_die(&s->cli, cli_input_name(s->input), &err);
	report(s);
	if (s->strict && s->cli.warnings > 0)
		return 2;
	return s->fail_empty && pd_slice_counts(s->slice).kept == 0;
}

int
main(int argc, char **argv)
{
	struct slice s = {
		.cli = { .prog = "pd-slice", .usage = "[option ...] [recording]",
		    .about = "Cut a perf.data recording by time, thread and more",
		    .options = options, .argc = argc, .argv = argv },
	};
	struct pd_error err;
	int status;

	cli_start();
	argv[0] = (char *)s.cli.prog;
	s.opts.argv = (const char *const *)argv;
	if ((s.filter = pd_filter_new(&err)) == NULL ||
	    (s.windows = pd_windows_new(&err)) == NULL)
		cli_die(&s.cli, NULL, &err);
	s.opts.filter = s.filter;
	parse_options(&s);
	status = s.list ? list(&s) : slice(&s);
	pd_slice_free(s.slice);
	pd_reader_close(s.rd);
	pd_markers_free(s.markers.markers);
	pd_windows_free(s.windows);
	pd_filter_free(s.filter);
	free(s.spooled);
	return status;
}
