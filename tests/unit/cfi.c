/* What call frame information says of an address, and damaged such. */
#include <elf.h>

#include "unwind/cfi.h"
#include "cfibuild.h"
#include "tap.h"

#define CFA(off)	"\x0c\x07" off		/* def_cfa: r7 */
#define RA		"\x90\x01"		/* offset: r16 at CFA - 8 */

static struct pd_image image;
static struct pd_cfi *cfi;

static void
open_as(const struct cb *c, size_t n, uint16_t machine, bool debug)
{
	struct pd_error err;
	struct pd_image_section s = { cb_bytes(c, n), n, 0x100000 };

	image = (struct pd_image){ .machine = machine, .is64 = true };
	*(debug ? &image.debug_frame : &image.eh_frame) = s;
	cfi = pd_cfi_new(&image, &err);
	CHECK(cfi != NULL);
}

static void
open_cfi(const struct cb *c)
{
	open_as(c, c->n, EM_X86_64, false);
}

static void
close_cfi(void)
{
	pd_cfi_free(cfi);
	pd_image_free(&image);
}

static void
expect_cfa(uint64_t addr, uint32_t reg, int64_t off)
{
	struct pd_cfi_row row;

	if (!CHECK(pd_cfi_find(cfi, addr, &row)))
		return;
	CHECK_EQ(row.cfa.how, PD_CFI_OFFSET);
	CHECK_EQ(row.cfa.n, reg);
	CHECK_EQ(row.cfa.value, off);
}

static void
expect_reg(uint64_t addr, size_t reg, enum pd_cfi_how how, int64_t value)
{
	struct pd_cfi_row row;

	if (!CHECK(pd_cfi_find(cfi, addr, &row)))
		return;
	CHECK_EQ(row.regs[reg].how, how);
	CHECK_EQ(row.regs[reg].value, value);
}

static void
the_row_of_an_address_is_found(void)
{
	struct cb c = { .n = 0 };

	cb_cie(&c, 16, false);
	CB_END(&c, CFA("\x08") RA);
	cb_fde(&c, 0x1000, 0x100);
	CB_END(&c, "\x41\x0e\x10\x86\x02"	/* +1: CFA + 16, rbp at -16 */
	    "\x43\x0d\x06"			/* +3: from rbp */
	    "\x02\x80\x0a\xc6"			/* +128: remember, rbp back */
	    "\x0c\x07\x08\x41\x0b");		/* +1: as remembered */
	cb_fde(&c, 0x800, 0x10);		/* not in order */
	CB_END(&c, "");
	open_cfi(&c);
	expect_cfa(0x1000, 7, 8);
	expect_reg(0x1000, 16, PD_CFI_SAVED, -8);
	expect_reg(0x1000, 6, PD_CFI_UNSET, 0);
	expect_cfa(0x1001, 7, 16);
	expect_reg(0x1001, 6, PD_CFI_SAVED, -16);
	expect_cfa(0x1003, 7, 16);
	expect_cfa(0x1004, 6, 16);
	expect_cfa(0x1083, 6, 16);
	expect_cfa(0x1084, 7, 8);
	expect_reg(0x1084, 6, PD_CFI_UNSET, 0);
	expect_cfa(0x1085, 6, 16);
	expect_reg(0x1085, 6, PD_CFI_SAVED, -16);
	expect_cfa(0x10ff, 6, 16);
	expect_cfa(0x80f, 7, 8);
	close_cfi();
}

static void
other_addresses_have_none(void)
{
	struct pd_cfi_row row;
	struct cb c = { .n = 0 };

	cb_cie(&c, 16, false);
	CB_END(&c, CFA("\x08") RA);
	cb_fde(&c, 0x1000, 0x100);
	CB_END(&c, "");
	cb_fde(&c, UINT64_MAX - 1, 0x100);	/* wraps around */
	CB_END(&c, "");
	cb_fde(&c, 0x3000, 0);
	CB_END(&c, "");
	open_cfi(&c);
	CHECK(!pd_cfi_find(cfi, 0xfff, &row));
	CHECK(!pd_cfi_find(cfi, 0x1100, &row));
	CHECK(!pd_cfi_find(cfi, 0x3000, &row));
	CHECK(!pd_cfi_find(cfi, 0, &row));
	CHECK(!pd_cfi_find(cfi, UINT64_MAX, &row));
	close_cfi();
}

/* One row from one program. */
static struct pd_cfi_row
row_of(const char *program, size_t n, bool *ok)
{
	struct pd_cfi_row row;
	struct cb c = { .n = 0 };

	cb_cie(&c, 16, false);
	CB_END(&c, CFA("\x08") RA);
	cb_fde(&c, 0x1000, 0x100);
	cb_end(&c, program, n);
	open_cfi(&c);
	*ok = pd_cfi_find(cfi, 0x1040, &row);
	close_cfi();
	return row;
}

static void
expect_rule(const char *program, size_t n, size_t reg, enum pd_cfi_how how,
    int64_t value)
{
	bool ok;
	struct pd_cfi_row row = row_of(program, n, &ok);

	CHECK(ok);
	CHECK_EQ(row.regs[reg].how, how);
	CHECK_EQ(row.regs[reg].value, value);
}

#define EXPECT(program, reg, how, value) \
	expect_rule((program), sizeof(program) - 1, reg, how, value)

static void
every_instruction_is_understood(void)
{
	EXPECT("\x83\x03", 3, PD_CFI_SAVED, -24);
	EXPECT("\x05\x03\x03", 3, PD_CFI_SAVED, -24);	/* offset_extended */
	EXPECT("\x11\x03\x7d", 3, PD_CFI_SAVED, 24);	/* ..._sf */
	EXPECT("\x2f\x03\x03", 3, PD_CFI_SAVED, 24);	/* negative */
	EXPECT("\x14\x03\x03", 3, PD_CFI_OFFSET, -24);	/* val_offset */
	EXPECT("\x15\x03\x7d", 3, PD_CFI_OFFSET, 24);
	EXPECT("\x07\x03", 3, PD_CFI_UNDEFINED, 0);
	EXPECT("\x08\x03", 3, PD_CFI_SAME, 0);
	EXPECT("\x09\x03\x05", 3, PD_CFI_REGISTER, 0);
	EXPECT("\x09\x03\x7f", 3, PD_CFI_UNDEFINED, 0);
	EXPECT("\x83\x03\xc3", 3, PD_CFI_UNSET, 0);
	EXPECT("\x07\x10\x06\x10", 16, PD_CFI_SAVED, -8); /* restore_extended */
	EXPECT("\x2e\x08\x83\x03", 3, PD_CFI_SAVED, -24); /* args_size */
	EXPECT("\x03\x41\x00\x83\x03", 3, PD_CFI_UNSET, 0);
	EXPECT("\x04\x40\x00\x00\x00\x83\x03", 3, PD_CFI_SAVED, -24);
	EXPECT("\x1d\x41\x00\x00\x00\x00\x00\x00\x00\x83\x03", 3,
	    PD_CFI_UNSET, 0);
	EXPECT("\x01\x41\x10\x00\x00\x00\x00\x00\x00\x83\x03", 3,
	    PD_CFI_UNSET, 0);				/* set_loc */
	/* Vector registers are not followed. */
	EXPECT("\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x03\x83\x03", 3,
	    PD_CFI_SAVED, -24);
	EXPECT("\x16\x43\x02\x77\x00\x06\x44\x07\x45\x08\x46\x83\x03", 3,
	    PD_CFI_SAVED, -24);
}

static void
expressions_are_handed_out(void)
{
	bool ok;
	struct pd_cfi_row row = row_of("\x0f\x02\x77\x08\x10\x03\x01\x30"
	    "\x16\x06\x02\x77\x10", 13, &ok);

	CHECK(ok);
	CHECK_EQ(row.cfa.how, PD_CFI_EXPR);
	CHECK_EQ(row.cfa.n, 2);
	CHECK_EQ(row.regs[3].how, PD_CFI_AT_EXPR);
	CHECK_EQ(row.regs[3].n, 1);
	CHECK_EQ(row.regs[6].how, PD_CFI_EXPR);
	CHECK_EQ(row.regs[6].n, 2);
}

#define REFUSED(program) do { \
	bool ok; \
	row_of((program), sizeof(program) - 1, &ok); \
	CHECK(!ok); \
} while (0)

static void
what_is_not_understood_is_refused(void)
{
	REFUSED("\x0b");			/* nothing is remembered */
	REFUSED("\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a");
	REFUSED("\x17");
	REFUSED("\x3f");
	REFUSED("\x2d");			/* SPARC's */
	REFUSED("\x0f\x7f\x77\x08");		/* longer than the entry */
	REFUSED("\x10\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

static void
signed_return_addresses_of_arm64_are_no_change(void)
{
	struct cb c = { .n = 0 };

	cb_cie(&c, 30, false);
	CB_END(&c, "\x0c\x1f\x00");		/* CFA: sp */
	cb_fde(&c, 0x1000, 0x100);
	CB_END(&c, "\x44\x2d\x44\x0e\x10\x9d\x02\x9e\x01");
	open_as(&c, c.n, EM_AARCH64, false);
	expect_cfa(0x1004, 31, 0);
	expect_cfa(0x1008, 31, 16);
	expect_reg(0x1008, 29, PD_CFI_SAVED, -16);
	expect_reg(0x1008, 30, PD_CFI_SAVED, -8);
	close_cfi();
}

static void
debug_frame_is_read_too(void)
{
	struct cb c = { .n = 0 };

	c.entry = c.n;
	cb_num(&c, 0, 4);
	cb_num(&c, UINT32_MAX, 4);
	cb_put(&c, "\4\0\x08\0", 4);	/* version, "", sizes */
	cb_put(&c, "\1\x78\x10", 3);
	CB_END(&c, CFA("\x08") RA);
	c.entry = c.n;
	cb_num(&c, 0, 4);
	cb_num(&c, 0, 4);		/* offset of the CIE */
	cb_num(&c, 0x1000, 8);
	cb_num(&c, 0x20, 8);
	CB_END(&c, "\x44\x0e\x20");
	open_as(&c, c.n, EM_X86_64, true);
	expect_cfa(0x1000, 7, 8);
	expect_cfa(0x1004, 7, 32);
	close_cfi();
}

static void
addresses_may_be_relative_to_their_place(void)
{
	struct cb c = { .n = 0 };

	c.entry = c.n;
	cb_num(&c, 0, 4);
	cb_num(&c, 0, 4);
	cb_put(&c, "\1zPLR\0\1\x78\x10\7\x9b\1\2\3\4\x1b\x1b", 17);
	CB_END(&c, CFA("\x08") RA);
	c.entry = c.n;
	cb_num(&c, 0, 4);
	cb_num(&c, c.n, 4);
	cb_num(&c, (uint64_t)0x1000 - (0x100000 + c.n), 4);
	cb_num(&c, 0x20, 4);
	cb_num(&c, 4, 1);		/* LSDA */
	cb_num(&c, 0, 4);
	CB_END(&c, "");
	open_cfi(&c);
	expect_cfa(0x1000, 7, 8);
	expect_cfa(0x101f, 7, 8);
	close_cfi();
}

static struct cb
good(void)
{
	struct cb c = { .n = 0 };

	cb_cie(&c, 16, false);
	CB_END(&c, CFA("\x08") RA);
	cb_fde(&c, 0x1000, 0x100);
	CB_END(&c, "\x41\x0e\x10\x86\x02\x0f\x03\x77\x08\x06\x02\x80\x0a\xc6"
	    "\x0c\x07\x08\x41\x0b");
	cb_cie(&c, 16, true);
	CB_END(&c, CFA("\x08") RA);
	cb_fde(&c, 0x2000, 0x100);
	CB_END(&c, "\x10\x10\x03\x77\xa8\x01");
	return c;
}

static void
look_everywhere(const struct cb *c, size_t n, bool debug)
{
	struct pd_cfi_row row;

	open_as(c, n, EM_X86_64, debug);
	for (uint64_t a = 0xff0; a < 0x1110; a += 15)
		pd_cfi_find(cfi, a, &row);
	pd_cfi_find(cfi, 0x2000, &row);
	close_cfi();
}

static void
damage_anywhere_is_survived(void)
{
	struct cb c = good();

	for (size_t n = 0; n <= c.n; n++)
		look_everywhere(&c, n, n & 1);
	for (size_t i = 0; i < c.n; i++) {
		uint8_t was = c.b[i];

		for (unsigned v = 0; v < 256; v++) {
			c.b[i] = (uint8_t)v;
			look_everywhere(&c, c.n, v & 1);
		}
		c.b[i] = was;
	}
}

/* One function that covers everything, asked for again and again. */
static void
work_is_bounded(void)
{
	size_t n = 1 << 24;
	struct cb c = { .n = 0 };
	struct pd_cfi_row row;
	struct pd_error err;
	uint32_t size;
	int found = 0;

	cb_cie(&c, 16, false);
	CB_END(&c, CFA("\x08") RA);
	cb_fde(&c, 0, UINT32_MAX);
	size = (uint32_t)(n - c.entry - 4);
	memcpy(c.b + c.entry, &size, 4);
	image = (struct pd_image){ .machine = EM_X86_64, .is64 = true };
	image.eh_frame.bytes = calloc(1, n);
	image.eh_frame.size = n;
	memcpy(image.eh_frame.bytes, c.b, c.n);
	cfi = pd_cfi_new(&image, &err);
	for (uint64_t a = 0; a < 1000; a++)
		found += pd_cfi_find(cfi, a, &row);
	CHECK(found > 0 && found < 100);
	close_cfi();
}

int
main(void)
{
	RUN(the_row_of_an_address_is_found);
	RUN(other_addresses_have_none);
	RUN(every_instruction_is_understood);
	RUN(expressions_are_handed_out);
	RUN(what_is_not_understood_is_refused);
	RUN(signed_return_addresses_of_arm64_are_no_change);
	RUN(debug_frame_is_read_too);
	RUN(addresses_may_be_relative_to_their_place);
	RUN(damage_anywhere_is_survived);
	RUN(work_is_bounded);
	return tap_done();
}
