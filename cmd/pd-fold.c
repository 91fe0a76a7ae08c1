/* pd-fold: fold the stacks of a recording into one line each. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum {
	OPT_COMM = CLI_FIRST, OPT_PID, OPT_TID, OPT_CPU, OPT_ROOT,
	OPT_ANNOTATE, OPT_WEIGHT, OPT_MAX_STACK, OPT_ADDRS, OPT_COMPAT,
	OPT_KALLSYMS, OPT_VMLINUX, OPT_SYMFS, OPT_BUILDID_DIR, OPT_DEMANGLE,
	OPT_TOP, OPT_PROGRESS, OPT_STRICT, OPT_FAIL_EMPTY,
};

static const char roots_of[] = "comm|pid|tid|thread|cpu|event|none";
static const char weights_of[] = "period|samples|time";
static const char demangle_of[] = "short|full|none";

static const struct cli_option options[] = {
	{ 'i', "input", "FILE", "read FILE (- is standard input)" },
	{ 'o', "output", "FILE", "write to FILE instead of standard output" },
	{ 'e', "event", "GLOB", "fold the first event whose name matches" },
	{ OPT_COMM, "comm", "GLOB", "only threads of this name (repeatable)" },
	{ OPT_PID, "pid", "LIST", "only these processes: 12,40-50" },
	{ OPT_TID, "tid", "LIST", "only these threads" },
	{ OPT_CPU, "cpu", "LIST", "only these CPUs" },
	{ OPT_ROOT, "root", roots_of,
	    "put this on top of stacks (repeatable; default comm)" },
	{ OPT_ANNOTATE, "annotate", "LIST",
	    "mark frames: kernel _[k], jit _[j], inline _[i], all" },
	{ OPT_WEIGHT, "weight", weights_of,
	    "what a sample counts (default period)" },
	{ OPT_MAX_STACK, "max-stack", "N", "keep the N frames nearest the leaf" },
	{ OPT_ADDRS, "addrs", NULL, "show the addresses of unnamed frames" },
	{ OPT_DEMANGLE, "demangle", demangle_of,
	    "how to write C++ and Rust names (default short)" },
	{ OPT_COMPAT, "compat", "perl",
	    "the text of perf script | stackcollapse-perf.pl" },
	{ OPT_KALLSYMS, "kallsyms", "FILE", "kernel symbols: a /proc/kallsyms" },
	{ OPT_VMLINUX, "vmlinux", "FILE", "kernel symbols: its ELF file" },
	{ OPT_SYMFS, "symfs", "DIR", "look for files of the recording in DIR" },
	{ OPT_BUILDID_DIR, "buildid-dir", "DIR",
	    "the build-id cache (default ~/.debug)" },
	{ OPT_TOP, "top", "N", "print the N hottest functions on stderr" },
	{ OPT_PROGRESS, "progress", NULL, "show progress, not only on a terminal" },
	{ OPT_STRICT, "strict", NULL, "exit 2 when anything was lost or unclear" },
	{ OPT_FAIL_EMPTY, "fail-empty", NULL, "exit 1 when there was no sample" },
	{ 'v', "verbose", NULL, "say what was read and counted" },
	{ 'q', "quiet", NULL, "do not say what was lost or unclear" },
	CLI_COMMON
};

enum weight { BY_PERIOD, BY_SAMPLES, BY_TIME };

struct fold {
	struct cli		cli;
	const char		*input, *output, *event;
	enum pd_root		roots[16];
	struct pd_stack_opts	stack;
	struct pd_fold_opts	text;
	enum weight		weight;
	size_t			top;
	bool			progress, strict, fail_empty, verbose;

	struct pd_reader	*rd;
	struct pd_session	*session;
	struct pd_filter	*filter;
	struct pd_tree		*tree;
	struct pd_stacker	*stacker;
	struct pd_profile	*profile;
	const struct pd_event	*chosen;	/* NULL before its first sample */
	uint64_t		other, truncated;	/* samples */
};

/* ---- options -------------------------------------------------------------------- */

static void
parse_root(struct fold *f, const char *arg)
{
	int root = cli_choice(&f->cli, "root", arg, roots_of);

	f->stack.roots = f->roots;
	if (strcmp(arg, "none") == 0)
		return;
	if (f->stack.nroots == sizeof(f->roots) / sizeof(f->roots[0]))
		cli_bad_value(&f->cli, "root", arg, "at most 16 of them");
	f->roots[f->stack.nroots++] = (enum pd_root)root;
}

static void
parse_annotate(struct fold *f, const char *arg)
{
	char *list = strdup(arg), *word, *save = NULL;

	for (word = strtok_r(list, ",", &save); word != NULL;
	    word = strtok_r(NULL, ",", &save)) {
		int i = cli_choice(&f->cli, "annotate", word,
		    "kernel|jit|inline|all");

		f->text.mark_kernel |= i == 0 || i == 3;
		f->text.mark_jit |= i == 1 || i == 3;
		f->text.mark_inline |= i == 2 || i == 3;
	}
	free(list);
}

static void
parse_filter(struct fold *f, enum pd_filter_kind kind, const char *arg)
{
	struct pd_error err;

	if (pd_filter_add(f->filter, kind, arg, &err) == -1)
		cli_die(&f->cli, NULL, &err);
}

static void
parse_options(struct fold *f)
{
	struct cli *c = &f->cli;
	const char *arg;
	int key;

	while ((key = cli_next(c, &arg)) != -1) {
		switch (key) {
		case CLI_OPERAND:
			if (f->input != NULL)
				cli_bad_value(c, "input", arg,
				    "one recording at a time");
			/* FALLTHROUGH */
		case 'i': f->input = arg; break;
		case 'o': f->output = arg; break;
		case 'e': f->event = arg; break;
		case OPT_COMM: parse_filter(f, PD_BY_COMM, arg); break;
		case OPT_PID: parse_filter(f, PD_BY_PID, arg); break;
		case OPT_TID: parse_filter(f, PD_BY_TID, arg); break;
		case OPT_CPU: parse_filter(f, PD_BY_CPU, arg); break;
		case OPT_ROOT: parse_root(f, arg); break;
		case OPT_ANNOTATE: parse_annotate(f, arg); break;
		case OPT_WEIGHT:
			f->weight = cli_choice(c, "weight", arg, weights_of);
			break;
		case OPT_MAX_STACK:
			f->stack.max_stack = cli_number(c, "max-stack", arg, 1,
			    UINT16_MAX);
			break;
		case OPT_ADDRS:
			f->stack.addrs = f->text.addrs = true;
			break;
		case OPT_DEMANGLE:
			f->stack.demangle = cli_choice(c, "demangle", arg,
			    demangle_of);
			break;
		case OPT_COMPAT:
			cli_choice(c, "compat", arg, "perl");
			f->stack.perf_compat = f->text.perl = true;
			break;
		case OPT_KALLSYMS: f->stack.kallsyms = arg; break;
		case OPT_VMLINUX: f->stack.vmlinux = arg; break;
		case OPT_SYMFS: f->stack.symfs = arg; break;
		case OPT_BUILDID_DIR: f->stack.buildid_dir = arg; break;
		case OPT_TOP:
			f->top = cli_number(c, "top", arg, 1, 1000000);
			break;
		case OPT_PROGRESS: f->progress = true; break;
		case OPT_STRICT: f->strict = true; break;
		case OPT_FAIL_EMPTY: f->fail_empty = true; break;
		case 'v': f->verbose = true; break;
		case 'q': c->quiet = true; break;
		}
	}
	if (f->input == NULL)
		f->input = cli_default_input();
}

/* ---- samples ----------------------------------------------------------------------- */

/*
 * One event a fold: units are never mixed.  It is the first of the recording
 * that has samples, or, as for perl, the one that is seen first.
 */
static int
choose(struct fold *f, const struct pd_event *ev, struct pd_error *err)
{
	if (f->chosen == ev)
		return 1;
	if ((f->event != NULL && fnmatch(f->event, ev->name, 0) != 0) ||
	    (f->chosen != NULL && (f->text.perl ||
	    f->chosen->index < ev->index))) {
		f->other++;
		return 0;
	}
	if (f->chosen != NULL)
		f->other += pd_profile_samples(f->profile);
	f->chosen = ev;
	pd_profile_free(f->profile);
	f->profile = pd_profile_new(f->tree, err);
	return f->profile == NULL ? -1 : 1;
}

static int
weigh(const struct fold *f, const struct pd_sample *s, uint64_t period,
    uint64_t *weight, struct pd_error *err)
{
	*weight = 1;
	if (f->weight == BY_TIME)
		return pd_sample_duration(f->chosen, s, weight, err);
	/* perf script prints no period that is not in the sample itself. */
	if (f->weight == BY_PERIOD && period != 0 &&
	    (s->has_period || s->read != NULL || !f->text.perl))
		*weight = period;
	return 0;
}

/* One event of a sample: mostly there is one. */
static int
fold_member(struct fold *f, const struct pd_record *rec,
    const struct pd_sample *s, const struct pd_event *ev, uint64_t period,
    struct pd_error *err)
{
	const struct pd_thread *th;
	struct pd_stack stack;
	uint64_t weight;
	int r = choose(f, ev, err);

	if (r <= 0)
		return r;
	th = pd_session_thread(f->session, rec->pid, rec->tid, err);
	if (th == NULL)
		return -1;
	if (!pd_filter_match(f->filter, rec, th))
		return 0;
	if (weigh(f, s, period, &weight, err) == -1 ||
	    pd_stacker_run(f->stacker, rec, s, th, &stack, err) == -1)
		return -1;
	f->truncated += stack.truncated;
	return pd_profile_add(f->profile, stack.node, weight, err);
}

static int
fold_sample(struct fold *f, const struct pd_record *rec, struct pd_error *err)
{
	const struct pd_event *ev;
	struct pd_sample s;
	uint64_t period;
	size_t i;
	int r;

	if (!pd_reader_sample(f->rd, rec, &s))
		return 0;
	for (i = 0; (r = pd_reader_member(f->rd, rec, &s, i, &ev, &period,
	    err)) == 1; i++) {
		/* A counter that stood still has no sample, as in perf. */
		if (ev == NULL || (s.read != NULL && period == 0))
			continue;
		if (fold_member(f, rec, &s, ev, period, err) == -1)
			return -1;
	}
	return r;
}

static int
fold_all(struct fold *f, struct pd_error *err)
{
	struct cli_progress progress;
	struct pd_record rec;
	int r;

	cli_progress_start(&progress, f->progress);
	while ((r = pd_reader_next(f->rd, &rec, err)) == 1) {
		r = rec.type == PD_RECORD_SAMPLE ? fold_sample(f, &rec, err) :
		    pd_session_apply(f->session, &rec, err);
		if (r == -1)
			break;
		cli_progress_step(&progress, f->rd);
	}
	cli_progress_end(&progress);
	return r;
}

/* ---- what the user must know ----------------------------------------------------- */

/* Frames without a name, if they are enough to matter, and whose they are. */
static int
report_unknown(struct fold *f, struct pd_error *err)
{
	uint64_t frames, unknown;
	size_t len, i;
	struct pd_blame *list;
	const char *dso, *why;

	list = pd_profile_unknown(f->profile, &frames, &unknown, &len, err);
	if (list == NULL)
		return -1;
	if (unknown * 100 < frames && !f->verbose)
		len = 0;
	if (len > 0)
		cli_warn(&f->cli, "%.1f%% of the frames have no name:",
		    100 * (double)unknown / (double)frames);
	for (i = 0; i < len && (i < 5 || f->verbose); i++) {
		dso = list[i].dso ? list[i].dso : "not in any map";
		why = list[i].dso ? pd_stacker_why(f->stacker, dso) : NULL;
		cli_say(&f->cli, dso, "%.1f%%%s%s", 100 *
		    (double)list[i].unknown / (double)frames, why ? ", " : "",
		    why ? why : "");
	}
	free(list);
	return 0;
}

static int
report(struct fold *f, struct pd_error *err)
{
	uint64_t samples = pd_profile_samples(f->profile);

	cli_report_reader(&f->cli, f->input, f->rd, f->session);
	if (f->other > 0)
		cli_warn(&f->cli, "only %s is folded: %" PRIu64 " samples of "
		    "other events are left out (see --event)", f->chosen ?
		    f->chosen->name : "what --event matches", f->other);
	if (f->truncated > 0)
		cli_warn(&f->cli, "%" PRIu64 " of %" PRIu64 " stacks are as "
		    "deep as the kernel records, so their root may be missing "
		    "(sysctl kernel.perf_event_max_stack)", f->truncated,
		    samples);
	if (f->verbose)
		cli_say(&f->cli, cli_input_name(f->input), "%" PRIu64
		    " records, %" PRIu64 " samples; folded %" PRIu64 " of %s, "
		    "counted by %s: %" PRIu64,
		    pd_reader_counts(f->rd).records,
		    pd_reader_counts(f->rd).samples, samples,
		    f->chosen ? f->chosen->name : "no event",
		    f->weight == BY_SAMPLES ? "samples" :
		    f->weight == BY_TIME ? "time (ns)" : "period",
		    pd_profile_total(f->profile));
	return report_unknown(f, err);
}

/* ---- all of it ---------------------------------------------------------------------- */

static int
open_all(struct fold *f, struct pd_error *err)
{
	f->rd = pd_reader_open(f->input, PD_TIME_ORDER, err);
	if (f->rd == NULL)
		return -1;
	f->session = pd_session_new(f->rd, err);
	f->tree = pd_tree_new(err);
	if (f->session == NULL || f->tree == NULL)
		return -1;
	f->stacker = pd_stacker_new(f->session, f->tree, &f->stack, err);
	f->profile = pd_profile_new(f->tree, err);
	return f->stacker == NULL || f->profile == NULL ? -1 : 0;
}

static void
close_all(struct fold *f)
{
	pd_profile_free(f->profile);
	pd_stacker_free(f->stacker);
	pd_tree_free(f->tree);
	pd_session_free(f->session);
	pd_reader_close(f->rd);
	pd_filter_free(f->filter);
}

int
main(int argc, char **argv)
{
	struct fold f = {
		.cli = { "pd-fold", "[option ...] [recording]",
		    "Fold the stacks of a perf.data recording into one line "
		    "each: root;...;leaf COUNT", options, argc, argv },
	};
	struct cli_output out;
	struct pd_error err;
	uint64_t samples;

	if ((f.filter = pd_filter_new(&err)) == NULL)
		cli_die(&f.cli, NULL, &err);
	parse_options(&f);
	if (open_all(&f, &err) == -1)
		cli_die(&f.cli, cli_input_name(f.input), &err);
	cli_output_open(&f.cli, &out, f.output);
	if (fold_all(&f, &err) == -1 || pd_profile_write_folded(f.profile,
	    &f.text, out.file, &err) == -1) {
		cli_output_drop(&out);
		cli_die(&f.cli, cli_input_name(f.input), &err);
	}
	cli_output_close(&f.cli, &out);
	if (f.top > 0 && pd_profile_write_hottest(f.profile, &f.text, f.top,
	    stderr, &err) == -1)
		cli_die(&f.cli, NULL, &err);
	if (report(&f, &err) == -1)
		cli_die(&f.cli, NULL, &err);
	samples = pd_profile_samples(f.profile);
	close_all(&f);
	if (f.strict && f.cli.warnings > 0)
		return 2;
	return f.fail_empty && samples == 0;
}
