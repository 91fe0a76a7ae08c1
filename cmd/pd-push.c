/* pd-push: send profiles to a Pyroscope server. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "push/push.h"

enum {
	OPT_SERVER = CLI_FIRST, OPT_APP, OPT_LABEL, OPT_API, OPT_TENANT,
	OPT_TOKEN_FILE, OPT_USER_FILE, OPT_HEADER, OPT_CA, OPT_WINDOW, OPT_SPANS,
	OPT_REBASE, OPT_RETRY, OPT_TIMEOUT, OPT_RATE, OPT_SPOOL, OPT_SPOOL_SIZE,
	OPT_DRY_RUN, OPT_PROGRESS, OPT_STRICT,
};

#define MAX_HEADERS	16
#define MAX_LABELS	64
#define SECOND		UINT64_C(1000000000)

static const struct cli_option options[] = {
	{ 'i', "input", "FILE", "read FILE (- is standard input)" },
	{ OPT_SERVER, "server", "URL", "where to send it" },
	{ OPT_APP, "app", "NAME", "what is profiled: service_name" },
	{ OPT_LABEL, "label", "KEY=VALUE", "a label more (repeatable)" },
	{ OPT_API, "api", "push|ingest", "ingest is for old servers" },
	{ OPT_TENANT, "tenant", "ID", "X-Scope-OrgID" },
	{ OPT_TOKEN_FILE, "token-file", "FILE",
	    "a bearer token (default $PD_PUSH_TOKEN)" },
	{ OPT_USER_FILE, "user-file", "FILE", "name:password" },
	{ OPT_HEADER, "header", "'K: V'",
	    "a header more; @FILE: what is in FILE (repeatable)" },
	{ OPT_CA, "ca", "FILE", "certificates to trust, instead of the system's" },
	{ OPT_WINDOW, "window", "DUR", "a profile for each DUR (default one)" },
	{ OPT_SPANS, "span-windows", "DUR",
	    "tell the DUR of a sample by its span id" },
	{ OPT_REBASE, "rebase-time", "now|@SEC",
	    "as if it were recorded until now, or from then on" },
	{ 'e', "event", "GLOB", "the first event whose name matches" },
	CLI_SYMBOLS
	{ OPT_RETRY, "retry", "DUR", "how long to try in vain (default 5m)" },
	{ OPT_TIMEOUT, "timeout", "DUR", "for one request (default 30s)" },
	{ OPT_RATE, "rate", "MB",
	    "a second at most, uncompressed (default 4; 0: any)" },
	{ OPT_SPOOL, "spool", "DIR", "keep there what is not yet delivered" },
	{ OPT_SPOOL_SIZE, "spool-size", "MB", "at most (default 1000)" },
	{ OPT_DRY_RUN, "dry-run", NULL, "write the request instead of sending it" },
	{ 'o', "output", "FILE", "with --dry-run: write it to FILE" },
	{ OPT_PROGRESS, "progress", NULL, "show progress, not only on a terminal" },
	{ OPT_STRICT, "strict", NULL, "exit 2 when anything was lost or unclear" },
	{ 'v', "verbose", NULL, "say what was read and stored" },
	{ 'q', "quiet", NULL, "do not say what was lost or unclear" },
	CLI_COMMON
};

struct push {
	struct cli		cli;
	const char		*input, *output, *rebase;
	int			fd;
	enum pd_kind		kind;
	struct pd_push_opts	opts;
	struct pd_push_label	labels[MAX_LABELS];
	const char		*headers[MAX_HEADERS];
	char			*secrets[MAX_HEADERS + 2];
	size_t			nsecrets;
	struct pd_push_window_opts window;
	struct pd_fold_opts	fold_opts;
	struct cli_progress	progress;
	bool			show_progress, strict, verbose, dry_run;

	struct pd_push		*push;		/* NULL: dry run */
	struct pd_batch		*batch;		/* of a dry run */
	struct cli_output	out;
	size_t			requests;
	struct pd_parts_seen	seen;

	struct pd_reader	*rd;
	struct pd_fold		*fold;
	struct pd_push_windows	*windows;
	struct pd_error		idle_error;
	bool			idle_failed;
};

/* ---- options ------------------------------------------------------------------- */

static void
add_label(struct push *p, const char *arg)
{
	char *eq = strchr(arg, '=');

	if (eq == NULL || eq == arg)
		cli_bad_value(&p->cli, "label", arg, "KEY=VALUE");
	if (p->opts.ident.nlabels == MAX_LABELS)
		cli_bad_value(&p->cli, "label", arg, "fewer of them");
	*eq = '\0';
	p->labels[p->opts.ident.nlabels++] =
	    (struct pd_push_label){ arg, eq + 1 };
}

static const char *
read_secret(struct push *p, const char *option, const char *path)
{
	struct pd_error err;
	char *s = pd_secret_read(path, &err);

	if (s == NULL)
		cli_die(&p->cli, option, &err);
	p->secrets[p->nsecrets++] = s;
	return s;
}

static void
add_header(struct push *p, const char *arg)
{
	if (p->opts.http.nheaders == MAX_HEADERS) {
		cli_say(&p->cli, "--header", "at most %d of them", MAX_HEADERS);
		exit(2);
	}
	if (arg[0] == '@')
		arg = read_secret(p, "--header", arg + 1);
	p->headers[p->opts.http.nheaders++] = arg;
}

/* What a child or a dump of the environment need not see. */
static void
take_token(struct push *p)
{
	char *token = getenv("PD_PUSH_TOKEN");

	if (token == NULL)
		return;
	if (p->opts.http.token == NULL && token[0] != '\0') {
		p->opts.http.token = p->secrets[p->nsecrets++] = strdup(token);
		if (p->opts.http.token == NULL) {
			cli_say(&p->cli, NULL, "out of memory");
			exit(2);
		}
	}
	explicit_bzero(token, strlen(token));
	unsetenv("PD_PUSH_TOKEN");
}

static uint64_t
positive(const struct cli *c, const char *option, const char *arg)
{
	uint64_t ns = cli_duration(c, option, arg);

	if (ns == 0)
		cli_bad_value(c, option, arg, "more than that");
	return ns;
}

static void
set_defaults(struct push *p)
{
	p->fd = -1;
	p->opts.ident.labels = p->labels;
	p->opts.http.headers = p->headers;
	p->opts.http.parallel = 4;
	p->opts.http.timeout = 30 * SECOND;
	p->opts.budget = 300 * SECOND;
	p->opts.rate = 4000000;
	p->opts.spool_max = 1000000000;
}

static void
check_options(struct push *p)
{
	struct cli *c = &p->cli;
	struct pd_error err;

	if (p->opts.ident.app == NULL) {
		cli_say(c, NULL, "--app says what is profiled");
		exit(2);
	}
	if (!p->dry_run && p->opts.http.server == NULL) {
		cli_say(c, NULL, "--server says where to send it");
		exit(2);
	}
	if (p->output != NULL && !p->dry_run) {
		cli_say(c, "--output", "only with --dry-run");
		exit(2);
	}
	if (pd_push_ident_check(&p->opts.ident, &err) == -1)
		cli_die(c, NULL, &err);
	if (p->window.span != 0 && p->window.size == 0)
		p->window.size = SECOND;
	if (p->input == NULL)
		p->input = cli_default_input();
	take_token(p);
}

static void
parse_options(struct push *p)
{
	struct cli *c = &p->cli;
	const char *arg;
	int key;

	set_defaults(p);
	while ((key = cli_next(c, &arg)) != -1) {
		switch (key) {
		case CLI_OPERAND:
			if (p->input != NULL)
				cli_bad_value(c, "input", arg,
				    "one input at a time");
			/* FALLTHROUGH */
		case 'i': p->input = arg; break;
		case 'o': p->output = arg; break;
		case 'e': p->fold_opts.event = arg; break;
		case OPT_SERVER: p->opts.http.server = arg; break;
		case OPT_APP: p->opts.ident.app = arg; break;
		case OPT_LABEL: add_label(p, arg); break;
		case OPT_API:
			p->opts.ident.api = cli_choice(c, "api", arg,
			    "push|ingest");
			break;
		case OPT_TENANT: p->opts.http.tenant = arg; break;
		case OPT_TOKEN_FILE:
			p->opts.http.token = read_secret(p, "--token-file", arg);
			break;
		case OPT_USER_FILE:
			p->opts.http.user = read_secret(p, "--user-file", arg);
			break;
		case OPT_HEADER: add_header(p, arg); break;
		case OPT_CA: p->opts.http.ca = cli_readable(c, "ca", arg); break;
		case OPT_WINDOW:
			p->window.size = positive(c, "window", arg);
			break;
		case OPT_SPANS:
			p->window.span = positive(c, "span-windows", arg);
			break;
		case OPT_REBASE: p->rebase = arg; break;
		case OPT_RETRY: p->opts.budget = cli_duration(c, "retry", arg); break;
		case OPT_TIMEOUT:
			p->opts.http.timeout = positive(c, "timeout", arg);
			break;
		case OPT_RATE:
			p->opts.rate = cli_number(c, "rate", arg, 0, 100000) *
			    1000000;
			break;
		case OPT_SPOOL: p->opts.spool = arg; break;
		case OPT_SPOOL_SIZE:
			p->opts.spool_max = cli_number(c, "spool-size", arg, 1,
			    100000000) * 1000000;
			break;
		case OPT_DRY_RUN: p->dry_run = true; break;
		case OPT_PROGRESS: p->show_progress = true; break;
		case OPT_STRICT: p->strict = true; break;
		case 'v': p->verbose = true; break;
		case 'q': c->quiet = true; break;
		default: cli_symbols(c, key, arg, &p->fold_opts.stack,
		    &p->progress);
		}
	}
	check_options(p);
}

/* ---- where profiles go ----------------------------------------------------------- */

static void
say(void *ctx, const char *server, const char *text)
{
	const struct push *p = ctx;

	if (!p->cli.quiet)
		cli_say(&p->cli, server, "%s", text);
}

/* Requests of the push API behind each other are one request. */
static int
write_request(struct push *p, struct pd_error *err)
{
	struct pd_request *r = pd_batch_take(p->batch, err);

	if (r == NULL)
		return -1;
	if (p->requests++ > 0 && p->opts.ident.api == PD_PUSH_INGEST) {
		pd_request_free(r);
		*err = (struct pd_error){ .code = PD_EARG, .offset = PD_NOWHERE,
			.msg = "--dry-run: /ingest takes one profile in a request, "
			    "and this is more than one" };
		return -1;
	}
	fwrite(r->body, 1, r->size, p->out.file);
	if (p->verbose)
		cli_say(&p->cli, NULL, "POST %s, %s: %zu bytes, %zu profiles, %"
		    PRIu64 " samples", r->path, r->type, r->size, r->profiles,
		    r->samples);
	pd_request_free(r);
	return 0;
}

static int
put(void *ctx, const struct pd_push_part *part, struct pd_error *err)
{
	struct push *p = ctx;

	if (p->push != NULL)
		return pd_push_put(p->push, part, err);
	if (pd_batch_full(p->batch, part->raw) && write_request(p, err) == -1)
		return -1;
	return pd_batch_add(p->batch, part, err);
}

static void
open_sink(struct push *p)
{
	struct pd_error err;

	p->window.put = put;
	p->window.put_ctx = p;
	p->opts.say = say;
	p->opts.say_ctx = p;
	if (p->dry_run) {
		cli_output_open(&p->cli, &p->out, p->output);
		if (isatty(fileno(p->out.file))) {
			cli_say(&p->cli, "--dry-run", "a request is not for a "
			    "terminal: use -o FILE, or a pipe");
			exit(2);
		}
		p->batch = pd_batch_new(&p->opts.ident, &err);
	} else {
		p->push = pd_push_new(&p->opts, &err);
	}
	if (p->batch == NULL && p->push == NULL) {
		cli_output_drop(&p->out);
		cli_die(&p->cli, NULL, &err);
	}
	if (p->push != NULL && pd_push_exposed(p->push))
		cli_warn(&p->cli, "%s: the password goes there unencrypted "
		    "(use https)", pd_push_server(p->push));
}

/* ---- folded stacks and pprof --------------------------------------------------------- */

static uint64_t
wall_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

/* What --rebase-time says; 0 for now. */
static uint64_t
rebase_time(const struct push *p)
{
	char *end = NULL;
	uint64_t sec;

	if (strcmp(p->rebase, "now") == 0)
		return 0;
	errno = 0;
	sec = p->rebase[0] == '@' ? strtoull(p->rebase + 1, &end, 10) : 0;
	if (end == NULL || *end != '\0' || p->rebase[1] == '-' || errno != 0 ||
	    sec == 0 || sec > INT64_MAX / SECOND)
		cli_bad_value(&p->cli, "rebase-time", p->rebase,
		    "now, or @ and seconds since 1970");
	return sec * SECOND;
}

static int
push_folded(struct push *p, struct pd_error *err)
{
	struct pd_tree *tree = pd_tree_new(err);
	struct pd_profile *profile = tree ? pd_profile_new(tree, err) : NULL;
	struct pd_run run = { 0 };
	uint64_t time = 0;
	int r = -1;

	if (profile != NULL && pd_folded_read(p->fd, tree, profile, &run,
	    err) == 0) {
		if (p->rebase != NULL)
			time = rebase_time(p);
		else if (run.known && run.wall && run.start != PD_NOTIME)
			time = run.start;
		if (time == 0)
			time = wall_now() - run.dur;
		r = pd_folded_put(tree, profile, &run, time, &p->window, err);
	}
	pd_profile_free(profile);
	pd_tree_free(tree);
	return r;
}

static int
push_pprof(struct push *p, struct pd_error *err)
{
	const struct pd_parts_opts opts = {
		.samples = PD_SERVER_SAMPLES / 10 * 9,
		.size = PD_SERVER_SIZE / 10 * 9,
		.depth = PD_SERVER_DEPTH,
		.retime = p->rebase != NULL,
		.time = p->rebase == NULL ? 0 : rebase_time(p) ? rebase_time(p) :
		    wall_now(),
	};
	uint8_t *data;
	size_t size;
	int r;

	r = pd_pprof_read(p->fd, &data, &size, err);
	if (r == 0)
		r = pd_pprof_split(data, size, &opts, put, p, &p->seen, err);
	free(data);
	return r;
}

/* ---- recordings ------------------------------------------------------------------------ */

static volatile sig_atomic_t stopped;

static void
stop_now(int sig)
{
	(void)sig;
	stopped = 1;
}

/*
 * Whoever ends us mostly ends perf as well: what it still has is waited for,
 * but not for long.
 */
static void
stop_soon(int sig)
{
	(void)sig;
	alarm(2);
}

static bool
is_pipe(const struct push *p)
{
	struct stat st;

	return p->fd != -1 && fstat(p->fd, &st) == 0 &&
	    (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static void
catch_end(void)
{
	struct sigaction sa = { .sa_handler = stop_now };

	sigaction(SIGALRM, &sa, NULL);
	sa.sa_handler = stop_soon;
	sa.sa_flags = SA_RESTART | (int)SA_RESETHAND;
	sigaction(SIGTERM, &sa, NULL);
}

static int
idle(void *ctx, bool waiting)
{
	struct push *p = ctx;

	if (stopped)
		return 1;
	/* What comes later closes its window itself. */
	if (waiting && p->windows != NULL && !p->idle_failed &&
	    pd_push_windows_over(p->windows, wall_now()))
		p->idle_failed = pd_push_windows_flush(p->windows,
		    &p->idle_error) == -1;
	return p->idle_failed;
}

/*
 * A file that does not say what time it was: it was written until its date.
 * In those that perf wrote into a pipe, that is seen later.
 */
static void
guess_time(struct push *p)
{
	const struct pd_info *info = pd_reader_info(p->rd);
	uint64_t length = 0, end;
	struct stat st;

	if (info->first_time != PD_NOTIME && info->last_time > info->first_time)
		length = info->last_time - info->first_time;
	if (p->rebase != NULL) {
		p->window.base = rebase_time(p);
		if (p->window.base == 0)
			p->window.base = wall_now() - length;
	}
	if (is_pipe(p) ||
	    (p->fd == -1 ? stat(p->input, &st) : fstat(p->fd, &st)) == -1)
		return;
	end = (uint64_t)st.st_mtim.tv_sec * SECOND +
	    (uint64_t)st.st_mtim.tv_nsec;
	p->window.guess = end > length ? end - length : end;
}

/*
 * Memory must not grow with a recording that does not end.  This is at the
 * beginning of a window, which has to be put so far.
 */
static int
trim(struct push *p, struct pd_error *err)
{
	if (pd_push_windows_flush(p->windows, err) == -1)
		return -1;
	pd_push_windows_forget(p->windows);
	if (pd_fold_trim(p->fold, err) == -1)
		return -1;
#ifdef __GLIBC__
	malloc_trim(0);		/* it would keep most of that */
#endif
	return 0;
}

static int
fold_next(struct push *p, struct pd_error *err)
{
	uint64_t windows = pd_push_windows_counts(p->windows).windows;
	int r = pd_fold_next(p->fold, err);

	if (r != 1)
		return r;
	cli_progress_step(&p->progress, p->rd);
	if (p->idle_failed) {
		*err = p->idle_error;
		return -1;
	}
	if (pd_push_windows_counts(p->windows).windows != windows &&
	    pd_fold_large(p->fold) && trim(p, err) == -1)
		return -1;
	return 1;
}

static int
fold_all(struct push *p, struct pd_error *err)
{
	int r;

	p->fold_opts.sample = pd_push_windows_sample;
	p->fold_opts.first_seen = p->window.size != 0;
	/* The server cuts off the leaf of what is deeper; roots count, too. */
	p->fold_opts.stack.max_stack = PD_SERVER_DEPTH - 10;
	guess_time(p);
	p->windows = pd_push_windows_new(p->rd, &p->window, err);
	p->fold_opts.sample_ctx = p->windows;
	if (p->windows == NULL ||
	    (p->fold = pd_fold_new(p->rd, &p->fold_opts, err)) == NULL)
		return -1;
	pd_reader_on_idle(p->rd, SECOND / 4, idle, p);
	while ((r = fold_next(p, err)) == 1)
		;
	return r == 0 ? pd_push_windows_flush(p->windows, err) : -1;
}

static int
push_recording(struct push *p, struct pd_error *err)
{
	int r;

	if (p->fd == -1)
		p->rd = pd_reader_open(p->input, PD_TIME_ORDER, err);
	else
		p->rd = pd_reader_open_fd(p->fd, PD_TIME_ORDER, err);
	if (p->rd == NULL)
		return -1;
	if (is_pipe(p))
		catch_end();
	cli_progress_start(&p->progress, p->show_progress);
	r = fold_all(p, err);
	cli_progress_end(&p->progress);
	return r;
}

/* ---- all of it ---------------------------------------------------------------------------- */

/* A directory that perf record --threads wrote is opened by its path. */
static void
open_input(struct push *p)
{
	struct pd_error err;
	struct stat st;

	p->kind = PD_KIND_RECORDING;
	if (strcmp(p->input, "-") == 0)
		p->fd = STDIN_FILENO;
	else if (stat(p->input, &st) == 0 && S_ISDIR(st.st_mode))
		return;
	else
		p->fd = open(p->input, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (p->fd == -1) {
		cli_say(&p->cli, p->input, "%s", strerror(errno));
		exit(2);
	}
	if (pd_kind_of(p->fd, &p->kind, &err) == -1)
		cli_die(&p->cli, cli_input_name(p->input), &err);
}

static int
push_input(struct push *p, struct pd_error *err)
{
	switch (p->kind) {
	case PD_KIND_RECORDING: return push_recording(p, err);
	case PD_KIND_PPROF: return push_pprof(p, err);
	default: return push_folded(p, err);
	}
}

/* What went wrong between the recording and the profiles. */
static void
report_input(struct push *p)
{
	struct pd_push_window_counts n;
	struct pd_error err;

	if (p->seen.cut > 0)
		cli_warn(&p->cli, "%" PRIu64 " stacks are deeper than %d "
		    "frames: those next to the root are left out",
		    p->seen.cut, PD_SERVER_DEPTH);
	if (p->seen.negative > 0)
		cli_warn(&p->cli, "%" PRIu64 " samples are negative, which the "
		    "server drops", p->seen.negative);
	if (p->fold == NULL)
		return;
	n = pd_push_windows_counts(p->windows);
	if (n.samples > 0 && !pd_push_windows_has_clock(p->windows) &&
	    p->rebase == NULL && p->window.guess != 0)
		cli_warn(&p->cli, "the recording does not say what time it was "
		    "(perf record -k CLOCK_MONOTONIC does): taken from the date "
		    "of the file");
	if (n.timeless > 0)
		cli_warn(&p->cli, "%" PRIu64 " samples have no time", n.timeless);
	if (cli_report_fold(&p->cli, p->input, p->rd, p->fold, "period",
	    p->verbose, &err) == -1)
		cli_die(&p->cli, NULL, &err);
}

static void
wait_for_server(struct push *p)
{
	struct pd_push_counts n;
	bool shown = false;

	/* From now on an interrupt is for us. */
	signal(SIGINT, SIG_DFL);
	while (!pd_push_wait(p->push, SECOND)) {
		if (!isatty(STDERR_FILENO) && !p->show_progress)
			continue;
		n = pd_push_counts(p->push);
		fprintf(stderr, "\r\033[K%" PRIu64 " requests are waiting, %"
		    PRIu64 " profiles are stored", n.waiting,
		    n.stored.profiles);
		shown = true;
	}
	if (shown)
		fputs("\r\033[K", stderr);
}

static void
say_sum(const struct push *p, const struct pd_push_sum *n, const char *what,
    const char *why)
{
	if (n->profiles > 0)
		cli_say(&p->cli, pd_push_server(p->push), "%" PRIu64
		    " profiles with %" PRIu64 " samples %s%s%s", n->profiles,
		    n->samples, what, why[0] ? ": " : "", why);
}

/* The exit status. */
static int
report_sent(struct push *p, const struct pd_error *err)
{
	struct pd_push_counts n = pd_push_counts(p->push);

	if (p->verbose)
		say_sum(p, &n.stored, "are stored", "");
	if (p->verbose)
		say_sum(p, &n.replayed, "of them were in the spool", "");
	say_sum(p, &n.rejected, "were rejected", n.rejected_why);
	say_sum(p, &n.kept, "are kept in the spool", n.why);
	say_sum(p, &n.lost, "are lost", n.why);
	if (strstr(n.rejected_why, "ingestion window") != NULL)
		cli_say(&p->cli, NULL, "the server takes what is at most an hour "
		    "old; --rebase-time now gives old recordings a new time");
	if (err != NULL)
		cli_say(&p->cli, pd_push_server(p->push), "%s", err->msg);
	if (n.refused)
		return 1;
	if (err != NULL || n.lost.profiles > 0 || n.kept.profiles > 0)
		return 2;
	return n.rejected.profiles > 0;
}

static int
finish(struct push *p)
{
	struct pd_error err;
	int r;

	if (p->push == NULL) {
		if (pd_batch_profiles(p->batch) > 0 &&
		    write_request(p, &err) == -1) {
			cli_output_drop(&p->out);
			cli_die(&p->cli, NULL, &err);
		}
		cli_output_close(&p->cli, &p->out);
		return 0;
	}
	wait_for_server(p);
	r = pd_push_finish(p->push, &err);
	return report_sent(p, r == -1 ? &err : NULL);
}

/* When input and output both fail, the server's word goes first. */
static int
fail(struct push *p, const struct pd_error *err)
{
	struct pd_error why;

	if (p->push != NULL && pd_push_finish(p->push, &why) == -1)
		return report_sent(p, &why);
	if (p->push != NULL)
		report_sent(p, NULL);
	else
		cli_output_drop(&p->out);
	cli_die(&p->cli, cli_input_name(p->input), err);
}

static void
clean_up(struct push *p)
{
	pd_fold_free(p->fold);
	pd_push_windows_free(p->windows);
	pd_reader_close(p->rd);
	pd_push_free(p->push);
	pd_batch_free(p->batch);
	while (p->nsecrets > 0)
		pd_secret_free(p->secrets[--p->nsecrets]);
}

int
main(int argc, char **argv)
{
	struct push p = {
		.cli = { .prog = "pd-push", .usage = "[option ...] [input]",
		    .about = "Send a perf.data recording, folded stacks or a "
		    "pprof profile to a Pyroscope server", .options = options,
		    .argc = argc, .argv = argv },
	};
	struct pd_error err;
	int status;

	cli_start();
	signal(SIGPIPE, SIG_IGN);
	parse_options(&p);
	open_input(&p);
	cli_expect_interrupt(p.input);
	open_sink(&p);
	if (push_input(&p, &err) == -1) {
		status = fail(&p, &err);
	} else {
		report_input(&p);
		status = finish(&p);
	}
	clean_up(&p);
	return status == 0 && p.strict && p.cli.warnings > 0 ? 2 : status;
}
