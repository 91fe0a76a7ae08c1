/* Symbols and PLT stubs of ELF files, real in form and damaged. */
#include "symbol/elfsyms.h"
#include "elfbuild.h"
#include "tap.h"

#define TEXT	0x401000

struct file {
	struct eb		b;
	struct pd_elf		e;
	struct pd_symtab	*t;
	struct pd_symnames	names;
};

/* Read the symbols of f->b, which is finished here. */
static void
read_file(struct file *f, uint32_t type, bool perf_compat)
{
	struct pd_elfsyms to = { .names = &f->names,
		.perf_compat = perf_compat };
	struct pd_error err;
	const char *why;

	if (f->b.out.p == NULL)
		eb_finish(&f->b);
	f->t = to.table = pd_symtab_new(PD_SYMTAB_ELF, &err);
	CHECK(pd_elf_open_mem(&f->e, f->b.out.p, f->b.out.len, &why, &err) ==
	    0);
	CHECK(pd_elfsyms_add(&to, &f->e, type, &err) != -1);
	pd_symtab_finish(f->t);
	CHECK(pd_elfsyms_add_plt(&to, &f->e, &err) == 0);
	pd_symtab_finish(f->t);
}

static void
close_file(struct file *f)
{
	pd_symtab_free(f->t);
	pd_symnames_free(&f->names);
	pd_elf_close(&f->e);
	eb_free(&f->b);
}

static const char *
name_at(const struct file *f, uint64_t addr)
{
	const struct pd_symbol *s = pd_symtab_find(f->t, addr);

	return s ? s->name : NULL;
}

static const struct {
	bool	is64, big;
} forms[] = { { true, false }, { true, true }, { false, false },
	{ false, true } };

static void
functions_are_found_in_each_class_and_byte_order(void)
{
	for (size_t i = 0; i < 4; i++) {
		struct file f = { .b = eb_new(forms[i].is64, forms[i].big,
		    ET_EXEC, EM_PPC) };
		size_t text = eb_section(&f.b, ".text", SHT_PROGBITS,
		    SHF_ALLOC | SHF_EXECINSTR, TEXT, NULL, 0x100);
		size_t syms = eb_symtab(&f.b, SHT_SYMTAB);

		eb_load(&f.b, 0x1000, TEXT, 0x100, PF_R | PF_X);
		eb_sym(&f.b, syms, "main", TEXT, 0x20, STB_GLOBAL, STT_FUNC, 0,
		    text);
		eb_sym(&f.b, syms, "chosen", TEXT + 0x20, 0x20, STB_GLOBAL,
		    STT_GNU_IFUNC, 0, text);
		read_file(&f, SHT_SYMTAB, false);
		CHECK_EQ(pd_symtab_len(f.t), 2);
		CHECK_STR(name_at(&f, TEXT + 0x1f), "main");
		CHECK_STR(name_at(&f, TEXT + 0x20), "chosen");
		close_file(&f);
	}
}

static void
only_code_that_is_loaded_is_named(void)
{
	struct file f = { .b = eb_new(true, false, ET_DYN, EM_AARCH64) };
	size_t text = eb_section(&f.b, ".text", SHT_PROGBITS,
	    SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 0x1000);
	size_t data = eb_section(&f.b, ".data", SHT_PROGBITS, SHF_ALLOC,
	    0x3000, NULL, 0x100);
	size_t note = eb_section(&f.b, ".gnu.warning.x", SHT_PROGBITS, 0, 0,
	    NULL, 0x100);
	size_t syms = eb_symtab(&f.b, SHT_SYMTAB);

	eb_sym(&f.b, syms, "undefined", 0x1000, 1, 1, STT_FUNC, 0, 0);
	eb_sym(&f.b, syms, "absolute", 0x1001, 1, 1, STT_FUNC, 0, SHN_ABS);
	eb_sym(&f.b, syms, "unloaded", 0x1002, 1, 1, STT_FUNC, 0, note);
	eb_sym(&f.b, syms, "object", 0x3000, 4, 1, STT_OBJECT, 0, data);
	eb_sym(&f.b, syms, "data_label", 0x3010, 0, 1, STT_NOTYPE, 0, data);
	eb_sym(&f.b, syms, "hidden", 0x1003, 1, 1, STT_NOTYPE, STV_HIDDEN,
	    text);
	eb_sym(&f.b, syms, "$x", 0x1004, 1, 0, STT_NOTYPE, 0, text);
	eb_sym(&f.b, syms, "$d.1", 0x1005, 1, 0, STT_NOTYPE, 0, text);
	eb_sym(&f.b, syms, "", 0x1006, 1, 1, STT_FUNC, 0, text);
	eb_sym(&f.b, syms, "file.c", 0x1007, 1, 0, STT_FILE, 0, text);
	eb_sym(&f.b, syms, "label", 0x1100, 0, 0, STT_NOTYPE, 0, text);
	read_file(&f, SHT_SYMTAB, false);
	CHECK_EQ(pd_symtab_len(f.t), 1);
	CHECK_STR(name_at(&f, 0x1fff), "label");
	CHECK_STR(name_at(&f, 0x2000), NULL);
	close_file(&f);
}

static void
perf_keeps_data_and_versions(void)
{
	for (int compat = 0; compat < 2; compat++) {
		struct file f = { .b = eb_new(true, false, ET_DYN, EM_X86_64) };
		size_t text = eb_section(&f.b, ".text", SHT_PROGBITS,
		    SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 0x10);
		size_t data = eb_section(&f.b, ".data", SHT_PROGBITS,
		    SHF_ALLOC, 0x3000, NULL, 0x100);
		size_t syms = eb_symtab(&f.b, SHT_SYMTAB);

		eb_sym(&f.b, syms, "f@@V_2", 0x1000, 0, 1, STT_FUNC, 0, text);
		eb_sym(&f.b, syms, "obj", 0x3000, 4, 1, STT_OBJECT, 0, data);
		read_file(&f, SHT_SYMTAB, compat);
		CHECK_EQ(pd_symtab_len(f.t), compat ? 2 : 1);
		CHECK_STR(name_at(&f, 0x1000), compat ? "f@@V_2" : "f");
		CHECK_STR(name_at(&f, 0x1010), compat ? "f@@V_2" : NULL);
		close_file(&f);
	}
}

/* Offsets of a file with its code in two segments and data over its end. */
static void
offsets_become_addresses_by_segment(void)
{
	struct file f = { .b = eb_new(true, false, ET_DYN, EM_X86_64) };
	static const struct {
		uint64_t	offset, addr;
	} want[] = {
		{ 0x0, 0x400000 }, { 0xfff, 0x400fff },
		{ 0x1000, 0x600000 }, { 0x17ff, 0x6007ff },
		{ 0x1800, 0x600800 }, { 0x1900, 0xa01900 },
		{ 0x4000, 0xc00000 }, { 0x20000, 0 },
	};
	uint64_t addr;

	eb_load(&f.b, 0x0, 0x400000, 0x1000, PF_R);
	eb_load(&f.b, 0x1000, 0x600000, 0x800, PF_R | PF_X);
	eb_load(&f.b, 0x1900, 0xa01900, 0x100, PF_R | PF_W);
	eb_load(&f.b, 0x4000, 0xc00000, 0x1000, PF_R | PF_X);
	read_file(&f, SHT_SYMTAB, false);
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		if (!pd_elf_addr(&f.e, want[i].offset, &addr))
			addr = 0;
		CHECK_EQ(addr, want[i].addr);
	}
	close_file(&f);
}

/* ---- PLT ------------------------------------------------------------------- */

static void
add_reloc(struct eb *b, size_t s, uint64_t slot, uint64_t sym, uint64_t type,
    uint64_t addend)
{
	struct eb_bytes *d = &b->secs[s].data;

	eb_word(b, d, slot);
	eb_word(b, d, b->is64 ? sym << 32 | type : sym << 8 | type);
	if (b->secs[s].type == SHT_RELA)
		eb_word(b, d, addend);
}

/* A file with dynamic symbols puts and free, and the relocation sections. */
static struct eb
plt_file(bool is64, uint16_t machine, size_t *rel_plt, size_t *rel_dyn)
{
	struct eb b = eb_new(is64, false, ET_DYN, machine);
	size_t text = eb_section(&b, ".text", SHT_PROGBITS,
	    SHF_ALLOC | SHF_EXECINSTR, 0x2000, NULL, 0x100);
	size_t syms = eb_symtab(&b, SHT_DYNSYM);
	uint32_t type = is64 ? SHT_RELA : SHT_REL;

	eb_sym(&b, syms, "puts", 0, 0, STB_GLOBAL, STT_FUNC, 0, 0);
	eb_sym(&b, syms, "free", 0, 0, STB_GLOBAL, STT_FUNC, 0, 0);
	eb_sym(&b, syms, "resolver", 0x2040, 0x10, STB_GLOBAL, STT_GNU_IFUNC,
	    0, text);
	*rel_plt = eb_section(&b, is64 ? ".rela.plt" : ".rel.plt", type,
	    SHF_ALLOC, 0, NULL, 0);
	*rel_dyn = eb_section(&b, is64 ? ".rela.dyn" : ".rel.dyn", type,
	    SHF_ALLOC, 0, NULL, 0);
	return b;
}

static void
x86_64_stubs_have_the_name_of_their_slot(void)
{
	/* push; jmp / jmp *0x3018; push 0; jmp / jmp *0x3020 ... / 0x3028 */
	static const uint8_t plt[0x40] = {
		0xff, 0x35, 0, 0x20, 0, 0, 0xff, 0x25, 2, 0x20, 0, 0,
		[0x10] = 0xff, 0x25, 0x18 - 0x16, 0x20, 0, 0, 0x68, 0, 0, 0, 0,
		[0x20] = 0xff, 0x25, 0x28 - 0x26, 0x20, 0, 0, 0x68, 1, 0, 0, 0,
		[0x30] = 0xff, 0x25, 0x20 - 0x36, 0x20, 0, 0, 0x68, 2, 0, 0, 0,
	};
	/* .plt.got: jmp *0x3030; xchg */
	static const uint8_t got[8] = { 0xff, 0x25, 0x30 - 0x86, 0x1f, 0, 0,
		0x66, 0x90 };
	struct file f = { 0 };
	size_t rel_plt, rel_dyn, s;
	uint8_t b[0x40];

	f.b = plt_file(true, EM_X86_64, &rel_plt, &rel_dyn);
	memcpy(b, plt, sizeof(b));
	b[0x33] = 0x1f;				/* 0x1036 + 0x1fea = 0x3020 */
	s = eb_section(&f.b, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
	    0x1000, b, sizeof(b));
	f.b.secs[s].entsize = 16;
	s = eb_section(&f.b, ".plt.got", SHT_PROGBITS,
	    SHF_ALLOC | SHF_EXECINSTR, 0x1080, got, sizeof(got));
	f.b.secs[s].entsize = 8;
	add_reloc(&f.b, rel_plt, 0x3020, 2, R_X86_64_JUMP_SLOT, 0);
	add_reloc(&f.b, rel_plt, 0x3018, 1, R_X86_64_JUMP_SLOT, 0);
	add_reloc(&f.b, rel_plt, 0x3028, 0, R_X86_64_IRELATIVE, 0x2040);
	add_reloc(&f.b, rel_dyn, 0x3030, 2, R_X86_64_GLOB_DAT, 0);
	read_file(&f, SHT_DYNSYM, false);
	CHECK_STR(name_at(&f, 0x1008), NULL);
	CHECK_STR(name_at(&f, 0x1010), "puts@plt");
	CHECK_STR(name_at(&f, 0x101f), "puts@plt");
	CHECK_STR(name_at(&f, 0x1020), "resolver@plt");
	CHECK_STR(name_at(&f, 0x1030), "free@plt");
	CHECK_STR(name_at(&f, 0x1040), NULL);
	CHECK_STR(name_at(&f, 0x1080), "free@plt");
	CHECK_STR(name_at(&f, 0x1088), NULL);
	CHECK(pd_symtab_find(f.t, 0x1010)->flags & PD_SYM_PLT);
	close_file(&f);
}

static void
perf_counts_stubs(void)
{
	struct file f = { 0 };
	size_t rel_plt, rel_dyn, s;

	f.b = plt_file(true, EM_X86_64, &rel_plt, &rel_dyn);
	s = eb_section(&f.b, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
	    0x1000, NULL, 0x40);
	f.b.secs[s].entsize = 16;
	add_reloc(&f.b, rel_plt, 0x3020, 2, R_X86_64_JUMP_SLOT, 0);
	add_reloc(&f.b, rel_plt, 0x3018, 1, R_X86_64_JUMP_SLOT, 0);
	add_reloc(&f.b, rel_plt, 0x3028, 0, R_X86_64_IRELATIVE, 0x2040);
	read_file(&f, SHT_DYNSYM, true);
	CHECK_STR(name_at(&f, 0x1010), "free@plt");
	CHECK_STR(name_at(&f, 0x1020), "puts@plt");
	CHECK_STR(name_at(&f, 0x1030), "@plt");
	close_file(&f);
}

static void
stubs_of_cet_are_named_twice(void)
{
	/* .plt: endbr64; push 0; bnd jmp   .plt.sec: endbr64; bnd jmp *slot */
	static const uint8_t plt[0x10] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0 };
	static const uint8_t sec[0x10] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff,
		0x25, 0x18 - 0x4b + 0x100, 0x1f, 0, 0 };
	struct file f = { 0 };
	size_t rel_plt, rel_dyn;

	f.b = plt_file(true, EM_X86_64, &rel_plt, &rel_dyn);
	eb_section(&f.b, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
	    0x1010, plt, sizeof(plt));
	eb_section(&f.b, ".plt.sec", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
	    0x1040, sec, sizeof(sec));
	add_reloc(&f.b, rel_plt, 0x3018, 1, R_X86_64_JUMP_SLOT, 0);
	read_file(&f, SHT_DYNSYM, false);
	CHECK_STR(name_at(&f, 0x1010), "puts@plt");
	CHECK_STR(name_at(&f, 0x1040), "puts@plt");
	close_file(&f);
}

static void
i386_stubs_are_absolute_or_relative(void)
{
	static const uint8_t plt[0x20] = {
		0xff, 0x25, 0x18, 0x30, 0, 0,		/* jmp *0x3018 */
		[0x10] = 0xff, 0xa3, 0x1c, 0, 0, 0,	/* jmp *0x1c(%ebx) */
	};
	struct file f = { 0 };
	size_t rel_plt, rel_dyn;

	f.b = plt_file(false, EM_386, &rel_plt, &rel_dyn);
	eb_section(&f.b, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
	    0x1000, plt, sizeof(plt));
	eb_section(&f.b, ".got.plt", SHT_PROGBITS, SHF_ALLOC, 0x3000, NULL, 32);
	add_reloc(&f.b, rel_plt, 0x3018, 1, R_386_JMP_SLOT, 0);
	add_reloc(&f.b, rel_plt, 0x301c, 2, R_386_JMP_SLOT, 0);
	read_file(&f, SHT_DYNSYM, false);
	CHECK_STR(name_at(&f, 0x1000), "puts@plt");
	CHECK_STR(name_at(&f, 0x1010), "free@plt");
	close_file(&f);
}

static void
arm64_stubs_load_their_slot(void)
{
	/* adrp x16, .+0x2000; ldr x17, [x16, #0x18]; add; br, then with bti */
	static const uint8_t plt[0x28] = {
		0x10, 0, 0, 0xd0, 0x11, 0x0e, 0x40, 0xf9,
		[0x10] = 0x5f, 0x24, 0x03, 0xd5,
		0x10, 0, 0, 0xd0, 0x11, 0x12, 0x40, 0xf9,
	};
	struct file f = { 0 };
	size_t rel_plt, rel_dyn;

	f.b = plt_file(true, EM_AARCH64, &rel_plt, &rel_dyn);
	eb_section(&f.b, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
	    0x1000, plt, sizeof(plt));
	add_reloc(&f.b, rel_plt, 0x3018, 1, R_AARCH64_JUMP_SLOT, 0);
	add_reloc(&f.b, rel_plt, 0x3020, 2, R_AARCH64_JUMP_SLOT, 0);
	read_file(&f, SHT_DYNSYM, false);
	CHECK_STR(name_at(&f, 0x1000), "puts@plt");
	CHECK_STR(name_at(&f, 0x100f), "puts@plt");
	CHECK_STR(name_at(&f, 0x1010), "free@plt");
	CHECK_STR(name_at(&f, 0x1027), "free@plt");
	close_file(&f);
}

/* ---- damage ---------------------------------------------------------------- */

static struct eb
good_file(size_t form)
{
	struct eb b = eb_new(forms[form].is64, forms[form].big, ET_DYN,
	    form % 2 ? EM_AARCH64 : EM_X86_64);
	size_t text, syms;
	uint8_t id[20] = { 1, 2, 3 };

	eb_buildid(&b, id, sizeof(id));
	text = eb_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
	    0x1000, NULL, 0x20);
	eb_section(&b, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1100,
	    "\xff\x25\0\0\0\0", 6);
	syms = eb_symtab(&b, SHT_SYMTAB);
	eb_sym(&b, syms, "f", 0x1000, 8, 1, STT_FUNC, 0, text);
	syms = eb_symtab(&b, SHT_DYNSYM);
	eb_sym(&b, syms, "g", 0x1000, 8, 1, STT_FUNC, 0, text);
	syms = eb_section(&b, ".rela.plt", SHT_RELA, SHF_ALLOC, 0, NULL, 0);
	add_reloc(&b, syms, 0x1106, 1, 7, 0);
	eb_section(&b, ".gnu_debuglink", SHT_PROGBITS, 0, 0, "d\0\0\0abcd", 8);
	eb_load(&b, 0, 0x1000, 0x1000, PF_R | PF_X);
	eb_finish(&b);
	return b;
}

/* Whatever is read of a damaged file, nothing is read outside of it. */
static void
try_bytes(const uint8_t *p, size_t len)
{
	struct pd_elfsyms to = { 0 };
	struct pd_symnames names = { 0 };
	uint8_t *copy = malloc(len + 1);	/* its end is guarded */
	struct pd_error err;
	const char *why;
	char link[64];
	uint64_t addr;
	uint32_t crc;
	struct pd_elf e;

	memcpy(copy, p, len);
	to.table = pd_symtab_new(PD_SYMTAB_ELF, &err);
	to.names = &names;
	if (pd_elf_open_mem(&e, copy, len, &why, &err) == 0) {
		pd_elf_has_code(&e);
		pd_elf_addr(&e, 0x10, &addr);
		pd_elf_debuglink(&e, link, sizeof(link), &crc);
		CHECK(pd_elfsyms_add(&to, &e, SHT_SYMTAB, &err) != -1);
		CHECK(pd_elfsyms_add(&to, &e, SHT_DYNSYM, &err) != -1);
		pd_symtab_finish(to.table);
		CHECK(pd_elfsyms_add_plt(&to, &e, &err) != -1);
		pd_symtab_finish(to.table);
	}
	pd_elf_close(&e);
	pd_symtab_free(to.table);
	pd_symnames_free(&names);
	free(copy);
}

static void
a_file_cut_anywhere_is_survived(void)
{
	for (size_t form = 0; form < 4; form++) {
		struct eb b = good_file(form);

		for (size_t n = 0; n <= b.out.len; n++)
			try_bytes(b.out.p, n);
		eb_free(&b);
	}
}

static void
every_byte_may_be_wrong(void)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };

	for (size_t form = 0; form < 4; form++) {
		struct eb b = good_file(form);

		for (size_t i = 0; i < b.out.len; i++) {
			uint8_t was = b.out.p[i];

			for (size_t v = 0; v < sizeof(values); v++) {
				b.out.p[i] = values[v];
				try_bytes(b.out.p, b.out.len);
			}
			b.out.p[i] = was;
		}
		eb_free(&b);
	}
}

static void
a_debuglink_stays_in_its_directory(void)
{
	static const struct {
		const char	*bytes;
		size_t		size;
		bool		ok;
	} links[] = {
		{ "prog.debug\0\0\1\0\0\0", 16, true },
		{ "../../etc/x\0\1\0\0\0", 16, false },
		{ "no-nul", 6, false }, { "\0\0\0\0\1\0\0\0", 8, false },
		{ "prog.debug\0\0\1\0\0", 15, false }, { "", 0, false },
	};

	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		struct file f = { .b = eb_new(true, false, ET_DYN, EM_X86_64) };
		uint32_t crc = 0;
		char name[32];

		eb_section(&f.b, ".gnu_debuglink", SHT_PROGBITS, 0, 0,
		    links[i].bytes, links[i].size);
		read_file(&f, SHT_SYMTAB, false);
		CHECK(pd_elf_debuglink(&f.e, name, sizeof(name), &crc) ==
		    links[i].ok);
		if (links[i].ok) {
			CHECK_STR(name, "prog.debug");
			CHECK_EQ(crc, 1);
		}
		close_file(&f);
	}
}

static void
build_ids_are_found_and_compared(void)
{
	static const uint8_t bytes[20] = { 0xab, 0xcd, 9, 0 };
	struct pd_buildid a = { .size = 20 }, b = { .size = 3 };

	for (size_t i = 0; i < 4; i++) {
		struct file f = { .b = eb_new(forms[i].is64, forms[i].big,
		    ET_DYN, EM_X86_64) };

		eb_buildid(&f.b, bytes, sizeof(bytes));
		read_file(&f, SHT_SYMTAB, false);
		CHECK_EQ(f.e.buildid.size, 20);
		CHECK(memcmp(f.e.buildid.bytes, bytes, 20) == 0);
		close_file(&f);
	}
	memcpy(a.bytes, bytes, 20);
	memcpy(b.bytes, bytes, 3);
	CHECK(pd_buildid_equal(&a, &b));
	a.bytes[19] = 1;
	CHECK(!pd_buildid_equal(&a, &b));
}

int
main(void)
{
	RUN(functions_are_found_in_each_class_and_byte_order);
	RUN(only_code_that_is_loaded_is_named);
	RUN(perf_keeps_data_and_versions);
	RUN(offsets_become_addresses_by_segment);
	RUN(x86_64_stubs_have_the_name_of_their_slot);
	RUN(perf_counts_stubs);
	RUN(stubs_of_cet_are_named_twice);
	RUN(i386_stubs_are_absolute_or_relative);
	RUN(arm64_stubs_load_their_slot);
	RUN(a_file_cut_anywhere_is_survived);
	RUN(every_byte_may_be_wrong);
	RUN(a_debuglink_stays_in_its_directory);
	RUN(build_ids_are_found_and_compared);
	return tap_done();
}
