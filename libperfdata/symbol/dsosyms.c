/* The names of a DSO, from the best file that can be trusted to be it. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "symbol/decompress.h"
#include "symbol/elfsyms.h"
#include "symbol/sources.h"
#include "symbol/vdso.h"

struct pd_dsosyms {
	enum pd_dso_kind	kind;
	struct pd_symtab	*table;
	bool			shared;		/* the table is kallsyms' */
	bool			perf_compat;
	struct pd_symnames	names;
	struct pd_elf		run;		/* FILE, VDSO: its segments */
	uint64_t		delta;		/* address here - recorded */
	bool			relative;	/* MODULE: from map_start */
	char			module[PD_MODULE_NAME];
	const char		*why;
	char			*path;
	char			*dwarf;		/* the file with .debug_info */
	struct pd_buildid	dwarf_id;
	uint64_t		dwarf_shift;	/* address in run - there */
};

/* ---- files --------------------------------------------------------------- */

/*
 * A debug file may have been made before its program was moved (prelink), so
 * its addresses differ from the run-time file's by a constant.
 */
static uint64_t
moved(const struct pd_elf *run, const struct pd_elf *syms)
{
	if (run->nloads == 0 || syms->nloads == 0)
		return 0;
	return run->loads[0].vaddr - syms->loads[0].vaddr;
}

/*
 * MiniDebugInfo: Fedora strips programs, and puts the functions that were in
 * .symtab into an ELF file, and that, compressed, into a section (gdb manual).
 */
static int
add_mini(const struct pd_elfsyms *to, const struct pd_elf *run,
    struct pd_error *err)
{
	struct pd_elf e;
	uint8_t *mem;
	int ret = pd_elf_open_section(&e, &mem, run, ".gnu_debugdata", err);

	if (ret != 1)
		return ret;
	ret = pd_elfsyms_add(to, &e, SHT_SYMTAB, err);
	pd_elf_close(&e);
	free(mem);
	return ret == -1 ? -1 : 0;
}

static int
add_tables(struct pd_dsosyms *s, const struct pd_debugfile *f,
    bool perf_compat, struct pd_error *err)
{
	struct pd_elfsyms to = {
		.table = s->table, .names = &s->names,
		.perf_compat = perf_compat,
	};
	const struct pd_elf *syms = f->syms ? f->syms : f->run;
	/* perf takes .dynsym from the file with the symbols only. */
	const struct pd_elf *dyn = perf_compat ? syms : f->run;
	bool stripped;

	to.shift = moved(f->run, syms);
	if (f->syms != NULL && pd_elfsyms_add(&to, syms, SHT_SYMTAB, err) == -1)
		return -1;
	to.shift = 0;
	/* perf 6.1 does not read it. */
	if (f->syms == NULL && !perf_compat && add_mini(&to, f->run, err) == -1)
		return -1;
	pd_symtab_finish(s->table);
	stripped = pd_symtab_len(s->table) == 0;
	to.shift = moved(f->run, dyn);
	if (pd_elfsyms_add(&to, dyn, SHT_DYNSYM, err) == -1)
		return -1;
	pd_symtab_finish(s->table);
	to.shift = 0;
	if (pd_elfsyms_add_plt(&to, f->run, err) == -1)
		return -1;
	pd_symtab_finish(s->table);
	if (stripped)
		s->why = pd_symtab_len(s->table) == 0 ? "no symbols (stripped)" :
		    "only dynamic symbols (stripped)";
	return 0;
}

/* Remember the file with the debug information, to be opened when needed. */
static int
keep_dwarf(struct pd_dsosyms *s, const struct pd_elf *e, const char *path,
    const struct pd_symopts *o, struct pd_error *err)
{
	if (!o->dwarf || !pd_elf_has_dwarf(e))
		return 0;
	s->dwarf = pd_strdup(path, err);
	s->dwarf_id = e->buildid;
	return s->dwarf == NULL ? -1 : 0;
}

static int
open_file(struct pd_dsosyms *s, const struct pd_dso *dso,
    const struct pd_symopts *o, struct pd_error *err)
{
	struct pd_debugfile f;
	size_t i;
	int ret;

	if (pd_debugfile_find(&f, dso, o, err) == -1)
		return -1;
	if (f.run == NULL) {
		s->why = f.why;
		pd_debugfile_close(&f);
		return 0;
	}
	ret = add_tables(s, &f, o->perf_compat, err);
	if (ret == 0 && f.dwarf != NULL) {
		s->dwarf_shift = moved(f.run, f.dwarf);
		ret = keep_dwarf(s, f.dwarf, f.paths[f.dwarf - f.files], o,
		    err);
	}
	s->run = *f.run;
	pd_elf_detach(&s->run);
	i = (size_t)((f.syms ? f.syms : f.run) - f.files);
	s->path = f.paths[i];
	f.paths[i] = NULL;
	memset(f.run, 0, sizeof(*f.run));
	f.run->fd = -1;
	pd_debugfile_close(&f);
	return ret;
}

/* ---- vdso ---------------------------------------------------------------- */

static int
add_vdso(struct pd_dsosyms *s, struct pd_elf *e, bool perf_compat,
    struct pd_error *err)
{
	struct pd_debugfile f = { .run = e };
	int ret;

	ret = add_tables(s, &f, perf_compat, err);
	s->run = *e;
	pd_elf_detach(&s->run);
	return ret;
}

static int
open_vdso(struct pd_dsosyms *s, const struct pd_dso *dso,
    struct pd_symsources *src, struct pd_error *err)
{
	struct pd_elf e;
	int ret = pd_vdso_open(&e, &s->path, dso, src, err);

	if (ret == 1)
		return add_vdso(s, &e, src->opts.perf_compat, err);
	s->why = "vdso is not this machine's";
	return ret;
}

/* ---- kernel -------------------------------------------------------------- */

/*
 * Try a vmlinux; owns path.  must_match: only the build-id proves that it is
 * the recording's, else the user said so.  1 when it has symbols, 0, -1.
 */
static int
try_vmlinux(struct pd_dsosyms *s, const struct pd_dso *dso, char *path,
    const struct pd_symopts *o, bool must_match, struct pd_error *err)
{
	struct pd_elfsyms to = { .table = s->table, .names = &s->names };
	struct pd_elf e;
	int ret;

	if (path == NULL)
		return err->code == PD_OK ? 0 : -1;
	ret = pd_elf_open(&e, path, &s->why, err);
	if (ret == 0 && dso->buildid.size > 0 &&
	    (must_match || e.buildid.size > 0) &&
	    !pd_buildid_equal(&dso->buildid, &e.buildid)) {
		s->why = "build-id differs from the recording's";
		ret = 1;
	}
	if (ret == 0) {
		ret = pd_elfsyms_add(&to, &e, SHT_SYMTAB, err);
		pd_symtab_finish(s->table);
		s->why = "no symbols (stripped)";
	}
	if (ret == 0 && pd_symtab_len(s->table) > 0) {
		ret = keep_dwarf(s, &e, path, o, err);
		pd_elf_close(&e);
		s->why = NULL;
		s->path = path;
		return ret == -1 ? -1 : 1;
	}
	pd_elf_close(&e);
	free(path);
	return ret == -1 ? -1 : 0;
}

/* The places where distributions put an unstripped kernel. */
static int
find_vmlinux(struct pd_dsosyms *s, const struct pd_dso *dso,
    const struct pd_symopts *o, struct pd_error *err)
{
	const char *rel = o->info ? o->info->osrelease : NULL;
	const char *const before[] = { "/boot/vmlinux-",
	    "/usr/lib/debug/boot/vmlinux-", "/lib/modules/",
	    "/usr/lib/debug/lib/modules/" };
	const char *const after[] = { "", "", "/build/vmlinux", "/vmlinux" };
	int ret;
	size_t i;

	if (dso->buildid.size == 0)
		return 0;
	ret = try_vmlinux(s, dso, pd_buildid_cache_path(o, &dso->buildid,
	    "elf", err), o, true, err);
	if (ret == 0)
		ret = try_vmlinux(s, dso, pd_buildid_debug_path(pd_symfs(o),
		    &dso->buildid, err), o, true, err);
	if (rel == NULL || strchr(rel, '/') != NULL)
		return ret;
	for (i = 0; i < 4 && ret == 0; i++)
		ret = try_vmlinux(s, dso, pd_path(err, "%s%s%.256s%s",
		    pd_symfs(o), before[i], rel, after[i]), o, true, err);
	return ret;
}

static int
use_kallsyms(struct pd_dsosyms *s, struct pd_symsources *src,
    struct pd_error *err)
{
	const struct pd_kallsyms_of *of;

	of = pd_symsources_kallsyms(src, s->kind == PD_DSO_MODULE, &s->why,
	    err);
	if (of == NULL)
		return s->why == NULL ? -1 : 0;
	pd_symtab_free(s->table);
	s->table = of->k.table;
	s->shared = true;
	s->path = pd_strdup(of->path, err);
	return s->path == NULL ? -1 : 0;
}

static int
open_kernel(struct pd_dsosyms *s, const struct pd_dso *dso,
    struct pd_symsources *src, struct pd_error *err)
{
	const struct pd_symopts *o = &src->opts;
	int ret;

	if (dso->guest) {
		s->why = "guest kernel";
		return 0;
	}
	if (dso->buildid.size > 0)
		src->kernel = dso->buildid;
	if (o->kallsyms != NULL)
		return use_kallsyms(s, src, err);
	if (o->vmlinux != NULL)
		ret = try_vmlinux(s, dso, pd_strdup(o->vmlinux, err), o,
		    false, err);
	else {
		ret = find_vmlinux(s, dso, o, err);
		if (ret == 0)
			return use_kallsyms(s, src, err);
	}
	return ret == -1 ? -1 : 0;
}

/* ---- modules ------------------------------------------------------------- */

void
pd_module_name(const char *dso, char buf[PD_MODULE_NAME])
{
	const char *base = strrchr(dso, '/'), *ko;
	size_t len, i;

	base = base ? base + 1 : dso;
	if (*base == '[')
		base++;
	ko = strstr(base, ".ko");
	len = ko ? (size_t)(ko - base) : strcspn(base, "]");
	if (len > PD_MODULE_NAME - 3)
		len = PD_MODULE_NAME - 3;
	buf[0] = '[';
	for (i = 0; i < len; i++)
		buf[i + 1] = base[i] == '-' ? '_' : base[i];
	buf[len + 1] = ']';
	buf[len + 2] = '\0';
}

static int
add_module(struct pd_dsosyms *s, const struct pd_elf *e, struct pd_error *err)
{
	struct pd_elfsyms to = { .table = s->table, .names = &s->names };
	uint64_t *bases = pd_elf_module_bases(e, err);
	int ret;

	if (bases == NULL)
		return -1;
	to.bases = bases;
	ret = pd_elfsyms_add(&to, e, SHT_SYMTAB, err);
	free(bases);
	pd_symtab_finish(s->table);
	s->relative = true;
	return ret == -1 ? -1 : 0;
}

/* Compressed or not: modules in the build-id cache do not tell by name. */
static int
open_ko_file(struct pd_elf *e, uint8_t **mem, const char *path,
    const char **why, struct pd_error *err)
{
	int ret = pd_elf_open(e, path, why, err);

	*mem = NULL;
	if (ret != 1 || e->fd == -1)
		return ret;
	pd_elf_close(e);
	return pd_elf_open_compressed(e, mem, path, why, err);
}

/* Try a .ko; owns path.  1 when it is the module's, 0, -1. */
static int
try_ko(struct pd_dsosyms *s, const struct pd_dso *dso, char *path,
    struct pd_error *err)
{
	struct pd_elf e;
	uint8_t *mem;
	int ret;

	if (path == NULL)
		return err->code == PD_OK ? 0 : -1;
	ret = open_ko_file(&e, &mem, path, &s->why, err);
	if (ret == 0 && dso->buildid.size > 0 &&
	    !pd_buildid_equal(&dso->buildid, &e.buildid)) {
		s->why = "build-id differs from the recording's";
		ret = 1;
	}
	if (ret == 0) {
		ret = add_module(s, &e, err);
		s->why = pd_symtab_len(s->table) > 0 ? NULL :
		    "no symbols (stripped)";
	}
	pd_elf_close(&e);
	free(mem);
	if (ret == 0 && s->why == NULL) {
		s->path = path;
		return 1;
	}
	free(path);
	return ret == -1 ? -1 : 0;
}

/* The .ko file itself, when the running kernel cannot tell. */
static int
find_ko(struct pd_dsosyms *s, const struct pd_dso *dso,
    const struct pd_symopts *o, struct pd_error *err)
{
	const char *why = s->why;		/* no kallsyms */
	size_t len = strlen(dso->name);
	int ret;

	ret = try_ko(s, dso, pd_buildid_cache_path(o, &dso->buildid, "elf",
	    err), err);
	if (ret != 0)
		return ret;
	s->why = why;
	if (dso->name[0] != '/' || len > 4096)
		return 0;
	return try_ko(s, dso, pd_path_of(o, dso->name, len, err), err);
}

static int
find_names(struct pd_dsosyms *s, const struct pd_dso *dso,
    struct pd_symsources *src, struct pd_error *err)
{
	if (use_kallsyms(s, src, err) == -1)
		return -1;
	if (s->why == NULL)
		return 0;
	return find_ko(s, dso, &src->opts, err) == -1 ? -1 : 0;
}

/* Try a file for its debug information; owns path.  1, 0, -1. */
static int
try_ko_dwarf(struct pd_dsosyms *s, const struct pd_dso *dso, char *path,
    const struct pd_symopts *o, struct pd_error *err)
{
	const char *why;
	struct pd_elf e;
	int ret;

	if (path == NULL)
		return err->code == PD_OK ? 0 : -1;
	ret = pd_elf_open(&e, path, &why, err);
	if (ret == 0 && (dso->buildid.size == 0 ||
	    pd_buildid_equal(&dso->buildid, &e.buildid)))
		ret = keep_dwarf(s, &e, path, o, err);
	pd_elf_close(&e);
	free(path);
	return ret == -1 ? -1 : s->dwarf != NULL;
}

/* The debug information of a module, where distributions put it. */
static int
find_ko_dwarf(struct pd_dsosyms *s, const struct pd_dso *dso,
    const struct pd_symopts *o, struct pd_error *err)
{
	const char *ko = strstr(dso->name, ".ko");
	int ret, len;

	ret = try_ko_dwarf(s, dso, pd_buildid_cache_path(o, &dso->buildid,
	    "elf", err), o, err);
	if (ret == 0 && dso->buildid.size > 0)
		ret = try_ko_dwarf(s, dso, pd_buildid_debug_path(pd_symfs(o),
		    &dso->buildid, err), o, err);
	/* "x.ko.xz" is "x.ko.debug" or "x.ko" there. */
	if (ret != 0 || dso->name[0] != '/' || ko == NULL)
		return ret;
	len = (int)(ko + 3 - dso->name);
	ret = try_ko_dwarf(s, dso, pd_path_of(o, dso->name, (size_t)len, err),
	    o, err);
	if (ret == 0)
		ret = try_ko_dwarf(s, dso, pd_path(err,
		    "%s/usr/lib/debug%.*s.debug", pd_symfs(o), len,
		    dso->name), o, err);
	return ret != 0 ? ret : try_ko_dwarf(s, dso, pd_path(err,
	    "%s/usr/lib/debug%.*s", pd_symfs(o), len, dso->name), o, err);
}

static int
open_module(struct pd_dsosyms *s, const struct pd_dso *dso,
    struct pd_symsources *src, struct pd_error *err)
{
	if (dso->guest) {
		s->why = "guest kernel";
		return 0;
	}
	pd_module_name(dso->name, s->module);
	if (find_names(s, dso, src, err) == -1)
		return -1;
	return src->opts.dwarf && find_ko_dwarf(s, dso, &src->opts, err) ==
	    -1 ? -1 : 0;
}

/* ---- interface ----------------------------------------------------------- */

static int
open_any(struct pd_dsosyms *s, struct pd_symsources *src,
    const struct pd_dso *dso, struct pd_error *err)
{
	switch (dso->kind) {
	case PD_DSO_FILE: return open_file(s, dso, &src->opts, err);
	case PD_DSO_VDSO: return open_vdso(s, dso, src, err);
	case PD_DSO_KERNEL: return open_kernel(s, dso, src, err);
	case PD_DSO_MODULE: return open_module(s, dso, src, err);
	case PD_DSO_ANON: s->why = "code without a file"; break;
	case PD_DSO_BPF: s->why = "BPF code"; break;
	}
	return 0;
}

struct pd_dsosyms *
pd_dsosyms_open(struct pd_symsources *src, const struct pd_dso *dso,
    struct pd_error *err)
{
	struct pd_dsosyms *s = pd_calloc(1, sizeof(*s), err);

	if (s == NULL)
		return NULL;
	s->kind = dso->kind;
	s->perf_compat = src->opts.perf_compat;
	s->run.fd = -1;
	s->table = pd_symtab_new(s->perf_compat &&
	    dso->kind == PD_DSO_FILE ? PD_SYMTAB_ELF_PERF : PD_SYMTAB_ELF,
	    err);
	if (s->table == NULL || open_any(s, src, dso, err) == -1) {
		pd_dsosyms_free(s);
		return NULL;
	}
	return s;
}

void
pd_dsosyms_free(struct pd_dsosyms *s)
{
	if (s == NULL)
		return;
	if (!s->shared)
		pd_symtab_free(s->table);
	pd_symnames_free(&s->names);
	pd_elf_close(&s->run);
	free(s->path);
	free(s->dwarf);
	free(s);
}

const char *
pd_dsosyms_why(const struct pd_dsosyms *s)
{
	return s->why;
}

const char *
pd_dsosyms_path(const struct pd_dsosyms *s)
{
	return s->path;
}

const char *
pd_dsosyms_dwarf(const struct pd_dsosyms *s, const struct pd_buildid **id)
{
	*id = &s->dwarf_id;
	return s->dwarf;
}

bool
pd_dsosyms_dwarf_addr(const struct pd_dsosyms *s, uint64_t addr,
    uint64_t map_start, uint64_t *dwarf_addr)
{
	if (s->dwarf == NULL)
		return false;
	switch (s->kind) {
	case PD_DSO_KERNEL:
		*dwarf_addr = addr + s->delta;
		return true;
	case PD_DSO_MODULE:
		*dwarf_addr = addr - map_start;
		return true;
	default:
		if (!pd_elf_addr(&s->run, addr, dwarf_addr))
			return false;
		*dwarf_addr -= s->dwarf_shift;
		return true;
	}
}

void
pd_dsosyms_relocate(struct pd_dsosyms *s, const char *ref_name,
    uint64_t ref_addr)
{
	uint64_t here;

	if (s->kind == PD_DSO_KERNEL && ref_addr != 0 &&
	    pd_symtab_ref(s->table, ref_name, &here))
		s->delta = here - ref_addr;
}

const struct pd_symbol *
pd_dsosyms_find(struct pd_dsosyms *s, uint64_t addr, uint64_t map_start)
{
	const struct pd_symbol *sym;
	const char *module;

	switch (s->kind) {
	case PD_DSO_FILE:
	case PD_DSO_VDSO:
		return pd_elf_addr(&s->run, addr, &addr) ?
		    pd_symtab_find(s->table, addr) : NULL;
	case PD_DSO_MODULE:
		if (s->relative)
			return pd_symtab_find(s->table, addr - map_start);
		/* After a reboot another module may be there. */
		sym = pd_symtab_find(s->table, addr);
		module = sym ? pd_symtab_module(s->table, sym) : NULL;
		return module && strcmp(module, s->module) == 0 ? sym : NULL;
	default:
		sym = pd_symtab_find(s->table, addr + s->delta);
		/* perf drops what is in no module it knows: trampolines. */
		return s->perf_compat && sym && sym->module ? NULL : sym;
	}
}
