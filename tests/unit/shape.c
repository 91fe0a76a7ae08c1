/* Shapes say how long a body is; no count or length leads out of the bytes. */
#include "base/shape.h"
#include "tap.h"

/* How many of the size bytes the shape covers, -1 when they do not fit it. */
static int
covers(const char *shape, const void *bytes, size_t size)
{
	struct pd_cursor c = pd_cursor(bytes, size, false);

	if (!pd_shape_skip(shape, &c))
		return -1;
	return (int)(size - pd_left(&c));
}

static void
integers_add_up(void)
{
	static const uint8_t b[15];

	CHECK_EQ(covers("1248", b, 15), 15);
	CHECK_EQ(covers("1248", b, 14), -1);
	CHECK_EQ(covers("", b, 15), 0);
}

static void
strings_need_their_nul(void)
{
	CHECK_EQ(covers("z", "abc", 4), 4);
	CHECK_EQ(covers("z", "abc", 3), -1);
	CHECK_EQ(covers("s", "\4\0\0\0abc", 8), 8);
	CHECK_EQ(covers("s", "\3\0\0\0abc", 8), -1);
	CHECK_EQ(covers("s", "\5\0\0\0abc", 8), -1);
	CHECK_EQ(covers("d", "\3\0\0\0abc", 8), 7);
	CHECK_EQ(covers("d", "\377\377\377\377abc", 8), -1);
}

static void
counts_repeat_what_is_inside(void)
{
	CHECK_EQ(covers("n(2)", "\2\0\0\0aabb", 8), 8);
	CHECK_EQ(covers("n(2)", "\3\0\0\0aabb", 8), -1);
	CHECK_EQ(covers("n(2)4", "\0\0\0\0aabb", 8), 8);
	CHECK_EQ(covers("N(1)", "\2\0\0\0\0\0\0\0ab", 10), 10);
	CHECK_EQ(covers("N(8)", "\0\0\0\0\0\0\0\x20xxxxxxxx", 16), -1);
	CHECK_EQ(covers("n(n(1)2)", "\1\0\0\0\2\0\0\0abcc", 12), 12);
	CHECK_EQ(covers("b", "\1\0\0\0\0\0\0\0xxxxxxxx", 16), 16);
	CHECK_EQ(covers("b", "\101\0\0\0\0\0\0\0xxxxxxxx", 16), -1);
	CHECK_EQ(covers("b", "\377\377\377\377\377\377\377\377xxxxxxxx", 16), -1);
}

int
main(void)
{
	RUN(integers_add_up);
	RUN(strings_need_their_nul);
	RUN(counts_repeat_what_is_inside);
	return tap_done();
}
