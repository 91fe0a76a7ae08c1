/* pd-diff: did the program become slower, where, and how sure is that? */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "jobs.h"

enum {
	OPT_VS = CLI_FIRST, OPT_PAIRS, OPT_BASELINE, OPT_WRITE_BASELINE,
	OPT_SELF_CHECK, OPT_WORK, OPT_WORK_FILE, OPT_WORK_EVENT,
	OPT_FIXED_WORK, OPT_NORM, OPT_FREQ, OPT_FORMAT, OPT_TOP, OPT_TOTAL,
	OPT_SIGNIFICANT, OPT_NORMALIZE, OPT_SHOW_MERGED, OPT_COLOR, OPT_GATE,
	OPT_GATE_SHARE, OPT_GATE_MOVED, OPT_FAIL_IMPROVED, OPT_RULES,
	OPT_ALPHA, OPT_MIN_EFFECT, OPT_MIN_IMPACT, OPT_MIN_SAMPLES, OPT_WANT,
	OPT_TEST, OPT_FDR, OPT_KAPPA, OPT_PSEUDO, OPT_SEED, OPT_MATCH,
	OPT_KEEP, OPT_FORCE, OPT_COMM, OPT_PID, OPT_TID, OPT_CPU, OPT_STRICT,
	OPT_JOBS,
};

static const char formats_of[] =
    "text|folded|json|markdown|github|junit|benchmark";
static const char tests_of[] = "auto|welch|paired|mwu|perm|chi2";
static const char norms_of[] = "auto|work|cputime|wall|none";
static const char matches_of[] = "norm|exact|loose";
static const char rules_of[] =
    "addr|rusthash|clone|version|closure|tmpl|jit";
static const char colors_of[] = "auto|always|never";

static const struct cli_option options[] = {
	{ OPT_VS, "vs", NULL, "what follows are the new runs" },
	{ OPT_PAIRS, "pairs", NULL, "runs are base, new, base, new, ..." },
	{ OPT_BASELINE, "baseline", "FILE", "the base runs are in FILE" },
	{ OPT_WRITE_BASELINE, "write-baseline", "FILE",
	    "write the runs to FILE instead of comparing" },
	{ OPT_SELF_CHECK, "self-check", NULL,
	    "how often would these equal runs be told apart?" },
	{ 'o', "output", "FILE", "write to FILE instead of standard output" },
	{ OPT_FORMAT, "format", formats_of, "how to write it (default text)" },
	{ OPT_FIXED_WORK, "fixed-work", NULL, "each run did the same work" },
	{ OPT_WORK, "work", "N[,M]", "units of work of each base, new run" },
	{ OPT_WORK_FILE, "work-file", "FILE",
	    "lines: a run's path, its units of work" },
	{ OPT_WORK_EVENT, "work-event", "GLOB",
	    "a sample of this event is a unit of work" },
	{ OPT_NORM, "norm", norms_of, "what to divide costs by (default auto)" },
	{ OPT_FREQ, "freq", "N[,M]",
	    "samples a second of folded base, new runs" },
	{ OPT_GATE, "gate", "[=strict]",
	    "warn, or exit 3, when it cannot be decided" },
	{ OPT_GATE_SHARE, "gate-on-share", NULL,
	    "shares may be a regression, too" },
	{ OPT_GATE_MOVED, "gate-moved", NULL,
	    "cost that moved may be a regression, too" },
	{ OPT_FAIL_IMPROVED, "fail-on-improvement", NULL,
	    "exit 1 also for an improvement" },
	{ OPT_RULES, "rules", "FILE", "thresholds and exceptions by function" },
	{ OPT_ALPHA, "alpha", "P", "false alarms of a comparison (default .05)" },
	{ OPT_MIN_EFFECT, "min-effect", "N%",
	    "a smaller change is none (default .5%)" },
	{ OPT_MIN_IMPACT, "min-impact", "N%",
	    "nor is one of less of the total (default .1%)" },
	{ OPT_MIN_SAMPLES, "min-samples", "N",
	    "test functions of N samples a run (default 10)" },
	{ OPT_WANT, "want", "N%",
	    "say same if this would be seen (default 10%)" },
	{ OPT_TEST, "test", tests_of, "which test (default auto)" },
	{ OPT_FDR, "fdr", NULL, "what is suspect is a regression" },
	{ OPT_KAPPA, "kappa", "X",
	    "least variance, of Poisson's (default .25)" },
	{ OPT_PSEUDO, "pseudo-count", "X",
	    "samples added to each count (default .5)" },
	{ OPT_SEED, "seed", "N", "of what is drawn at random (default 1)" },
	{ OPT_MATCH, "match", matches_of,
	    "how names of two builds compare (default norm)" },
	{ OPT_KEEP, "keep", rules_of,
	    "leave this in names (repeatable)" },
	{ OPT_SHOW_MERGED, "show-merged", NULL, "text: names that became one" },
	{ OPT_TOTAL, "total", NULL, "text: costs with all that is called" },
	{ OPT_TOP, "top", "N", "text, markdown: rows of the table" },
	{ OPT_COLOR, "color", colors_of, "text: color (default auto)" },
	{ OPT_SIGNIFICANT, "significant-only", NULL,
	    "folded: show only proven changes" },
	{ OPT_NORMALIZE, "normalize", NULL,
	    "folded: scale the base to the new total" },
	{ OPT_FORCE, "force", NULL, "though events or units differ" },
	{ 'e', "event", "GLOB", "recordings: the first event that matches" },
	{ OPT_COMM, "comm", "GLOB",
	    "recordings: only threads of this name (repeatable)" },
	{ OPT_PID, "pid", "LIST", "recordings: only these processes" },
	{ OPT_TID, "tid", "LIST", "recordings: only these threads" },
	{ OPT_CPU, "cpu", "LIST", "recordings: only these CPUs" },
	CLI_SYMBOLS
	{ OPT_JOBS, "jobs", "N",
	    "recordings folded at a time (default: CPUs)" },
	{ OPT_STRICT, "strict", NULL, "exit 3 when there is any warning" },
	{ 'v', "verbose", NULL, "say what was read" },
	{ 'q', "quiet", NULL, "do not say what weakens the comparison" },
	CLI_COMMON
};

/* A file that was given, for which side, and what was found in it. */
struct input {
	const char		*path;
	enum pd_side		side;
	int			fd;
	struct stat		st;
	enum pd_kind		kind;
	struct pd_reader	*rd;	/* of a recording, and what it folds to */
	struct pd_fold		*fold;
	bool			failed;
	struct pd_error		err;
};

/* A line of --work-file. */
struct work {
	char	*path;
	double	units;
};

struct diff {
	struct cli		cli;
	struct input		*inputs;
	size_t			len;
	const char		*output, *baseline, *write_baseline, *rules;
	struct work		*works;
	size_t			nworks;
	struct pd_diff_opts	opts;
	struct pd_diff_text	text;
	struct pd_fold_opts	fold;
	struct pd_filter	*filter;
	struct cli_progress	progress;
	enum pd_diff_format	format;
	unsigned		keep;
	int			color;
	double			work[2], freq[2];
	bool			vs, self_check, gate, gate_strict, strict;
	bool			fail_improved, verbose;
	unsigned		njobs;
	struct cli_jobs		*jobs;
	struct pd_diff		*diff;
};

/* ---- options ---------------------------------------------------------------------- */

/*
 * A number of that range; "N%" is a hundredth.  "5" for "5%" would switch a
 * gate off in silence: from 1 on the sign has to be there.
 */
static double
parse_number(const struct cli *c, const char *option, const char *value,
    double min, double max, bool percent)
{
	char *end, expected[64];
	double v = strtod(value, &end);

	if (percent && *end == '%') {
		v /= 100;
		end++;
	} else if (percent && v >= 1) {
		v = NAN;
	}
	if (end == value || *end != '\0' || !(v >= min && v <= max)) {
		snprintf(expected, sizeof(expected), percent ?
		    "from %g%% to %g%%, or a part below 1" :
		    "a number from %g to %g", percent ? 100 * min : min,
		    percent ? 100 * max : max);
		cli_bad_value(c, option, value, expected);
	}
	return v;
}

/* "N" for both sides, or "N,M". */
static void
parse_sides(const struct cli *c, const char *option, const char *value,
    double *sides)
{
	char *copy = strdup(value), *comma;
	size_t i;

	if (copy == NULL)
		cli_bad_value(c, option, value, "memory");
	comma = strchr(copy, ',');
	if (comma != NULL)
		*comma = '\0';
	for (i = 0; i < 2; i++)
		sides[i] = cli_real(c, option, i == 1 && comma ? comma + 1 :
		    copy);
	free(copy);
}

static void
add_input(struct diff *d, const char *path, enum pd_side side)
{
	d->inputs = realloc(d->inputs, (d->len + 1) * sizeof(*d->inputs));
	if (d->inputs == NULL) {
		cli_say(&d->cli, NULL, "out of memory");
		exit(2);
	}
	d->inputs[d->len++] = (struct input){ .path = path, .side = side };
}

static void
parse_filter(struct diff *d, enum pd_filter_kind kind, const char *arg)
{
	struct pd_error err;

	if (pd_filter_add(d->filter, kind, arg, &err) == -1)
		cli_die(&d->cli, NULL, &err);
}

static bool
parse_method(struct diff *d, int key, const char *arg)
{
	struct cli *c = &d->cli;
	struct pd_diff_opts *o = &d->opts;

	switch (key) {
	case OPT_ALPHA:
		o->alpha = parse_number(c, "alpha", arg, 1e-12, .5, true);
		break;
	case OPT_MIN_EFFECT:
		o->min_effect = parse_number(c, "min-effect", arg, 0, 100, true);
		break;
	case OPT_MIN_IMPACT:
		o->min_impact = parse_number(c, "min-impact", arg, 0, 1, true);
		break;
	case OPT_MIN_SAMPLES:
		o->min_samples = parse_number(c, "min-samples", arg, 0, 1e12,
		    false);
		break;
	case OPT_WANT:
		o->want = parse_number(c, "want", arg, 0, 100, true);
		break;
	case OPT_TEST:
		o->test = (enum pd_test)cli_choice(c, "test", arg, tests_of);
		break;
	case OPT_NORM:
		o->norm = (enum pd_norm)cli_choice(c, "norm", arg, norms_of);
		break;
	case OPT_FDR: o->fdr = true; break;
	case OPT_KAPPA:
		o->kappa = parse_number(c, "kappa", arg, 0, 100, false);
		break;
	case OPT_PSEUDO:
		o->pseudo = parse_number(c, "pseudo-count", arg, 0, 1000, false);
		break;
	case OPT_SEED:
		o->seed = cli_number(c, "seed", arg, 0, INT64_MAX);
		break;
	case OPT_MATCH:
		o->match = (const unsigned[]){ PD_MATCH_NORM, 0,
		    PD_MATCH_LOOSE }[cli_choice(c, "match", arg, matches_of)];
		break;
	case OPT_KEEP:
		d->keep |= 1u << cli_choice(c, "keep", arg, rules_of);
		break;
	case OPT_FIXED_WORK: o->fixed_work = true; break;
	case OPT_WORK: parse_sides(c, "work", arg, d->work); break;
	case OPT_FREQ: parse_sides(c, "freq", arg, d->freq); break;
	case OPT_GATE_SHARE: o->gate_share = true; break;
	case OPT_GATE_MOVED: o->gate_moved = true; break;
	case OPT_FORCE: o->force = true; break;
	default: return false;
	}
	return true;
}

static void read_works(struct diff *d, const char *path);

static void
parse_option(struct diff *d, int key, const char *arg)
{
	struct cli *c = &d->cli;

	switch (key) {
	case CLI_OPERAND:
		add_input(d, arg, d->vs ? PD_NEW : PD_BASE);
		break;
	case OPT_VS: d->vs = true; break;
	case OPT_PAIRS: d->opts.pairs = true; break;
	case OPT_BASELINE: d->baseline = arg; break;
	case OPT_WRITE_BASELINE: d->write_baseline = arg; break;
	case OPT_SELF_CHECK: d->self_check = true; break;
	case 'o': d->output = arg; break;
	case OPT_FORMAT:
		d->format = (enum pd_diff_format)cli_choice(c, "format", arg,
		    formats_of);
		break;
	case OPT_WORK_FILE: read_works(d, arg); break;
	case OPT_WORK_EVENT: d->fold.work_event = arg; break;
	case OPT_GATE:
		d->gate = true;
		if (arg != NULL)
			cli_choice(c, "gate", arg, "strict");
		d->gate_strict = arg != NULL;
		break;
	case OPT_FAIL_IMPROVED: d->fail_improved = true; break;
	case OPT_RULES: d->rules = cli_readable(c, "rules", arg); break;
	case OPT_SHOW_MERGED: d->text.merged = true; break;
	case OPT_TOTAL: d->text.total = true; break;
	case OPT_TOP:
		d->text.top = cli_number(c, "top", arg, 1, 1000000);
		break;
	case OPT_COLOR:
		d->color = cli_choice(c, "color", arg, colors_of);
		break;
	case OPT_SIGNIFICANT: d->text.significant_only = true; break;
	case OPT_NORMALIZE: d->text.scaled = true; break;
	case 'e': d->fold.event = arg; break;
	case OPT_COMM: parse_filter(d, PD_BY_COMM, arg); break;
	case OPT_PID: parse_filter(d, PD_BY_PID, arg); break;
	case OPT_TID: parse_filter(d, PD_BY_TID, arg); break;
	case OPT_CPU: parse_filter(d, PD_BY_CPU, arg); break;
	case OPT_JOBS:
		d->njobs = (unsigned)cli_number(c, "jobs", arg, 1, 1024);
		break;
	case OPT_STRICT: d->strict = true; break;
	case 'v': d->verbose = true; break;
	case 'q': c->quiet = true; break;
	}
}

/* What the operands mean depends on other options: now all are known. */
static void
assign_sides(struct diff *d)
{
	struct cli *c = &d->cli;
	bool one_group = d->self_check || d->write_baseline != NULL;
	const char *problem = NULL;
	size_t i;

	if (d->opts.pairs) {
		for (i = 0; i < d->len; i++)
			d->inputs[i].side = i % 2 ? PD_NEW : PD_BASE;
		if (d->vs || d->baseline != NULL || one_group)
			problem = "--pairs takes base and new runs in turn, "
			    "without --vs, --baseline and --self-check";
		else if (d->len % 2 != 0 || d->len == 0)
			problem = "--pairs needs an even number of runs";
	} else if (one_group) {
		if (d->vs || d->baseline != NULL)
			problem = "--self-check and --write-baseline take one "
			    "group of runs";
		else if (d->len == 0)
			problem = "no runs given";
	} else if (d->baseline != NULL) {
		for (i = 0; i < d->len; i++)
			d->inputs[i].side = PD_NEW;
		if (d->vs && d->len > 0)
			problem = "--baseline takes the place of the base "
			    "runs: leave out --vs";
		else if (d->len == 0)
			problem = "no new runs given";
	} else if (!d->vs && d->len == 2) {
		d->inputs[1].side = PD_NEW;
	} else if (!d->vs) {
		problem = "expected BASE NEW, or BASE... --vs NEW...";
	} else if (d->len == 0 || d->inputs[0].side == PD_NEW ||
	    d->inputs[d->len - 1].side == PD_BASE) {
		problem = "expected runs on both sides of --vs";
	}
	if (problem == NULL && d->opts.fixed_work && (d->works != NULL ||
	    d->work[0] > 0 || d->fold.work_event != NULL))
		problem = "--fixed-work says that the work is the same: leave "
		    "out --work, --work-file and --work-event";
	if (problem != NULL) {
		cli_say(c, NULL, "%s", problem);
		fprintf(stderr, "Try '%s --help'.\n", c->prog);
		exit(2);
	}
	d->opts.match &= ~d->keep;
	d->opts.whole = d->text.total || d->format == PD_DIFF_JSON;
}

static void
parse_options(struct diff *d)
{
	const char *arg;
	int key;

	while ((key = cli_next(&d->cli, &arg)) != -1)
		if (!cli_symbols(&d->cli, key, arg, &d->fold.stack,
		    &d->progress) && !parse_method(d, key, arg))
			parse_option(d, key, arg);
	assign_sides(d);
}

/* ---- work ---------------------------------------------------------------------------- */

/* The path ends where the units begin. */
static void
add_work(struct diff *d, char *path, char *units)
{
	struct work w = { .units = cli_real(&d->cli, "work-file", units) };

	while (units > path && isspace((unsigned char)units[-1]))
		*--units = '\0';
	w.path = strdup(path);
	d->works = realloc(d->works, (d->nworks + 1) * sizeof(w));
	if (w.path == NULL || d->works == NULL) {
		cli_say(&d->cli, NULL, "out of memory");
		exit(2);
	}
	d->works[d->nworks++] = w;
}

/* "path units" a line: the path may have blanks. */
static void
read_works(struct diff *d, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL, *last;
	size_t cap = 0, n = 0;
	ssize_t len;

	if (f == NULL) {
		cli_say(&d->cli, path, "%s", strerror(errno));
		exit(2);
	}
	while ((len = getline(&line, &cap, f)) > 0) {
		n++;
		while (len > 0 && isspace((unsigned char)line[len - 1]))
			line[--len] = '\0';
		if (len == 0 || line[0] == '#')
			continue;
		for (last = line + len; last > line &&
		    !isspace((unsigned char)last[-1]); last--)
			;
		if (last == line) {
			cli_say(&d->cli, path, "line %zu: expected a path and "
			    "its units of work", n);
			exit(2);
		}
		add_work(d, line, last);
	}
	if (ferror(f)) {
		cli_say(&d->cli, path, "%s", strerror(errno));
		exit(2);
	}
	free(line);
	fclose(f);
}

static const char *
last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* By its whole path, else by its last part. */
static double
work_of(const struct diff *d, const char *path)
{
	size_t i;

	for (i = 0; i < d->nworks; i++)
		if (strcmp(d->works[i].path, path) == 0)
			return d->works[i].units;
	for (i = 0; i < d->nworks; i++)
		if (strcmp(d->works[i].path, last_part(path)) == 0)
			return d->works[i].units;
	return 0;
}

/* What was said on the command line of a run. */
static void
complete(const struct diff *d, const struct input *in, struct pd_run *run)
{
	double units = work_of(d, in->path);

	if (units > 0)
		run->work = units;
	else if (d->work[in->side] > 0)
		run->work = d->work[in->side];
	if (d->freq[in->side] > 0)
		run->freq = (uint64_t)(d->freq[in->side] + .5);
}

/* ---- inputs --------------------------------------------------------------------------- */

static _Noreturn void
die(struct diff *d, const char *path, const struct pd_error *err)
{
	cli_die(&d->cli, path ? cli_input_name(path) : NULL, err);
}

/* Replicates must be separate runs, or the variance between them is 0. */
static void
check_twice(struct diff *d, const struct input *in)
{
	const struct input *other;

	if (!S_ISREG(in->st.st_mode) && !S_ISDIR(in->st.st_mode))
		return;
	for (other = d->inputs; other < in; other++) {
		if (other->st.st_dev != in->st.st_dev ||
		    other->st.st_ino != in->st.st_ino)
			continue;
		if (other->side == in->side) {
			cli_say(&d->cli, in->path, "given twice: replicates "
			    "must be separate runs");
			exit(2);
		}
		d->cli.subject = in->path;
		cli_warn(&d->cli, "given on both sides");
		d->cli.subject = NULL;
	}
}

static void
check_stdin(struct diff *d)
{
	size_t i, n = 0;

	for (i = 0; i < d->len; i++)
		n += strcmp(d->inputs[i].path, "-") == 0;
	if (n > 1) {
		cli_say(&d->cli, "standard input", "given twice");
		exit(2);
	}
}

/*
 * Find out what an input is, and fold a recording: what takes time, and can be
 * done for several at once.  The rest, and all that is said, is in order.
 */
static int
find_run(struct diff *d, struct input *in)
{
	struct pd_error *err = &in->err;
	bool directory, shown = false;
	size_t i = (size_t)(in - d->inputs);
	int r;

	in->fd = strcmp(in->path, "-") == 0 ? STDIN_FILENO :
	    open(in->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (in->fd == -1 || fstat(in->fd, &in->st) == -1) {
		*err = (struct pd_error){ .sys = errno };
		return -1;
	}
	directory = S_ISDIR(in->st.st_mode);
	if (directory)
		in->kind = PD_KIND_RECORDING;
	else if (pd_kind_of(in->fd, &in->kind, err) == -1)
		return -1;
	if (in->kind != PD_KIND_RECORDING)
		return 0;
	in->rd = directory ? pd_reader_open(in->path, PD_TIME_ORDER, err) :
	    pd_reader_open_fd(in->fd, PD_TIME_ORDER, err);
	if (in->rd == NULL ||
	    (in->fold = pd_fold_new(in->rd, &d->fold, err)) == NULL)
		return -1;
	while ((r = pd_fold_next(in->fold, err)) == 1) {
		if (!cli_jobs_awaited(d->jobs, i))
			continue;
		if (!shown)
			cli_progress_start(&d->progress, false);
		shown = true;
		cli_progress_step(&d->progress, in->rd);
	}
	if (shown)
		cli_progress_end(&d->progress);
	return r;
}

static void
work_ahead(void *ctx, size_t i)
{
	struct diff *d = ctx;
	struct input *in = &d->inputs[i];

	in->failed = find_run(d, in) == -1;
}

static void
add_recording(struct diff *d, struct input *in)
{
	static const struct pd_text_opts text;
	struct pd_error err;
	struct pd_run run;

	pd_fold_run(in->fold, &run);
	complete(d, in, &run);
	d->cli.subject = cli_input_name(in->path);
	if (cli_report_fold(&d->cli, in->path, in->rd, in->fold, "period",
	    d->verbose, &err) == -1 || pd_diff_add(d->diff, in->side,
	    cli_input_name(in->path), pd_fold_profile(in->fold), &text, &run,
	    &err) == -1)
		die(d, in->path, &err);
	d->cli.subject = NULL;
	pd_fold_free(in->fold);
	pd_reader_close(in->rd);
}

static void
add_folded(struct diff *d, const struct input *in)
{
	struct pd_run known = { .work = 0 };
	struct pd_error err;

	complete(d, in, &known);
	if (pd_diff_add_folded(d->diff, in->side, cli_input_name(in->path),
	    in->fd, &known, &err) == -1)
		die(d, in->path, &err);
}

static void
add_run(struct diff *d, struct input *in)
{
	if (in->failed && in->fd == -1) {
		cli_say(&d->cli, in->path, "%s", strerror(in->err.sys));
		exit(2);
	}
	check_twice(d, in);
	if (in->failed)
		die(d, in->path, &in->err);
	switch (in->kind) {
	case PD_KIND_RECORDING:
		add_recording(d, in);
		break;
	case PD_KIND_FOLDED:
		add_folded(d, in);
		break;
	case PD_KIND_BASELINE:
		cli_say(&d->cli, in->path, "a baseline: give it as "
		    "--baseline FILE");
		exit(2);
	case PD_KIND_PPROF:
		cli_say(&d->cli, in->path, "compressed, or a pprof profile: "
		    "give folded stacks or a recording");
		exit(2);
	}
	if (in->fd != STDIN_FILENO)
		close(in->fd);
}

static FILE *
open_text(struct diff *d, const char *path)
{
	FILE *f = fopen(path, "re");

	if (f == NULL) {
		cli_say(&d->cli, path, "%s", strerror(errno));
		exit(2);
	}
	return f;
}

static struct pd_rules *
read_rules(struct diff *d)
{
	struct pd_error err;
	struct pd_rules *r;
	FILE *f;

	if (d->rules == NULL)
		return NULL;
	f = open_text(d, d->rules);
	if ((r = pd_rules_read(f, &err)) == NULL)
		die(d, d->rules, &err);
	fclose(f);
	return r;
}

static void
read_all(struct diff *d)
{
	struct pd_error err;
	unsigned n;
	size_t i;
	FILE *f;

	if (d->baseline != NULL) {
		f = open_text(d, d->baseline);
		if (pd_diff_read_baseline(d->diff, PD_BASE, f, &err) == -1)
			die(d, d->baseline, &err);
		fclose(f);
	}
	check_stdin(d);
	/* Of files that all need, libdebuginfod would load one for each. */
	n = d->fold.stack.debuginfod ? 1 : d->njobs > 0 ? d->njobs :
	    cli_jobs_default();
	d->jobs = cli_jobs_new(&d->cli, n, d->len, work_ahead, d);
	for (i = 0; i < d->len; i++) {
		cli_jobs_take(d->jobs, i);
		add_run(d, &d->inputs[i]);
	}
	cli_jobs_free(d->jobs);
}

/* ---- result ---------------------------------------------------------------------------- */

static bool
wants_color(const struct diff *d)
{
	const char *no = getenv("NO_COLOR");

	return d->color == 1 || (d->color == 0 && d->output == NULL &&
	    (no == NULL || *no == '\0') && isatty(STDOUT_FILENO));
}

static void
warn_all(struct diff *d)
{
	const char *text, *code;
	size_t i;

	for (i = 0; (text = pd_diff_warning(d->diff, i, &code)) != NULL; i++)
		cli_warn(&d->cli, "%s", text);
}

/* 0 no regression, 1 one, 3 undecided and somebody cares. */
static int
status(struct diff *d)
{
	enum pd_outcome o = pd_diff_outcome(d->diff);

	if (d->strict && d->cli.warnings > 0)
		return 3;
	if (o == PD_HAS_REGRESSION)
		return 1;
	if (d->fail_improved && pd_diff_improved(d->diff) > 0)
		return 1;
	if (o == PD_UNDECIDED && d->gate_strict)
		return 3;
	if (o == PD_UNDECIDED && d->gate && !d->cli.quiet)
		cli_say(&d->cli, NULL, "not decided: this gate lets it pass "
		    "(--gate=strict does not)");
	return 0;
}

int
main(int argc, char **argv)
{
	struct diff d = {
		.cli = { .prog = "pd-diff", .usage = "[option ...] base new\n"
		    "       pd-diff [option ...] base ... --vs new ...\n"
		    "       pd-diff [option ...] --pairs base new base new ...",
		    .about = "Compare profiles: what became slower or faster, "
		    "and how sure that is", .options = options, .argc = argc,
		    .argv = argv },
	};
	struct cli_output out;
	struct pd_error err;
	struct pd_rules *rules;
	int r;

	cli_start();
	pd_diff_opts_init(&d.opts);
	if ((d.filter = pd_filter_new(&err)) == NULL)
		cli_die(&d.cli, NULL, &err);
	d.fold.filter = d.filter;
	parse_options(&d);
	d.opts.rules = rules = read_rules(&d);
	if ((d.diff = pd_diff_new(&d.opts, &err)) == NULL)
		die(&d, NULL, &err);
	read_all(&d);
	d.text.color = wants_color(&d);
	cli_output_open(&d.cli, &out, d.write_baseline ? d.write_baseline :
	    d.output);
	if (d.write_baseline != NULL)
		r = pd_diff_write_baseline(d.diff, PD_BASE, out.file, &err);
	else if (d.self_check)
		r = pd_diff_self_check(d.diff, out.file, &err);
	else if ((r = pd_diff_run(d.diff, &err)) == 0)
		r = pd_diff_write(d.diff, d.format, &d.text, out.file, &err);
	if (r == -1) {
		cli_output_drop(&out);
		die(&d, NULL, &err);
	}
	cli_output_close(&d.cli, &out);
	warn_all(&d);
	r = d.self_check || d.write_baseline ? 0 : status(&d);
	pd_diff_free(d.diff);
	pd_rules_free(rules);
	pd_filter_free(d.filter);
	while (d.nworks > 0)
		free(d.works[--d.nworks].path);
	free(d.works);
	free(d.inputs);
	return r;
}
