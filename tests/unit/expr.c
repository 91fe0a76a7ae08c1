/* DWARF expressions: what each operation does, and that they end. */
#include "unwind/expr.h"
#include "tap.h"

static const uint8_t stack[16] = { 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22,
	0x81, 1 };

static bool
eval(const char *expr, size_t n, uint64_t *v)
{
	struct pd_regs regs = { .r = { [7] = 0x7000, [31] = 9 },
		.valid = 1u << 7 | 1u << 31 };
	struct pd_stack_copy copy = { stack, 0x7000, sizeof(stack), false };
	uint64_t cfa = 0x5000;

	return pd_expr_eval((const uint8_t *)expr, n, &regs, &cfa, &copy, v);
}

static void
expect(const char *expr, size_t n, uint64_t want, int line)
{
	uint64_t v;

	if (eval(expr, n, &v))
		tap_eq(v, want, expr, __FILE__, line);
	else
		tap_check(false, "%s:%d: refused: %s\n", __FILE__, line, expr);
}

#define EXPECT(expr, want)	expect((expr), sizeof(expr) - 1, (want), __LINE__)
#define REFUSED(expr) do { \
	uint64_t v; \
	CHECK(!eval((expr), sizeof(expr) - 1, &v)); \
} while (0)

static void
every_operation_computes(void)
{
	EXPECT("", 0x5000);			/* the CFA was pushed */
	EXPECT("\x9c\x1c", 0);			/* call_frame_cfa, minus */
	EXPECT("\x03\1\2\3\4\5\6\7\x08", 0x807060504030201);	/* addr */
	EXPECT("\x77\x10", 0x7010);		/* breg7 16 */
	EXPECT("\x92\x07\x70", 0x6ff0);		/* bregx */
	EXPECT("\x8f\x01", 10);			/* breg31 */
	EXPECT("\x77\x00\x06", 0x8122334455667788);
	EXPECT("\x77\x00\x94\x01", 0x88);	/* deref_size */
	EXPECT("\x77\x00\x94\x04", 0x55667788);
	EXPECT("\x08\xff", 0xff);
	EXPECT("\x09\xff", UINT64_MAX);
	EXPECT("\x0a\xff\xff", 0xffff);
	EXPECT("\x0b\xfe\xff", (uint64_t)-2);
	EXPECT("\x0c\xff\xff\xff\xff", 0xffffffff);
	EXPECT("\x0d\xfe\xff\xff\xff", (uint64_t)-2);
	EXPECT("\x0e\1\0\0\0\0\0\0\x80", 0x8000000000000001);
	EXPECT("\x10\x80\x01", 128);
	EXPECT("\x11\x7e", (uint64_t)-2);
	EXPECT("\x33\x12\x22", 6);		/* lit3, dup, plus */
	EXPECT("\x33\x34\x13", 3);		/* drop */
	EXPECT("\x33\x34\x14\x22", 7);		/* over */
	EXPECT("\x33\x34\x15\x01", 3);		/* pick */
	EXPECT("\x33\x35\x16\x1c", 2);		/* swap: 5 - 3 */
	EXPECT("\x31\x32\x34\x17\x1c", (uint64_t)-1);	/* rot: 4 1 2 */
	EXPECT("\x09\xfb\x19", 5);		/* abs */
	EXPECT("\x36\x33\x1a", 2);
	EXPECT("\x09\xf8\x32\x1b", (uint64_t)-4);	/* div */
	EXPECT("\x09\xf8\x09\xff\x1b", 8);
	EXPECT("\x37\x34\x1d", 3);
	EXPECT("\x37\x34\x1e", 28);
	EXPECT("\x31\x1f", UINT64_MAX);
	EXPECT("\x30\x20", UINT64_MAX);
	EXPECT("\x36\x33\x21", 7);
	EXPECT("\x31\x23\x05", 6);
	EXPECT("\x31\x34\x24", 16);
	EXPECT("\x31\x08\x40\x24", 0);
	EXPECT("\x09\x80\x08\x3c\x25", 15);
	EXPECT("\x09\x80\x34\x26", (uint64_t)-8);
	EXPECT("\x09\x80\x08\xff\x26", UINT64_MAX);
	EXPECT("\x36\x33\x27", 5);
	EXPECT("\x31\x31\x29", 1);
	EXPECT("\x31\x09\xff\x2a", 1);		/* ge is signed */
	EXPECT("\x31\x09\xff\x2b", 1);
	EXPECT("\x31\x09\xff\x2c", 0);
	EXPECT("\x31\x09\xff\x2d", 0);
	EXPECT("\x31\x32\x2e", 1);
	EXPECT("\x32\x2f\x01\x00\x33\x96", 2);	/* skip */
	EXPECT("\x32\x31\x28\x01\x00\x33", 2);	/* bra */
	EXPECT("\x32\x30\x28\x01\x00\x33", 3);
	/* The CFA in a PLT of ld, in the 12th byte of an entry. */
	EXPECT("\x77\x08\x08\x1b\x3f\x1a\x3b\x2a\x33\x24\x22", 0x7010);
}

static void
what_cannot_be_known_is_refused(void)
{
	REFUSED("\x13\x13");			/* empty */
	REFUSED("\x22");
	REFUSED("\x70\x00");			/* rax is not known */
	REFUSED("\x92\xff\x7f\x00");
	REFUSED("\x77\x09\x06");		/* not in the copy */
	REFUSED("\x77\x7f\x06");
	REFUSED("\x77\x00\x94\x09");
	REFUSED("\x77\x00\x94\x00");
	REFUSED("\x31\x30\x1b");
	REFUSED("\x31\x30\x1d");
	REFUSED("\x15\x01");
	REFUSED("\x2f\x00\x80");		/* out of the expression */
	REFUSED("\x2f\xff\x7f");
	REFUSED("\x0e\1\2");
	REFUSED("\x77");
	REFUSED("\x97");			/* push_object_address */
	REFUSED("\xff");
}

static void
loops_and_growth_end(void)
{
	char many[64];
	uint64_t v;

	REFUSED("\x2f\xfd\xff");
	memset(many, 0x31, sizeof(many));
	CHECK(!eval(many, sizeof(many), &v));
}

int
main(void)
{
	RUN(every_operation_computes);
	RUN(what_cannot_be_known_is_refused);
	RUN(loops_and_growth_end);
	return tap_done();
}
