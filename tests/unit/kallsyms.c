/* The kernel's symbols: kallsyms, vmlinux and modules, moved by KASLR. */
#include <lzma.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "symbol/dsosyms.h"
#include "elfbuild.h"
#include "tap.h"

static char dir[] = "/tmp/pd-kallsyms-XXXXXX";
static char path[128];

static void
write_file(const void *p, size_t len)
{
	FILE *f = fopen(path, "w");

	CHECK(f != NULL && fwrite(p, 1, len, f) == len);
	fclose(f);
}

static const char kallsyms[] =
    "ffffffff81000000 T _text\n"
    "ffffffff81000000 T startup_64\n"
    "ffffffff81000100 t helper\n"
    "ffffffff81000180 W weak_one\n"
    "ffffffff81000180 T strong\n"
    "ffffffff81000200 D jiffies\n"
    "ffffffff81000300 T last_of_kernel\n"
    "ffffffffc0100000 t load\t[snd_hda]\n"
    "ffffffffc0100040 t play\t[snd_hda]\n"
    "ffffffffc0200000 t $x\t[other]\n"
    "ffffffffc0200000 t start\t[other]\n"
    "nonsense\n"
    "ffffffff81000104\n"
    "ffffffff81000104 t\n"
    "ffffffff81000104 t \n"
    "ffffffffffffffffff t too_long\n"
    "ffffffff81000400 T no_newline";

struct opened {
	struct pd_symsources	*src;
	struct pd_dsosyms	*syms;
};

static struct opened
open_dso(const struct pd_symopts *o, enum pd_dso_kind kind, const char *name,
    uint8_t id)
{
	struct pd_dso dso = { .kind = kind, .name = name };
	struct pd_error err;
	struct opened d;

	if (id != 0) {
		dso.buildid.size = 20;
		dso.buildid.bytes[0] = id;
	}
	d.src = pd_symsources_new(o, &err);
	d.syms = pd_dsosyms_open(d.src, &dso, &err);
	CHECK(d.syms != NULL);
	return d;
}

static void
close_dso(struct opened *d)
{
	pd_dsosyms_free(d->syms);
	pd_symsources_free(d->src);
}

static const char *
name_at(const struct opened *d, uint64_t addr, uint64_t start)
{
	const struct pd_symbol *s = pd_dsosyms_find(d->syms, addr, start);

	return s ? s->name : NULL;
}

static void
kallsyms_names_the_kernel(void)
{
	struct pd_symopts o = { .kallsyms = path };
	struct opened d;

	write_file(kallsyms, sizeof(kallsyms) - 1);
	d = open_dso(&o, PD_DSO_KERNEL, "[kernel.kallsyms]", 0);
	CHECK_STR(pd_dsosyms_why(d.syms), NULL);
	CHECK_STR(pd_dsosyms_path(d.syms), path);
	CHECK_STR(name_at(&d, 0xffffffff81000000, 0), "startup_64");
	CHECK_STR(name_at(&d, 0xffffffff810000ff, 0), "startup_64");
	CHECK_STR(name_at(&d, 0xffffffff81000104, 0), "helper");
	CHECK_STR(name_at(&d, 0xffffffff81000250, 0), "strong");
	CHECK_STR(name_at(&d, 0xffffffff81000401, 0), "no_newline");
	CHECK_STR(name_at(&d, 0xffffffff81004000, 0), NULL);
	close_dso(&d);
}

static void
another_boot_is_shifted_by_its_reference(void)
{
	struct pd_symopts o = { .kallsyms = path };
	struct opened d;

	write_file(kallsyms, sizeof(kallsyms) - 1);
	d = open_dso(&o, PD_DSO_KERNEL, "[kernel.kallsyms]", 0);
	pd_dsosyms_relocate(d.syms, "_text", 0xffffffffa2000000);
	CHECK_STR(name_at(&d, 0xffffffffa2000100, 0), "helper");
	CHECK_STR(name_at(&d, 0xffffffff81000100, 0), NULL);
	pd_dsosyms_relocate(d.syms, "_unknown", 0xffffffffb0000000);
	pd_dsosyms_relocate(d.syms, "_text", 0);
	CHECK_STR(name_at(&d, 0xffffffffa2000100, 0), "helper");
	close_dso(&d);
}

static void
a_module_has_only_its_own_symbols(void)
{
	struct pd_symopts o = { .kallsyms = path };
	static const char *const names[] = { "[snd_hda]",
		"/lib/modules/6.1.0/kernel/sound/snd-hda.ko",
		"/lib/modules/6.1.0/kernel/sound/snd-hda.ko.xz" };
	struct opened d;

	write_file(kallsyms, sizeof(kallsyms) - 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		d = open_dso(&o, PD_DSO_MODULE, names[i], 0);
		CHECK_STR(name_at(&d, 0xffffffffc0100041, 0), "play");
		CHECK_STR(name_at(&d, 0xffffffffc0200000, 0), NULL);
		CHECK_STR(name_at(&d, 0xffffffff81000100, 0), NULL);
		close_dso(&d);
	}
}

static void
hidden_addresses_are_no_names(void)
{
	static const char hidden[] = "0000000000000000 T _text\n"
	    "0000000000000000 T startup_64\n";
	struct pd_symopts o = { .kallsyms = path };
	struct opened d;

	write_file(hidden, sizeof(hidden) - 1);
	d = open_dso(&o, PD_DSO_KERNEL, "[kernel.kallsyms]", 0);
	CHECK_STR(pd_dsosyms_why(d.syms),
	    "kallsyms hides addresses (kptr_restrict)");
	CHECK_STR(name_at(&d, 0, 0), NULL);
	close_dso(&d);
	write_file("", 0);
	d = open_dso(&o, PD_DSO_KERNEL, "[kernel.kallsyms]", 0);
	CHECK_STR(pd_dsosyms_why(d.syms), "no symbols in kallsyms");
	close_dso(&d);
	unlink(path);
	d = open_dso(&o, PD_DSO_KERNEL, "[kernel.kallsyms]", 0);
	CHECK_STR(pd_dsosyms_why(d.syms), "file not found");
	close_dso(&d);
}

/* The kernel of this machine must not name the samples of another. */
static void
another_kernel_has_no_names(void)
{
	struct pd_info info = { .osrelease = "1.0.0-never" };
	struct pd_symopts o = { .info = &info, .buildid_dir = dir };
	struct opened d;

	d = open_dso(&o, PD_DSO_KERNEL, "[kernel.kallsyms]", 77);
	CHECK_STR(pd_dsosyms_why(d.syms),
	    "recorded under another kernel (see --kallsyms)");
	close_dso(&d);
	d = open_dso(&o, PD_DSO_MODULE, "[snd]", 0);
	CHECK_STR(pd_dsosyms_why(d.syms),
	    "recorded under another kernel (see --kallsyms)");
	close_dso(&d);
	o.info = NULL;
	d = open_dso(&o, PD_DSO_KERNEL, "[kernel.kallsyms]", 0);
	CHECK(pd_dsosyms_why(d.syms) != NULL);
	close_dso(&d);
}

static void
this_kernel_is_known_by_its_release(void)
{
	struct utsname u;
	struct pd_info info = { .osrelease = u.release };
	struct pd_symopts o = { .info = &info, .buildid_dir = dir };
	struct opened d;

	uname(&u);
	d = open_dso(&o, PD_DSO_KERNEL, "[kernel.kallsyms]", 0);
	if (pd_dsosyms_why(d.syms) == NULL)
		CHECK_STR(pd_dsosyms_path(d.syms), "/proc/kallsyms");
	close_dso(&d);
}

static void
guests_have_no_names(void)
{
	struct pd_symopts o = { .kallsyms = path };
	struct pd_dso dso = { .kind = PD_DSO_KERNEL, .guest = true,
		.name = "[guest.kernel.kallsyms]" };
	struct pd_error err;
	struct pd_symsources *src = pd_symsources_new(&o, &err);
	struct pd_dsosyms *s = pd_dsosyms_open(src, &dso, &err);

	CHECK_STR(pd_dsosyms_why(s), "guest kernel");
	CHECK(pd_dsosyms_find(s, 0xffffffff81000000, 0) == NULL);
	pd_dsosyms_free(s);
	pd_symsources_free(src);
}

static void
vmlinux_is_shifted_and_checked(void)
{
	struct pd_symopts o = { .vmlinux = path };
	struct eb b = eb_new(true, false, ET_EXEC, EM_X86_64);
	uint8_t id[20] = { 5 };
	struct opened d;
	size_t text, syms;

	eb_buildid(&b, id, sizeof(id));
	text = eb_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
	    0xffffffff81000000, NULL, 0x1000);
	syms = eb_symtab(&b, SHT_SYMTAB);
	eb_sym(&b, syms, "_text", 0xffffffff81000000, 0, 1, STT_NOTYPE, 0,
	    text);
	eb_sym(&b, syms, "schedule", 0xffffffff81000200, 0x40, 1, STT_FUNC, 0,
	    text);
	eb_finish(&b);
	write_file(b.out.p, b.out.len);
	eb_free(&b);

	d = open_dso(&o, PD_DSO_KERNEL, "[kernel.kallsyms]", 5);
	CHECK_STR(pd_dsosyms_why(d.syms), NULL);
	CHECK_STR(name_at(&d, 0xffffffff81000210, 0), "schedule");
	pd_dsosyms_relocate(d.syms, "_text", 0xffffffff9e000000);
	CHECK_STR(name_at(&d, 0xffffffff9e000210, 0), "schedule");
	close_dso(&d);
	d = open_dso(&o, PD_DSO_KERNEL, "[kernel.kallsyms]", 6);
	CHECK_STR(pd_dsosyms_why(d.syms),
	    "build-id differs from the recording's");
	close_dso(&d);
}

/* Code of a module lies in the order of its sections, without .init.text. */
static void
a_module_file_counts_from_its_start(void)
{
	struct pd_symopts o = { .symfs = dir, .buildid_dir = dir };
	struct eb b = eb_new(true, false, ET_REL, EM_X86_64);
	size_t text, init, cold, syms;
	struct opened d;

	text = eb_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
	    0, NULL, 0x31);
	init = eb_section(&b, ".init.text", SHT_PROGBITS,
	    SHF_ALLOC | SHF_EXECINSTR, 0, NULL, 0x100);
	cold = eb_section(&b, ".text.unlikely", SHT_PROGBITS,
	    SHF_ALLOC | SHF_EXECINSTR, 0, NULL, 0x20);
	b.secs[cold].align = 16;
	syms = eb_symtab(&b, SHT_SYMTAB);
	eb_sym(&b, syms, "hot", 0x10, 0x10, 1, STT_FUNC, 0, text);
	eb_sym(&b, syms, "setup", 0, 0x10, 1, STT_FUNC, 0, init);
	eb_sym(&b, syms, "cold", 0, 0x10, 1, STT_FUNC, 0, cold);
	eb_finish(&b);
	write_file(b.out.p, b.out.len);
	eb_free(&b);
	d = open_dso(&o, PD_DSO_MODULE, "/mod.ko", 0);
	CHECK_STR(pd_dsosyms_why(d.syms), NULL);
	CHECK_STR(name_at(&d, 0xffffffffc0000015, 0xffffffffc0000000), "hot");
	CHECK_STR(name_at(&d, 0xffffffffc0000040, 0xffffffffc0000000), "cold");
	CHECK_STR(name_at(&d, 0xffffffffc0000000, 0xffffffffc0000000), NULL);
	close_dso(&d);
	d = open_dso(&o, PD_DSO_MODULE, "/mod.ko.xz", 0);
	CHECK_STR(pd_dsosyms_why(d.syms), "file not found");
	close_dso(&d);
}

static struct eb
module(void)
{
	struct eb b = eb_new(true, false, ET_REL, EM_X86_64);
	uint8_t id[20] = { 5 };
	size_t text, syms;

	eb_buildid(&b, id, sizeof(id));
	text = eb_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
	    0, NULL, 0x40);
	syms = eb_symtab(&b, SHT_SYMTAB);
	eb_sym(&b, syms, "hot", 0x10, 0x10, 1, STT_FUNC, 0, text);
	eb_finish(&b);
	return b;
}

static void
expect_hot(uint8_t id, const char *why)
{
	struct pd_symopts o = { .symfs = dir, .buildid_dir = dir };
	struct opened d = open_dso(&o, PD_DSO_MODULE, "/mod.ko", id);

	CHECK_STR(pd_dsosyms_why(d.syms), why);
	CHECK_STR(name_at(&d, 0xffffffffc0000015, 0xffffffffc0000000),
	    why == NULL ? "hot" : NULL);
	close_dso(&d);
}

/* The bytes tell, not the name: the build-id cache has no suffixes. */
static void
modules_may_be_compressed(void)
{
	struct eb b = module();
	size_t size = b.out.len + 1024, len = 0;
	uint8_t *buf = malloc(size);
	z_stream z = { .next_in = b.out.p, .avail_in = (uInt)b.out.len,
		.next_out = buf, .avail_out = (uInt)size };

	CHECK(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, b.out.p,
	    b.out.len, buf, &len, size) == LZMA_OK);
	write_file(buf, len);
	expect_hot(5, NULL);
	expect_hot(6, "build-id differs from the recording's");
	write_file(buf, len - 9);
	expect_hot(5, "compressed file is damaged");
	len = ZSTD_compress(buf, size, b.out.p, b.out.len, 3);
	write_file(buf, len);
	expect_hot(5, NULL);
	write_file(buf, len - 1);
	expect_hot(5, "compressed file is damaged");
	deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
	write_file(buf, z.total_out);
	expect_hot(5, NULL);
	write_file(buf, z.total_out - 9);
	expect_hot(5, "compressed file is damaged");
	deflateEnd(&z);
	write_file("\037\213nonsense", 10);
	expect_hot(5, "compressed file is damaged");
	free(buf);
	eb_free(&b);
}

static void
a_module_is_found_by_its_build_id(void)
{
	struct eb b = module();
	char cmd[400], elf[200];
	FILE *f;

	snprintf(elf, sizeof(elf),
	    "%s/.build-id/05/00000000000000000000000000000000000000", dir);
	snprintf(cmd, sizeof(cmd), "mkdir -p %s", elf);
	CHECK(system(cmd) == 0);
	snprintf(cmd, sizeof(cmd), "%s/elf", elf);
	f = fopen(cmd, "w");
	CHECK(f != NULL && fwrite(b.out.p, 1, b.out.len, f) == b.out.len);
	fclose(f);
	unlink(path);
	expect_hot(5, NULL);
	expect_hot(6, "file not found");
	eb_free(&b);
	snprintf(cmd, sizeof(cmd), "rm -rf %s/.build-id", dir);
	CHECK(system(cmd) == 0);
}

int
main(void)
{
	if (mkdtemp(dir) == NULL)
		return 1;
	snprintf(path, sizeof(path), "%s/mod.ko", dir);
	RUN(kallsyms_names_the_kernel);
	RUN(another_boot_is_shifted_by_its_reference);
	RUN(a_module_has_only_its_own_symbols);
	RUN(hidden_addresses_are_no_names);
	RUN(another_kernel_has_no_names);
	RUN(this_kernel_is_known_by_its_release);
	RUN(guests_have_no_names);
	RUN(vmlinux_is_shifted_and_checked);
	RUN(a_module_file_counts_from_its_start);
	RUN(modules_may_be_compressed);
	RUN(a_module_is_found_by_its_build_id);
	unlink(path);
	rmdir(dir);
	return tap_done();
}
