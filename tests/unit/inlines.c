/* Inlined functions out of DWARF made by hand. */
#include "symbol/dsosyms.h"
#include "dwarfbuild.h"

static void
expect_simple(void)
{
	struct pd_inlines *in = open_table();

	CHECK_STR(at(in, 0xfff), "");
	CHECK_STR(at(in, 0x1000), "f");
	CHECK_STR(at(in, 0x1010), "a < f@7");
	CHECK_STR(at(in, 0x1020), "b < a@8 < f@7");
	CHECK_STR(at(in, 0x102f), "b < a@8 < f@7");
	CHECK_STR(at(in, 0x1030), "a < f@7");
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
	CHECK_STR(at(in, 0x1000), "ns::(anonymous namespace)::K::m < f@1");
	CHECK_STR(at(in, 0x1010),
	    "ns::(anonymous namespace)::{lambda}::operator() < f@2");
	CHECK_STR(at(in, 0x1020), "plain < f@3");
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
		CHECK_STR(at(in, 0x1000), "a < f");
		CHECK_STR(at(in, 0x101f), "a < f");
		CHECK_STR(at(in, 0x1020), "");
		CHECK_STR(at(in, 0x5010), "a < f");
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
	CHECK_STR(at(in, 0x1100), "_Za < f");
	CHECK_STR(at(in, 0x110f), "_Za < f");
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
		.dwarf = true };
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
		CHECK(pd_dsosyms_dwarf_addr(s, 0x420, 0, &addr));
		CHECK_EQ(addr, 0x1020);
		CHECK_STR(at(in, addr), "b < a@8 < f@7");
		pd_inlines_free(in);
	}
	pd_dsosyms_free(s);
	pd_symsources_free(src);
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	CHECK(system(cmd) == 0);
}

int
main(void)
{
	if (!dwarf_begin())
		return 1;
	RUN(calls_nest_in_each_version_class_and_byte_order);
	RUN(names_are_qualified_by_what_is_around);
	RUN(lists_of_ranges_have_bases);
	RUN(indexes_lead_to_addresses_strings_and_lists);
	RUN(units_without_addresses_are_found);
	RUN(the_debug_file_of_a_program_is_found);
	unlink(path);
	return tap_done();
}
