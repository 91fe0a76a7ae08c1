/* Inlined calls of the kernel and its modules. */
#include <sys/stat.h>

#include "dwarfbuild.h"
#include "folding.h"

#define KERNEL	0xffffffffa2000000	/* not where it was linked */
#define MODULE	0xffffffffc0100000

static char dir[] = "/tmp/pd-kernel-XXXXXX";

/* A kernel that was linked for 0x1000. */
static void
write_vmlinux(void)
{
	struct dwarf d = dwarf_new(true, false, 4);
	size_t text, syms;

	simple(&d);
	text = eb_section(&d.elf, ".text", SHT_NOBITS,
	    SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 0x1000);
	syms = eb_symtab(&d.elf, SHT_SYMTAB);
	eb_sym(&d.elf, syms, "_text", 0x1000, 0, 1, STT_NOTYPE, 0, text);
	eb_sym(&d.elf, syms, "f", 0x1000, 0x100, 1, STT_FUNC, 0, text);
	write_file(&d);
}

/* The places of addresses in what the object describes. */
static struct {
	size_t	at;
	size_t	symbol;		/* of their section */
	uint64_t addend;
} relocs[16];
static size_t nrelocs;

static void
address(struct dwarf *d, size_t symbol, uint64_t addend)
{
	relocs[nrelocs].at = d->info.len;
	relocs[nrelocs].symbol = symbol;
	relocs[nrelocs++].addend = addend;
	num(d, &d->info, 0, 8);
}

static void
function(struct dwarf *d, const char *name, size_t section, uint32_t inner,
    uint64_t at)
{
	named(d, FUNC, name);
	address(d, section, 0);
	num(d, &d->info, 0x100, 4);
	die(d, INLINED);
	num(d, &d->info, inner, 4);
	address(d, section, at);
	num(d, &d->info, 8, 4);
	num(d, &d->info, 9, 2);
	up(d);
	up(d);
}

enum { TEXT = 1, INIT, HOT, INFO };

/* The unit does not say where it is. */
static void
describe(struct dwarf *d)
{
	uint32_t a;

	standard_abbrevs(d);
	d->abbrev.len--;
	ABBREV(d, 30, DW_TAG_compile_unit, true, DW_AT_language,
	    DW_FORM_data1);
	eb_put(&d->abbrev, NULL, 1);
	open_unit(d, 0);
	die(d, 30);
	num(d, &d->info, DW_LANG_C99, 1);
	a = named(d, DECL, "a");
	nrelocs = 0;
	function(d, "f", TEXT, a, 0x20);
	function(d, "setup", INIT, a, 0);
	function(d, "g", HOT, a, 0x10);
	close_unit(d);
}

static void
write_module(uint16_t machine, uint32_t type, const char *to)
{
	static const uint8_t id[20] = { 7 };
	struct dwarf d = dwarf_new(true, false, 4);
	static const char *const names[] = { ".text", ".init.text",
		".text.hot" };
	struct eb_bytes *b;
	size_t syms, rela;

	d.elf.type = ET_REL;
	d.elf.machine = machine;
	describe(&d);
	for (size_t i = 0; i < 3; i++)
		eb_section(&d.elf, names[i], SHT_PROGBITS,
		    SHF_ALLOC | SHF_EXECINSTR, 0, NULL, 0x100);
	CHECK_EQ(eb_section(&d.elf, ".debug_info", SHT_PROGBITS, 0, 0,
	    d.info.p, d.info.len), INFO);
	free(d.info.p);
	d.info = (struct eb_bytes){ 0 };
	syms = eb_symtab(&d.elf, SHT_SYMTAB);
	for (size_t i = TEXT; i <= HOT; i++)
		eb_sym(&d.elf, syms, "", 0, 0, 0, STT_SECTION, 0, i);
	eb_sym(&d.elf, syms, "f", 0, 0x100, 1, STT_FUNC, 0, TEXT);
	eb_sym(&d.elf, syms, "g", 0, 0x100, 1, STT_FUNC, 0, HOT);
	rela = eb_section(&d.elf, ".rela.debug_info", SHT_RELA, 0, 0, NULL, 0);
	d.elf.secs[rela].link = (uint32_t)syms;
	d.elf.secs[rela].info = INFO;
	b = &d.elf.secs[rela].data;
	for (size_t i = 0; i < nrelocs; i++) {
		num(&d, b, relocs[i].at, 8);
		num(&d, b, (uint64_t)relocs[i].symbol << 32 | type, 8);
		num(&d, b, relocs[i].addend, 8);
	}
	/* Which are not to be believed. */
	num(&d, b, UINT64_MAX - 3, 8);
	num(&d, b, (uint64_t)TEXT << 32 | type, 8);
	num(&d, b, 0, 8);
	num(&d, b, 0, 8);
	num(&d, b, (uint64_t)1000 << 32 | 200, 8);
	num(&d, b, 0, 8);
	eb_buildid(&d.elf, id, sizeof(id));
	write_file(&d);
	char cmd[256];

	snprintf(cmd, sizeof(cmd), "mkdir -p $(dirname %s%s) && cp %s %s%s",
	    dir, to, path, dir, to);
	CHECK(system(cmd) == 0);
}

static void
check_kernel(const uint64_t *ips, size_t n, struct pd_stack_opts stack,
    const char *want)
{
	static const uint8_t id[20] = { 7 };
	struct pd_fold_opts o = { .weight = PD_WEIGHT_SAMPLES,
		.stack = stack };
	struct pd_text_opts text = { .mark_inline = true, .mark_kernel = true };
	struct pdb *b = pdb_new(PDB_FILE, false);
	struct pdb_id pid = { .pid = 1, .tid = 1, .time = 1 };
	unsigned ev = pdb_event(b, &(struct pdb_event){ .sample_type = FLAT });

	pdb_mmap(b, ev, &pid, &(struct pdb_map){ .start = KERNEL,
	    .len = 0x800000, .pgoff = KERNEL, .misc = PDB_KERNEL,
	    .path = "[kernel.kallsyms]_text" });
	pdb_mmap2(b, ev, &pid, &(struct pdb_map){ .start = MODULE,
	    .len = 0x4000, .misc = PDB_KERNEL,
	    .path = "/lib/modules/6.1/kernel/x.ko", .build_id = id });
	pdb_comm(b, ev, &pid, "t", false);
	for (size_t i = 0; i < n; i++)
		pdb_sample(b, ev, &(struct pdb_sample){ .id = pid,
		    .misc = PDB_KERNEL, .ip = ips[i] });
	o.stack.symfs = dir;
	CHECK_FOLD(b, &o, &text, want);
}

static void
the_kernel_has_inlined_calls(void)
{
	uint64_t ips[] = { KERNEL, KERNEL + 0x20, KERNEL + 0x50 };

	write_vmlinux();
	check_kernel(ips, 3, (struct pd_stack_opts){ .vmlinux = path },
	    "t;f_[k] 2\nt;f_[k];a_[i];b_[i] 1\n");
	check_kernel(ips, 3, (struct pd_stack_opts){ .vmlinux = path,
	    .no_inline = true }, "t;f_[k] 3\n");
}

/* f at 0 and g at 0x100: .init.text takes no room. */
static void
modules_have_inlined_calls(void)
{
	static const struct {
		uint16_t	machine;
		uint32_t	type;
	} kinds[] = {
		{ EM_X86_64, R_X86_64_64 }, { EM_AARCH64, R_AARCH64_ABS64 },
	};
	uint64_t ips[] = { MODULE, MODULE + 0x20, MODULE + 0x28,
		MODULE + 0x100, MODULE + 0x117 };
	static const char *const places[] = {
		"/lib/modules/6.1/kernel/x.ko",
		"/usr/lib/debug/lib/modules/6.1/kernel/x.ko",
		"/usr/lib/debug/lib/modules/6.1/kernel/x.ko.debug",
		("/usr/lib/debug/.build-id/07/"
		    "00000000000000000000000000000000000000.debug"),
	};
	char cmd[256], kallsyms[64];

	snprintf(kallsyms, sizeof(kallsyms), "%s.kallsyms", dir);
	write_text(kallsyms, "ffffffffc0100000 t f\t[x]\n"
	    "ffffffffc0100100 t g\t[x]\nffffffffc0100200 t h\t[x]\n");
	for (size_t i = 0; i < 8; i++) {
		write_module(kinds[i % 2].machine, kinds[i % 2].type,
		    places[i / 2]);
		check_kernel(ips, 5, (struct pd_stack_opts){
		    .kallsyms = kallsyms }, "t;f_[k] 2\nt;f_[k];a_[i] 1\n"
		    "t;g_[k] 1\nt;g_[k];a_[i] 1\n");
		snprintf(cmd, sizeof(cmd), "rm -r %s/*", dir);
		CHECK(system(cmd) == 0);
	}
	/* The file itself has names, too. */
	write_module(EM_X86_64, R_X86_64_64, places[0]);
	check_kernel(ips, 5, (struct pd_stack_opts){ 0 },
	    "t;f_[k] 2\nt;f_[k];a_[i] 1\nt;g_[k] 1\nt;g_[k];a_[i] 1\n");
	unlink(kallsyms);
	snprintf(cmd, sizeof(cmd), "rm -r %s/*", dir);
	CHECK(system(cmd) == 0);
}

int
main(void)
{
	if (!dwarf_begin() || mkdtemp(dir) == NULL)
		return 1;
	RUN(the_kernel_has_inlined_calls);
	RUN(modules_have_inlined_calls);
	unlink(path);
	rmdir(dir);
	return tap_done();
}
