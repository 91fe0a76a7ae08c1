/* Source lines out of line programs made by hand, sound and hostile. */
#include <sys/resource.h>

#include "dwarfbuild.h"
#include "folding.h"

#define FIRST_SPECIAL	13
#define BASE		(-3)
#define RANGE		12

enum { UNIT = 1, FUNCTION, CALL, DECLARED };

/* The opcode that goes on by n instructions and some lines. */
static void
special(struct dwarf *d, int n, int lines)
{
	num(d, &d->line, (uint64_t)(FIRST_SPECIAL + (lines - BASE) +
	    RANGE * n), 1);
}

static void
op(struct dwarf *d, int opcode)
{
	num(d, &d->line, (uint64_t)opcode, 1);
}

static void
set_address(struct dwarf *d, uint64_t addr)
{
	op(d, 0);
	uleb(&d->line, d->elf.is64 ? 9 : 5);
	op(d, DW_LNE_set_address);
	eb_word(&d->elf, &d->line, addr);
}

static void
end_sequence(struct dwarf *d)
{
	op(d, 0);
	uleb(&d->line, 1);
	op(d, DW_LNE_end_sequence);
}

/* Directories "/src" and "inc", files a.c in the first, b.h in the second. */
static void
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
static void
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

static void
close_line(struct dwarf *d)
{
	patch(d, &d->line, 0, (uint32_t)(d->line.len - 4));
}

/* f() at 0x1000, with a call of a() in line 7 of b.h inlined at 0x1020. */
static void
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

static struct dwarf
sound(bool is64, bool big, int version)
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

static void
each_opcode_does_what_it_should(void)
{
	for (int i = 0; i < 16; i++) {
		struct dwarf d = sound(i & 1, i & 2, 2 + i / 4);
		struct pd_inlines *in;

		write_file(&d);
		in = open_table();
		CHECK_STR(at(in, 0x1000), "f@/src/a.c:10");
		CHECK_STR(at(in, 0x1003), "f@/src/a.c:10");
		CHECK_STR(at(in, 0x1004), "f@/src/a.c:19");
		CHECK_STR(at(in, 0x101f), "f@/src/a.c:19");
		CHECK_STR(at(in, 0x1020),
		    "a@/src/inc/b.h:5 < f@/src/inc/b.h:7");
		CHECK_STR(at(in, 0x1030), "f@/src/a.c:5");
		CHECK_STR(at(in, 0x1040), "f@/src/a.c:0");
		CHECK_STR(at(in, 0x1050), "f");
		CHECK_STR(at(in, 0x2000), "@/src/a.c:1");
		CHECK_STR(at(in, 0x2010), "");
		pd_inlines_free(in);
	}
}

/* A table that was not asked for is not read. */
static void
lines_are_read_on_request(void)
{
	struct dwarf d = sound(true, false, 5);
	struct pd_inlines_file f = { .path = path };
	struct pd_inlines *in;
	struct pd_error err;

	write_file(&d);
	in = pd_inlines_open(&f, &err);
	CHECK_STR(at(in, 0x1000), "f");
	CHECK_STR(at(in, 0x1020), "a < f@7");
	pd_inlines_free(in);
}

/* Some processors have several operations in an instruction. */
static void
operations_make_up_instructions(void)
{
	struct dwarf d = dwarf_new(true, false, 4);
	struct pd_inlines *in;

	units(&d);
	open_line(&d);
	d.line.p[10] = 16;
	d.line.p[11] = 3;
	set_address(&d, 0x1000);
	special(&d, 0, 1);
	special(&d, 2, 1);			/* still in it */
	special(&d, 2, 1);			/* op 4: 0x1010 */
	special(&d, 5, 1);			/* op 9: 0x1030 */
	op(&d, DW_LNS_advance_pc);
	uleb(&d.line, 3);
	end_sequence(&d);
	close_line(&d);
	write_file(&d);
	in = open_table();
	CHECK_STR(at(in, 0x100f), "f@/src/a.c:3");
	CHECK_STR(at(in, 0x1010), "f@/src/a.c:4");
	CHECK_STR(at(in, 0x1030), "f@/src/a.c:5");
	CHECK_STR(at(in, 0x103f), "f@/src/a.c:5");
	CHECK_STR(at(in, 0x1040), "f");
	pd_inlines_free(in);
}

/* What a compiler does not write, but somebody may. */
static void
sequences_that_go_back_are_two(void)
{
	struct dwarf d = dwarf_new(true, false, 4);
	struct pd_inlines *in;

	units(&d);
	open_line(&d);
	set_address(&d, 0x3000);
	special(&d, 0, 1);
	special(&d, 8, 1);
	special(&d, 8, 1);
	set_address(&d, 0x2000);
	special(&d, 0, 1);
	set_address(&d, 0x2008);
	special(&d, 0, 1);
	set_address(&d, UINT64_MAX - 8);	/* too far, and never ended */
	special(&d, 0, 1);
	close_line(&d);
	write_file(&d);
	in = open_table();
	CHECK_STR(at(in, 0x3000), "@/src/a.c:2");
	CHECK_STR(at(in, 0x3008), "@/src/a.c:3");
	CHECK_STR(at(in, 0x3010), "");
	CHECK_STR(at(in, 0x2000), "@/src/a.c:5");
	CHECK_STR(at(in, 0x2008), "");
	CHECK_STR(at(in, UINT64_MAX - 8), "");
	pd_inlines_free(in);
}

/* A fold of samples at 0x1008 and 0x1028 of the program. */
static void
check_fold_of_lines(struct pd_stack_opts opts, const char *want)
{
	struct pd_fold_opts o = { .weight = PD_WEIGHT_SAMPLES, .stack = opts };
	struct pd_text_opts text = { .mark_inline = true,
		.perl = opts.perf_compat };
	struct pdb *b = pdb_new(PDB_FILE, false);
	struct pdb_id id = { .pid = 1, .tid = 1, .time = 1 };
	unsigned ev = pdb_event(b, &(struct pdb_event){ .sample_type = FLAT });

	pdb_comm(b, ev, &id, "t", false);
	pdb_mmap2(b, ev, &id, &(struct pdb_map){ .start = 0x400000,
	    .len = 0x9000, .path = path + strlen("/tmp") });
	pdb_sample(b, ev, &(struct pdb_sample){ .id = id, .ip = 0x401008 });
	pdb_sample(b, ev, &(struct pdb_sample){ .id = id, .ip = 0x401028 });
	o.stack.symfs = "/tmp";
	CHECK_FOLD(b, &o, &text, want);
}

static void
folds_have_lines_on_request(void)
{
	struct dwarf d = sound(true, false, 4);
	size_t text, syms;

	text = eb_section(&d.elf, ".text", SHT_NOBITS,
	    SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 0x8000);
	syms = eb_symtab(&d.elf, SHT_SYMTAB);
	eb_sym(&d.elf, syms, "f", 0x1000, 0x100, 1, STT_FUNC, 0, text);
	eb_load(&d.elf, 0, 0, 0x9000, PF_R | PF_X);
	write_file(&d);
	check_fold_of_lines((struct pd_stack_opts){ 0 }, "t;f 1\nt;f;a_[i] 1\n");
	check_fold_of_lines((struct pd_stack_opts){ .lines = true },
	    "t;f:a.c:19 1\nt;f:b.h:7;a:b.h:5_[i] 1\n");
	/* Its own line, not one of what was inlined; but perf has that. */
	check_fold_of_lines((struct pd_stack_opts){ .lines = true,
	    .no_inline = true }, "t;f:a.c:19 1\nt;f:b.h:7 1\n");
	check_fold_of_lines((struct pd_stack_opts){ .lines = true,
	    .perf_compat = true }, "t;f:a.c:19 1\nt;f:b.h:5 1\n");
}

/* ---- hostile ------------------------------------------------------------- */

static void
any_byte_may_be_wrong(void)
{
	static const uint8_t bytes[] = { 0, 1, 0x7f, 0x80, 0xff };

	for (int version = 4; version <= 5; version++) {
		struct dwarf d = sound(true, false, version);
		size_t n = d.line.len;

		write_file(&d);
		for (size_t i = 0; i < n * sizeof(bytes); i++) {
			d = sound(true, false, version);
			d.line.p[i / sizeof(bytes)] = bytes[i % sizeof(bytes)];
			write_file(&d);
			look_everywhere();
		}
		for (size_t i = 1; i < n; i++) {
			d = sound(true, false, version);
			d.line.len = i;
			write_file(&d);
			look_everywhere();
		}
	}
}

/* Each of many units has the same long program, of one row a byte. */
static void
long_programs_are_cheap(void)
{
	struct dwarf d = dwarf_new(true, false, 4);
	const char *san = getenv("PD_SAN");
	struct rusage before, after;
	struct pd_inlines *in;
	size_t unit;

	units(&d);
	open_line(&d);
	set_address(&d, 0x1000);
	size_t from = d.line.len;
	special(&d, 1, 1);
	special(&d, 1, -1);
	repeat(&d.line, from, 2000000);
	end_sequence(&d);
	close_line(&d);
	unit = d.info.len;
	repeat(&d.info, 0, 20000);
	/* So that each of them has addresses of its own. */
	for (uint32_t i = 0; i <= 20000; i++) {
		patch(&d, &d.info, i * unit + 21, 0x1000 + i * 16);
		patch(&d, &d.info, i * unit + 29, 0x1010 + i * 16);
	}
	write_file(&d);
	getrusage(RUSAGE_SELF, &before);
	in = open_table();
	for (uint64_t a = 0x1000; a < 0x1000 + 20000 * 16; a += 16)
		at(in, a);
	CHECK(pd_inlines_gave_up(in));
	pd_inlines_free(in);
	getrusage(RUSAGE_SELF, &after);
	if (san == NULL || san[0] == '\0')
		CHECK(after.ru_maxrss - before.ru_maxrss < 150 << 10);
}

int
main(void)
{
	if (!dwarf_begin())
		return 1;
	RUN(each_opcode_does_what_it_should);
	RUN(lines_are_read_on_request);
	RUN(operations_make_up_instructions);
	RUN(sequences_that_go_back_are_two);
	RUN(folds_have_lines_on_request);
	RUN(any_byte_may_be_wrong);
	RUN(long_programs_are_cheap);
	unlink(path);
	return tap_done();
}
