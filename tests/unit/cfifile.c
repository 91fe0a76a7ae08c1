/* What of an ELF file the unwinder gets. */
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "symbol/cfifile.h"
#include "elfbuild.h"
#include "tap.h"

static const uint8_t frames[100] = { 1, 2, 3 };

static struct eb
program(bool is64, bool big)
{
	struct eb b = eb_new(is64, big, ET_DYN, EM_X86_64);

	eb_section(&b, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
	    0x1000, NULL, 0x20);
	eb_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
	    0x1020, NULL, 0x100);
	eb_section(&b, ".plt.sec", SHT_PROGBITS, SHF_ALLOC, 0x1200, NULL, 8);
	eb_load(&b, 0x500, 0x9000, 0x10, PF_R);
	eb_load(&b, 0x800, 0x1000, 0x1234, PF_R | PF_X);
	return b;
}

/* The image of a finished file; frees it. */
static struct pd_image
read_it(struct eb *b)
{
	struct pd_image img = { 0 };
	const char *why;
	struct pd_elf e;
	struct pd_error err;

	eb_finish(b);
	CHECK(pd_elf_open_mem(&e, b->out.p, b->out.len, &why, &err) == 0);
	CHECK(pd_cfifile_add(&img, &e, &err) == 0);
	pd_elf_close(&e);
	eb_free(b);
	return img;
}

static void
code_stubs_and_frames_are_found(void)
{
	for (int i = 0; i < 4; i++) {
		struct eb b = program(i & 1, i & 2);
		struct pd_image img;
		uint64_t addr;

		eb_section(&b, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 0x3000,
		    frames, sizeof(frames));
		eb_section(&b, ".debug_frame", SHT_PROGBITS, 0, 0, frames, 50);
		img = read_it(&b);
		CHECK_EQ(img.machine, EM_X86_64);
		CHECK_EQ(img.is64, i & 1);
		CHECK_EQ(img.ncode, 1);
		CHECK(pd_image_addr(&img, 0x810, &addr));
		CHECK_EQ(addr, 0x1010);
		/* The page of the map begins before the segment. */
		CHECK(pd_image_addr(&img, 0x10, &addr));
		CHECK_EQ(addr, 0x810);
		CHECK(!pd_image_addr(&img, 0x10000, &addr));
		CHECK(pd_image_is_plt(&img, 0x1000));
		CHECK(pd_image_is_plt(&img, 0x101f));
		CHECK(!pd_image_is_plt(&img, 0x1020));
		CHECK(!pd_image_is_plt(&img, 0x1200));
		CHECK_EQ(img.eh_frame.size, sizeof(frames));
		CHECK_EQ(img.eh_frame.addr, 0x3000);
		CHECK(memcmp(img.eh_frame.bytes, frames, sizeof(frames)) == 0);
		CHECK_EQ(img.debug_frame.size, 50);
		pd_image_free(&img);
	}
}

static void
files_without_frames_are_no_error(void)
{
	struct eb b = program(true, false);
	struct pd_image img;

	eb_section(&b, ".eh_frame", SHT_NOBITS, SHF_ALLOC, 0x3000, NULL, 100);
	img = read_it(&b);
	CHECK(img.eh_frame.bytes == NULL);
	CHECK(img.debug_frame.bytes == NULL);
	pd_image_free(&img);
}

/* A .debug_frame of n bytes that is said to be of size bytes. */
static struct pd_image
compressed(bool is64, uint32_t type, uint64_t size, size_t cut)
{
	struct eb b = program(is64, false);
	struct eb_bytes *d;
	uint8_t z[200];
	uLongf n = sizeof(z);
	size_t s;

	compress(z, &n, frames, sizeof(frames));
	s = eb_section(&b, ".debug_frame", SHT_PROGBITS, SHF_COMPRESSED, 0,
	    NULL, 0);
	d = &b.secs[s].data;
	eb_num(&b, d, type, 4);
	if (is64)
		eb_num(&b, d, 0, 4);
	eb_word(&b, d, size);
	eb_word(&b, d, 1);
	eb_put(d, z, n);
	d->len -= cut < d->len ? cut : d->len;
	return read_it(&b);
}

static void
compressed_frames_are_inflated(void)
{
	struct pd_image img;

	for (int is64 = 0; is64 < 2; is64++) {
		img = compressed(is64, ELFCOMPRESS_ZLIB, sizeof(frames), 0);
		CHECK_EQ(img.debug_frame.size, sizeof(frames));
		CHECK(img.debug_frame.bytes != NULL &&
		    memcmp(img.debug_frame.bytes, frames,
		    sizeof(frames)) == 0);
		pd_image_free(&img);
	}
}

static void
check_frames(struct eb *b)
{
	struct pd_image img = read_it(b);

	CHECK_EQ(img.debug_frame.size, sizeof(frames));
	CHECK(img.debug_frame.bytes != NULL &&
	    memcmp(img.debug_frame.bytes, frames, sizeof(frames)) == 0);
	pd_image_free(&img);
}

/* gcc -gz=zstd, and -gz=zlib-gnu, which has another name and header. */
static void
other_compressions_are_read_too(void)
{
	struct eb b = program(true, false);
	struct eb_bytes *d;
	uint8_t z[200];
	uLongf n = sizeof(z);

	d = &b.secs[eb_section(&b, ".debug_frame", SHT_PROGBITS,
	    SHF_COMPRESSED, 0, NULL, 0)].data;
	eb_num(&b, d, 2, 4);			/* ELFCOMPRESS_ZSTD */
	eb_num(&b, d, 0, 4);
	eb_word(&b, d, sizeof(frames));
	eb_word(&b, d, 1);
	eb_put(d, z, ZSTD_compress(z, sizeof(z), frames, sizeof(frames), 1));
	check_frames(&b);

	b = program(true, false);
	d = &b.secs[eb_section(&b, ".zdebug_frame", SHT_PROGBITS, 0, 0, NULL,
	    0)].data;
	eb_put(d, "ZLIB\0\0\0\0\0\0\0\144", 12);
	compress(z, &n, frames, sizeof(frames));
	eb_put(d, z, n);
	check_frames(&b);
}

static void
damaged_compression_gives_none(void)
{
	static const uint64_t sizes[] = { 0, 99, 101, 1 << 27,
		UINT64_MAX };
	struct pd_image img;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		img = compressed(true, ELFCOMPRESS_ZLIB, sizes[i], 0);
		CHECK(img.debug_frame.bytes == NULL);
		pd_image_free(&img);
	}
	for (size_t cut = 1; cut < 60; cut++) {
		img = compressed(true, ELFCOMPRESS_ZLIB, sizeof(frames), cut);
		CHECK(img.debug_frame.bytes == NULL);
		pd_image_free(&img);
	}
	img = compressed(true, 2, sizeof(frames), 0);	/* not zstd */
	CHECK(img.debug_frame.bytes == NULL);
	pd_image_free(&img);
}

/* This program has frames, as every program on this machine. */
static void
files_are_found_for_dsos(void)
{
	struct pd_symopts o = { 0 };
	struct pd_error err;
	struct pd_symsources *src = pd_symsources_new(&o, &err);
	struct pd_unwind_files files = pd_cfifiles(src);
	struct pd_image img = { 0 };
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct pd_dso dso = { .kind = PD_DSO_FILE, .name = self };

	CHECK(n > 0);
	self[n > 0 ? n : 0] = '\0';
	CHECK(files.read(files.ctx, &dso, &img, &err) == 0);
	CHECK(img.eh_frame.size > 0);
	pd_image_free(&img);
	dso.name = "/nonexistent";
	CHECK(files.read(files.ctx, &dso, &img, &err) == 0);
	CHECK(img.eh_frame.bytes == NULL);
	dso.kind = PD_DSO_ANON;
	CHECK(files.read(files.ctx, &dso, &img, &err) == 0);
	dso.kind = PD_DSO_VDSO;
	dso.name = "[vdso32]";
	CHECK(files.read(files.ctx, &dso, &img, &err) == 0);
	CHECK(img.eh_frame.bytes == NULL);
	pd_image_free(&img);
	pd_symsources_free(src);
}

int
main(void)
{
	RUN(code_stubs_and_frames_are_found);
	RUN(files_without_frames_are_no_error);
	RUN(compressed_frames_are_inflated);
	RUN(other_compressions_are_read_too);
	RUN(damaged_compression_gives_none);
	RUN(files_are_found_for_dsos);
	return tap_done();
}
