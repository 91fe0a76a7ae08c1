/* Where the names of a DSO are looked for, and which files are refused. */
#include <lzma.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "symbol/dsosyms.h"
#include "elfbuild.h"
#include "tap.h"

/* Passed as they are with the options of expect(). */
static const struct pd_path_map *maps;
static size_t nmaps;

static char top[] = "/tmp/pd-debugfile-XXXXXX";

/* One program in several forms, told apart by the name of its function. */
struct form {
	const char	*function;	/* NULL: stripped */
	uint8_t		id;		/* first byte of the build-id; 0: none */
	bool		exported;	/* the function is in .dynsym only */
	bool		debug;		/* without code */
	bool		keeps_offsets;	/* debug file made by eu-strip */
	const char	*link;		/* .gnu_debuglink */
	const struct eb_bytes *mini;	/* .gnu_debugdata */
	uint32_t	crc;
	uint64_t	base;		/* where it was linked to */
};

static struct eb
program(const struct form *f)
{
	struct eb b = eb_new(true, false, ET_DYN, EM_X86_64);
	uint64_t base = f->base + 0x7000;
	uint8_t id[20] = { f->id, 0x22 };
	size_t text, s;

	if (f->id != 0)
		eb_buildid(&b, id, sizeof(id));
	text = eb_section(&b, ".text", f->debug ? SHT_NOBITS : SHT_PROGBITS,
	    SHF_ALLOC | SHF_EXECINSTR, base, NULL, 0x100);
	if (f->function != NULL) {
		s = eb_symtab(&b, f->exported ? SHT_DYNSYM : SHT_SYMTAB);
		eb_sym(&b, s, f->function, base + 0x10, 0x10, 1, STT_FUNC, 0,
		    text);
	}
	if (f->mini != NULL)
		eb_section(&b, ".gnu_debugdata", SHT_PROGBITS, 0, 0,
		    f->mini->p, f->mini->len);
	if (f->link != NULL) {
		s = eb_section(&b, ".gnu_debuglink", SHT_PROGBITS, 0, 0,
		    f->link, strlen(f->link) + 1);
		eb_put(&b.secs[s].data, NULL, -b.secs[s].data.len & 3);
		eb_num(&b, &b.secs[s].data, f->crc, 4);
	}
	/* objcopy --only-keep-debug leaves nothing in the segment. */
	eb_load(&b, f->debug && !f->keeps_offsets ? 0 : 0x1000, base,
	    f->debug && !f->keeps_offsets ? 0 : 0x100, PF_R | PF_X);
	eb_finish(&b);
	return b;
}

/* Write below the directory, with the directories on the way; the CRC. */
static uint32_t
put_file(const char *name, const void *p, size_t len)
{
	char path[256], *slash;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	for (slash = path + strlen(top) + 1; (slash = strchr(slash, '/'));
	    slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	f = fopen(path, "w");
	if (CHECK(f != NULL)) {
		CHECK(fwrite(p, 1, len, f) == len);
		fclose(f);
	}
	return (uint32_t)crc32(crc32(0, NULL, 0), p, (uInt)len);
}

static uint32_t
put_program(const char *name, const struct form *f)
{
	struct eb b = program(f);
	uint32_t crc = put_file(name, b.out.p, b.out.len);

	eb_free(&b);
	return crc;
}

static void
clean(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf %s/*", top);
	CHECK(system(cmd) == 0);
}

/*
 * Expect a DSO to be named by a function, from the file `from`, or not at all
 * for the reason why.
 */
static void
expect(const char *name, uint8_t id, const char *function, const char *from,
    const char *why)
{
	char cache[128];
	struct pd_symopts o = { .symfs = top, .buildid_dir = cache,
		.path_maps = maps, .npath_maps = nmaps };
	struct pd_dso dso = { .kind = PD_DSO_FILE, .name = name };
	struct pd_error err;
	struct pd_symsources *src;
	struct pd_dsosyms *s;
	const struct pd_symbol *sym;

	snprintf(cache, sizeof(cache), "%s/cache", top);
	if (id != 0) {
		dso.buildid.size = 20;
		dso.buildid.bytes[0] = id;
		dso.buildid.bytes[1] = 0x22;
	}
	src = pd_symsources_new(&o, &err);
	s = pd_dsosyms_open(src, &dso, &err);
	CHECK_STR(pd_dsosyms_why(s), why);
	sym = pd_dsosyms_find(s, 0x1014, 0);
	CHECK_STR(sym ? sym->name : NULL, function);
	CHECK(pd_dsosyms_find(s, 0x1000, 0) == NULL);
	if (from != NULL)
		CHECK_STR(pd_dsosyms_path(s) + strlen(top), from);
	pd_dsosyms_free(s);
	pd_symsources_free(src);
	clean();
}

#define ID_DIR		"/usr/lib/debug/.build-id/05/22"
#define ID_TAIL		"000000000000000000000000000000000000"
#define DIFFERS		"build-id differs from the recording's"
#define STRIPPED	"no symbols (stripped)"

static const struct form whole = { .function = "itself", .id = 5 };
static const struct form stripped = { .id = 5 };
static const struct form debug = { .function = "debug", .id = 5,
	.debug = true };

static void
the_file_itself_is_enough(void)
{
	put_program("bin/p", &whole);
	expect("/bin/p", 5, "itself", "/bin/p", NULL);
	put_program("bin/p", &whole);
	expect("/bin/p", 0, "itself", "/bin/p", NULL);
}

static void
another_build_is_never_used(void)
{
	struct form f = whole;

	put_program("bin/p", &whole);
	expect("/bin/p", 6, NULL, NULL, DIFFERS);
	f.id = 0;
	put_program("bin/p", &f);
	expect("/bin/p", 6, NULL, NULL, DIFFERS);
}

static void
a_stripped_file_says_so(void)
{
	struct form f = { .function = "exported", .id = 5, .exported = true };

	put_program("bin/p", &stripped);
	expect("/bin/p", 5, NULL, "/bin/p", STRIPPED);
	/* What it exports has names all the same. */
	put_program("bin/p", &f);
	expect("/bin/p", 5, "exported", "/bin/p",
	    "only dynamic symbols (stripped)");
	put_program("bin/p", &f);
	put_program(ID_DIR ID_TAIL ".debug", &debug);
	expect("/bin/p", 5, "exported", NULL, NULL);
}

static void
the_debug_file_is_found_by_build_id(void)
{
	put_program("bin/p", &stripped);
	put_program(ID_DIR ID_TAIL ".debug", &debug);
	expect("/bin/p", 5, "debug", ID_DIR ID_TAIL ".debug", NULL);
	/* The recording has no build-id, but the program has one. */
	put_program("bin/p", &stripped);
	put_program(ID_DIR ID_TAIL ".debug", &debug);
	expect("/bin/p", 0, "debug", ID_DIR ID_TAIL ".debug", NULL);
}

static void
a_debug_file_of_another_build_is_refused(void)
{
	struct form f = debug;

	f.id = 9;
	put_program("bin/p", &stripped);
	put_program(ID_DIR ID_TAIL ".debug", &f);
	put_program("usr/lib/debug/bin/p.debug", &f);
	put_program("usr/lib/debug/bin/p", &f);
	expect("/bin/p", 5, NULL, NULL, STRIPPED);
}

static void
the_cache_of_perf_comes_first(void)
{
	struct form f = whole;

	f.function = "cached";
	put_program("bin/p", &whole);
	put_program("cache/.build-id/05/22" ID_TAIL "/elf", &f);
	expect("/bin/p", 5, "cached", NULL, NULL);
	/* Before Linux 4.14 the cache had a file there. */
	put_program("cache/.build-id/05/22" ID_TAIL, &f);
	expect("/bin/gone", 5, "cached", NULL, NULL);
	put_program("cache/.build-id/05/22" ID_TAIL "/elf", &stripped);
	put_program("cache/.build-id/05/22" ID_TAIL "/debug", &debug);
	expect("/bin/gone", 5, "debug", NULL, NULL);
	/* A stripped program has its build-id still. */
	put_program("bin/p", &stripped);
	put_program("cache/.build-id/05/22" ID_TAIL "/elf", &f);
	expect("/bin/p", 0, "cached", NULL, NULL);
	f.id = 7;
	put_program("cache/.build-id/05/22" ID_TAIL "/elf", &f);
	expect("/bin/gone", 5, NULL, NULL, "file not found");
}

static void
a_debuglink_is_followed_in_three_places(void)
{
	static const char *const places[] = { "bin/p.dbg", "bin/.debug/p.dbg",
		"usr/lib/debug/bin/p.dbg" };
	struct form p = stripped, d = debug;

	p.link = "p.dbg";
	for (size_t i = 0; i < 3; i++) {
		put_program("bin/p", &p);
		put_program(places[i], &d);
		expect("/bin/p", 5, "debug", NULL, NULL);
	}
	/* Without build-ids it is the checksum that proves it. */
	p.id = d.id = 0;
	for (size_t i = 0; i < 3; i++) {
		p.crc = put_program(places[i], &d);
		put_program("bin/p", &p);
		expect("/bin/p", 0, "debug", NULL, NULL);
	}
	p.crc = put_program("bin/p.dbg", &d) + 1;
	put_program("bin/p", &p);
	expect("/bin/p", 0, NULL, NULL, STRIPPED);
}

static void
hostile_links_lead_nowhere(void)
{
	struct form p = stripped;
	char fifo[128];

	p.link = "p";				/* itself */
	put_program("bin/p", &p);
	expect("/bin/p", 5, NULL, NULL, STRIPPED);
	p.link = "fifo";
	put_program("bin/p", &p);
	snprintf(fifo, sizeof(fifo), "%s/bin/fifo", top);
	CHECK(mkfifo(fifo, 0600) == 0);
	expect("/bin/p", 5, NULL, NULL, STRIPPED);
	p.link = "../out/p.dbg";
	put_program("bin/p", &p);
	put_program("out/p.dbg", &debug);
	expect("/bin/p", 5, NULL, NULL, STRIPPED);
}

static void
trees_of_debug_files_are_searched(void)
{
	put_program("bin/p", &stripped);
	put_program("usr/lib/debug/bin/p.debug", &debug);
	expect("/bin/p", 5, "debug", NULL, NULL);
	put_program("bin/p", &stripped);
	put_program("usr/lib/debug/bin/p", &debug);
	expect("/bin/p", 5, "debug", NULL, NULL);
}

static void
a_deleted_file_is_proved_by_its_build_id(void)
{
	put_program("bin/p", &whole);
	expect("/bin/p (deleted)", 5, "itself", NULL, NULL);
	put_program("bin/p", &whole);
	expect("/bin/p (deleted)", 6, NULL, NULL, DIFFERS);
	put_program("bin/p", &whole);
	expect("/bin/p (deleted)", 0, NULL, NULL,
	    "file was deleted, and has no build-id");
	put_program("cache/.build-id/05/22" ID_TAIL "/elf", &whole);
	expect("/bin/p (deleted)", 5, "itself", NULL, NULL);
}

static void
without_the_program_its_offsets_must_be_known(void)
{
	struct form d = debug;

	put_program(ID_DIR ID_TAIL ".debug", &d);
	expect("/bin/p", 5, NULL, NULL, "only its debug file was found");
	d.keeps_offsets = true;
	put_program(ID_DIR ID_TAIL ".debug", &d);
	expect("/bin/p", 5, "debug", NULL, NULL);
}

static void
a_program_moved_by_prelink_keeps_its_names(void)
{
	struct form p = stripped;

	p.base = 0x3000000000;
	put_program("bin/p", &p);
	put_program(ID_DIR ID_TAIL ".debug", &debug);
	expect("/bin/p", 5, "debug", NULL, NULL);
}

/* What xz makes of a file with these symbols; free(3). */
static struct eb_bytes
compressed(const struct form *f)
{
	struct eb b = program(f);
	struct eb_bytes x = { malloc(b.out.len + 1024), 0 };

	CHECK(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, b.out.p,
	    b.out.len, x.p, &x.len, b.out.len + 1024) == LZMA_OK);
	eb_free(&b);
	return x;
}

static void
a_stripped_file_may_carry_its_symbols(void)
{
	struct form mini = { .function = "mini", .debug = true };
	struct eb_bytes x = compressed(&mini);
	struct form p = { .id = 5, .mini = &x }, both = p;

	put_program("bin/p", &p);
	expect("/bin/p", 5, "mini", "/bin/p", NULL);
	put_program("bin/p", &p);
	expect("/bin/p", 6, NULL, NULL, DIFFERS);
	/* They are fewer than those of a symbol table. */
	put_program("bin/p", &p);
	put_program(ID_DIR ID_TAIL ".debug", &debug);
	expect("/bin/p", 5, "debug", NULL, NULL);
	both.function = "itself";
	put_program("bin/p", &both);
	expect("/bin/p", 5, "itself", NULL, NULL);
	free(x.p);
}

static void
damaged_symbols_in_a_section_are_left_out(void)
{
	struct form mini = { .function = "mini", .debug = true };
	struct eb_bytes x = compressed(&mini);
	struct form p = { .id = 5, .mini = &x };
	size_t len = x.len;

	for (x.len = 0; x.len < len; x.len += 1 + len / 100) {
		put_program("bin/p", &p);
		expect("/bin/p", 5, NULL, NULL, STRIPPED);
	}
	for (x.len = len, len = 0; len < x.len; len += 3) {
		x.p[len] ^= 0x40;
		put_program("bin/p", &p);
		expect("/bin/p", 5, NULL, NULL, STRIPPED);
		x.p[len] ^= 0x40;
	}
	free(x.p);
}

/* The mapped path is complete: symfs is not put before it. */
static void
a_path_map_replaces_whole_components(void)
{
	char to[128], deeper[128], file[128];
	const struct pd_path_map some[] = { { "/build/", to },
		{ "/build/out", deeper }, { "/usr/bin/one", file } };
	struct form p = stripped;

	snprintf(to, sizeof(to), "%s/here/", top);
	snprintf(deeper, sizeof(deeper), "%s/there", top);
	snprintf(file, sizeof(file), "%s/two", top);
	maps = some;
	nmaps = 3;
	put_program("here/bin/p", &whole);
	expect("/build/bin/p", 5, "itself", "/here/bin/p", NULL);
	put_program("here/bin/p", &whole);
	expect("/build/bin/p", 6, NULL, NULL, DIFFERS);
	put_program("there/p", &whole);
	expect("/build/out/p", 0, "itself", "/there/p", NULL);
	put_program("here/outer/p", &whole);
	expect("/build/outer/p", 0, "itself", "/here/outer/p", NULL);
	put_program("builder/p", &whole);
	expect("/builder/p", 0, "itself", "/builder/p", NULL);
	put_program("two", &whole);
	expect("/usr/bin/one", 0, "itself", "/two", NULL);
	/* What was there is not what was recorded. */
	put_program("build/bin/p", &whole);
	expect("/build/bin/p", 5, NULL, NULL, "file not found");
	p.link = "p.dbg";
	put_program("there/p", &p);
	put_program("there/.debug/p.dbg", &debug);
	expect("/build/out/p", 5, "debug", "/there/.debug/p.dbg", NULL);
	maps = NULL;
	nmaps = 0;
}

static void
a_path_map_can_cover_everything(void)
{
	const struct pd_path_map all = { "/", top }, none = { top, "/" };

	maps = &all;
	nmaps = 1;
	put_program("bin/p", &whole);
	expect("/bin/p", 5, "itself", "/bin/p", NULL);
	maps = &none;
	expect("relative", 5, NULL, NULL, "not a path");
	expect(top, 5, NULL, NULL, "file not found");
	maps = NULL;
	nmaps = 0;
}

static void
what_is_not_a_file_is_not_opened(void)
{
	char name[128];

	snprintf(name, sizeof(name), "%s/fifo", top);
	CHECK(mkfifo(name, 0600) == 0);
	expect("/fifo", 5, NULL, NULL, "not a regular file");
	expect("/../../dev/zero", 0, NULL, NULL, "not a regular file");
	snprintf(name, sizeof(name), "%s/loop", top);
	CHECK(symlink("loop", name) == 0);
	expect("/loop", 0, NULL, NULL, "a symbolic link that leads nowhere");
	snprintf(name, sizeof(name), "%s/d", top);
	CHECK(mkdir(name, 0755) == 0);
	expect("/d", 0, NULL, NULL, "not a regular file");
	put_file("text", "hello", 5);
	expect("/text", 0, NULL, NULL, "not an ELF file");
	expect("/none", 0, NULL, NULL, "file not found");
	expect("relative", 0, NULL, NULL, "not a path");
	expect("", 0, NULL, NULL, "not a path");
	expect(" (deleted)", 0, NULL, NULL, "not a path");
}

static void
long_paths_are_no_files(void)
{
	size_t n = 100000;
	char *s = malloc(n + 1);

	memset(s, '/', n);
	s[n] = '\0';
	expect(s, 5, NULL, NULL, "file not found");
	memset(s + 1, 'x', 4000);
	s[4001] = '\0';
	expect(s, 5, NULL, NULL, "file cannot be opened");
	free(s);
}

static void
other_kinds_have_no_files(void)
{
	static const enum pd_dso_kind kinds[] = { PD_DSO_ANON, PD_DSO_BPF };
	struct pd_symopts o = { 0 };
	struct pd_error err;
	struct pd_symsources *src = pd_symsources_new(&o, &err);

	for (size_t i = 0; i < 2; i++) {
		struct pd_dso dso = { .kind = kinds[i], .name = "/bin/sh" };
		struct pd_dsosyms *s = pd_dsosyms_open(src, &dso, &err);

		CHECK(pd_dsosyms_why(s) != NULL);
		CHECK(pd_dsosyms_find(s, 0x1000, 0) == NULL);
		pd_dsosyms_free(s);
	}
	pd_symsources_free(src);
}

/* This process has one, unless it runs under something unusual. */
static void
the_vdso_of_this_machine_names_itself(void)
{
	struct utsname u;
	struct pd_info info = { .osrelease = u.release, .arch = u.machine };
	struct pd_symopts o = { .info = &info, .buildid_dir = top };
	struct pd_dso dso = { .kind = PD_DSO_VDSO, .name = "[vdso]" };
	struct pd_error err;
	struct pd_symsources *src;
	struct pd_dsosyms *s;
	size_t named = 0;

	uname(&u);
	src = pd_symsources_new(&o, &err);
	s = pd_dsosyms_open(src, &dso, &err);
	for (uint64_t off = 0; off < 0x4000; off++)
		named += pd_dsosyms_find(s, off, 0) != NULL;
	CHECK(getauxval(AT_SYSINFO_EHDR) == 0 || named > 0);
	pd_dsosyms_free(s);
	dso.buildid = (struct pd_buildid){ .size = 20, .bytes = { 1 } };
	s = pd_dsosyms_open(src, &dso, &err);
	CHECK_STR(pd_dsosyms_why(s), "vdso is not this machine's");
	pd_dsosyms_free(s);
	dso.buildid.size = 0;
	dso.name = "[vdso32]";
	s = pd_dsosyms_open(src, &dso, &err);
	CHECK_STR(pd_dsosyms_why(s), "vdso is not this machine's");
	pd_dsosyms_free(s);
	pd_symsources_free(src);
}

int
main(void)
{
	if (mkdtemp(top) == NULL)
		return 1;
	RUN(the_file_itself_is_enough);
	RUN(another_build_is_never_used);
	RUN(a_stripped_file_says_so);
	RUN(the_debug_file_is_found_by_build_id);
	RUN(a_debug_file_of_another_build_is_refused);
	RUN(the_cache_of_perf_comes_first);
	RUN(a_debuglink_is_followed_in_three_places);
	RUN(hostile_links_lead_nowhere);
	RUN(trees_of_debug_files_are_searched);
	RUN(a_deleted_file_is_proved_by_its_build_id);
	RUN(without_the_program_its_offsets_must_be_known);
	RUN(a_program_moved_by_prelink_keeps_its_names);
	RUN(a_stripped_file_may_carry_its_symbols);
	RUN(damaged_symbols_in_a_section_are_left_out);
	RUN(a_path_map_replaces_whole_components);
	RUN(a_path_map_can_cover_everything);
	RUN(what_is_not_a_file_is_not_opened);
	RUN(long_paths_are_no_files);
	RUN(other_kinds_have_no_files);
	RUN(the_vdso_of_this_machine_names_itself);
	rmdir(top);
	return tap_done();
}
