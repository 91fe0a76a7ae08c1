/* The byte cursor never leaves its bytes, in either byte order. */
#include "base/cursor.h"
#include "tap.h"

static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 'a', 'b', 0, 'c' };

static void
numbers_follow_the_byte_order(void)
{
	struct pd_cursor c = pd_cursor(bytes, 8, false);

	CHECK_EQ(pd_get_u64(&c), 0x0807060504030201);
	CHECK(!c.bad);
	c = pd_cursor(bytes, 8, true);
	CHECK_EQ(pd_get_u16(&c), 0x0102);
	CHECK_EQ(pd_get_u8(&c), 3);
	CHECK_EQ(pd_get_u32(&c), 0x04050607);
	CHECK_EQ(pd_left(&c), 1);
	CHECK(!c.bad);
}

static void
a_read_past_the_end_is_0_and_stays_bad(void)
{
	struct pd_cursor c = pd_cursor(bytes, 3, false);

	CHECK_EQ(pd_get_u32(&c), 0);
	CHECK(c.bad);
	CHECK_EQ(pd_get_u8(&c), 0);
	CHECK(c.bad);
	c = pd_cursor(bytes, 3, false);
	CHECK(pd_get_bytes(&c, SIZE_MAX) == NULL);
	CHECK(c.bad);
}

static void
a_string_ends_with_a_nul_inside(void)
{
	struct pd_cursor c = pd_cursor(bytes + 8, 4, false);

	CHECK_STR(pd_get_str(&c), "ab");
	CHECK_EQ(pd_left(&c), 1);
	CHECK(pd_get_str(&c) == NULL);
	CHECK(c.bad);
}

int
main(void)
{
	RUN(numbers_follow_the_byte_order);
	RUN(a_read_past_the_end_is_0_and_stays_bad);
	RUN(a_string_ends_with_a_nul_inside);
	return tap_done();
}
