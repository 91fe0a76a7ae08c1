/* Text that people write or read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

size_t
pd_utf8_len(const unsigned char *s, size_t size)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 :
	    s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0, i;

	if (n > size)
		return 0;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* overlong, surrogates, past U+10FFFF */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

void
pd_printable(char *str)
{
	unsigned char *s = (unsigned char *)str, *out = s;
	size_t n;

	for (; *s != '\0'; s += n) {
		n = pd_utf8_len(s, SIZE_MAX);	/* up to the NUL */
		if (n == 0 || *s < 0x20 || *s == 0x7f ||
		    (s[0] == 0xc2 && s[1] < 0xa0)) {
			*out++ = '?';
			n += n == 0;
			continue;
		}
		memmove(out, s, n);
		out += n;
	}
	*out = '\0';
}

/* One decimal number; *end is behind it.  -1 when there is none. */
static int
parse_u32(const char *s, char **end, uint32_t *out)
{
	unsigned long v;

	if (*s < '0' || *s > '9')
		return -1;
	errno = 0;
	v = strtoul(s, end, 10);
	if (errno != 0 || v > UINT32_MAX)
		return -1;
	*out = (uint32_t)v;
	return 0;
}

int
pd_text_ranges(const char *s, const char *what, struct pd_range **ranges,
    size_t *len, size_t *cap, struct pd_error *err)
{
	struct pd_range r;
	const char *p = s;
	char *end;

	for (;;) {
		if (parse_u32(p, &end, &r.first) == -1)
			break;
		r.last = r.first;
		if (*end == '-' && parse_u32(end + 1, &end, &r.last) == -1)
			break;
		if (r.last < r.first)
			break;
		if (pd_grow(ranges, cap, *len + 1, sizeof(r), err) == -1)
			return -1;
		(*ranges)[(*len)++] = r;
		if (*end == '\0')
			return 0;
		if (*end != ',')
			break;
		p = end + 1;
	}
	return pd_fail(err, PD_EARG, PD_NOWHERE,
	    "%s: '%s': expected numbers and ranges, as in 1,4-7", what, s);
}

bool
pd_ranges_match(const struct pd_range *r, size_t len, uint64_t v)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (v >= r[i].first && v <= r[i].last)
			return true;
	return len == 0;
}

/* The value of s[0..n), all digits; false when it does not fit. */
static bool
parse_digits(const char *s, size_t n, uint64_t *v)
{
	*v = 0;
	for (size_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, s[i] - '0', v))
			return false;
	return true;
}

/* In whole numbers: a double does not hold every nanosecond of a year. */
int
pd_text_decimal(const char *s, uint64_t unit, const char **end, uint64_t *v)
{
	size_t digits = strspn(s, "0123456789"), decimals, i;
	const char *point = s + digits;
	uint64_t part = 0;

	*end = point;
	if (digits == 0)
		return EINVAL;
	if (*point == '.') {
		decimals = strspn(point + 1, "0123456789");
		*end = point + 1 + decimals;
		if (decimals == 0)
			return EINVAL;
		/* more than 18 are less than 1 of any unit */
		if (decimals > 18)
			decimals = 18;
		parse_digits(point + 1, decimals, &part);
		for (i = decimals; i < 18; i++)
			part *= 10;
		part = (uint64_t)((unsigned __int128)part * unit /
		    1000000000000000000);
	}
	if (!parse_digits(s, digits, v) || __builtin_mul_overflow(*v, unit, v) ||
	    __builtin_add_overflow(*v, part, v))
		return ERANGE;
	return 0;
}

int
pd_duration_parse(const char *text, const char *what, uint64_t *ns,
    struct pd_error *err)
{
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", PD_SECOND }, { "m", 60 * PD_SECOND },
		{ "h", 3600 * PD_SECOND },
	};
	const char *unit = text + strspn(text, "0123456789."), *end;
	size_t i;
	int e = EINVAL;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(unit, units[i].name) == 0)
			e = pd_text_decimal(text, units[i].ns, &end, ns);
	if (e == ERANGE)
		return pd_fail(err, PD_EARG, PD_NOWHERE, "%s: '%s': too long",
		    what, text);
	if (e != 0 || end != unit)
		return pd_fail(err, PD_EARG, PD_NOWHERE, "%s: '%s': expected a "
		    "duration, as in 100us, 1.5s, 2h", what, text);
	return 0;
}
