/*
 * Finds the file that a DSO was, and the file with its symbols.
 *
 * The places are those of perf (dso__read_binary_type_filename() in
 * tools/perf/util/dso.c) and gdb ("Debugging Information in Separate Files").
 */
#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "symbol/archive.h"
#include "symbol/debuginfod.h"
#include "symbol/live.h"

#include "symbol/debugfile.h"

#define DEBUG_ROOT	"/usr/lib/debug"
/* Above this a debug file without a build-id is not worth its checksum. */
#define MAX_CRC		(1ull << 30)

static const char differs[] = "build-id differs from the recording's";

char *
pd_path(struct pd_error *err, const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n == -1) {
		pd_fail_nomem(err);
		return NULL;
	}
	return s;
}

const char *
pd_symfs(const struct pd_symopts *o)
{
	return o->symfs == NULL || strcmp(o->symfs, "/") == 0 ? "" : o->symfs;
}

static size_t
len_without_slashes(const char *s)
{
	size_t n = strlen(s);

	while (n > 0 && s[n - 1] == '/')
		n--;
	return n;
}

char *
pd_path_of(const struct pd_symopts *o, const char *name, size_t len,
    struct pd_error *err)
{
	const struct pd_path_map *m, *best = NULL;
	size_t i, n, cut = 0;

	for (i = 0; i < o->npath_maps; i++) {
		m = &o->path_maps[i];
		n = len_without_slashes(m->from);
		/* Whole components: /build is not the start of /builder. */
		if (n > len || strncmp(name, m->from, n) != 0 ||
		    (n < len && name[n] != '/') || (best && n <= cut))
			continue;
		best = m;
		cut = n;
	}
	if (best == NULL)
		return pd_path(err, "%s%.*s", pd_symfs(o), (int)len, name);
	return pd_path(err, "%.*s%.*s", (int)len_without_slashes(best->to),
	    best->to, (int)(len - cut), name + cut);
}

/* "ab/cdef...", as build-ids are spread over directories. */
static void
buildid_path(const struct pd_buildid *id, char buf[2 * 20 + 2])
{
	static const char hex[] = "0123456789abcdef";
	size_t i;
	char *p = buf;

	for (i = 0; i < id->size && i < sizeof(id->bytes); i++) {
		*p++ = hex[id->bytes[i] >> 4];
		*p++ = hex[id->bytes[i] & 15];
		if (i == 0)
			*p++ = '/';
	}
	*p = '\0';
}

char *
pd_buildid_cache_path(const struct pd_symopts *o, const struct pd_buildid *id,
    const char *what, struct pd_error *err)
{
	const char *slash = what[0] ? "/" : "", *home = getenv("HOME");
	char hex[2 * 20 + 2], *path;

	err->code = PD_OK;
	if (id->size < 2)
		return NULL;
	path = o->archive ? pd_archive_find(o->archive, id, what, err) : NULL;
	if (path != NULL || err->code != PD_OK)
		return path;
	buildid_path(id, hex);
	if (o->buildid_dir != NULL)
		return pd_path(err, "%s/.build-id/%s%s%s", o->buildid_dir, hex,
		    slash, what);
	if (pd_symfs(o)[0] != '\0')
		home = pd_symfs(o);
	if (home == NULL)
		return NULL;
	return pd_path(err, "%s/.debug/.build-id/%s%s%s", home, hex, slash,
	    what);
}

char *
pd_buildid_debug_path(const char *symfs, const struct pd_buildid *id,
    struct pd_error *err)
{
	char hex[2 * 20 + 2];

	buildid_path(id, hex);
	return pd_path(err, "%s" DEBUG_ROOT "/.build-id/%s.debug", symfs, hex);
}

struct search {
	struct pd_debugfile	*f;
	const struct pd_symopts	*o;
	const struct pd_dso	*dso;
	struct pd_buildid	id;	/* of the recording, or of f->run */
	bool			recorded;
	struct pd_error		*err;
};

static bool
has_symtab(const struct pd_elf *e)
{
	size_t i;

	for (i = 0; i < e->nsections; i++)
		if (e->sections[i].type == SHT_SYMTAB &&
		    e->sections[i].size > 0)
			return true;
	return false;
}

/* Keep a file if it is the first with code, symbols or debug information. */
static bool
take(const struct search *s, struct pd_elf *e, char *path)
{
	struct pd_debugfile *f = s->f;
	bool run = f->run == NULL && pd_elf_has_code(e);
	bool syms = f->syms == NULL && has_symtab(e);
	bool dwarf = s->o->dwarf && f->dwarf == NULL && pd_elf_has_dwarf(e);

	if (!run && !syms && !dwarf)
		return false;
	f->files[f->nfiles] = *e;
	f->paths[f->nfiles] = path;
	if (run)
		f->run = &f->files[f->nfiles];
	if (syms)
		f->syms = &f->files[f->nfiles];
	if (dwarf)
		f->dwarf = &f->files[f->nfiles];
	f->nfiles++;
	return true;
}

static bool
done(const struct search *s)
{
	return s->f->run != NULL && s->f->syms != NULL &&
	    (s->f->dwarf != NULL || !s->o->dwarf);
}

/* The checksum of a debug file, as .gnu_debuglink has it. */
static bool
crc_equal(const struct pd_elf *e, uint32_t want)
{
	uLong crc = crc32(0, NULL, 0);
	uint64_t off, n;
	uint8_t buf[16384];

	if (e->size > MAX_CRC)
		return false;
	for (off = 0; off < e->size; off += n) {
		n = e->size - off < sizeof(buf) ? e->size - off : sizeof(buf);
		if (!pd_file_read(e->fd, buf, n, off))
			return false;
		crc = crc32(crc, buf, (uInt)n);
	}
	return (uint32_t)crc == want;
}

/*
 * Is this file what is looked for?  crc is that of the link which led to it,
 * for files without build-id; NULL: only a build-id proves it.
 */
static bool
is_it(const struct search *s, const struct pd_elf *e, const uint32_t *crc)
{
	if (s->id.size > 0 && e->buildid.size > 0)
		return pd_buildid_equal(&s->id, &e->buildid);
	return crc != NULL && !s->recorded && crc_equal(e, *crc);
}

/* Try a file; owns path.  -1 without memory. */
static int
try_file(struct search *s, char *path, const uint32_t *crc)
{
	const char *why;
	struct pd_elf e;
	int ret;

	if (path == NULL)
		return s->err->code == PD_OK ? 0 : -1;
	ret = pd_elf_open(&e, path, &why, s->err);
	if (ret == 0 && is_it(s, &e, crc) && take(s, &e, path))
		return 0;
	pd_elf_close(&e);
	free(path);
	return ret == -1 ? -1 : 0;
}

static int
try_cache(struct search *s, const char *what)
{
	return try_file(s, pd_buildid_cache_path(s->o, &s->id, what, s->err),
	    NULL);
}

/* A file that must be the program, or why it is not; owns path. */
static int
try_program(struct search *s, char *path, bool deleted)
{
	struct pd_elf e;
	int ret;

	if (path == NULL)
		return -1;
	ret = pd_elf_open(&e, path, &s->f->why, s->err);
	if (ret == 0) {
		if (!s->recorded && deleted)
			s->f->why = "file was deleted, and has no build-id";
		else if (s->recorded && (e.buildid.size == 0 ||
		    !pd_buildid_equal(&s->id, &e.buildid)))
			s->f->why = differs;
		else if (take(s, &e, path)) {
			s->id = e.buildid;
			s->f->why = NULL;
			return 0;
		} else
			s->f->why = "no code in this file";
	}
	pd_elf_close(&e);
	free(path);
	return ret == -1 ? -1 : 0;
}

static bool
is_same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 &&
	    sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* What a process that still runs has mapped, if that is not at the path. */
static int
try_mapped(struct search *s, const char *path)
{
	char link[PD_LIVE_PATH];

	if (!pd_live_file(s->dso, link) || is_same_file(link, path))
		return 0;
	return try_program(s, pd_path(s->err, "%s", link), false);
}

/*
 * The file of a process that still runs: at the path is another one, if it was
 * replaced, or is in a container.  Who may not see which file is mapped can
 * look into the container, where only a build-id proves it.
 */
static int
try_live(struct search *s, const char *name, size_t len, const char *path)
{
	const char *why = s->f->why;
	int ret;

	if (s->o->perf_compat || s->dso->use.pid == 0 ||
	    !pd_live_is_here(s->o->info))
		return 0;
	ret = try_mapped(s, path);
	if (ret == 0 && s->f->run == NULL && s->recorded)
		ret = try_file(s, pd_path(s->err, "/proc/%" PRIu32
		    "/root%.*s", s->dso->use.pid, (int)len, name), NULL);
	if (s->f->run == NULL)
		s->f->why = why;	/* of what was expected */
	return ret;
}

/* The path as recorded.  This is where the user expects it: say why not. */
static int
try_itself(struct search *s, const char *name, size_t len, bool deleted)
{
	char *path;
	bool said;
	int ret = 0;

	if (name[0] != '/') {
		s->f->why = "not a path";
		return 0;
	}
	path = pd_path_of(s->o, name, len, s->err);
	if (path == NULL)
		return -1;
	/* Without a build-id, only a process can tell that it is another. */
	said = strlen(path) != len || strncmp(path, name, len) != 0;
	if (!s->recorded && !said)
		ret = try_live(s, name, len, path);
	if (ret == 0 && s->f->run == NULL)
		ret = try_program(s, pd_path(s->err, "%s", path), deleted);
	if (ret == 0 && s->f->run == NULL && (s->recorded || said))
		ret = try_live(s, name, len, path);
	free(path);
	return ret;
}

static int
try_debug_root(struct search *s)
{
	if (s->id.size < 2)
		return 0;
	return try_file(s, pd_buildid_debug_path(pd_symfs(s->o), &s->id,
	    s->err), NULL);
}

/* What .gnu_debuglink of the run-time file names, in the three places. */
static int
try_link(struct search *s, const char *name, size_t len)
{
	char link[256], *file, *slash;
	uint32_t crc;
	int ret, dir;

	if (s->f->run == NULL || name[0] != '/' ||
	    !pd_elf_debuglink(s->f->run, link, sizeof(link), &crc))
		return 0;
	file = pd_path_of(s->o, name, len, s->err);
	if (file == NULL)
		return -1;
	slash = strrchr(file, '/');
	dir = slash ? (int)(slash + 1 - file) : 0;
	while (name[len - 1] != '/')
		len--;
	ret = try_file(s, pd_path(s->err, "%.*s%s", dir, file, link), &crc);
	if (ret == 0 && !done(s))
		ret = try_file(s, pd_path(s->err, "%.*s.debug/%s", dir, file,
		    link), &crc);
	if (ret == 0 && !done(s))
		ret = try_file(s, pd_path(s->err, "%s" DEBUG_ROOT "%.*s%s",
		    pd_symfs(s->o), (int)len, name, link), &crc);
	free(file);
	return ret;
}

/* Distributions that mirror the tree: /usr/lib/debug/bin/x, or x.debug. */
static int
try_mirror(struct search *s, const char *name, size_t len, const char *suffix)
{
	if (name[0] != '/' || s->id.size == 0)
		return 0;
	return try_file(s, pd_path(s->err, "%s" DEBUG_ROOT "%.*s%s",
	    pd_symfs(s->o), (int)len, name, suffix), NULL);
}

/* What is not on this machine, if the user wants that. */
static int
try_servers(struct search *s)
{
	struct pd_debuginfod *d = s->o->debuginfod;

	if (d == NULL || done(s))
		return 0;
	if (s->f->run == NULL && try_file(s, pd_debuginfod_find(d, &s->id,
	    true, s->err), NULL) == -1)
		return -1;
	if (done(s))
		return 0;
	return try_file(s, pd_debuginfod_find(d, &s->id, false, s->err), NULL);
}

static int
search(struct search *s, const char *name, size_t len, bool deleted)
{
	if (try_cache(s, "elf") == -1)
		return -1;
	if (s->f->run == NULL && try_cache(s, "") == -1)	/* before 4.14 */
		return -1;
	if (s->f->run == NULL && try_itself(s, name, len, deleted) == -1)
		return -1;
	/* Without a build-id in the recording it is the file's by now. */
	if (!done(s) && !s->recorded && try_cache(s, "elf") == -1)
		return -1;
	if (!done(s) && try_cache(s, "debug") == -1)
		return -1;
	if (!done(s) && try_debug_root(s) == -1)
		return -1;
	if (!done(s) && try_link(s, name, len) == -1)
		return -1;
	if (!done(s) && try_mirror(s, name, len, ".debug") == -1)
		return -1;
	if (!done(s) && try_mirror(s, name, len, "") == -1)
		return -1;
	return try_servers(s);
}

/*
 * Without the program itself, its debug file tells where in the program code
 * was if it was split off with eu-strip, which keeps the program headers, but
 * not with objcopy, which fits them to the debug file.
 */
static void
run_from_syms(struct pd_debugfile *f)
{
	size_t i;

	f->why = "only its debug file was found";
	for (i = 0; i < f->syms->nloads; i++) {
		if (f->syms->loads[i].exec && f->syms->loads[i].filesz > 0) {
			f->run = f->syms;
			f->why = NULL;
		}
	}
}

static bool
is_zero(const struct pd_buildid *id)
{
	static const struct pd_buildid none;

	return pd_buildid_equal(id, &none);
}

int
pd_debugfile_find(struct pd_debugfile *f, const struct pd_dso *dso,
    const struct pd_symopts *o, struct pd_error *err)
{
	size_t len = pd_dso_path_len(dso->name);
	struct search s = { .f = f, .o = o, .dso = dso,
		.err = err };
	bool deleted;

	memset(f, 0, sizeof(*f));
	if (!is_zero(&dso->buildid)) {
		s.id = dso->buildid;
		s.recorded = true;
	}
	deleted = dso->name[len] != '\0';
	if (len > 4096)				/* PATH_MAX */
		f->why = "file not found";
	else if (search(&s, dso->name, len, deleted) == -1) {
		pd_debugfile_close(f);
		return -1;
	}
	if (f->run != NULL)
		f->why = NULL;
	else if (f->syms != NULL)
		run_from_syms(f);
	return 0;
}

void
pd_debugfile_close(struct pd_debugfile *f)
{
	while (f->nfiles > 0) {
		f->nfiles--;
		pd_elf_close(&f->files[f->nfiles]);
		free(f->paths[f->nfiles]);
	}
	f->run = f->syms = f->dwarf = NULL;
}
