/* Options, messages and output files of all tools. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* ---- start and signals ------------------------------------------------------- */

void
cli_start(void)
{
	int fd;

	/* Opened the wrong way round, so that using them is an error. */
	for (fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) == -1 && open("/dev/null",
		    fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			_exit(2);
	pd_catch_sigbus();
}

static void
leave_it_to_the_writer(int sig)
{
	(void)sig;
}

void
cli_expect_interrupt(const char *input)
{
	struct sigaction sa = { .sa_handler = leave_it_to_the_writer,
		.sa_flags = SA_RESTART | (int)SA_RESETHAND };
	struct stat st;

	if ((strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &st) :
	    stat(input, &st)) == 0 && S_ISFIFO(st.st_mode))
		sigaction(SIGINT, &sa, NULL);
}

static volatile sig_atomic_t interrupts;

static void
note_interrupt(int sig)
{
	(void)sig;
	interrupts = 1;
}

void
cli_finish_on_interrupt(const char *input)
{
	struct sigaction old, sa = { .sa_handler = note_interrupt,
		.sa_flags = SA_RESTART | (int)SA_RESETHAND };

	cli_expect_interrupt(input);
	if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
		sigaction(SIGINT, &sa, NULL);
}

bool
cli_interrupted(void)
{
	return interrupts != 0;
}

/* The temporary file of an output; read by a signal handler. */
static char *volatile temp_path;

static void
remove_temp(int sig)
{
	if (temp_path != NULL)
		unlink(temp_path);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* SIGINT may mean something else already, see cli_expect_interrupt(). */
static void
catch_signals(void)
{
	static const int sigs[] = { SIGHUP, SIGTERM, SIGINT, SIGPIPE };
	struct sigaction old, sa = { .sa_handler = remove_temp };
	size_t i;

	for (i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		if (sigaction(sigs[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(sigs[i], &sa, NULL);
}

/* ---- messages ---------------------------------------------------------------- */

/* Names come from recordings: a terminal must not obey them. */
static void
put_printable(const char *s, FILE *out)
{
	char *copy = strdup(s);

	if (copy == NULL)
		return;
	pd_printable(copy);
	fputs(copy, out);
	free(copy);
}

void
cli_say(const struct cli *c, const char *subject, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", c->prog);
	if (subject != NULL) {
		put_printable(subject, stderr);
		fputs(": ", stderr);
	}
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void
cli_die(const struct cli *c, const char *subject, const struct pd_error *err)
{
	if (err->offset != PD_NOWHERE && err->offset != 0)
		cli_say(c, subject, "at 0x%" PRIx64 ": %s", err->offset,
		    err->msg);
	else
		cli_say(c, subject, "%s", err->msg);
	exit(2);
}

void
cli_bad_value(const struct cli *c, const char *option, const char *value,
    const char *expected)
{
	fprintf(stderr, "%s: --%s: '", c->prog, option);
	put_printable(value, stderr);
	fprintf(stderr, "': expected %s\n", expected);
	exit(2);
}

void
cli_warn(struct cli *c, const char *fmt, ...)
{
	va_list ap;

	c->warnings++;
	if (c->quiet)
		return;
	fprintf(stderr, "%s: ", c->prog);
	if (c->subject != NULL) {
		put_printable(c->subject, stderr);
		fputs(": ", stderr);
	}
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void
cli_warn_note(struct cli *c, const char *input, const struct pd_note *note)
{
	char where[64] = "", times[40] = "";

	c->warnings++;
	if (note->offset != PD_NOWHERE)
		snprintf(where, sizeof(where), "at 0x%" PRIx64 ": ",
		    note->offset);
	if (note->count > 1)
		snprintf(times, sizeof(times), " (and %" PRIu64 " more)",
		    note->count - 1);
	if (!c->quiet)
		cli_say(c, cli_input_name(input), "%s%s%s", where, note->msg,
		    times);
}

/* ---- options ------------------------------------------------------------------- */

/* An argument that may be left out must stand in the same word. */
static bool
is_optional(const struct cli_option *o)
{
	return o->arg != NULL && o->arg[0] == '[';
}

static void
print_help(const struct cli *c)
{
	const struct cli_option *o;
	char left[64];

	printf("usage: %s %s\n\n%s\n\n", c->prog, c->usage, c->about);
	for (o = c->options; o->key != 0; o++) {
		snprintf(left, sizeof(left), "--%s%s%s", o->name,
		    o->arg && !is_optional(o) ? " " : "", o->arg ? o->arg : "");
		if (o->key < CLI_LONG)
			printf("  -%c, ", o->key);
		else
			printf("      ");
		printf("%-32s%s%s\n", left, strlen(left) < 32 ? "" :
		    "\n                                      ", o->help);
	}
}

static void
print_bash(const struct cli *c)
{
	const struct cli_option *o;

	printf("_%s() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]}"
	    " prev=${COMP_WORDS[COMP_CWORD-1]}\n\tcase $prev in\n",
	    c->prog + 3);
	for (o = c->options; o->key != 0; o++) {
		if (o->arg == NULL || strchr(o->arg, '|') == NULL)
			continue;
		printf("\t--%s) COMPREPLY=($(compgen -W \"$(echo '%s' | "
		    "tr '|' ' ')\" -- \"$cur\")); return ;;\n", o->name, o->arg);
	}
	printf("\tesac\n\tcase $cur in\n\t-*) COMPREPLY=($(compgen -W \"");
	for (o = c->options; o->key != 0; o++)
		printf("--%s ", o->name);
	printf("\" -- \"$cur\")) ;;\n\t*) COMPREPLY=($(compgen -f -- "
	    "\"$cur\")) ;;\n\tesac\n}\ncomplete -o filenames -F _%s %s\n",
	    c->prog + 3, c->prog);
}

static void
print_zsh(const struct cli *c)
{
	const struct cli_option *o;
	const char *p;

	printf("#compdef %s\n_arguments -s \\\n", c->prog);
	for (o = c->options; o->key != 0; o++) {
		printf("\t'--%s%s[", o->name, o->arg == NULL ? "" :
		    is_optional(o) ? "=-" : "=");
		for (p = o->help; *p != '\0'; p++)
			if (strchr("[]'", *p) == NULL)
				putchar(*p);
		putchar(']');
		if (o->arg != NULL && strchr(o->arg, '|') != NULL) {
			printf(":%s:(", o->name);
			for (p = o->arg; *p != '\0'; p++)
				putchar(*p == '|' ? ' ' : *p);
			putchar(')');
		} else if (is_optional(o)) {
			printf("::%s:", o->name);
		} else if (o->arg != NULL) {
			printf(":%s:_files", o->name);
		}
		printf("' \\\n");
	}
	printf("\t'*:recording:_files'\n");
}

static void
print_fish(const struct cli *c)
{
	const struct cli_option *o;
	const char *p;

	for (o = c->options; o->key != 0; o++) {
		printf("complete -c %s -l %s", c->prog, o->name);
		if (o->key < CLI_LONG)
			printf(" -s %c", o->key);
		if (o->arg != NULL && strchr(o->arg, '|') != NULL) {
			printf(" -xa '");
			for (p = o->arg; *p != '\0'; p++)
				putchar(*p == '|' ? ' ' : *p);
			putchar('\'');
		} else if (o->arg != NULL && !is_optional(o)) {
			printf(" -r");
		}
		printf(" -d '");
		for (p = o->help; *p != '\0'; p++)
			printf(*p == '\'' ? "\\'" : "%c", *p);
		printf("'\n");
	}
}

static void
print_and_exit(const struct cli *c, int key, const char *arg)
{
	static void (*const completions[])(const struct cli *) = {
		print_bash, print_zsh, print_fish,
	};

	switch (key) {
	case CLI_HELP:
		print_help(c);
		break;
	case CLI_VERSION:
		printf("%s %s\n", c->prog, pd_version());
		break;
	case CLI_COMPLETION:
		completions[cli_choice(c, "completion", arg,
		    "bash|zsh|fish")](c);
		break;
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		cli_say(c, "standard output", "%s", strerror(errno));
		exit(2);
	}
	exit(0);
}

struct getopt_tables {
	char		letters[128];
	struct option	longs[];
};

/* A leading '-': operands come in their place, so argv is never permuted. */
static struct getopt_tables *
make_tables(const struct cli *c)
{
	struct getopt_tables *t;
	size_t n = 0, l = 0;

	while (c->options[n].key != 0)
		n++;
	t = calloc(1, sizeof(*t) + (n + 1) * sizeof(t->longs[0]));
	if (t == NULL) {
		cli_say(c, NULL, "out of memory");
		exit(2);
	}
	t->letters[l++] = '-';
	for (n = 0; c->options[n].key != 0; n++) {
		t->longs[n].name = c->options[n].name;
		t->longs[n].has_arg = is_optional(&c->options[n]) ?
		    optional_argument : c->options[n].arg != NULL;
		t->longs[n].val = c->options[n].key;
		if (c->options[n].key >= CLI_LONG)
			continue;
		t->letters[l++] = (char)c->options[n].key;
		if (c->options[n].arg != NULL)
			t->letters[l++] = ':';
		if (is_optional(&c->options[n]))
			t->letters[l++] = ':';
	}
	return t;
}

/* getopt_long() takes any unique prefix, which breaks with the next option. */
static void
refuse_abbreviation(const struct cli *c, const char *word, const char *name)
{
	size_t n = strcspn(word, "=");

	if (strncmp(word, "--", 2) != 0 ||
	    (n == strlen(name) + 2 && strncmp(word + 2, name, n - 2) == 0))
		return;
	cli_say(c, NULL, "%.*s: no such option (did you mean --%s?)", (int)n,
	    word, name);
	exit(2);
}

int
cli_next(struct cli *c, const char **arg)
{
	struct getopt_tables *t = c->getopt;
	int before = optind, which = -1, key;

	if (t == NULL)
		t = c->getopt = make_tables(c);
	if (!c->rest) {
		key = getopt_long(c->argc, c->argv, t->letters, t->longs,
		    &which);
		if (key == '?') {
			fprintf(stderr, "Try '%s --help'.\n", c->prog);
			exit(2);
		}
		if (which >= 0)
			refuse_abbreviation(c, c->argv[before],
			    t->longs[which].name);
		*arg = optarg;
		if (key == CLI_HELP || key == CLI_VERSION ||
		    key == CLI_COMPLETION)
			print_and_exit(c, key, optarg);
		if (key != -1)
			return key;
		c->rest = true;
	}
	if (optind < c->argc) {		/* behind "--" */
		*arg = c->argv[optind++];
		return CLI_OPERAND;
	}
	free(t);
	c->getopt = NULL;
	return -1;
}

const char *
cli_second(const struct cli *c, const char *option)
{
	if (optind == c->argc || c->argv[optind][0] == '-') {
		cli_say(c, NULL, "--%s takes two words", option);
		exit(2);
	}
	return c->argv[optind++];
}

int
cli_choice(const struct cli *c, const char *option, const char *value,
    const char *choices)
{
	const char *p = choices;
	size_t n;
	int i;

	for (i = 0;; i++, p += n + 1) {
		n = strcspn(p, "|");
		if (strlen(value) == n && strncmp(value, p, n) == 0)
			return i;
		if (p[n] == '\0')
			break;
	}
	cli_bad_value(c, option, value, choices);
}

const char *
cli_readable(const struct cli *c, const char *option, const char *path)
{
	if (access(path, R_OK) == -1) {
		fprintf(stderr, "%s: --%s: ", c->prog, option);
		put_printable(path, stderr);
		fprintf(stderr, ": %s\n", strerror(errno));
		exit(2);
	}
	return path;
}

uint64_t
cli_number(const struct cli *c, const char *option, const char *value,
    uint64_t min, uint64_t max)
{
	unsigned long long v = 0;
	char expected[80], *end = NULL;

	errno = 0;
	if (isdigit((unsigned char)*value))
		v = strtoull(value, &end, 10);
	if (end == NULL || *end != '\0' || errno != 0 || v < min || v > max) {
		snprintf(expected, sizeof(expected), "a number from %" PRIu64
		    " to %" PRIu64, min, max);
		cli_bad_value(c, option, value, expected);
	}
	return v;
}

double
cli_real(const struct cli *c, const char *option, const char *value)
{
	char *end;
	double v = isdigit((unsigned char)*value) ? strtod(value, &end) : 0;

	if (!(v > 0) || *end != '\0' || v > 1e300)
		cli_bad_value(c, option, value, "a number above 0");
	return v;
}

uint64_t
cli_duration(const struct cli *c, const char *option, const char *value)
{
	struct pd_error err;
	char what[64];
	uint64_t ns;

	snprintf(what, sizeof(what), "--%s", option);
	if (pd_duration_parse(value, what, &ns, &err) == -1)
		cli_die(c, NULL, &err);
	return ns;
}

/* ---- input and output ------------------------------------------------------------- */

const char *
cli_default_input(void)
{
	struct stat st;

	if (fstat(STDIN_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) ||
	    S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode)))
		return "-";
	return "perf.data";
}

const char *
cli_input_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

static _Noreturn void
output_fail(const struct cli *c, struct cli_output *o)
{
	cli_say(c, o->path ? o->path : "standard output", "%s",
	    strerror(errno));
	cli_output_drop(o);
	exit(2);
}

/*
 * What a path names, if it can be replaced: a regular file, or nothing yet.  A
 * link is followed, but not to a descriptor, which is a place in a file.
 */
static bool
replaceable(const char *path, char *real)
{
	struct stat st;

	if (lstat(path, &st) == -1)
		return snprintf(real, PATH_MAX, "%s", path) < PATH_MAX;
	if (stat(path, &st) == -1)
		return false;		/* a link to what is not there yet */
	return S_ISREG(st.st_mode) && strncmp(path, "/dev/", 5) != 0 &&
	    strncmp(path, "/proc/", 6) != 0 && realpath(path, real) != NULL &&
	    strncmp(real, "/proc/", 6) != 0;
}

void
cli_output_open(const struct cli *c, struct cli_output *o, const char *path)
{
	char real[PATH_MAX];
	mode_t mask;
	int fd;

	*o = (struct cli_output){ 0 };
	if (path == NULL || strcmp(path, "-") == 0) {
		o->file = stdout;
		return;
	}
	o->path = path;
	if (!replaceable(path, real)) {
		if ((o->file = fopen(path, "we")) == NULL)
			output_fail(c, o);
		return;
	}
	if ((o->real = strdup(real)) == NULL ||
	    asprintf(&o->temp, "%s.XXXXXX", real) == -1) {
		o->temp = NULL;
		output_fail(c, o);
	}
	if ((fd = mkostemp(o->temp, O_CLOEXEC)) < 0) {
		free(o->temp);
		o->temp = NULL;
		output_fail(c, o);
	}
	temp_path = o->temp;
	catch_signals();
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
	if ((o->file = fdopen(fd, "w")) == NULL) {
		close(fd);
		output_fail(c, o);
	}
}

static void
forget_temp(struct cli_output *o)
{
	temp_path = NULL;
	free(o->temp);
	free(o->real);
	o->temp = o->real = NULL;
}

bool
cli_output_is_file(const struct cli_output *o)
{
	int fd = fileno(o->file), flags = fcntl(fd, F_GETFL);
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && flags != -1 &&
	    !(flags & O_APPEND) && lseek(fd, 0, SEEK_CUR) == 0;
}

void
cli_output_close(const struct cli *c, struct cli_output *o)
{
	int bad = fflush(o->file) != 0 || ferror(o->file);

	/* close(2) tells of errors that write(2) could not know yet. */
	if (fclose(o->file) != 0)
		bad = 1;
	o->file = NULL;
	if (bad || (o->temp != NULL && rename(o->temp, o->real) == -1))
		output_fail(c, o);
	forget_temp(o);
}

void
cli_output_drop(struct cli_output *o)
{
	if (o->file != NULL && o->file != stdout)
		fclose(o->file);
	o->file = NULL;
	if (o->temp != NULL)
		unlink(o->temp);
	forget_temp(o);
}

/* ---- progress ------------------------------------------------------------------------ */

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

void
cli_progress_start(struct cli_progress *p, bool forced)
{
	*p = (struct cli_progress){ .on = forced || isatty(STDERR_FILENO) };
	if (p->on)
		p->start = p->last = now_ms();
}

/* Is it time to show something, again? */
static bool
is_time(struct cli_progress *p)
{
	uint64_t now = now_ms();

	if (now - p->start < 1000 || now - p->last < 200)
		return false;
	p->last = now;
	p->shown = true;
	return true;
}

void
cli_progress_step(struct cli_progress *p, const struct pd_reader *rd)
{
	uint64_t done, total;

	if (!p->on || ++p->calls % 8192 != 0 || !is_time(p))
		return;
	pd_reader_progress(rd, &done, &total);
	if (total > 0)
		fprintf(stderr, "\r\033[K%3" PRIu64 "%% of %" PRIu64 " MB",
		    done * 100 / total, total / 1000000);
	else
		fprintf(stderr, "\r\033[K%" PRIu64 " MB", done / 1000000);
}

void
cli_progress_download(void *progress, uint64_t done, uint64_t size)
{
	struct cli_progress *p = progress;

	if (p->on && is_time(p))
		fprintf(stderr, "\r\033[Kdebuginfod: %" PRIu64 " of %" PRIu64
		    " MB", done / 1000000, size / 1000000);
}

void
cli_progress_end(struct cli_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
}
