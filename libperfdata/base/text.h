/* Text that people write or read: lists of numbers, globs, escaped names. */
#ifndef PD_BASE_TEXT_H
#define PD_BASE_TEXT_H

#include <string.h>

#include "perfdata.h"

#define PD_PATH_MAX	4096	/* PATH_MAX of Linux: no name is longer */

static inline bool
pd_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

/*
 * Append text to what ends at p, as far as it fits before end, where there is
 * room for a NUL: the new end.  The text may change while it is read.
 */
static inline char *
pd_text_append(char *p, const char *end, const char *text)
{
	size_t n = strnlen(text, (size_t)(end - p));

	memcpy(p, text, n);
	p[n] = '\0';
	return p + n;
}

/*
 * The length of the UTF-8 character (RFC 3629) that s[0..size), which is not
 * empty, begins with; 0 when it begins with none.
 */
size_t pd_utf8_len(const unsigned char *s, size_t size);

#define PD_SECOND	UINT64_C(1000000000)	/* in ns */

/*
 * Parse "12" or "12.5" as that many times unit, exactly, less than 1 left out;
 * *end is behind it.  EINVAL when there is no number, ERANGE when it is too
 * large.
 */
int pd_text_decimal(const char *s, uint64_t unit, const char **end,
    uint64_t *v);

/* A range of numbers, both ends included. */
struct pd_range {
	uint32_t	first, last;
};

/*
 * Parse "1,4-7" and append to *ranges (*len used, *cap allocated; free(3)).
 * what names the list in the message.
 */
int pd_text_ranges(const char *s, const char *what, struct pd_range **ranges,
    size_t *len, size_t *cap, struct pd_error *err);

/* Whether v is in one of them; in all numbers, where there are none. */
bool pd_ranges_match(const struct pd_range *r, size_t len, uint64_t v);

#endif
