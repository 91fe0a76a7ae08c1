/* Decodes Punycode, the ASCII form of other letters (RFC 3492). */
#include <stdbool.h>
#include <string.h>

#include "symbol/punycode.h"

static size_t
adapt(size_t delta, size_t len, bool first)
{
	size_t k = 0;

	delta = first ? delta / 700 : delta / 2;
	delta += delta / len;
	while (delta > 35 * 26 / 2) {
		delta /= 35;
		k += 36;
	}
	return k + 36 * delta / (delta + 38);
}

/* One number of variable length: false when it is damaged. */
static bool
get_number(const char **s, const char *end, size_t bias, uint64_t *out)
{
	uint64_t w = 1, d;
	size_t k, t;

	*out = 0;
	for (k = 36; *s < end; k += 36) {
		if (**s >= 'a' && **s <= 'z')
			d = (uint64_t)(**s - 'a');
		else if (**s >= '0' && **s <= '9')
			d = (uint64_t)(**s - '0') + 26;
		else
			return false;
		(*s)++;
		t = k <= bias ? 1 : k - bias > 26 ? 26 : k - bias;
		*out += d * w;
		if (*out > UINT32_MAX)
			return false;
		if (d < t)
			return true;
		w *= 36 - t;
		if (w > UINT32_MAX)
			return false;
	}
	return false;
}

size_t
pd_punycode_decode(const char *ascii, size_t ascii_len, const char *s,
    size_t len, uint32_t *chars, size_t max)
{
	const char *end = s + len;
	uint64_t i = 0, n = 0x80, delta;
	size_t bias = 72, count;

	if (ascii_len > max)
		return 0;
	for (count = 0; count < ascii_len; count++)
		chars[count] = (unsigned char)ascii[count];
	while (s < end) {
		if (count == max || !get_number(&s, end, bias, &delta))
			return 0;
		bias = adapt(delta, count + 1, count == ascii_len);
		i += delta;
		n += i / (count + 1);
		i %= count + 1;
		if (n > 0x10ffff || (n >= 0xd800 && n <= 0xdfff))
			return 0;
		memmove(chars + i + 1, chars + i,
		    (count - i) * sizeof(chars[0]));
		chars[i++] = (uint32_t)n;
		count++;
	}
	return count;
}
