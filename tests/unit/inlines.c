/* Inlined functions out of DWARF made by hand, sound and hostile. */
#include <dwarf.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "symbol/dsosyms.h"
#include "symbol/inlines.h"
#include "symbol/spans.h"
#include "elfbuild.h"
#include "tap.h"

static char path[] = "/tmp/pd-inlines-XXXXXX";

/* A file in the making: its sections by what is in them. */
struct dwarf {
	struct eb	elf;
	struct eb_bytes	info, abbrev, ranges, rnglists, addr, aranges, line,
			str, str_offsets;
	int		version;
	size_t		unit;		/* where the open unit starts */
};

static struct dwarf
dwarf_new(bool is64, bool big, int version)
{
	struct dwarf d = { .version = version };

	d.elf = eb_new(is64, big, ET_DYN, is64 ? EM_X86_64 : EM_PPC);
	return d;
}

static void
num(struct dwarf *d, struct eb_bytes *b, uint64_t v, int size)
{
	eb_num(&d->elf, b, v, size);
}

static void
uleb(struct eb_bytes *b, uint64_t v)
{
	uint8_t c;

	do {
		c = (v & 0x7f) | (v > 0x7f ? 0x80 : 0);
		eb_put(b, &c, 1);
	} while ((v >>= 7) != 0);
}

static void
str(struct eb_bytes *b, const char *s)
{
	eb_put(b, s, strlen(s) + 1);
}

/* An abbreviation: pairs of attribute and form, 0 at the end. */
static void
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

static void
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

static void
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

static void
patch(struct dwarf *d, struct eb_bytes *b, size_t at, uint32_t v)
{
	struct eb_bytes word = { 0 };

	num(d, &word, v, 4);
	memcpy(b->p + at, word.p, 4);
	free(word.p);
}

static void
close_unit(struct dwarf *d)
{
	num(d, &d->info, 0, 1);
	patch(d, &d->info, d->unit, (uint32_t)(d->info.len - d->unit - 4));
}

/* Start a DIE: its offset in the unit. */
static uint32_t
die(struct dwarf *d, int code)
{
	uint32_t at = (uint32_t)(d->info.len - d->unit);

	uleb(&d->info, (uint64_t)code);
	return at;
}

static void
cu(struct dwarf *d, int language, uint64_t lo, uint64_t hi)
{
	die(d, CU);
	num(d, &d->info, (uint64_t)language, 1);
	eb_word(&d->elf, &d->info, lo);
	eb_word(&d->elf, &d->info, hi);
}

static uint32_t
named(struct dwarf *d, int code, const char *name)
{
	uint32_t at = die(d, code);

	str(&d->info, name);
	return at;
}

static uint32_t
func(struct dwarf *d, const char *name, uint64_t lo, uint32_t size)
{
	uint32_t at = named(d, FUNC, name);

	eb_word(&d->elf, &d->info, lo);
	num(d, &d->info, size, 4);
	return at;
}

static uint32_t
inlined(struct dwarf *d, uint32_t origin, uint64_t lo, uint32_t size, int line)
{
	uint32_t at = die(d, INLINED);

	num(d, &d->info, origin, 4);
	eb_word(&d->elf, &d->info, lo);
	num(d, &d->info, size, 4);
	num(d, &d->info, (uint64_t)line, 2);
	return at;
}

static void
up(struct dwarf *d)
{
	num(d, &d->info, 0, 1);
}

static void
section(struct dwarf *d, const char *name, struct eb_bytes *b, uint64_t flags)
{
	if (b->len > 0)
		eb_section(&d->elf, name, SHT_PROGBITS, flags, 0, b->p, b->len);
	free(b->p);
}

static void
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

static struct pd_inlines *
open_table(void)
{
	struct pd_inlines_file f = { .path = path };
	struct pd_error err;
	struct pd_inlines *in = pd_inlines_open(&f, &err);

	CHECK(in != NULL);
	return in;
}

/* What is at an address, as "innermost@line < ... < function". */
static const char *
at(struct pd_inlines *in, uint64_t addr)
{
	static char text[4096];
	struct pd_inline_chain c;
	struct pd_error err;
	size_t n = 0;

	CHECK(pd_inlines_find(in, addr, &c, &err) == 0);
	text[0] = '\0';
	for (size_t i = 0; i < c.len && n < sizeof(text) / 2; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%.900s@%u < ",
		    c.frames[i].name, (unsigned)c.frames[i].line);
	snprintf(text + n, sizeof(text) - n, "%s",
	    c.function.name ? c.function.name : "");
	return text;
}

/* ---- sound --------------------------------------------------------------- */

static void
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

static void
expect_simple(void)
{
	struct pd_inlines *in = open_table();

	CHECK_STR(at(in, 0xfff), "");
	CHECK_STR(at(in, 0x1000), "f");
	CHECK_STR(at(in, 0x1010), "a@7 < f");
	CHECK_STR(at(in, 0x1020), "b@8 < a@7 < f");
	CHECK_STR(at(in, 0x102f), "b@8 < a@7 < f");
	CHECK_STR(at(in, 0x1030), "a@7 < f");
	CHECK_STR(at(in, 0x1050), "f");
	CHECK_STR(at(in, 0x10ff), "f");
	CHECK_STR(at(in, 0x1100), "g");
	CHECK_STR(at(in, 0x1110), "");
	CHECK_STR(at(in, UINT64_MAX), "");
	pd_inlines_free(in);
}

static void
calls_nest_in_each_version_class_and_byte_order(void)
{
	for (int version = 2; version <= 5; version++) {
		for (int kind = 0; kind < 4; kind++) {
			struct dwarf d = dwarf_new(kind & 1, kind & 2, version);

			simple(&d);
			write_file(&d);
			expect_simple();
		}
	}
}

/* namespace ns { namespace { class K { void m(); }; } } and so on. */
static void
names_are_qualified_by_what_is_around(void)
{
	struct dwarf d = dwarf_new(true, false, 4);
	uint32_t decl, lambda, abstract, m;
	struct pd_inlines *in;

	standard_abbrevs(&d);
	d.abbrev.len--;				/* one more before the end */
	ABBREV(&d, 20, DW_TAG_namespace, true, DW_AT_decl_line, DW_FORM_data1);
	eb_put(&d.abbrev, NULL, 1);
	open_unit(&d, 0);
	cu(&d, DW_LANG_C_plus_plus_14, 0x1000, 0x2000);
	named(&d, NAMESPACE, "ns");
	die(&d, 20);
	num(&d, &d.info, 1, 1);
	named(&d, NAMESPACE, "K");
	decl = named(&d, DECL, "m");
	up(&d);
	die(&d, CLASS);
	num(&d, &d.info, 1, 1);
	lambda = named(&d, DECL, "operator()");
	up(&d);
	up(&d);
	up(&d);
	abstract = die(&d, ABSTRACT);
	num(&d, &d.info, decl, 4);
	m = named(&d, DECL, "plain");
	func(&d, "f", 0x1000, 0x100);
	inlined(&d, abstract, 0x1000, 0x10, 1);
	up(&d);
	inlined(&d, lambda, 0x1010, 0x10, 2);
	up(&d);
	inlined(&d, m, 0x1020, 0x10, 3);
	up(&d);
	up(&d);
	close_unit(&d);
	write_file(&d);
	in = open_table();
	CHECK_STR(at(in, 0x1000), "ns::(anonymous namespace)::K::m@1 < f");
	CHECK_STR(at(in, 0x1010),
	    "ns::(anonymous namespace)::{lambda}::operator()@2 < f");
	CHECK_STR(at(in, 0x1020), "plain@3 < f");
	pd_inlines_free(in);
}

/* A unit and an inlined call whose code is in pieces. */
static void
lists_of_ranges_have_bases(void)
{
	for (int version = 2; version <= 5; version++) {
		struct dwarf d = dwarf_new(true, false, version);
		struct eb_bytes *r = version < 5 ? &d.ranges : &d.rnglists;
		uint32_t a;
		struct pd_inlines *in;

		if (version < 5) {
			num(&d, r, 0x0, 8); num(&d, r, 0x20, 8);
			num(&d, r, UINT64_MAX, 8); num(&d, r, 0x5000, 8);
			num(&d, r, 0x10, 8); num(&d, r, 0x20, 8);
			num(&d, r, 0, 8); num(&d, r, 0, 8);
		} else {
			num(&d, r, DW_RLE_offset_pair, 1);
			uleb(r, 0); uleb(r, 0x20);
			num(&d, r, DW_RLE_base_address, 1);
			num(&d, r, 0x5000, 8);
			num(&d, r, DW_RLE_offset_pair, 1);
			uleb(r, 0x10); uleb(r, 0x20);
			num(&d, r, DW_RLE_end_of_list, 1);
		}
		standard_abbrevs(&d);
		open_unit(&d, 0);
		die(&d, CU_RANGED);
		num(&d, &d.info, 0x1000, 8);
		num(&d, &d.info, 0, 4);
		a = named(&d, DECL, "a");
		func(&d, "f", 0x1000, 0x8000);
		die(&d, RANGED);
		num(&d, &d.info, a, 4);
		num(&d, &d.info, 0, 4);
		up(&d);
		up(&d);
		close_unit(&d);
		write_file(&d);
		in = open_table();
		CHECK_STR(at(in, 0x1000), "a@0 < f");
		CHECK_STR(at(in, 0x101f), "a@0 < f");
		CHECK_STR(at(in, 0x1020), "");
		CHECK_STR(at(in, 0x5010), "a@0 < f");
		CHECK_STR(at(in, 0x500f), "");
		pd_inlines_free(in);
	}
}

/* What clang writes: addresses, strings and lists by index. */
static void
indexes_lead_to_addresses_strings_and_lists(void)
{
	struct dwarf d = dwarf_new(true, false, 5);
	struct pd_inlines *in;

	eb_put(&d.addr, "\x1c\0\0\0\5\0\10\0", 8);
	num(&d, &d.addr, 0x1000, 8);
	num(&d, &d.addr, 0x1100, 8);
	eb_put(&d.str, "\0_Za\0f", 7);
	eb_put(&d.str_offsets, "\x0c\0\0\0\5\0\0\0", 8);
	num(&d, &d.str_offsets, 1, 4);
	num(&d, &d.str_offsets, 5, 4);
	eb_put(&d.rnglists, "\x20\0\0\0\5\0\10\0\1\0\0\0", 12);
	num(&d, &d.rnglists, 4, 4);
	num(&d, &d.rnglists, DW_RLE_startx_length, 1);
	uleb(&d.rnglists, 1);
	uleb(&d.rnglists, 0x10);
	num(&d, &d.rnglists, DW_RLE_end_of_list, 1);
	ABBREV(&d, 1, DW_TAG_compile_unit, true, DW_AT_low_pc, DW_FORM_addrx,
	    DW_AT_high_pc, DW_FORM_data4, DW_AT_addr_base, DW_FORM_sec_offset,
	    DW_AT_str_offsets_base, DW_FORM_sec_offset, DW_AT_rnglists_base,
	    DW_FORM_sec_offset);
	ABBREV(&d, 2, DW_TAG_subprogram, true, DW_AT_name, DW_FORM_strx1,
	    DW_AT_low_pc, DW_FORM_addrx1, DW_AT_high_pc, DW_FORM_udata);
	ABBREV(&d, 3, DW_TAG_inlined_subroutine, false, DW_AT_abstract_origin,
	    DW_FORM_ref_udata, DW_AT_ranges, DW_FORM_rnglistx);
	ABBREV(&d, 4, DW_TAG_subprogram, false, DW_AT_linkage_name,
	    DW_FORM_strx, DW_AT_inline, DW_FORM_implicit_const);
	d.abbrev.len -= 2;
	uleb(&d.abbrev, 1);			/* the constant */
	eb_put(&d.abbrev, NULL, 3);
	open_unit(&d, 0);
	uint32_t a;
	die(&d, 1);
	uleb(&d.info, 0);
	num(&d, &d.info, 0x1000, 4);
	num(&d, &d.info, 8, 4);
	num(&d, &d.info, 8, 4);
	num(&d, &d.info, 12, 4);
	a = die(&d, 4);
	uleb(&d.info, 0);
	die(&d, 2);
	num(&d, &d.info, 1, 1);
	num(&d, &d.info, 0, 1);
	uleb(&d.info, 0x800);
	die(&d, 3);
	uleb(&d.info, a);
	uleb(&d.info, 0);
	up(&d);
	close_unit(&d);
	write_file(&d);
	in = open_table();
	CHECK_STR(at(in, 0x1100), "_Za@0 < f");
	CHECK_STR(at(in, 0x110f), "_Za@0 < f");
	CHECK_STR(at(in, 0x1110), "f");
	pd_inlines_free(in);
}

/* A unit may say nowhere where it is, or .debug_aranges may. */
static void
units_without_addresses_are_found(void)
{
	for (int with = 0; with < 2; with++) {
		struct dwarf d = dwarf_new(true, false, 4);
		struct pd_inlines *in;

		ABBREV(&d, CU, DW_TAG_compile_unit, true, DW_AT_language,
		    DW_FORM_data1);
		ABBREV(&d, FUNC, DW_TAG_subprogram, true, DW_AT_name,
		    DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
		    DW_FORM_data4);
		eb_put(&d.abbrev, NULL, 1);
		open_unit(&d, 0);
		die(&d, CU);
		num(&d, &d.info, DW_LANG_C99, 1);
		func(&d, "f", 0x1000, 0x10);
		up(&d);
		func(&d, "g", 0x3000, 0x10);
		up(&d);
		close_unit(&d);
		if (with) {
			num(&d, &d.aranges, 28 + 16, 4);
			num(&d, &d.aranges, 2, 2);
			num(&d, &d.aranges, 0, 4);
			num(&d, &d.aranges, 8, 1);
			num(&d, &d.aranges, 0, 5);
			num(&d, &d.aranges, 0x1000, 8);
			num(&d, &d.aranges, 0x10, 8);
			eb_put(&d.aranges, NULL, 16);
		}
		write_file(&d);
		in = open_table();
		CHECK_STR(at(in, 0x1000), "f");
		CHECK_STR(at(in, 0x2000), "");
		CHECK_STR(at(in, 0x3000), with ? "" : "g");
		pd_inlines_free(in);
	}
}

/*
 * The program has symbols, its debug file the rest, at addresses of before the
 * program was moved.
 */
static void
the_debug_file_of_a_program_is_found(void)
{
	static const uint8_t id[20] = { 5 };
	char dir[] = "/tmp/pd-inlines-XXXXXX", cmd[256];
	struct dwarf p = dwarf_new(true, false, 4), d = dwarf_new(true, false, 4);
	struct pd_symopts o = { .symfs = dir, .buildid_dir = dir,
		.inlines = true };
	struct pd_dso dso = { .kind = PD_DSO_FILE, .name = "/p" };
	const struct pd_buildid *found;
	struct pd_inlines_file f = { .symfs = dir };
	struct pd_symsources *src;
	struct pd_dsosyms *s;
	struct pd_inlines *in;
	struct pd_error err;
	uint64_t addr = 0;
	size_t text, syms;

	CHECK(mkdtemp(dir) != NULL);
	eb_buildid(&d.elf, id, sizeof(id));
	eb_load(&d.elf, 0, 0x1000, 0, PF_R | PF_X);
	simple(&d);
	write_file(&d);
	snprintf(cmd, sizeof(cmd), "D=%s/usr/lib/debug/.build-id/05 &&"
	    "mkdir -p $D && cp %s $D/%038d.debug", dir, path, 0);
	CHECK(system(cmd) == 0);
	eb_buildid(&p.elf, id, sizeof(id));
	text = eb_section(&p.elf, ".text", SHT_PROGBITS,
	    SHF_ALLOC | SHF_EXECINSTR, 0x91000, NULL, 0x100);
	syms = eb_symtab(&p.elf, SHT_SYMTAB);
	eb_sym(&p.elf, syms, "f", 0x91000, 0x100, 1, STT_FUNC, 0, text);
	eb_load(&p.elf, 0x400, 0x91000, 0x100, PF_R | PF_X);
	write_file(&p);
	snprintf(cmd, sizeof(cmd), "cp %s %s/p", path, dir);
	CHECK(system(cmd) == 0);

	src = pd_symsources_new(&o, &err);
	s = pd_dsosyms_open(src, &dso, &err);
	f.path = pd_dsosyms_dwarf(s, &found);
	f.id = found;
	if (CHECK(f.path != NULL)) {
		in = pd_inlines_open(&f, &err);
		CHECK(pd_dsosyms_dwarf_addr(s, 0x420, &addr));
		CHECK_EQ(addr, 0x1020);
		CHECK_STR(at(in, addr), "b@8 < a@7 < f");
		pd_inlines_free(in);
	}
	pd_dsosyms_free(s);
	pd_symsources_free(src);
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	CHECK(system(cmd) == 0);
}

/* ---- hostile ------------------------------------------------------------- */

static void
files_without_debug_information_have_nothing(void)
{
	struct dwarf d = dwarf_new(true, false, 4);
	struct pd_buildid id = { .size = 20, .bytes = { 1 } };
	struct pd_inlines_file f = { .path = path, .id = &id };
	struct pd_error err;
	struct pd_inlines *in;

	write_file(&d);
	in = open_table();
	CHECK_STR(at(in, 0x1000), "");
	pd_inlines_free(in);
	d = dwarf_new(true, false, 4);
	simple(&d);
	write_file(&d);
	in = pd_inlines_open(&f, &err);		/* of another build */
	CHECK_STR(at(in, 0x1010), "");
	pd_inlines_free(in);
	f = (struct pd_inlines_file){ .path = "/nowhere" };
	in = pd_inlines_open(&f, &err);
	CHECK_STR(at(in, 0x1010), "");
	pd_inlines_free(in);
	f.path = "/dev/null";
	in = pd_inlines_open(&f, &err);
	CHECK_STR(at(in, 0x1010), "");
	pd_inlines_free(in);
}

static void
look_everywhere(void)
{
	struct pd_inlines *in = open_table();

	for (uint64_t a = 0xff0; a < 0x1120; a += 5)
		at(in, a);
	at(in, 0);
	at(in, UINT64_MAX);
	pd_inlines_free(in);
}

/* A byte of the units or their abbreviations becomes another. */
static void
any_byte_may_be_wrong(void)
{
	static const uint8_t bytes[] = { 0, 1, 0x7f, 0x80, 0xff };

	for (int version = 4; version <= 5; version++) {
		struct dwarf d = dwarf_new(true, false, version);
		size_t n;

		simple(&d);
		n = d.info.len + d.abbrev.len;
		for (size_t i = 0; i < n * sizeof(bytes); i++) {
			struct dwarf e = dwarf_new(true, false, version);
			size_t k = i / sizeof(bytes);

			simple(&e);
			if (k < e.info.len)
				e.info.p[k] = bytes[i % sizeof(bytes)];
			else
				e.abbrev.p[k - e.info.len] =
				    bytes[i % sizeof(bytes)];
			write_file(&e);
			look_everywhere();
		}
		free(d.info.p);
		free(d.abbrev.p);
	}
}

static void
sections_may_end_anywhere(void)
{
	struct dwarf d = dwarf_new(true, false, 4);
	size_t n, info;

	simple(&d);
	info = d.info.len;
	n = info + d.abbrev.len;
	for (size_t i = 1; i < n; i++) {
		struct dwarf e = dwarf_new(true, false, 4);

		simple(&e);
		if (i < info)
			e.info.len = i;
		else
			e.abbrev.len = i - info;
		write_file(&e);
		look_everywhere();
	}
	free(d.info.p);
	free(d.abbrev.p);
}

static void
origins_may_go_in_circles(void)
{
	struct dwarf d = dwarf_new(true, false, 4);
	uint32_t first, second;
	struct pd_inlines *in;

	standard_abbrevs(&d);
	open_unit(&d, 0);
	cu(&d, DW_LANG_Rust, 0x1000, 0x2000);
	first = die(&d, ABSTRACT);
	num(&d, &d.info, 0, 4);
	second = die(&d, ABSTRACT);
	num(&d, &d.info, first, 4);
	patch(&d, &d.info, d.unit + first + 1, second);
	func(&d, "f", 0x1000, 0x100);
	inlined(&d, first, 0x1000, 0x10, 1);
	up(&d);
	inlined(&d, (uint32_t)(d.info.len - d.unit), 0x1010, 0x10, 1);
	up(&d);
	up(&d);
	close_unit(&d);
	write_file(&d);
	in = open_table();
	CHECK_STR(at(in, 0x1000), "f");		/* a call without a name */
	CHECK_STR(at(in, 0x1010), "f");
	pd_inlines_free(in);
}

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ld leaves what it threw away at the address 0, long enough to reach code. */
static void
code_that_was_thrown_away_claims_nothing(void)
{
	struct dwarf d = dwarf_new(true, false, 4);
	struct pd_inlines *in;
	uint32_t a;

	eb_section(&d.elf, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR,
	    0x1000, NULL, 0x800);
	standard_abbrevs(&d);
	open_unit(&d, 0);
	cu(&d, DW_LANG_C99, 0x1000, 0x1800);
	a = named(&d, DECL, "a");
	func(&d, "ghost", 0, 0x1400);
	inlined(&d, a, 4, 0x13f0, 1);
	up(&d);
	up(&d);
	func(&d, "kept", 0x1400, 0x100);
	inlined(&d, a, 0x1400, 0x10, 2);
	up(&d);
	up(&d);
	close_unit(&d);
	write_file(&d);
	in = open_table();
	CHECK_STR(at(in, 0x1200), "");
	CHECK_STR(at(in, 0x1404), "a@2 < kept");
	pd_inlines_free(in);
}

/* Append what is behind `from` so many times more. */
static void
repeat(struct eb_bytes *b, size_t from, size_t times)
{
	size_t n = b->len - from;
	uint8_t *more = malloc(n * times);

	for (size_t i = 0; i < times; i++)
		memcpy(more + i * n, b->p + from, n);
	eb_put(b, more, n * times);
	free(more);
}

/* The budget of a hostile file: a second, and some memory. */
static void
expect_cheap(void)
{
	struct rusage before, after;
	double begin = seconds(), most = 1;
	const char *san = getenv("PD_SAN");

	if (san != NULL && san[0] != '\0')
		most = 20;
	getrusage(RUSAGE_SELF, &before);
	look_everywhere();
	getrusage(RUSAGE_SELF, &after);
	CHECK(seconds() - begin < most);
	if (most == 1)
		CHECK(after.ru_maxrss - before.ru_maxrss < 90 << 10);
}

static void
deep_nesting_is_cut(void)
{
	struct dwarf d = dwarf_new(true, false, 4);
	struct pd_inline_chain c;
	struct pd_error err;
	struct pd_inlines *in;

	standard_abbrevs(&d);
	open_unit(&d, 0);
	cu(&d, DW_LANG_C99, 0x1000, 0x2000);
	uint32_t a = named(&d, DECL, "a");
	func(&d, "f", 0x1000, 0x100);
	size_t from = d.info.len;
	inlined(&d, a, 0x1000, 0x100, 1);
	repeat(&d.info, from, 20000);
	close_unit(&d);
	write_file(&d);
	expect_cheap();
	in = open_table();
	CHECK(pd_inlines_find(in, 0x1000, &c, &err) == 0);
	CHECK_EQ(c.len, 1024);
	pd_inlines_free(in);
}

/* Each unit claims every address, by one long list that they share. */
static void
units_that_claim_everything_are_cheap(void)
{
	struct dwarf d = dwarf_new(true, false, 4);

	for (uint64_t i = 1; i < 200; i++) {
		num(&d, &d.ranges, i, 8);
		num(&d, &d.ranges, UINT64_MAX - i, 8);
	}
	repeat(&d.ranges, 0, 100);
	standard_abbrevs(&d);
	open_unit(&d, 0);
	die(&d, CU_RANGED);
	num(&d, &d.info, 0, 8);
	num(&d, &d.info, 0, 4);
	func(&d, "f", 0, UINT32_MAX);
	up(&d);
	close_unit(&d);
	repeat(&d.info, 0, 20000);
	write_file(&d);
	expect_cheap();
}

/* Each unit has its abbreviations at another place in one long table. */
static void
overlapping_abbreviations_are_cheap(void)
{
	struct dwarf d = dwarf_new(true, false, 4);

	ABBREV(&d, 3, DW_TAG_variable, false, DW_AT_name, DW_FORM_string);
	repeat(&d.abbrev, 0, 100000);
	open_unit(&d, 0);
	cu(&d, 1, 0x1000, 0x2000);
	close_unit(&d);
	size_t unit = d.info.len;
	repeat(&d.info, 0, 20000);
	for (uint32_t i = 0; i < 20000; i++)
		patch(&d, &d.info, i * unit + 6, i * 7);
	write_file(&d);
	expect_cheap();
}

static void
calls_that_overlap_at_random_are_cheap(void)
{
	struct dwarf d = dwarf_new(true, false, 4);
	uint64_t x = 1;

	standard_abbrevs(&d);
	open_unit(&d, 0);
	cu(&d, DW_LANG_C99, 0, UINT64_MAX);
	uint32_t a = named(&d, DECL, "a");
	func(&d, "f", 0, UINT32_MAX);
	size_t from = d.info.len;
	for (int i = 0; i < 1000; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		inlined(&d, a, x >> 40, (uint32_t)x, 1);
		if (x >> 63)
			up(&d);
	}
	repeat(&d.info, from, 100);
	close_unit(&d);
	write_file(&d);
	expect_cheap();
}

/* It claims so many bytes, and may have them. */
static void
bombs_are_not_inflated(void)
{
	uint64_t sizes[] = { 1ull << 45, 1ull << 28, 100u << 20, 0 };
	uLong bound = compressBound(100u << 20);
	uint8_t *zero = calloc(1, 100u << 20), *packed = malloc(bound);
	struct pd_inlines *in;

	compress2(packed, &bound, zero, 100u << 20, 1);
	for (size_t i = 0; i < 4; i++) {
		struct dwarf d = dwarf_new(true, false, 4);
		struct eb_bytes z = { 0 };

		simple(&d);
		num(&d, &z, ELFCOMPRESS_ZLIB, 4);
		num(&d, &z, 0, 4);
		num(&d, &z, sizes[i], 8);
		num(&d, &z, 1, 8);
		eb_put(&z, packed, bound);
		section(&d, ".debug_info", &z, SHF_COMPRESSED);
		write_file(&d);
		expect_cheap();
		/* What deflate cannot make is damage; else it is too much. */
		in = open_table();
		CHECK_EQ(pd_inlines_gave_up(in), sizes[i] > 0 &&
		    sizes[i] / 1040 <= bound);
		pd_inlines_free(in);
	}
	free(zero);
	free(packed);
}

static void
spans_are_settled_by_rank(void)
{
	struct pd_spans s = { .len = 0 };
	struct pd_spanmap m = { .len = 0 };
	struct pd_error err;
	uint64_t x = 1, a;

	for (uint32_t i = 0; i < 300; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		a = x >> 54;
		CHECK(pd_spans_add(&s, a, a + 1 + (x >> 20) % 100, i, i,
		    &err) == 0);
	}
	CHECK(pd_spanmap_make(&m, &s, &err) == 0);
	CHECK(m.len <= 601);
	for (a = 0; a < 1300; a++) {
		uint32_t want = PD_NOID;

		for (size_t i = 0; i < s.len; i++)
			if (s.v[i].lo <= a && a < s.v[i].hi &&
			    (want == PD_NOID || s.v[i].rank > want))
				want = s.v[i].owner;
		CHECK_EQ(pd_spanmap_find(&m, a), want);
	}
	pd_spans_free(&s);
	pd_spanmap_free(&m);
}

int
main(void)
{
	int fd = mkstemp(path);

	if (fd == -1)
		return 1;
	close(fd);
	RUN(calls_nest_in_each_version_class_and_byte_order);
	RUN(names_are_qualified_by_what_is_around);
	RUN(lists_of_ranges_have_bases);
	RUN(indexes_lead_to_addresses_strings_and_lists);
	RUN(units_without_addresses_are_found);
	RUN(the_debug_file_of_a_program_is_found);
	RUN(files_without_debug_information_have_nothing);
	RUN(any_byte_may_be_wrong);
	RUN(sections_may_end_anywhere);
	RUN(origins_may_go_in_circles);
	RUN(code_that_was_thrown_away_claims_nothing);
	RUN(units_that_claim_everything_are_cheap);
	RUN(overlapping_abbreviations_are_cheap);
	RUN(calls_that_overlap_at_random_are_cheap);
	RUN(deep_nesting_is_cut);
	RUN(bombs_are_not_inflated);
	RUN(spans_are_settled_by_rank);
	unlink(path);
	return tap_done();
}
