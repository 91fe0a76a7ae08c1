/* Checks bytes against a shape. */
#include "base/shape.h"

static const char *
group_end(const char *p)
{
	int depth = 0;

	for (; *p != '\0'; p++) {
		if (*p == '(')
			depth++;
		else if (*p == ')' && --depth == 0)
			return p;
	}
	return p;
}

static void
skip_string(struct pd_cursor *c)
{
	uint32_t len = pd_get_u32(c);
	const uint8_t *s = pd_get_bytes(c, len);

	if (s == NULL || memchr(s, 0, len) == NULL)
		c->bad = true;
}

static void
skip_bitmap(struct pd_cursor *c)
{
	uint64_t bits = pd_get_u64(c);

	if (bits > pd_left(c) * (uint64_t)8)
		c->bad = true;
	else
		pd_get_bytes(c, (size_t)((bits + 63) / 64 * 8));
}

/* One pass over the shape up to `end`; groups call themselves. */
static void
skip(const char *p, const char *end, struct pd_cursor *c)
{
	const char *close;
	uint64_t n;

	for (; p < end && !c->bad; p++) {
		switch (*p) {
		case '1': case '2': case '4': case '8':
			pd_get_bytes(c, (size_t)(*p - '0'));
			break;
		case 'z': pd_get_str(c); break;
		case 's': skip_string(c); break;
		case 'd': pd_get_bytes(c, pd_get_u32(c)); break;
		case 'b': skip_bitmap(c); break;
		case 'n': case 'N': case '*':
			n = *p == 'n' ? pd_get_u32(c) :
			    *p == 'N' ? pd_get_u64(c) : pd_left(c);
			close = group_end(p + 1);
			/* Each round takes bytes, so it ends by c->bad. */
			for (; n > 0 && !c->bad; n--) {
				if (*p == '*' && pd_left(c) == 0)
					break;
				skip(p + 2, close, c);
			}
			p = close;
			break;
		}
	}
}

bool
pd_shape_skip(const char *shape, struct pd_cursor *c)
{
	skip(shape, shape + strlen(shape), c);
	return !c->bad;
}
