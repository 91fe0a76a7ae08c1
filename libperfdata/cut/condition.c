/* Conditions: the name of an event, and what its fields must be. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "cut/condition.h"
#include "record/reader.h"
#include "record/tracing.h"

enum op { EQ, NE, LT, LE, GT, GE, AND, GLOB };

/* A number of either sign. */
typedef __int128 number;

struct term {
	char		*field, *text;
	enum op		op;
	bool		is_number;
	number		value;
	struct pd_field	*of;		/* by event; no name: not looked up */
	size_t		of_cap;
};

struct pd_condition {
	char		*event;		/* a glob */
	struct term	*terms;
	size_t		len, cap;
	const char	*what;
	char		*source;
};

void
pd_condition_free(struct pd_condition *c)
{
	size_t i;

	if (c == NULL)
		return;
	for (i = 0; i < c->len; i++) {
		free(c->terms[i].field);
		free(c->terms[i].text);
		free(c->terms[i].of);
	}
	free(c->terms);
	free(c->event);
	free(c->source);
	free(c);
}

/* ---- from text ---------------------------------------------------------------- */

static const char blanks[] = " \t";
static const char word[] = "_0123456789abcdefghijklmnopqrstuvwxyz"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* Where fields begin: behind the ':' that a name and an operator follow. */
static const char *
find_terms(const char *s)
{
	while ((s = strchr(s, ':')) != NULL) {
		const char *p = ++s;
		size_t n;

		p += strspn(p, blanks);
		n = strspn(p, word);
		p += n;
		p += strspn(p, blanks);
		if (n > 0 && *p != '\0' && strchr("=!<>&~", *p))
			return s;
	}
	return NULL;
}

static const char *
parse_op(const char *s, enum op *op)
{
	static const struct { char text[3]; enum op op; } ops[] = {
		{ "==", EQ }, { "!=", NE }, { "<=", LE }, { ">=", GE },
		{ "<", LT }, { ">", GT }, { "&", AND }, { "~", GLOB },
	};
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (pd_starts(s, ops[i].text)) {
			*op = ops[i].op;
			return s + strlen(ops[i].text);
		}
	return NULL;
}

static bool
parse_number(const char *s, number *v)
{
	bool negative = *s == '-';
	unsigned long long u;
	char *end;

	s += negative;
	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	u = strtoull(s, &end, s[0] == '0' && (s[1] | 0x20) == 'x' ? 16 : 10);
	*v = negative ? -(number)u : (number)u;
	return errno == 0 && *end == '\0';
}

/* The value at s, quoted or up to a separator; NULL when there is none. */
static const char *
parse_value(const char *s, struct term *t, struct pd_error *err)
{
	bool quoted = *s == '"' || *s == '\'';
	const char *end;
	size_t len;

	if (quoted) {
		end = strchr(s + 1, *s);
		if (end == NULL)
			return NULL;
		len = (size_t)(end++ - ++s);
	} else {
		end = strstr(s, "&&");
		len = strcspn(s, ",");
		if (end != NULL && (size_t)(end - s) < len)
			len = (size_t)(end - s);
		end = s + len;
		while (len > 0 && strchr(blanks, s[len - 1]))
			len--;
		if (len == 0)
			return NULL;
	}
	t->text = strndup(s, len);
	if (t->text == NULL) {
		pd_fail_nomem(err);
		return NULL;
	}
	t->is_number = !quoted && parse_number(t->text, &t->value);
	return end;
}

/* One comparison; what follows it, NULL when it makes no sense. */
static const char *
parse_term(const char *s, struct term *t, struct pd_error *err)
{
	size_t n;

	s += strspn(s, blanks);
	n = strspn(s, word);
	if (n == 0)
		return NULL;
	if ((t->field = strndup(s, n)) == NULL) {
		pd_fail_nomem(err);
		return NULL;
	}
	s += n;
	s += strspn(s, blanks);
	if ((s = parse_op(s, &t->op)) == NULL)
		return NULL;
	s += strspn(s, blanks);
	if ((s = parse_value(s, t, err)) == NULL)
		return NULL;
	if (!t->is_number && t->op != EQ && t->op != NE && t->op != GLOB)
		return NULL;
	return s + strspn(s, blanks);
}

static int
parse_terms(struct pd_condition *c, const char *s, struct pd_error *err)
{
	err->code = PD_OK;
	for (;;) {
		if (pd_grow_zeroed(&c->terms, &c->cap, c->len + 1,
		    sizeof(*c->terms), err) == -1)
			return -1;
		s = parse_term(s, &c->terms[c->len++], err);
		if (s == NULL && err->code == PD_ENOMEM)
			return -1;
		if (s != NULL && *s == '\0')
			return 0;
		if (s != NULL && *s == ',')
			s++;
		else if (s != NULL && pd_starts(s, "&&"))
			s += 2;
		else
			return pd_fail(err, PD_EARG, PD_NOWHERE, "%s: '%s': "
			    "expected EVENT:FIELD==VALUE, with one of == != < <= "
			    "> >= & ~, and more of them behind &&", c->what,
			    c->source);
	}
}

struct pd_condition *
pd_condition_parse(const char *text, const char *what, struct pd_error *err)
{
	struct pd_condition *c = pd_calloc(1, sizeof(*c), err);
	const char *terms = find_terms(text);

	if (c == NULL)
		return NULL;
	c->what = what;
	if ((c->source = pd_strdup(text, err)) == NULL ||
	    (c->event = pd_strdup(text, err)) == NULL)
		goto fail;
	if (terms != NULL)
		c->event[terms - 1 - text] = '\0';
	if (c->event[0] == '\0') {
		pd_fail(err, PD_EARG, PD_NOWHERE, "%s: '%s': which event?", what,
		    text);
		goto fail;
	}
	if (terms == NULL || parse_terms(c, terms, err) == 0)
		return c;

fail:
	pd_condition_free(c);
	return NULL;
}

/* ---- of an event ---------------------------------------------------------------- */

const char *
pd_condition_event(const struct pd_condition *c)
{
	return c->event;
}

const char *
pd_condition_what(const struct pd_condition *c)
{
	return c->what;
}

bool
pd_condition_names(const struct pd_condition *c, const struct pd_event *ev)
{
	return fnmatch(c->event, ev->name, 0) == 0;
}

/* Say that ev lacks the field, and which ones it has. */
static int
fail_field(const struct pd_condition *c, const struct pd_tracepoints *tps,
    const struct pd_event *ev, const char *field, struct pd_error *err)
{
	char list[160] = "";
	struct pd_field f;
	size_t at = 0, n = 0;

	while (ev->type == PD_TYPE_TRACEPOINT &&
	    pd_tracepoints_field(tps, ev->config, &at, &f))
		if (n + f.name_len + 2 < sizeof(list) &&
		    (f.name_len < 7 || memcmp(f.name, "common_", 7) != 0))
			n += (size_t)sprintf(list + n, "%s%.*s", n > 0 ? ", " : "",
			    (int)f.name_len, f.name);
	return pd_fail(err, PD_EARG, PD_NOWHERE, "%s: %s has no field '%s'%s%s",
	    c->what, ev->name, field, n > 0 ? ", but " :
	    ev->type == PD_TYPE_TRACEPOINT ?
	    ": the recording has no description of its fields" :
	    ": it is no tracepoint", list);
}

/* The term's field of ev, looked up once. */
static struct pd_field *
field_of(const struct pd_condition *c, struct term *t,
    const struct pd_tracepoints *tps, const struct pd_event *ev,
    struct pd_error *err)
{
	struct pd_field *f;
	size_t at = 0;
	bool text;

	if (pd_grow_zeroed(&t->of, &t->of_cap, ev->index + 1, sizeof(*t->of),
	    err) == -1)
		return NULL;
	f = &t->of[ev->index];
	if (f->name != NULL)
		return f;
	for (;;) {
		if (ev->type != PD_TYPE_TRACEPOINT ||
		    !pd_tracepoints_field(tps, ev->config, &at, f)) {
			f->name = NULL;
			fail_field(c, tps, ev, t->field, err);
			return NULL;
		}
		if (f->name_len == strlen(t->field) &&
		    memcmp(f->name, t->field, f->name_len) == 0)
			break;
	}
	text = f->kind != PD_FIELD_UNSIGNED && f->kind != PD_FIELD_SIGNED;
	if (f->kind != PD_FIELD_OTHER && (text ? t->op == EQ || t->op == NE ||
	    t->op == GLOB : t->is_number && t->op != GLOB))
		return f;
	f->name = NULL;
	pd_fail(err, PD_EARG, PD_NOWHERE, "%s: field %s of %s is %s", c->what,
	    t->field, ev->name, f->kind == PD_FIELD_OTHER ?
	    "an array, which is not compared" : text ?
	    "text, which compares by ==, != and ~" : "a number");
	return NULL;
}

static bool
compare_numbers(enum op op, number a, number b)
{
	switch (op) {
	case EQ: return a == b;
	case NE: return a != b;
	case LT: return a < b;
	case LE: return a <= b;
	case GT: return a > b;
	case GE: return a >= b;
	case AND: return (a & b) != 0;
	default: return false;
	}
}

static bool
compare_texts(enum op op, const char *a, size_t len, const char *b)
{
	char buf[4096];

	if (op != GLOB)
		return (op == EQ) == (strlen(b) == len &&
		    memcmp(a, b, len) == 0);
	/* what the kernel puts into a sample is shorter */
	if (len >= sizeof(buf))
		return false;
	memcpy(buf, a, len);
	buf[len] = '\0';
	return fnmatch(b, buf, 0) == 0;
}

static bool
holds(const struct term *t, const struct pd_field *f,
    const struct pd_sample *s)
{
	const char *text;
	uint64_t v;
	size_t len;

	if (f->kind == PD_FIELD_UNSIGNED || f->kind == PD_FIELD_SIGNED)
		return pd_field_number(f, s, &v) && compare_numbers(t->op,
		    f->kind == PD_FIELD_SIGNED ? (number)(int64_t)v :
		    (number)v, t->value);
	return pd_field_text(f, s, &text, &len) &&
	    compare_texts(t->op, text, len, t->text);
}

int
pd_condition_match(struct pd_condition *c, struct pd_reader *rd,
    const struct pd_record *rec, struct pd_error *err)
{
	const struct pd_tracepoints *tps;
	const struct pd_field *f;
	struct pd_sample s;
	size_t i;

	if (!pd_condition_names(c, rec->event))
		return 0;
	if (c->len == 0)
		return 1;
	tps = pd_reader_features(rd)->tracepoints;
	if (pd_reader_sample(rd, rec, &s) == 0)
		return 0;
	for (i = 0; i < c->len; i++) {
		f = field_of(c, &c->terms[i], tps, rec->event, err);
		if (f == NULL)
			return -1;
		if (!holds(&c->terms[i], f, &s))
			return 0;
	}
	return 1;
}
