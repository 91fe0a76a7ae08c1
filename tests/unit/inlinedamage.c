/* DWARF that is damaged, or made to cost much. */
#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <zlib.h>

#include "dwarfbuild.h"

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
	CHECK_STR(at(in, 0x1000), "f@1");	/* a call without a name */
	CHECK_STR(at(in, 0x1010), "f@1");
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
	CHECK_STR(at(in, 0x1404), "a < kept@2");
	pd_inlines_free(in);
}

/*
 * A hostile file takes some memory, and about a second of time; what grows with
 * its square takes minutes, on any machine.
 */
static void
expect_cheap(void)
{
	struct rusage before, after;
	double begin = seconds();
	const char *san = getenv("PD_SAN");

	getrusage(RUSAGE_SELF, &before);
	look_everywhere();
	getrusage(RUSAGE_SELF, &after);
	CHECK(seconds() - begin < 30);
	if (san == NULL || san[0] == '\0')
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
		CHECK_EQ(pd_inlines_gave_up(in) != NULL, sizes[i] > 0 &&
		    sizes[i] / 1040 <= bound);
		pd_inlines_free(in);
	}
	free(zero);
	free(packed);
}

/* Units of 32 bytes of code each, from 0x1000 on. */
static size_t
write_units(int n)
{
	struct dwarf d = dwarf_new(true, false, 4);
	uint32_t a;
	size_t size;

	standard_abbrevs(&d);
	for (int i = 0; i < n; i++) {
		uint64_t lo = 0x1000 + (uint64_t)i * 32;

		open_unit(&d, 0);
		cu(&d, DW_LANG_C_plus_plus, lo, lo + 32);
		named(&d, NAMESPACE, "space");
		a = named(&d, DECL, "a");
		func(&d, "f", lo, 32);
		inlined(&d, a, lo + 8, 8, i & 0xff);
		up(&d);
		up(&d);
		up(&d);
		up(&d);
		close_unit(&d);
	}
	size = d.info.len;
	write_file(&d);
	return size;
}

/*
 * strip(1) and cp(1) write over files that are mapped: they become shorter, or
 * hold something else from one moment to the next.
 */
static void
files_may_change_while_they_are_read(void)
{
	enum { N = 2000, STEPS = 16 };
	size_t size, seen = 0;
	struct pd_inlines *in;
	uint8_t *other;
	int fd;

	pd_catch_sigbus();
	for (int cut = 0; cut <= STEPS; cut++) {
		size = write_units(N);
		in = open_table();
		CHECK_STR(at(in, 0x1008), "space::a < space::f");
		CHECK_EQ(truncate(path, (off_t)(size * (size_t)cut / STEPS)),
		    0);
		for (uint64_t a = 0x1008; a < 0x1000 + N * 32; a += 32)
			seen += strcmp(at(in, a), "") != 0;
		if (cut < STEPS - 1)	/* of 4 kB that are in the file */
			CHECK_STR(pd_inlines_gave_up(in),
			    "became shorter while it was read");
		pd_inlines_free(in);
	}
	CHECK(seen > N && seen < STEPS * N);
	for (unsigned step = 1; step <= STEPS; step++) {
		size = write_units(N);
		in = open_table();
		other = malloc(size);
		for (size_t i = 0; i < size; i++)
			other[i] = step == 1 ? 'x' : (uint8_t)(i * i / step);
		fd = open(path, O_WRONLY);
		CHECK(pwrite(fd, other, size, step * 100) == (ssize_t)size);
		close(fd);
		free(other);
		for (uint64_t a = 0x1008; a < 0x1000 + N * 32; a += 32)
			at(in, a);
		pd_inlines_free(in);
	}
}

int
main(void)
{
	if (!dwarf_begin())
		return 1;
	RUN(files_without_debug_information_have_nothing);
	RUN(any_byte_may_be_wrong);
	RUN(sections_may_end_anywhere);
	RUN(origins_may_go_in_circles);
	RUN(code_that_was_thrown_away_claims_nothing);
	RUN(deep_nesting_is_cut);
	RUN(units_that_claim_everything_are_cheap);
	RUN(overlapping_abbreviations_are_cheap);
	RUN(calls_that_overlap_at_random_are_cheap);
	RUN(bombs_are_not_inflated);
	RUN(files_may_change_while_they_are_read);
	unlink(path);
	return tap_done();
}
