/* Writes and reads what is known of a run: "key=value" words. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "profile/run.h"

enum kind { TEXT, NUMBER, TIME, REAL };

/* Where each key is in the structure; the order is that of writing. */
static const struct key {
	const char	*name;
	enum kind	kind;
	size_t		at;
} keys[] = {
	{ "event", TEXT, offsetof(struct pd_run, event) },
	{ "freq", NUMBER, offsetof(struct pd_run, freq) },
	{ "start", TIME, offsetof(struct pd_run, start) },
	{ "dur_ns", NUMBER, offsetof(struct pd_run, dur) },
	{ "samples", NUMBER, offsetof(struct pd_run, samples) },
	{ "lost", NUMBER, offsetof(struct pd_run, lost) },
	{ "throttled", NUMBER, offsetof(struct pd_run, throttled) },
	{ "work", REAL, offsetof(struct pd_run, work) },
	{ "host", TEXT, offsetof(struct pd_run, host) },
	{ "kernel", TEXT, offsetof(struct pd_run, kernel) },
	{ "cpu", TEXT, offsetof(struct pd_run, cpu) },
	{ "callgraph", TEXT, offsetof(struct pd_run, callgraph) },
};

#define NKEYS	(sizeof(keys) / sizeof(keys[0]))

static const char mark[] = "# pd-fold: ";
static const char *const units[] = {
	[PD_WEIGHT_PERIOD] = "period", [PD_WEIGHT_SAMPLES] = "samples",
	[PD_WEIGHT_TIME] = "ns",
};

void
pd_run_init(struct pd_run *run)
{
	memset(run, 0, sizeof(*run));
	run->start = PD_NOTIME;
	run->weight = PD_WEIGHT_SAMPLES;
}

bool
pd_run_has_samples(const struct pd_run *run)
{
	return run->weight != PD_WEIGHT_SAMPLES && run->samples > 0;
}

uint64_t
pd_run_samples(const struct pd_run *run, uint64_t all, uint64_t weight)
{
	double n = (double)weight / (double)all * (double)run->samples + .5;

	return weight == 0 ? 0 : n < 1 ? 1 : (uint64_t)n;
}

/* ---- writing ------------------------------------------------------------- */

/* One word: what would end it, or is not ASCII, as %XX. */
static void
put_text(const char *s, FILE *out)
{
	for (; *s != '\0'; s++)
		fprintf(out, isgraph((unsigned char)*s) && *s != '%' ? "%c" :
		    "%%%02X", (unsigned char)*s);
}

static void
put_value(const struct pd_run *run, const struct key *k, FILE *out)
{
	const char *p = (const char *)run + k->at;
	uint64_t n;
	double d;

	if (k->kind == TEXT) {
		if (*p == '\0')
			return;
		fprintf(out, " %s=", k->name);
		put_text(p, out);
		return;
	}
	if (k->kind == REAL) {
		memcpy(&d, p, sizeof(d));
		if (d > 0)
			fprintf(out, " %s=%.15g", k->name, d);
		return;
	}
	memcpy(&n, p, sizeof(n));
	if (k->kind == TIME && n != PD_NOTIME)
		fprintf(out, " %s=%s%" PRIu64 ".%09" PRIu64, k->name,
		    run->wall ? "@" : "", n / 1000000000, n % 1000000000);
	else if (k->kind == NUMBER && n > 0)
		fprintf(out, " %s=%" PRIu64, k->name, n);
}

void
pd_run_write_keys(const struct pd_run *run, FILE *out)
{
	size_t i;

	fprintf(out, "v=1 unit=%s", units[run->weight]);
	for (i = 0; i < NKEYS; i++)
		put_value(run, &keys[i], out);
}

int
pd_run_write(const struct pd_run *run, FILE *out, struct pd_error *err)
{
	fputs(mark, out);
	pd_run_write_keys(run, out);
	fputc('\n', out);
	return ferror(out) ? pd_fail(err, PD_EIO, PD_NOWHERE, "write") : 0;
}

/* ---- reading ------------------------------------------------------------- */

static int
hex(char c)
{
	return isdigit((unsigned char)c) ? c - '0' :
	    c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Cut off at the size of the field; control bytes do not get in. */
static void
get_text(char *out, const char *s)
{
	size_t n = 0;

	for (; *s != '\0' && n + 1 < PD_RUN_TEXT; s++) {
		if (*s == '%' && hex(s[1]) >= 0 && hex(s[2]) >= 0) {
			out[n++] = (char)(hex(s[1]) << 4 | hex(s[2]));
			s += 2;
			if (out[n - 1] == '\0')
				n--;
		} else {
			out[n++] = *s;
		}
	}
	out[n] = '\0';
	pd_printable(out);
}

static int
get_number(const char *s, uint64_t *n)
{
	char *end;

	errno = 0;
	*n = isdigit((unsigned char)*s) ? strtoull(s, &end, 10) : 0;
	return !isdigit((unsigned char)*s) || *end != '\0' || errno ||
	    *n > INT64_MAX ? -1 : 0;
}

/* Seconds, with '@' those of the wall clock. */
static int
get_time(struct pd_run *run, const char *s, uint64_t *t)
{
	char *end;
	uint64_t sec, ns = 0, unit = 1000000000;

	run->wall = *s == '@';
	s += run->wall;
	errno = 0;
	if (!isdigit((unsigned char)*s))
		return -1;
	sec = strtoull(s, &end, 10);
	if (*end == '.')
		for (end++; isdigit((unsigned char)*end); end++)
			ns += (uint64_t)(*end - '0') * (unit /= 10);
	if (*end != '\0' || errno || sec >= PD_NOTIME / 1000000000)
		return -1;
	*t = sec * 1000000000 + ns;
	return 0;
}

static int
get_real(const char *s, double *d)
{
	char *end;

	/* strtod(3) goes by the locale; nobody here sets one. */
	*d = isdigit((unsigned char)*s) ? strtod(s, &end) : 0;
	return *d > 0 && *d < 1e300 && *end == '\0' ? 0 : -1;
}

static int
get_value(struct pd_run *run, const struct key *k, const char *s)
{
	char *p = (char *)run + k->at;
	uint64_t n = 0;
	double d = 0;
	int r = 0;

	switch (k->kind) {
	case TEXT:
		get_text(p, s);
		return 0;
	case NUMBER:
		r = get_number(s, &n);
		memcpy(p, &n, sizeof(n));
		break;
	case TIME:
		r = get_time(run, s, &n);
		memcpy(p, &n, sizeof(n));
		break;
	case REAL:
		r = get_real(s, &d);
		memcpy(p, &d, sizeof(d));
		break;
	}
	return r;
}

static int
get_word(struct pd_run *run, const char *key, const char *value,
    struct pd_error *err)
{
	size_t i;

	if (strcmp(key, "unit") == 0) {
		for (i = 0; i < 3; i++)
			if (strcmp(value, units[i]) == 0)
				run->weight = (enum pd_weight)i;
		run->known = true;
		return 0;
	}
	for (i = 0; i < NKEYS; i++)
		if (strcmp(key, keys[i].name) == 0 &&
		    get_value(run, &keys[i], value) == -1)
			return pd_fail(err, PD_EFORMAT, PD_NOWHERE,
			    "run metadata: %s='%s' is not usable", key, value);
	return 0;
}

int
pd_run_parse_keys(struct pd_run *run, const char *words, size_t len,
    struct pd_error *err)
{
	char *copy = malloc(len + 1), *word, *save = NULL, *eq;
	int r = 0;

	if (copy == NULL)
		return pd_fail_nomem(err);
	memcpy(copy, words, len);
	copy[len] = '\0';
	for (word = strtok_r(copy, " ", &save); word != NULL && r == 0;
	    word = strtok_r(NULL, " ", &save)) {
		if ((eq = strchr(word, '=')) == NULL)
			continue;
		*eq = '\0';
		r = get_word(run, word, eq + 1, err);
	}
	free(copy);
	return r;
}

int
pd_run_parse(struct pd_run *run, const char *line, size_t len,
    struct pd_error *err)
{
	size_t n = sizeof(mark) - 1;

	if (len < n || memcmp(line, mark, n) != 0)
		return 0;
	return pd_run_parse_keys(run, line + n, len - n, err);
}
