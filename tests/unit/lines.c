/* Source lines out of line programs made by hand, sound and hostile. */
#include <sys/resource.h>

#include "dwarfbuild.h"
#include "folding.h"

static void
each_opcode_does_what_it_should(void)
{
	for (int i = 0; i < 16; i++) {
		struct dwarf d = with_lines(i & 1, i & 2, 2 + i / 4);
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
	struct dwarf d = with_lines(true, false, 5);
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
	struct dwarf d = with_lines(true, false, 4);
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
		struct dwarf d = with_lines(true, false, version);
		size_t n = d.line.len;

		write_file(&d);
		for (size_t i = 0; i < n * sizeof(bytes); i++) {
			d = with_lines(true, false, version);
			d.line.p[i / sizeof(bytes)] = bytes[i % sizeof(bytes)];
			write_file(&d);
			look_everywhere();
		}
		for (size_t i = 1; i < n; i++) {
			d = with_lines(true, false, version);
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
	CHECK(pd_inlines_gave_up(in) != NULL);
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
