/* pd-fold: fold the stacks of a recording into one line each. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum {
	OPT_COMM = CLI_FIRST, OPT_PID, OPT_TID, OPT_CPU, OPT_ROOT,
	OPT_ANNOTATE, OPT_WEIGHT, OPT_MAX_STACK, OPT_ADDRS, OPT_COMPAT,
	OPT_SRCLINE, OPT_STITCH_LBR, OPT_META, OPT_WORK, OPT_WORK_EVENT,
	OPT_TOP, OPT_PROGRESS, OPT_STRICT, OPT_FAIL_EMPTY, OPT_FORMAT,
};

/* The exports, in the order of enum pd_export_format, behind folded. */
static const char formats_of[] = "folded|pprof|speedscope|json|firefox";
enum { FORMAT_FOLDED, FORMAT_PPROF };
static const char roots_of[] = "comm|pid|tid|thread|cpu|event|none";
static const char weights_of[] = "period|samples|time";
static const char *const units[] = { "period", "samples", "time (ns)" };

static const struct cli_option options[] = {
	{ 'i', "input", "FILE", "read FILE (- is standard input)" },
	{ 'o', "output", "FILE", "write to FILE instead of standard output" },
	{ OPT_FORMAT, "format", formats_of, "what to write (default folded)" },
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
	{ OPT_STITCH_LBR, "stitch-lbr", NULL,
	    "go on with earlier samples where the LBR ends" },
	{ OPT_SRCLINE, "srcline", NULL, "frames are lines: function:file:line" },
	{ OPT_ADDRS, "addrs", NULL, "show the addresses of unnamed frames" },
	{ OPT_COMPAT, "compat", "perl",
	    "the text of perf script | stackcollapse-perf.pl" },
	CLI_SYMBOLS
	{ OPT_META, "meta", NULL,
	    "begin with a comment that tells of the run, for pd-diff" },
	{ OPT_WORK, "work", "N", "units of work that the run did, for --meta" },
	{ OPT_WORK_EVENT, "work-event", "GLOB",
	    "a sample of this event is a unit of work, and not folded" },
	{ OPT_TOP, "top", "N", "print the N hottest functions on stderr" },
	{ OPT_PROGRESS, "progress", NULL, "show progress, not only on a terminal" },
	{ OPT_STRICT, "strict", NULL, "exit 2 when anything was lost or unclear" },
	{ OPT_FAIL_EMPTY, "fail-empty", NULL, "exit 1 when there was no sample" },
	{ 'v', "verbose", NULL, "say what was read and counted" },
	{ 'q', "quiet", NULL, "do not say what was lost or unclear" },
	CLI_COMMON
};

struct fold {
	struct cli		cli;
	const char		*input, *output;
	enum pd_root		roots[16];
	struct pd_fold_opts	opts;
	struct pd_text_opts	text;
	int			format;		/* in formats_of */
	const char		*format_name;
	bool			weight_given, root_given;
	struct pd_export	*export;
	struct pd_filter	*filter;
	size_t			top;
	struct cli_progress	progress;
	bool			show_progress, strict, fail_empty, verbose;
	bool			meta;
	double			work;
	struct pd_reader	*rd;
	struct pd_fold		*fold;
};

/* ---- options -------------------------------------------------------------------- */

static void
parse_root(struct fold *f, const char *arg)
{
	int root = cli_choice(&f->cli, "root", arg, roots_of);

	f->opts.stack.roots = f->roots;
	f->root_given = true;
	if (strcmp(arg, "none") == 0)
		return;
	if (f->opts.stack.nroots == sizeof(f->roots) / sizeof(f->roots[0]))
		cli_bad_value(&f->cli, "root", arg, "at most 16 of them");
	f->roots[f->opts.stack.nroots++] = (enum pd_root)root;
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

/* What an export is else than folded text. */
static void
check_format(struct fold *f)
{
	struct cli *c = &f->cli;

	if (f->text.perl)
		cli_bad_value(c, "format", f->format_name,
		    "folded, with --compat");
	/* They have the thread of each sample, which needs no root. */
	if (!f->root_given)
		f->opts.stack.roots = f->roots;
	if (f->format == FORMAT_PPROF && isatty(STDOUT_FILENO) &&
	    (f->output == NULL || strcmp(f->output, "-") == 0))
		cli_bad_value(c, "format", f->format_name,
		    "a file (-o) or pipe for it, which is binary");
}

static void
parse_options(struct fold *f)
{
	struct cli *c = &f->cli;
	const char *arg;
	int key;

	while ((key = cli_next(c, &arg)) != -1) {
		if (cli_symbols(c, key, arg, &f->opts.stack, &f->progress))
			continue;
		switch (key) {
		case CLI_OPERAND:
			if (f->input != NULL)
				cli_bad_value(c, "input", arg,
				    "one recording at a time");
			/* FALLTHROUGH */
		case 'i': f->input = arg; break;
		case 'o': f->output = arg; break;
		case 'e': f->opts.event = arg; break;
		case OPT_COMM: parse_filter(f, PD_BY_COMM, arg); break;
		case OPT_PID: parse_filter(f, PD_BY_PID, arg); break;
		case OPT_TID: parse_filter(f, PD_BY_TID, arg); break;
		case OPT_CPU: parse_filter(f, PD_BY_CPU, arg); break;
		case OPT_FORMAT:
			f->format = cli_choice(c, "format", arg, formats_of);
			f->format_name = arg;
			break;
		case OPT_ROOT: parse_root(f, arg); break;
		case OPT_ANNOTATE: parse_annotate(f, arg); break;
		case OPT_WEIGHT:
			f->opts.weight = cli_choice(c, "weight", arg, weights_of);
			f->weight_given = true;
			break;
		case OPT_MAX_STACK:
			f->opts.stack.max_stack = cli_number(c, "max-stack", arg, 1,
			    UINT16_MAX);
			break;
		case OPT_ADDRS:
			f->opts.stack.addrs = f->text.addrs = true;
			break;
		case OPT_STITCH_LBR: f->opts.stack.stitch_lbr = true; break;
		case OPT_SRCLINE: f->opts.stack.lines = true; break;
		case OPT_COMPAT:
			cli_choice(c, "compat", arg, "perl");
			f->opts.stack.perf_compat = f->text.perl = true;
			f->opts.first_seen = true;
			break;
		case OPT_META: f->meta = true; break;
		case OPT_WORK: f->work = cli_real(c, "work", arg); break;
		case OPT_WORK_EVENT: f->opts.work_event = arg; break;
		case OPT_TOP:
			f->top = cli_number(c, "top", arg, 1, 1000000);
			break;
		case OPT_PROGRESS: f->show_progress = true; break;
		case OPT_STRICT: f->strict = true; break;
		case OPT_FAIL_EMPTY: f->fail_empty = true; break;
		case 'v': f->verbose = true; break;
		case 'q': c->quiet = true; break;
		}
	}
	if (f->format != FORMAT_FOLDED)
		check_format(f);
	if (f->input == NULL)
		f->input = cli_default_input();
}

/* ---- all of it ---------------------------------------------------------------------- */

static int
export_open(struct fold *f, struct pd_error *err)
{
	struct pd_export_opts o = {
		.format = (enum pd_export_format)(f->format - FORMAT_PPROF),
		.weight = f->opts.weight,
		.prefer_time = !f->weight_given,
		.text = f->text,
	};

	if (f->format == FORMAT_FOLDED)
		return 0;
	f->export = pd_export_new(&o, &f->opts, err);
	return f->export == NULL ? -1 : 0;
}

static int
write_folded(struct fold *f, FILE *out, struct pd_error *err)
{
	struct pd_run run;

	pd_fold_run(f->fold, &run);
	if (f->work > 0)
		run.work = f->work;
	if (f->meta && pd_run_write(&run, out, err) == -1)
		return -1;
	return pd_profile_write_folded(pd_fold_profile(f->fold), &f->text, out,
	    err);
}

static int
write_all(struct fold *f, FILE *out, struct pd_error *err)
{
	if (f->export != NULL)
		return pd_export_write(f->export, f->rd, f->fold, out, err);
	return write_folded(f, out, err);
}

static int
fold_all(struct fold *f, struct pd_error *err)
{
	int r;

	f->rd = pd_reader_open(f->input, PD_TIME_ORDER, err);
	if (f->rd == NULL || export_open(f, err) == -1 ||
	    (f->fold = pd_fold_new(f->rd, &f->opts, err)) == NULL)
		return -1;
	cli_progress_start(&f->progress, f->show_progress);
	while ((r = pd_fold_next(f->fold, err)) == 1)
		cli_progress_step(&f->progress, f->rd);
	cli_progress_end(&f->progress);
	return r;
}

int
main(int argc, char **argv)
{
	struct fold f = {
		.cli = { .prog = "pd-fold", .usage = "[option ...] [recording]",
		    .about = "Fold the stacks of a perf.data recording into "
		    "one line each: root;...;leaf COUNT", .options = options,
		    .argc = argc, .argv = argv },
	};
	struct cli_output out;
	struct pd_error err;
	bool empty;

	cli_start();
	if ((f.filter = pd_filter_new(&err)) == NULL)
		cli_die(&f.cli, NULL, &err);
	f.opts.filter = f.filter;
	parse_options(&f);
	cli_expect_interrupt(f.input);
	cli_output_open(&f.cli, &out, f.output);
	if (fold_all(&f, &err) == -1) {
		cli_output_drop(&out);
		cli_die(&f.cli, cli_input_name(f.input), &err);
	}
	if (write_all(&f, out.file, &err) == -1) {
		cli_output_drop(&out);
		cli_die(&f.cli, f.output ? f.output : "standard output", &err);
	}
	cli_output_close(&f.cli, &out);
	if ((f.top > 0 && pd_profile_write_hottest(pd_fold_profile(f.fold),
	    &f.text, f.top, stderr, &err) == -1) || cli_report_fold(&f.cli,
	    f.input, f.rd, f.fold, units[f.opts.weight], f.verbose, &err) == -1)
		cli_die(&f.cli, NULL, &err);
	empty = pd_profile_samples(pd_fold_profile(f.fold)) == 0;
	pd_fold_free(f.fold);
	pd_export_free(f.export);
	pd_reader_close(f.rd);
	pd_filter_free(f.filter);
	if (f.strict && f.cli.warnings > 0)
		return 2;
	return f.fail_empty && empty;
}
