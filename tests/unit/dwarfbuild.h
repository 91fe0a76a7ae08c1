/* Builds files with DWARF, and shows what pd_inlines finds in them. */
#ifndef TESTS_DWARFBUILD_H
#define TESTS_DWARFBUILD_H

#include <dwarf.h>
#include <stdio.h>
#include <unistd.h>

#include "symbol/inlines.h"
#include "elfbuild.h"
#include "tap.h"

/* Where write_file() puts it, once dwarf_begin() has made a name. */
static char path[] = "/tmp/pd-dwarf-XXXXXX";

static inline bool
dwarf_begin(void)
{
	int fd = mkstemp(path);

	if (fd != -1)
		close(fd);
	return fd != -1;
}

/* A file in the making: its sections by what is in them. */
struct dwarf {
	struct eb	elf;
	struct eb_bytes	info, abbrev, ranges, rnglists, addr, aranges, line,
			str, str_offsets;
	int		version;
	size_t		unit;		/* where the open unit starts */
};

static inline struct dwarf
dwarf_new(bool is64, bool big, int version)
{
	struct dwarf d = { .version = version };

	d.elf = eb_new(is64, big, ET_DYN, is64 ? EM_X86_64 : EM_PPC);
	return d;
}

static inline void
num(struct dwarf *d, struct eb_bytes *b, uint64_t v, int size)
{
	eb_num(&d->elf, b, v, size);
}

static inline void
uleb(struct eb_bytes *b, uint64_t v)
{
	uint8_t c;

	do {
		c = (v & 0x7f) | (v > 0x7f ? 0x80 : 0);
		eb_put(b, &c, 1);
	} while ((v >>= 7) != 0);
}

static inline void
str(struct eb_bytes *b, const char *s)
{
	eb_put(b, s, strlen(s) + 1);
}

/* An abbreviation: pairs of attribute and form, 0 at the end. */
static inline void
abbrev(struct dwarf *d, int code, int tag, bool children, const int *specs)
{
	uint8_t kids = children;

	uleb(&d->abbrev, (uint64_t)code);
	uleb(&d->abbrev, (uint64_t)tag);
	eb_put(&d->abbrev, &kids, 1);
	for (; *specs != 0; specs += 2) {
		uleb(&d->abbrev, (uint64_t)specs[0]);
		uleb(&d->abbrev, (uint64_t)specs[1]);
	}
	eb_put(&d->abbrev, NULL, 2);
}
#define ABBREV(d, code, tag, children, ...) \
	abbrev(d, code, tag, children, (const int[]){ __VA_ARGS__, 0 })

enum { CU = 1, FUNC, INLINED, NAMESPACE, CLASS, DECL, ABSTRACT, RANGED, CU_RANGED };

static inline void
standard_abbrevs(struct dwarf *d)
{
	int at = d->version < 4 ? DW_FORM_data4 : DW_FORM_sec_offset;

	ABBREV(d, CU, DW_TAG_compile_unit, true, DW_AT_language, DW_FORM_data1,
	    DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_addr);
	ABBREV(d, FUNC, DW_TAG_subprogram, true, DW_AT_name, DW_FORM_string,
	    DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4);
	ABBREV(d, INLINED, DW_TAG_inlined_subroutine, true,
	    DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr,
	    DW_AT_high_pc, DW_FORM_data4, DW_AT_call_line, DW_FORM_data2);
	ABBREV(d, NAMESPACE, DW_TAG_namespace, true, DW_AT_name,
	    DW_FORM_string);
	ABBREV(d, CLASS, DW_TAG_class_type, true, DW_AT_declaration,
	    DW_FORM_flag);
	ABBREV(d, DECL, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_string);
	ABBREV(d, ABSTRACT, DW_TAG_subprogram, false, DW_AT_specification,
	    DW_FORM_ref4);
	ABBREV(d, RANGED, DW_TAG_inlined_subroutine, true,
	    DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_ranges, at);
	ABBREV(d, CU_RANGED, DW_TAG_compile_unit, true, DW_AT_low_pc,
	    DW_FORM_addr, DW_AT_ranges, at);
	eb_put(&d->abbrev, NULL, 1);
}

static inline void
open_unit(struct dwarf *d, uint64_t abbrevs)
{
	struct eb_bytes *b = &d->info;
	int addr = d->elf.is64 ? 8 : 4;

	d->unit = b->len;
	num(d, b, 0, 4);
	num(d, b, (uint64_t)d->version, 2);
	if (d->version == 5) {
		num(d, b, DW_UT_compile, 1);
		num(d, b, (uint64_t)addr, 1);
	}
	num(d, b, abbrevs, 4);
	if (d->version < 5)
		num(d, b, (uint64_t)addr, 1);
}

static inline void
patch(struct dwarf *d, struct eb_bytes *b, size_t at, uint32_t v)
{
	struct eb_bytes word = { 0 };

	num(d, &word, v, 4);
	memcpy(b->p + at, word.p, 4);
	free(word.p);
}

static inline void
close_unit(struct dwarf *d)
{
	num(d, &d->info, 0, 1);
	patch(d, &d->info, d->unit, (uint32_t)(d->info.len - d->unit - 4));
}

/* Start a DIE: its offset in the unit. */
static inline uint32_t
die(struct dwarf *d, int code)
{
	uint32_t at = (uint32_t)(d->info.len - d->unit);

	uleb(&d->info, (uint64_t)code);
	return at;
}

static inline void
cu(struct dwarf *d, int language, uint64_t lo, uint64_t hi)
{
	die(d, CU);
	num(d, &d->info, (uint64_t)language, 1);
	eb_word(&d->elf, &d->info, lo);
	eb_word(&d->elf, &d->info, hi);
}

static inline uint32_t
named(struct dwarf *d, int code, const char *name)
{
	uint32_t at = die(d, code);

	str(&d->info, name);
	return at;
}

static inline uint32_t
func(struct dwarf *d, const char *name, uint64_t lo, uint32_t size)
{
	uint32_t at = named(d, FUNC, name);

	eb_word(&d->elf, &d->info, lo);
	num(d, &d->info, size, 4);
	return at;
}

static inline uint32_t
inlined(struct dwarf *d, uint32_t origin, uint64_t lo, uint32_t size, int line)
{
	uint32_t at = die(d, INLINED);

	num(d, &d->info, origin, 4);
	eb_word(&d->elf, &d->info, lo);
	num(d, &d->info, size, 4);
	num(d, &d->info, (uint64_t)line, 2);
	return at;
}

static inline void
up(struct dwarf *d)
{
	num(d, &d->info, 0, 1);
}

static inline void
section(struct dwarf *d, const char *name, struct eb_bytes *b, uint64_t flags)
{
	if (b->len > 0)
		eb_section(&d->elf, name, SHT_PROGBITS, flags, 0, b->p, b->len);
	free(b->p);
}

static inline void
write_file(struct dwarf *d)
{
	FILE *f;

	section(d, ".debug_info", &d->info, 0);
	section(d, ".debug_abbrev", &d->abbrev, 0);
	section(d, ".debug_ranges", &d->ranges, 0);
	section(d, ".debug_rnglists", &d->rnglists, 0);
	section(d, ".debug_addr", &d->addr, 0);
	section(d, ".debug_aranges", &d->aranges, 0);
	section(d, ".debug_line", &d->line, 0);
	section(d, ".debug_str", &d->str, 0);
	section(d, ".debug_str_offsets", &d->str_offsets, 0);
	eb_finish(&d->elf);
	f = fopen(path, "w");
	if (CHECK(f != NULL)) {
		CHECK(fwrite(d->elf.out.p, 1, d->elf.out.len, f) ==
		    d->elf.out.len);
		fclose(f);
	}
	eb_free(&d->elf);
}

static inline struct pd_inlines *
open_table(void)
{
	struct pd_inlines_file f = { .path = path, .lines = true };
	struct pd_error err;
	struct pd_inlines *in = pd_inlines_open(&f, &err);

	CHECK(in != NULL);
	return in;
}

/* What is at an address, as "innermost@file:line < ... < function@...". */
static inline const char *
at(struct pd_inlines *in, uint64_t addr)
{
	static char text[8192];
	struct pd_inline_chain c;
	const struct pd_inline *f;
	struct pd_error err;
	size_t n = 0;

	CHECK(pd_inlines_find(in, addr, &c, &err) == 0);
	text[0] = '\0';
	for (size_t i = 0; i <= c.len && n < sizeof(text) / 2; i++) {
		f = i < c.len ? &c.frames[i] : &c.function;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.900s",
		    i > 0 ? " < " : "", f->name ? f->name : "");
		if (f->file != NULL)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
			    "@%.900s:%u", f->file, (unsigned)f->line);
		else if (f->line > 0)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
			    "@%u", (unsigned)f->line);
	}
	return text;
}

/* f() with what it calls, and g(). */
static inline void
simple(struct dwarf *d)
{
	uint32_t a, b;

	standard_abbrevs(d);
	open_unit(d, 0);
	cu(d, DW_LANG_C99, 0x1000, 0x2000);
	a = named(d, DECL, "a");
	b = named(d, DECL, "b");
	func(d, "f", 0x1000, 0x100);
	inlined(d, a, 0x1010, 0x40, 7);
	inlined(d, b, 0x1020, 0x10, 8);
	up(d);
	up(d);
	up(d);
	func(d, "g", 0x1100, 0x10);
	up(d);
	close_unit(d);
}

/* Append what is behind `from` so many times more. */
static inline void
repeat(struct eb_bytes *b, size_t from, size_t times)
{
	size_t n = b->len - from;
	uint8_t *more = malloc(n * times);

	for (size_t i = 0; i < times; i++)
		memcpy(more + i * n, b->p + from, n);
	eb_put(b, more, n * times);
	free(more);
}

static inline void
look_everywhere(void)
{
	struct pd_inlines *in = open_table();

	for (uint64_t a = 0xff0; a < 0x1120; a += 5)
		at(in, a);
	at(in, 0);
	at(in, UINT64_MAX);
	pd_inlines_free(in);
}

/* ---- with source lines --------------------------------------------------- */

#define FIRST_SPECIAL	13
#define BASE		(-3)
#define RANGE		12

enum { UNIT = 1, FUNCTION, CALL, DECLARED };

/* The opcode that goes on by n instructions and some lines. */
static inline void
special(struct dwarf *d, int n, int lines)
{
	num(d, &d->line, (uint64_t)(FIRST_SPECIAL + (lines - BASE) +
	    RANGE * n), 1);
}

static inline void
op(struct dwarf *d, int opcode)
{
	num(d, &d->line, (uint64_t)opcode, 1);
}

static inline void
set_address(struct dwarf *d, uint64_t addr)
{
	op(d, 0);
	uleb(&d->line, d->elf.is64 ? 9 : 5);
	op(d, DW_LNE_set_address);
	eb_word(&d->elf, &d->line, addr);
}

static inline void
end_sequence(struct dwarf *d)
{
	op(d, 0);
	uleb(&d->line, 1);
	op(d, DW_LNE_end_sequence);
}

/* Directories "/src" and "inc", files a.c in the first, b.h in the second. */
static inline void
line_files(struct dwarf *d)
{
	if (d->version < 5) {
		str(&d->line, "inc");
		op(d, 0);
		str(&d->line, "a.c");
		eb_put(&d->line, NULL, 3);
		str(&d->line, "b.h");
		eb_put(&d->line, "\1\0\0", 3);
		op(d, 0);
		return;
	}
	eb_put(&d->line, "\1\1\x8", 3);		/* DW_LNCT_path, string */
	uleb(&d->line, 2);
	str(&d->line, "/src");
	str(&d->line, "inc");
	eb_put(&d->line, "\2\1\x8\2\xb", 5);	/* and the directory, data1 */
	uleb(&d->line, 3);
	str(&d->line, "a.c");
	op(d, 0);
	str(&d->line, "a.c");
	op(d, 0);
	str(&d->line, "b.h");
	op(d, 1);
}

/* A header; the program follows, and close_line() ends it. */
static inline void
open_line(struct dwarf *d)
{
	size_t at;

	num(d, &d->line, 0, 4);
	num(d, &d->line, (uint64_t)d->version, 2);
	if (d->version == 5)
		eb_put(&d->line, d->elf.is64 ? "\x8" : "\4", 2);
	at = d->line.len;
	num(d, &d->line, 0, 4);
	op(d, 1);				/* bytes of an instruction */
	if (d->version >= 4)
		op(d, 1);			/* operations in one */
	op(d, 1);
	op(d, BASE & 0xff);
	op(d, RANGE);
	op(d, FIRST_SPECIAL);
	eb_put(&d->line, "\0\1\1\1\1\0\0\0\1\0\0\1", 12);
	line_files(d);
	patch(d, &d->line, at, (uint32_t)(d->line.len - at - 4));
}

static inline void
close_line(struct dwarf *d)
{
	patch(d, &d->line, 0, (uint32_t)(d->line.len - 4));
}

/* f() at 0x1000, with a call of a() in line 7 of b.h inlined at 0x1020. */
static inline void
units(struct dwarf *d)
{
	uint32_t a;

	ABBREV(d, UNIT, DW_TAG_compile_unit, true, DW_AT_comp_dir,
	    DW_FORM_string, DW_AT_stmt_list, d->version < 4 ? DW_FORM_data4 :
	    DW_FORM_sec_offset, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
	    DW_FORM_addr);
	ABBREV(d, FUNCTION, DW_TAG_subprogram, true, DW_AT_name,
	    DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
	    DW_FORM_data4);
	ABBREV(d, CALL, DW_TAG_inlined_subroutine, true,
	    DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr,
	    DW_AT_high_pc, DW_FORM_data4, DW_AT_call_file, DW_FORM_data1,
	    DW_AT_call_line, DW_FORM_data2);
	ABBREV(d, DECLARED, DW_TAG_subprogram, false, DW_AT_name,
	    DW_FORM_string);
	eb_put(&d->abbrev, NULL, 1);
	open_unit(d, 0);
	die(d, UNIT);
	str(&d->info, "/src");
	num(d, &d->info, 0, 4);
	eb_word(&d->elf, &d->info, 0x1000);
	eb_word(&d->elf, &d->info, 0x9000);
	a = named(d, DECLARED, "a");
	named(d, FUNCTION, "f");
	eb_word(&d->elf, &d->info, 0x1000);
	num(d, &d->info, 0x100, 4);
	die(d, CALL);
	num(d, &d->info, a, 4);
	eb_word(&d->elf, &d->info, 0x1020);
	num(d, &d->info, 0x10, 4);
	num(d, &d->info, 2, 1);
	num(d, &d->info, 7, 2);
	up(d);
	up(d);
	close_unit(d);
}

static inline struct dwarf
with_lines(bool is64, bool big, int version)
{
	struct dwarf d = dwarf_new(is64, big, version);

	units(&d);
	open_line(&d);
	set_address(&d, 0x1000);
	op(&d, DW_LNS_advance_line);
	uleb(&d.line, 9);
	op(&d, DW_LNS_copy);			/* 0x1000: line 10 */
	special(&d, 4, 1);			/* 0x1004: line 11 */
	special(&d, 0, 8);			/* ... no, line 19 */
	op(&d, DW_LNS_set_file);
	uleb(&d.line, 2);
	op(&d, DW_LNS_const_add_pc);		/* (255 - 13) / 12 = 20 */
	op(&d, DW_LNS_advance_line);
	uleb(&d.line, 0x7f & -11);
	special(&d, 8, -3);			/* 0x1020: line 5 */
	op(&d, DW_LNS_advance_pc);
	uleb(&d.line, 0x10);
	op(&d, DW_LNS_set_file);
	uleb(&d.line, 1);
	op(&d, DW_LNS_negate_stmt);
	op(&d, DW_LNS_set_column);
	uleb(&d.line, 300);
	special(&d, 0, 0);			/* 0x1030: line 5 */
	op(&d, DW_LNS_fixed_advance_pc);
	num(&d, &d.line, 0x10, 2);
	op(&d, DW_LNS_advance_line);
	uleb(&d.line, 0x7f & -5);
	op(&d, DW_LNS_set_isa);
	uleb(&d.line, 1);
	op(&d, DW_LNS_copy);			/* 0x1040: of no line */
	op(&d, DW_LNS_advance_pc);
	uleb(&d.line, 0x10);
	end_sequence(&d);			/* 0x1050 */
	set_address(&d, 0x2000);		/* from line 1 again */
	op(&d, 0);
	uleb(&d.line, 3);			/* what is not known is long */
	eb_put(&d.line, "\x80\1\2", 3);
	op(&d, DW_LNS_copy);
	op(&d, DW_LNS_advance_pc);
	uleb(&d.line, 0x10);
	end_sequence(&d);
	close_line(&d);
	return d;
}

#endif
