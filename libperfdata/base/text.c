/* Text that people write or read. */
#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

void
pd_text_printable(char *s)
{
	for (; *s != '\0'; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
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
