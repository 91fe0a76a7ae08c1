/* Points in time, from text to nanoseconds of the recording's clock. */
#include <errno.h>
#include <time.h>

#include "base/error.h"
#include "base/text.h"
#include "cut/point.h"

/* n digits at s. */
static int
number(const char *s, int n)
{
	int v = 0;

	while (n-- > 0)
		v = 10 * v + *s++ - '0';
	return v;
}

/* Does s begin as the pattern says, where 0 is any digit and T a separator? */
static bool
looks_like(const char *s, const char *pattern)
{
	for (; *pattern != '\0'; s++, pattern++) {
		bool ok = *pattern == '0' ? *s >= '0' && *s <= '9' :
		    *pattern == 'T' ? *s != '\0' && strchr("Tt _", *s) :
		    *s == *pattern;

		if (!ok)
			return false;
	}
	return true;
}

/* "Z" or "+01:30": how far the local time is ahead of UTC. */
static int
parse_offset(const char *s, int64_t *seconds)
{
	*seconds = 0;
	if ((s[0] == 'Z' || s[0] == 'z') && s[1] == '\0')
		return 0;
	if ((s[0] != '+' && s[0] != '-') || !looks_like(s + 1, "00:00") ||
	    s[6] != '\0' || number(s + 1, 2) > 23 || number(s + 4, 2) > 59)
		return -1;
	*seconds = number(s + 1, 2) * 3600 + number(s + 4, 2) * 60;
	if (s[0] == '-')
		*seconds = -*seconds;
	return 0;
}

/* RFC 3339, section 5.6: 2026-12-01T16:51:55.123Z. */
static int
parse_date(const char *text, const char *what, uint64_t *ns,
    struct pd_error *err)
{
	struct tm tm = {
		.tm_year = number(text, 4) - 1900,
		.tm_mon = number(text + 5, 2) - 1,
		.tm_mday = number(text + 8, 2),
		.tm_hour = number(text + 11, 2),
		.tm_min = number(text + 14, 2),
	}, was = tm;
	int sec = number(text + 17, 2);
	const char *end = text + strlen("0000-00-00T00:00:00");
	int64_t t = timegm(&tm), offset;
	uint64_t part = 0;

	if (tm.tm_mon != was.tm_mon || tm.tm_mday != was.tm_mday ||
	    tm.tm_hour != was.tm_hour || tm.tm_min != was.tm_min || sec > 60)
		return pd_fail(err, PD_EARG, PD_NOWHERE,
		    "%s: '%s': there is no such date and time", what, text);
	/* the second's decimals, behind its last digit, which is not wanted */
	if (*end == '.') {
		if (pd_text_decimal(end - 1, PD_SECOND, &end, &part) != 0)
			goto bad;
		part %= PD_SECOND;
	}
	if (*end == '\0')
		return pd_fail(err, PD_EARG, PD_NOWHERE, "%s: '%s': which time "
		    "zone? End it with Z for UTC or an offset as +02:00",
		    what, text);
	if (parse_offset(end, &offset) == -1)
		goto bad;
	t += sec - offset;
	if (t < 0 || __builtin_mul_overflow((uint64_t)t, PD_SECOND, ns) ||
	    __builtin_add_overflow(*ns, part, ns))
		return pd_fail(err, PD_EARG, PD_NOWHERE,
		    "%s: '%s': not between 1970 and 2554", what, text);
	return 0;

bad:
	return pd_fail(err, PD_EARG, PD_NOWHERE, "%s: '%s': expected a date and "
	    "time as in 2026-12-01T16:51:55.123Z", what, text);
}

/* What begins with a digit or '@'. */
static int
parse_number(const char *text, const char *what, struct pd_point *pt,
    struct pd_error *err)
{
	size_t at = *text == '@';
	bool part = strchr(text, '%') != NULL;
	const char *end;
	int e;

	pt->kind = at ? PD_POINT_WALL : part ? PD_POINT_PART : PD_POINT_TIME;
	e = pd_text_decimal(text + at, part ? PD_POINT_WHOLE / 100 : PD_SECOND,
	    &end, &pt->value);
	if (e == ERANGE)
		return pd_fail(err, PD_EARG, PD_NOWHERE, "%s: '%s': too late",
		    what, text);
	if (e != 0 || strcmp(end, part && !at ? "%" : "") != 0)
		return pd_fail(err, PD_EARG, PD_NOWHERE, "%s: '%s': expected a "
		    "time, as in 1234.567890123, +1.5s, -20ms, 12.5%%, "
		    "@1700000000.5 or 2026-12-01T16:51:55.123Z", what, text);
	if (part && pt->value > PD_POINT_WHOLE)
		return pd_fail(err, PD_EARG, PD_NOWHERE,
		    "%s: '%s': more than 100%%", what, text);
	return 0;
}

int
pd_point_parse(const char *text, const char *what, struct pd_point *pt,
    struct pd_error *err)
{
	if (*text == '+' || *text == '-') {
		pt->kind = *text == '+' ? PD_POINT_FIRST : PD_POINT_LAST;
		return pd_duration_parse(text + 1, what, &pt->value, err);
	}
	if (looks_like(text, "0000-00-00T00:00:00")) {
		pt->kind = PD_POINT_WALL;
		return parse_date(text, what, &pt->value, err);
	}
	return parse_number(text, what, pt, err);
}

unsigned
pd_point_needs(struct pd_point pt)
{
	static const unsigned needs[] = {
		[PD_POINT_TIME] = 0,
		[PD_POINT_FIRST] = PD_WINDOWS_FIRST,
		[PD_POINT_LAST] = PD_WINDOWS_LAST,
		[PD_POINT_PART] = PD_WINDOWS_FIRST | PD_WINDOWS_LAST,
		[PD_POINT_WALL] = PD_WINDOWS_CLOCK,
	};

	return needs[pt.kind];
}

int
pd_point_resolve(struct pd_point pt, const struct pd_timebase *base,
    uint64_t *time, struct pd_error *err)
{
	const struct pd_info *info = base->info;
	uint64_t span;

	switch (pt.kind) {
	case PD_POINT_TIME:
		*time = pt.value;
		break;
	case PD_POINT_FIRST:
		*time = pd_later(base->first, pt.value);
		break;
	case PD_POINT_LAST:
		*time = pd_earlier(base->last, pt.value);
		break;
	case PD_POINT_PART:
		/* 100 % is behind the last sample, which is part of the whole */
		span = pd_later(pd_earlier(base->last, base->first), 1);
		*time = pd_later(base->first, (uint64_t)((unsigned __int128)
		    span * pt.value / PD_POINT_WHOLE));
		break;
	case PD_POINT_WALL:
		if (info->clock_wall == 0)
			return pd_fail(err, PD_EARG, PD_NOWHERE, "the recording "
			    "does not tell its time by the wall clock (perf "
			    "record -k CLOCK_MONOTONIC makes it do so)");
		*time = pt.value < info->clock_wall ?
		    pd_earlier(info->clock_mono, info->clock_wall - pt.value) :
		    pd_later(info->clock_mono, pt.value - info->clock_wall);
		break;
	}
	return 0;
}
