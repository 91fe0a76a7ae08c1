/* What the tools share: options from one table, messages, output files. */
#ifndef PD_CLI_H
#define PD_CLI_H

#include "perfdata.h"

/*
 * An option.  One table feeds the parser, --help, the completions and the
 * check against the man page.
 */
struct cli_option {
	int		key;		/* a letter, or from CLI_LONG on: no letter */
	const char	*name;		/* of the long form */
	const char	*arg;		/* NULL: it takes none; "[=X]": it may */
	const char	*help;		/* "a|b|c" in arg are offered as choices */
};

enum { CLI_OPERAND = 1, CLI_LONG = 256, CLI_HELP, CLI_VERSION,
	CLI_COMPLETION, CLI_KALLSYMS, CLI_VMLINUX, CLI_SYMFS, CLI_PATH_MAP,
	CLI_BUILDID_DIR, CLI_ARCHIVE, CLI_DEBUGINFOD, CLI_DEMANGLE,
	CLI_NO_INLINE, CLI_BETWEEN, CLI_AROUND, CLI_BEFORE, CLI_AFTER,
	CLI_SCOPE, CLI_MARKERS, CLI_MARKER, CLI_WINDOWS, CLI_NTH, CLI_SLOWEST,
	CLI_LONGER, CLI_QUANTILE, CLI_UNFINISHED, CLI_FIRST };

/* The options that every tool has. */
#define CLI_COMMON \
	{ CLI_COMPLETION, "completion", "bash|zsh|fish", \
	    "print a completion script for a shell" }, \
	{ CLI_HELP, "help", NULL, "print this help" }, \
	{ CLI_VERSION, "version", NULL, "print the version" }, \
	{ 0 }

/* The options of tools that name functions: see cli_symbols(). */
#define CLI_SYMBOLS \
	{ CLI_NO_INLINE, "no-inline", NULL, "no frames for inlined calls" }, \
	{ CLI_DEMANGLE, "demangle", "short|full|none", \
	    "how to write C++ and Rust names (default short)" }, \
	{ CLI_KALLSYMS, "kallsyms", "FILE", \
	    "kernel symbols: a /proc/kallsyms" }, \
	{ CLI_VMLINUX, "vmlinux", "FILE", "kernel symbols: its ELF file" }, \
	{ CLI_SYMFS, "symfs", "DIR", \
	    "look for files of the recording in DIR" }, \
	{ CLI_PATH_MAP, "path-map", "FROM=TO", \
	    "what was recorded below FROM is below TO (repeatable)" }, \
	{ CLI_BUILDID_DIR, "buildid-dir", "DIR", \
	    "the build-id cache (default ~/.debug)" }, \
	{ CLI_ARCHIVE, "archive", "FILE", "files from perf archive" }, \
	{ CLI_DEBUGINFOD, "debuginfod", "[=URLS]", \
	    "download what is missing (default $DEBUGINFOD_URLS)" },

struct cli {
	const char		*prog, *usage, *about;
	const struct cli_option	*options;	/* up to one with key 0 */
	int			argc;
	char			**argv;
	void			*getopt;	/* tables made from options */
	bool			rest;		/* only operands follow */
	bool			quiet;		/* count warnings silently */
	uint64_t		warnings;
	const char		*subject;	/* what warnings are about; or NULL */
};

/*
 * To be called first: no file that is opened later takes the place of a
 * standard stream that the caller has closed, and none that shrinks ends us.
 */
void cli_start(void);

/*
 * The next option's key with its argument in *arg, CLI_OPERAND, or -1 at the
 * end.  Wrong options, --help and the like end the program.
 */
int cli_next(struct cli *c, const char **arg);

/* The word behind an option that takes two; exit 2 when there is none. */
const char *cli_second(const struct cli *c, const char *option);

/* Print "prog: subject: message" to stderr; subject may be NULL. */
void cli_say(const struct cli *c, const char *subject, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* cli_say() a library error, or what an option's value should be; exit 2. */
_Noreturn void cli_die(const struct cli *c, const char *subject,
    const struct pd_error *err);
_Noreturn void cli_bad_value(const struct cli *c, const char *option,
    const char *value, const char *expected);

/* The place of value in "a|b|c"; cli_bad_value() when it is not there. */
int cli_choice(const struct cli *c, const char *option, const char *value,
    const char *choices);

/* The path of a file that can be read; exit 2 when it cannot. */
const char *cli_readable(const struct cli *c, const char *option,
    const char *path);

/* A number in [min, max]; cli_bad_value() when it is none. */
uint64_t cli_number(const struct cli *c, const char *option,
    const char *value, uint64_t min, uint64_t max);

/* A number of any kind that is more than 0. */
double cli_real(const struct cli *c, const char *option, const char *value);

/* Nanoseconds of a duration, see pd_duration_parse(); exit 2. */
uint64_t cli_duration(const struct cli *c, const char *option,
    const char *value);

/* Count a warning and, unless quiet, say it. */
void cli_warn(struct cli *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

void cli_warn_note(struct cli *c, const char *input,
    const struct pd_note *note);

/*
 * Warn of all that went wrong between a recording and what was made of it:
 * notes of the reader and the session, lost and throttled samples.
 */
void cli_report_reader(struct cli *c, const char *input,
    const struct pd_reader *rd, const struct pd_session *s);

/* The same and what folding left out or could not name. */
int cli_report_fold(struct cli *c, const char *input,
    const struct pd_reader *rd, const struct pd_fold *f, const char *unit,
    bool verbose, struct pd_error *err);

/*
 * Where to read from without an operand: standard input when it is a pipe or
 * a file, else perf.data.
 */
const char *cli_default_input(void);

/* A path as it may be shown: "-" is "standard input". */
const char *cli_input_name(const char *path);

/*
 * Whose interrupt is it?  A pipe's writer gets it too, ends, and what it wrote
 * is worth having: so the first SIGINT is left to it, the second one kills.
 */
void cli_expect_interrupt(const char *input);

/*
 * The same for who can complete what was written so far: then SIGINT makes
 * cli_interrupted() true where the input is no pipe; a second one kills.
 */
void cli_finish_on_interrupt(const char *input);
bool cli_interrupted(void);

/* An output that appears whole or not at all, also when a signal kills us. */
struct cli_output {
	const char	*path;		/* NULL: standard output */
	char		*real;		/* path with its links followed */
	char		*temp;		/* what becomes real; NULL: written as is */
	FILE		*file;
};

/* path NULL or "-" is standard output.  All these exit 2 on failure. */
void cli_output_open(const struct cli *c, struct cli_output *o,
    const char *path);
/* Whether it can be written in any order from where it begins. */
bool cli_output_is_file(const struct cli_output *o);
/* Flush, check, and put in place. */
void cli_output_close(const struct cli *c, struct cli_output *o);
/* Leave no trace of it. */
void cli_output_drop(struct cli_output *o);

/*
 * Take an option of CLI_SYMBOLS into opts, which must not move any more; false
 * for other options.  Downloads are shown by progress.
 */
struct cli_progress;
bool cli_symbols(const struct cli *c, int key, const char *arg,
    struct pd_stack_opts *opts, struct cli_progress *progress);

/* Shows how far a reader is, on a terminal, once a second has passed. */
struct cli_progress {
	bool		on, shown;
	uint64_t	calls, start, last;	/* ms */
};

void cli_progress_start(struct cli_progress *p, bool forced);
void cli_progress_step(struct cli_progress *p, const struct pd_reader *rd);
/* The same of a download; to be pd_stack_opts.downloading with its ctx. */
void cli_progress_download(void *p, uint64_t done, uint64_t size);
void cli_progress_end(struct cli_progress *p);

/* The options of critical sections: see cli_markers(). */
#define CLI_MARKER_OPTIONS \
	{ CLI_BETWEEN, "between", "BEGIN END", \
	    "only from one event to another (repeatable)" }, \
	{ CLI_AROUND, "around", "EVENT", \
	    "only around this event (repeatable)" }, \
	{ CLI_BEFORE, "before", "DUR", "with --around: so long before it" }, \
	{ CLI_AFTER, "after", "DUR", "with --around: so long behind it" }, \
	{ CLI_SCOPE, "scope", "thread|process|cpu|system", \
	    "whose events pair, and whose samples count (default thread)" }, \
	{ CLI_MARKERS, "markers", "FILE", \
	    "only what a marker file lists (repeatable)" }, \
	{ CLI_WINDOWS, "windows", "FILE", \
	    "only windows that a file lists (repeatable)" }, \
	{ CLI_MARKER, "marker", "GLOB", \
	    "only markers of this name; in files that programs mapped" }, \
	{ CLI_NTH, "nth", "LIST", "only these occurrences: 1,7-9" }, \
	{ CLI_SLOWEST, "slowest", "N", "only the N longest occurrences" }, \
	{ CLI_LONGER, "longer-than", "DUR", "only longer occurrences" }, \
	{ CLI_QUANTILE, "quantile", "Q", \
	    "only occurrences at least as long as this quantile: 0.99" }, \
	{ CLI_UNFINISHED, "unfinished", NULL, \
	    "also occurrences whose end was not recorded" },

/* Zero is ready. */
struct cli_markers {
	struct pd_markers	*markers;	/* NULL: none were asked for */
	struct pd_marker_opts	opts;
	const char		*source;	/* an option that says what counts */
	const char		*choice;	/* one that chooses from that */
	const char		*pairing;	/* one that is of events only */
	bool			events, around, margin, named;
};

/* Take an option of CLI_MARKER_OPTIONS; false for other options. */
bool cli_markers(const struct cli *c, int key, const char *arg,
    struct cli_markers *m);
/* Behind the last option: exit 2 when they do not fit together. */
void cli_markers_check(const struct cli *c, const struct cli_markers *m);

/* Read a recording, which can be read again, for where its markers are. */
int cli_markers_find(const struct cli_markers *m, const char *input,
    struct cli_progress *progress, struct pd_error *err);
/* Say what was found, if verbose, and what is amiss. */
void cli_markers_report(struct cli *c, const struct cli_markers *m,
    const struct pd_reader *rd, const char *input, bool verbose);

#endif
