/* Writes JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

static void
put(struct pd_json *j, const char *s, size_t len)
{
	fwrite_unlocked(s, 1, len, j->out);
}

static void
put_escaped(struct pd_json *j, unsigned c)
{
	char buf[8];

	put(j, buf, (size_t)snprintf(buf, sizeof(buf), "\\u%04x", c));
}

/* The escape of a byte that stands for itself otherwise, or 0. */
static char
short_escape(unsigned char c)
{
	switch (c) {
	case '"': case '\\': return (char)c;
	case '\b': return 'b';
	case '\f': return 'f';
	case '\n': return 'n';
	case '\r': return 'r';
	case '\t': return 't';
	}
	return 0;
}

/* What needs more than a copy; n is the length of its UTF-8, 0 for none. */
static void
put_special(struct pd_json *j, const unsigned char *s, size_t n)
{
	char esc = short_escape(*s);

	if (j->printable && *s != '"' && *s != '\\' && *s != '<')
		put(j, "?", 1);
	else if (n == 0)
		put(j, "\xef\xbf\xbd", 3);	/* U+FFFD */
	else if (esc != 0)
		put(j, (char[]){ '\\', esc }, 2);
	else
		put_escaped(j, n == 2 ? s[1] : s[0]);
}

/* Whether the character at s is written as it is. */
static bool
is_plain(const unsigned char *s, size_t n, const unsigned char *end)
{
	if (n == 0 || *s < 0x20 || *s == '"' || *s == '\\' || *s == 0x7f)
		return false;
	if (s[0] == 0xc2 && s[1] < 0xa0)
		return false;
	/* "</script" and "<!--" have a meaning inside <script>. */
	return s[0] != '<' || s + 1 == end || (s[1] != '/' && s[1] != '!');
}

static void
put_string(struct pd_json *j, const char *str, size_t len)
{
	const unsigned char *s = (const unsigned char *)str, *end = s + len;
	const unsigned char *plain = s;
	size_t n;

	putc_unlocked('"', j->out);
	for (; s < end; s += n ? n : 1) {
		n = pd_utf8_len(s, (size_t)(end - s));
		if (is_plain(s, n, end))
			continue;
		put(j, (const char *)plain, (size_t)(s - plain));
		put_special(j, s, n);
		plain = s + (n ? n : 1);
	}
	put(j, (const char *)plain, (size_t)(end - plain));
	putc_unlocked('"', j->out);
}

/* All that comes before a value. */
static void
begin(struct pd_json *j, const char *key)
{
	if (j->comma)
		putc_unlocked(',', j->out);
	j->comma = true;
	if (key != NULL) {
		put_string(j, key, strlen(key));
		putc_unlocked(':', j->out);
	}
}

static void
open_with(struct pd_json *j, const char *key, char c)
{
	begin(j, key);
	putc_unlocked(c, j->out);
	j->comma = false;
}

static void
close_with(struct pd_json *j, char c)
{
	putc_unlocked(c, j->out);
	j->comma = true;
}

void
pd_json_object(struct pd_json *j, const char *key)
{
	open_with(j, key, '{');
}

void
pd_json_object_end(struct pd_json *j)
{
	close_with(j, '}');
}

void
pd_json_array(struct pd_json *j, const char *key)
{
	open_with(j, key, '[');
}

void
pd_json_array_end(struct pd_json *j)
{
	close_with(j, ']');
}

void
pd_json_text(struct pd_json *j, const char *key, const char *s, size_t len)
{
	begin(j, key);
	put_string(j, s, len);
}

void
pd_json_string(struct pd_json *j, const char *key, const char *s)
{
	if (s == NULL)
		pd_json_null(j, key);
	else
		pd_json_text(j, key, s, strlen(s));
}

/* Digits of v before end, at least min of them: where they begin. */
static char *
digits_of(char *end, uint64_t v, unsigned min)
{
	char *p = end;

	for (; v != 0 || p > end - min; v /= 10)
		*--p = (char)('0' + v % 10);
	return p;
}

void
pd_json_u64(struct pd_json *j, const char *key, uint64_t v)
{
	char buf[24], *end = buf + sizeof(buf), *p = digits_of(end, v, 1);

	begin(j, key);
	put(j, p, (size_t)(end - p));
}

void
pd_json_i64(struct pd_json *j, const char *key, int64_t v)
{
	char buf[24], *end = buf + sizeof(buf), *p;

	p = digits_of(end, v < 0 ? -(uint64_t)v : (uint64_t)v, 1);
	if (v < 0)
		*--p = '-';
	begin(j, key);
	put(j, p, (size_t)(end - p));
}

void
pd_json_decimal(struct pd_json *j, const char *key, uint64_t v,
    unsigned digits)
{
	char buf[48], *end = buf + sizeof(buf), *point = end, *p;
	uint64_t unit = 1;
	unsigned i;

	for (i = 0; i < digits; i++)
		unit *= 10;
	if (v % unit != 0) {
		point = digits_of(end, v % unit, digits) - 1;
		*point = '.';
		while (end[-1] == '0')
			end--;
	}
	p = digits_of(point, v / unit, 1);
	begin(j, key);
	put(j, p, (size_t)(end - p));
}

void
pd_json_double(struct pd_json *j, const char *key, double v)
{
	char buf[32], *p;
	int precision = 15;

	if (!isfinite(v)) {
		pd_json_null(j, key);
		return;
	}
	do		/* 17 digits tell all doubles apart */
		snprintf(buf, sizeof(buf), "%.*g", precision, v);
	while (strtod(buf, NULL) != v && ++precision <= 17);
	for (p = buf; *p != '\0'; p++)
		if (strchr("0123456789+-e", *p) == NULL)
			*p = '.';	/* the point of another locale */
	begin(j, key);
	put(j, buf, strlen(buf));
}

void
pd_json_raw(struct pd_json *j, const char *key, const char *s, size_t len)
{
	begin(j, key);
	put(j, s, len);
}

void
pd_json_bool(struct pd_json *j, const char *key, bool v)
{
	begin(j, key);
	put(j, v ? "true" : "false", v ? 4 : 5);
}

void
pd_json_null(struct pd_json *j, const char *key)
{
	begin(j, key);
	put(j, "null", 4);
}

void
pd_json_newline(struct pd_json *j)
{
	putc_unlocked('\n', j->out);
	j->comma = false;
}
