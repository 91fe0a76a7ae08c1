/* Windows: the spans of time that a selection keeps. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "cut/window.h"

struct added {
	struct pd_window_spec	spec;
	char			*text;	/* for messages */
};

struct pd_windows {
	struct added		*added;
	size_t			nadded, added_cap;
	struct pd_window	*spans;
	size_t			nspans, spans_cap;
};

static const char option[] = "--time";

struct pd_windows *
pd_windows_new(struct pd_error *err)
{
	return pd_calloc(1, sizeof(struct pd_windows), err);
}

void
pd_windows_free(struct pd_windows *ws)
{
	size_t i;

	if (ws == NULL)
		return;
	for (i = 0; i < ws->nadded; i++)
		free(ws->added[i].text);
	free(ws->added);
	free(ws->spans);
	free(ws);
}

/* ---- one window --------------------------------------------------------------- */

/* The k-th piece of "n%/k", when the whole is cut into pieces of n%. */
static int
parse_piece(const char *n, const char *k, const char *what,
    struct pd_window_spec *w, struct pd_error *err)
{
	uint64_t from, to;
	const char *end;

	if (pd_point_parse(n, what, &w->a, err) == -1)
		return -1;
	if (w->a.kind != PD_POINT_PART || w->a.value == 0 || strchr(k, '.') ||
	    pd_text_decimal(k, 1, &end, &to) != 0 || *end != '\0' || to == 0)
		return pd_fail(err, PD_EARG, PD_NOWHERE, "%s: '%s/%s': expected "
		    "the K-th piece of N percent, as in 10%%/2", what, n, k);
	if (__builtin_mul_overflow(to - 1, w->a.value, &from) ||
	    from >= PD_POINT_WHOLE)
		return pd_fail(err, PD_EARG, PD_NOWHERE,
		    "%s: '%s/%s': the whole has no such piece", what, n, k);
	to = from + w->a.value;
	w->a.value = from;
	w->b = (struct pd_point){ PD_POINT_PART,
	    to < PD_POINT_WHOLE ? to : PD_POINT_WHOLE };
	return 0;
}

/* "A,B", both may be empty, B may be +length if A is not. */
static int
parse_ends(const char *a, const char *b, const char *what,
    struct pd_window_spec *w, struct pd_error *err)
{
	w->a = (struct pd_point){ PD_POINT_TIME, 0 };
	w->b = (struct pd_point){ PD_POINT_TIME, UINT64_MAX };
	if (*a != '\0' && pd_point_parse(a, what, &w->a, err) == -1)
		return -1;
	if (*a != '\0' && *b == '+') {
		w->form = PD_WINDOW_LASTING;
		return pd_duration_parse(b + 1, what, &w->length, err);
	}
	return *b == '\0' ? 0 : pd_point_parse(b, what, &w->b, err);
}

/* Cuts text where it is parted. */
static int
parse(char *text, const char *what, struct pd_window_spec *w,
    struct pd_error *err)
{
	char *sep;

	if ((sep = strchr(text, '~')) != NULL) {
		*sep = '\0';
		w->form = PD_WINDOW_CENTRED;
		return pd_point_parse(text, what, &w->a, err) == -1 ? -1 :
		    pd_duration_parse(sep + 1, what, &w->length, err);
	}
	if (strchr(text, ',') == NULL && (sep = strstr(text, "%-")) != NULL)
		*++sep = ',';			/* perf's way to write A%,B% */
	if ((sep = strchr(text, ',')) != NULL) {
		*sep = '\0';
		return parse_ends(text, sep + 1, what, w, err);
	}
	if ((sep = strchr(text, '/')) != NULL) {
		*sep = '\0';
		return parse_piece(text, sep + 1, what, w, err);
	}
	return pd_fail(err, PD_EARG, PD_NOWHERE, "%s: '%s': expected a window: "
	    "FROM,TO or FROM,+LENGTH or MIDDLE~LENGTH (see pd-time(7))", what,
	    text);
}

int
pd_window_parse(const char *text, const char *what, struct pd_window_spec *w,
    struct pd_error *err)
{
	char *copy = pd_strdup(text, err);
	int r;

	*w = (struct pd_window_spec){ .form = PD_WINDOW_BETWEEN };
	if (copy == NULL)
		return -1;
	r = parse(copy, what, w, err);
	free(copy);
	return r;
}

unsigned
pd_window_needs(const struct pd_window_spec *w)
{
	return pd_point_needs(w->a) | pd_point_needs(w->b);
}

static int
ends_of(const struct pd_window_spec *w, const struct pd_timebase *base,
    struct pd_window *span, struct pd_error *err)
{
	uint64_t a;

	if (pd_point_resolve(w->a, base, &a, err) == -1)
		return -1;
	switch (w->form) {
	case PD_WINDOW_BETWEEN:
		span->start = a;
		return pd_point_resolve(w->b, base, &span->stop, err);
	case PD_WINDOW_LASTING:
		span->start = a;
		span->stop = pd_later(a, w->length);
		break;
	case PD_WINDOW_CENTRED:
		span->start = pd_earlier(a, w->length / 2);
		span->stop = pd_later(a, w->length - w->length / 2);
		break;
	}
	return 0;
}

int
pd_window_resolve(const struct pd_window_spec *w,
    const struct pd_timebase *base, const char *what, const char *text,
    struct pd_window *span, struct pd_error *err)
{
	unsigned needs = pd_window_needs(w);
	struct pd_error why;

	if ((needs & PD_WINDOWS_FIRST && base->first == PD_NOTIME) ||
	    (needs & PD_WINDOWS_LAST && base->last == PD_NOTIME)) {
		*span = (struct pd_window){ 0, 0 };
		return 0;
	}
	if (ends_of(w, base, span, &why) == -1)
		return pd_fail(err, why.code, PD_NOWHERE, "%s: '%s': %s", what,
		    text, why.msg);
	if (span->start > span->stop)
		return pd_fail(err, PD_EARG, PD_NOWHERE, "%s: '%s': ends, at %"
		    PRIu64 ".%09" PRIu64 ", before it begins, at %" PRIu64
		    ".%09" PRIu64, what, text, span->stop / PD_SECOND,
		    span->stop % PD_SECOND, span->start / PD_SECOND,
		    span->start % PD_SECOND);
	return 0;
}

bool
pd_window_match(const struct pd_window *s, size_t len, uint64_t time)
{
	size_t lo = 0, hi = len, mid;

	/* the first that is not over */
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s[mid].stop <= time)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < len && time >= s[lo].start;
}

/* ---- several ------------------------------------------------------------------ */

int
pd_windows_add(struct pd_windows *ws, const char *text, struct pd_error *err)
{
	struct added a = { .text = NULL };

	if (pd_window_parse(text, option, &a.spec, err) == -1 ||
	    pd_grow(&ws->added, &ws->added_cap, ws->nadded + 1, sizeof(a),
	    err) == -1 || (a.text = pd_strdup(text, err)) == NULL)
		return -1;
	ws->added[ws->nadded++] = a;
	return 0;
}

unsigned
pd_windows_needs(const struct pd_windows *ws)
{
	unsigned needs = 0;
	size_t i;

	for (i = 0; i < ws->nadded; i++)
		needs |= pd_window_needs(&ws->added[i].spec);
	return needs;
}

static int
by_start(const void *va, const void *vb)
{
	const struct pd_window *a = va, *b = vb;

	return (a->start > b->start) - (a->start < b->start);
}

/* Sort, and make one of those that touch. */
static void
merge(struct pd_windows *ws)
{
	struct pd_window *s = ws->spans;
	size_t i, n = 0;

	if (ws->nspans > 1)
		qsort(s, ws->nspans, sizeof(*s), by_start);
	for (i = 0; i < ws->nspans; i++) {
		if (n == 0 || s[i].start > s[n - 1].stop)
			s[n++] = s[i];
		else if (s[i].stop > s[n - 1].stop)
			s[n - 1].stop = s[i].stop;
	}
	ws->nspans = n;
}

int
pd_windows_resolve(struct pd_windows *ws, const struct pd_info *info,
    uint64_t first, uint64_t last, struct pd_error *err)
{
	struct pd_timebase base = { info, first, last };
	struct pd_window span;
	size_t i;

	ws->nspans = 0;
	if (pd_grow(&ws->spans, &ws->spans_cap, ws->nadded, sizeof(span),
	    err) == -1)
		return -1;
	for (i = 0; i < ws->nadded; i++) {
		const struct added *a = &ws->added[i];

		if (pd_window_resolve(&a->spec, &base, option, a->text, &span,
		    err) == -1)
			return -1;
		if (span.start < span.stop)
			ws->spans[ws->nspans++] = span;
	}
	merge(ws);
	return 0;
}

/* ---- use ---------------------------------------------------------------------- */

bool
pd_windows_match(const struct pd_windows *ws, uint64_t time)
{
	return ws->nadded == 0 || pd_window_match(ws->spans, ws->nspans, time);
}

bool
pd_windows_over(const struct pd_windows *ws, uint64_t time)
{
	return ws->nadded > 0 && time != PD_NOTIME && (ws->nspans == 0 ||
	    time >= ws->spans[ws->nspans - 1].stop);
}

const struct pd_window *
pd_windows_spans(const struct pd_windows *ws, size_t *len)
{
	*len = ws->nspans;
	return ws->spans;
}
