/* Finds the map, then the symbol, then the frame; remembers the outcome. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "symbol/archive.h"
#include "symbol/debuginfod.h"
#include "symbol/inlines.h"
#include "symbol/live.h"
#include "symbol/perfmap.h"
#include "symbol/resolver.h"

int
pd_resolver_init(struct pd_resolver *r, struct pd_session *s,
    struct pd_tree *tree, const struct pd_stack_opts *opts,
    struct pd_error *err)
{
	const struct pd_dso *kernel = pd_session_kernel_dso(s, false, err);

	if (kernel == NULL)
		return -1;
	*r = (struct pd_resolver){
		.session = s, .tree = tree, .opts = opts,
		.symopts = {
			.symfs = opts->symfs,
			.buildid_dir = opts->buildid_dir,
			.kallsyms = opts->kallsyms,
			.vmlinux = opts->vmlinux,
			.path_maps = opts->path_maps,
			.npath_maps = opts->npath_maps,
			.info = pd_session_info(s),
			.kernel = &kernel->buildid,
			.dwarf = opts->lines ||
			    (!opts->no_inline && !opts->perf_compat),
			.perf_compat = opts->perf_compat,
		},
	};
	pd_namer_init(&r->namer, opts->demangle, opts->perf_compat);
	r->jits.opts = &r->symopts;
	r->jits.notes = &r->notes;
	if (opts->archive != NULL && (r->symopts.archive = pd_archive_new(
	    opts->archive, &r->notes, err)) == NULL)
		return -1;
	if (opts->debuginfod && (r->symopts.debuginfod = pd_debuginfod_new(
	    opts, &r->notes, err)) == NULL)
		return -1;
	r->sources = pd_symsources_new(&r->symopts, err);
	return r->sources == NULL ? -1 : 0;
}

void
pd_resolver_trim(struct pd_resolver *r)
{
	size_t i;

	for (i = 0; i < r->dsos_cap; i++) {
		pd_inlines_free(r->dsos[i].inlines);
		r->dsos[i].inlines = NULL;
	}
}

void
pd_resolver_free(struct pd_resolver *r)
{
	size_t i;

	pd_resolver_trim(r);
	for (i = 0; i < r->dsos_cap; i++) {
		pd_dsosyms_free(r->dsos[i].syms);
		pd_map64_free(&r->dsos[i].inlined);
	}
	free(r->dsos);
	for (i = 0; i < r->nperfmaps; i++)
		pd_perfmap_free(r->perfmaps[i]);
	free(r->perfmaps);
	pd_jits_free(&r->jits);
	pd_map64_free(&r->perfmap_of);
	pd_map64_free(&r->symbols);
	pd_namer_free(&r->namer);
	pd_notes_free(&r->notes);
	free(r->lists);
	pd_symsources_free(r->sources);
	pd_debuginfod_free(r->symopts.debuginfod);
	pd_archive_free(r->symopts.archive);
}

/* The names of a DSO, opened when its first address is asked for. */
static struct pd_dsosyms *
dsosyms_of(struct pd_resolver *r, const struct pd_dso *dso,
    struct pd_error *err)
{
	const char *ref;
	uint64_t addr;
	struct pd_dsosyms *s;

	if (pd_grow_zeroed(&r->dsos, &r->dsos_cap, dso->id + 1,
	    sizeof(*r->dsos), err) == -1)
		return NULL;
	if (r->dsos[dso->id].syms != NULL)
		return r->dsos[dso->id].syms;
	s = pd_dsosyms_open(r->sources, dso, err);
	if (s != NULL && dso->kind == PD_DSO_KERNEL) {
		addr = pd_session_kernel_ref(r->session, &ref);
		if (addr != 0)
			pd_dsosyms_relocate(s, ref, addr);
	}
	r->dsos[dso->id].syms = s;
	return s;
}

/*
 * Whose /tmp it is matters: pids are the same everywhere.  A process in a
 * container has its own, and may know itself by another number.
 */
static struct pd_perfmap *
open_perfmap(struct pd_resolver *r, uint32_t pid, uint64_t addr,
    struct pd_error *err)
{
	const char *host = r->symopts.info->hostname;
	char path[PD_PATH_MAX], here[256] = "";
	struct pd_live live = { .pid = pid };
	struct pd_perfmap *m;

	if (pd_symfs(&r->symopts)[0] != '\0') {
		snprintf(path, sizeof(path), "%s/tmp/perf-%" PRIu32 ".map",
		    pd_symfs(&r->symopts), pid);
		return pd_perfmap_open_file(path, err);
	}
	gethostname(here, sizeof(here) - 1);
	if ((host == NULL || strcmp(host, here) == 0) && pd_live_find(&live,
	    pid, pd_session_mnt_ns(r->session, pid), addr, err) == -1)
		return NULL;
	m = pd_perfmap_open(live.root, live.pid, err);
	if (m != NULL && pd_perfmap_why(m) == NULL && host != NULL &&
	    strcmp(host, here) != 0)
		pd_note_add(&r->notes, false, PD_NOWHERE, "names of JIT code "
		    "are from /tmp of this machine, but %s was recorded (see "
		    "--symfs)", host);
	return m;
}

static struct pd_perfmap *
perfmap_of(struct pd_resolver *r, uint32_t pid, uint64_t addr,
    struct pd_error *err)
{
	uint32_t i = pd_map64_find(&r->perfmap_of, pid);
	struct pd_perfmap *m;

	if (i != PD_NOID)
		return r->perfmaps[i];
	if (pd_grow(&r->perfmaps, &r->perfmaps_cap, r->nperfmaps + 1,
	    sizeof(*r->perfmaps), err) == -1 ||
	    (m = open_perfmap(r, pid, addr, err)) == NULL)
		return NULL;
	r->perfmaps[r->nperfmaps] = m;
	if (pd_map64_put(&r->perfmap_of, pid, (uint32_t)r->nperfmaps++,
	    err) == -1)
		return NULL;
	return m;
}

/* What is known of an address before it has a name. */
struct place {
	const struct pd_dso	*dso;	/* NULL: not mapped */
	const struct pd_map	*map;	/* NULL: the kernel without its map */
	const struct pd_space	*space;	/* it has JIT code; else NULL */
	const struct pd_symbol	*jit;	/* which is here; else NULL */
	enum pd_frame_kind	kind;
	uint64_t		addr;
};

/* As perf shows it: in the file where there is one, the same in every run. */
static uint64_t
place_in_dso(const struct place *pl)
{
	if (pl->map == NULL || (pl->dso->kind != PD_DSO_FILE &&
	    pl->dso->kind != PD_DSO_VDSO))
		return pl->addr;
	return pl->addr - pl->map->start + pl->map->pgoff;
}

/*
 * Whether a JIT compiler may have put code there.  Some have it in files that
 * nobody else can open, to map them twice: writable and executable.
 */
static bool
holds_jit_code(const struct pd_dso *dso)
{
	size_t n;

	if (dso == NULL || dso->kind == PD_DSO_ANON)
		return true;
	n = strlen(dso->name);
	return dso->kind == PD_DSO_FILE && (pd_starts(dso->name, "/memfd:") ||
	    (n > 10 && strcmp(dso->name + n - 10, " (deleted)") == 0));
}

static int
find_place(struct pd_resolver *r, struct pd_space *sp, uint8_t mode,
    struct place *pl, struct pd_error *err)
{
	bool kernel = mode == PD_CPUMODE_KERNEL ||
	    mode == PD_CPUMODE_GUEST_KERNEL;
	bool guest = mode >= PD_CPUMODE_GUEST_KERNEL;

	pl->kind = guest ? PD_FRAME_GUEST : kernel ? PD_FRAME_KERNEL :
	    PD_FRAME_USER;
	pl->map = pd_space_find(sp, pl->addr);
	if (pl->map != NULL)
		pl->dso = pl->map->dso;
	else if (kernel && pl->addr >> 63) {
		/* The upper half of the address space is the kernel's. */
		pl->dso = pd_session_kernel_dso(r->session, guest, err);
		if (pl->dso == NULL)
			return -1;
	}
	pl->space = mode == PD_CPUMODE_USER && sp->njits > 0 ? sp : NULL;
	if (pl->space != NULL && holds_jit_code(pl->dso))
		pl->jit = pd_jits_find(&r->jits, sp, pl->addr, &pl->dso);
	if (pl->dso != NULL && pl->dso->kind == PD_DSO_ANON)
		pl->kind = PD_FRAME_JIT;
	return 0;
}

/*
 * What was inlined at a place, and where it is in the source; the
 * chain is empty where that is nothing or not known.
 */
static int
find_inlines(struct pd_resolver *r, const struct place *pl,
    struct pd_inline_chain *chain, struct pd_error *err)
{
	const struct pd_dso *dso = pl->dso;
	struct pd_inlines_file f = {
		.program = dso->name, .symfs = r->opts->symfs,
		.lines = r->opts->lines,
	};
	struct pd_resolver_dso *d;
	const char *why;
	uint64_t addr;

	*chain = (struct pd_inline_chain){ 0 };
	if (!r->symopts.dwarf || dso->guest || (dso->kind != PD_DSO_FILE &&
	    dso->kind != PD_DSO_KERNEL && dso->kind != PD_DSO_MODULE))
		return 0;
	d = &r->dsos[dso->id];		/* find_symbol() opened it */
	if (!pd_dsosyms_dwarf_addr(d->syms, place_in_dso(pl),
	    pl->map ? pl->map->start : 0, &addr))
		return 0;
	if (d->inlines == NULL) {
		f.path = pd_dsosyms_dwarf(d->syms, &f.id);
		if (f.path == NULL)
			return 0;
		if ((d->inlines = pd_inlines_open(&f, err)) == NULL)
			return -1;
	}
	if (pd_inlines_find(d->inlines, addr, chain, err) == -1)
		return -1;
	if (!d->gave_up && (why = pd_inlines_gave_up(d->inlines)) != NULL) {
		d->gave_up = true;
		pd_note_add(&r->notes, false, PD_NOWHERE, "%s: its debug "
		    "information %s, so %s are missing", dso->name, why,
		    r->opts->lines ? "lines" : "inlined calls");
	}
	return 0;
}

/* The symbol at a place: 1, 0 for none, -1 without memory. */
static int
find_symbol(struct pd_resolver *r, const struct place *pl,
    const struct pd_symbol **sym, struct pd_error *err)
{
	const struct pd_dso *dso = pl->dso;
	uint64_t start = pl->map ? pl->map->start : 0, addr = pl->addr;
	struct pd_dsosyms *syms;
	struct pd_perfmap *map;

	*sym = NULL;
	switch (dso->kind) {
	case PD_DSO_BPF:
		return 0;
	case PD_DSO_ANON:
		map = perfmap_of(r, dso->pid, addr, err);
		if (map == NULL)
			return -1;
		*sym = pd_perfmap_find(map, addr);
		break;
	case PD_DSO_FILE: case PD_DSO_VDSO:
	case PD_DSO_KERNEL: case PD_DSO_MODULE:
		if (dso->guest)
			return 0;
		addr = place_in_dso(pl);
		if ((syms = dsosyms_of(r, dso, err)) == NULL)
			return -1;
		*sym = pd_dsosyms_find(syms, addr, start);
		break;
	}
	return *sym != NULL;
}

/* Append a list and return its value; add_to_list() fills it. */
static uint32_t
new_list(struct pd_resolver *r, struct pd_error *err)
{
	if (pd_grow(&r->lists, &r->lists_cap, r->nlists + 1,
	    sizeof(*r->lists), err) == -1)
		return PD_NOID;
	r->lists[r->nlists] = 0;
	return PD_FRAME_LIST | (uint32_t)r->nlists++;
}

static int
add_to_list(struct pd_resolver *r, uint32_t list, uint32_t frame,
    struct pd_error *err)
{
	if (frame == PD_NOID || pd_grow(&r->lists, &r->lists_cap,
	    r->nlists + 1, sizeof(*r->lists), err) == -1)
		return -1;
	r->lists[list & ~PD_FRAME_LIST]++;
	r->lists[r->nlists++] = frame;
	return 0;
}

/*
 * stackcollapse-perf.pl takes "a->b->c" for inlining, and a name in
 * parentheses for no frame at all.
 */
static uint32_t
perl_frames(struct pd_resolver *r, const struct pd_frame *f,
    struct pd_error *err)
{
	uint32_t list = new_list(r, err);
	struct pd_frame part = *f;
	const char *p = f->name, *end;
	char *name;
	size_t len = strlen(p);
	int failed = 0;

	if (list == PD_NOID || *p == '(')
		return list;
	while (len >= 2 && strcmp(p + len - 2, "->") == 0)
		len -= 2;		/* split() drops empty fields at the end */
	for (end = p; end != NULL && len > 0 && !failed;) {
		end = memmem(p, len, "->", 2);
		name = strndup(p, end ? (size_t)(end - p) : len);
		if (name == NULL) {
			pd_fail_nomem(err);
			return PD_NOID;
		}
		part.name = name;
		failed = add_to_list(r, list, pd_tree_add_frame(r->tree, &part,
		    err), err);
		free(name);
		part.inlined = true;
		if (end != NULL) {
			len -= (size_t)(end + 2 - p);
			p = end + 2;
		}
	}
	return failed ? PD_NOID : list;
}

static uint32_t
symbol_frames(struct pd_resolver *r, const struct pd_symbol *sym,
    struct pd_frame *f, struct pd_error *err)
{
	uint64_t key = (uintptr_t)sym;
	uint32_t v = pd_map64_find(&r->symbols, key);

	if (v != PD_NOID)
		return v;
	f->name = pd_namer_symbol(&r->namer, sym, f->kind == PD_FRAME_KERNEL,
	    err);
	if (f->name == NULL)
		return PD_NOID;
	if (r->opts->perf_compat && (f->name[0] == '(' ||
	    strstr(f->name, "->") != NULL))
		v = perl_frames(r, f, err);
	else
		v = pd_tree_add_frame(r->tree, f, err);
	if (v != PD_NOID && pd_map64_put(&r->symbols, key, v, err) == -1)
		return PD_NOID;
	return v;
}


static uint32_t
unnamed_frame(struct pd_resolver *r, const struct place *pl,
    struct pd_frame *f, struct pd_error *err)
{
	/* perf knows code outside of the kernel's map only by its symbol. */
	if (r->opts->perf_compat && pl->map == NULL &&
	    pl->kind == PD_FRAME_KERNEL)
		f->dso = NULL;
	if (pl->dso != NULL && pl->dso->kind == PD_DSO_BPF)
		f->name = pl->dso->name;
	else if (r->opts->addrs)
		f->ip = place_in_dso(pl);
	return pd_tree_add_frame(r->tree, f, err);
}

/* The frame of a function at a line of it. */
static uint32_t
line_frame(struct pd_resolver *r, uint32_t function,
    const struct pd_inline *at, struct pd_error *err)
{
	struct pd_frame f = r->tree->frames[function];

	if (at->file == NULL || at->line == 0)
		return function;
	f.file = at->file;
	f.line = at->line;
	return pd_tree_add_frame(r->tree, &f, err);
}

/* The frame of a function with what was inlined into it at this place. */
static uint32_t
with_inlines(struct pd_resolver *r, uint32_t function,
    const struct pd_frame *f, const struct pd_inline_chain *chain,
    struct pd_error *err)
{
	uint32_t list = new_list(r, err);
	struct pd_frame in = { .dso = f->dso, .kind = f->kind,
		.inlined = true };
	const struct pd_inline *call;
	size_t i;

	if (list == PD_NOID || add_to_list(r, list, line_frame(r, function,
	    &chain->function, err), err) == -1)
		return PD_NOID;
	for (i = chain->len; i-- > 0;) {
		call = &chain->frames[i];
		in.name = pd_namer_inlined(&r->namer, call->name,
		    call->mangled, err);
		in.line = call->file ? call->line : 0;
		in.file = in.line > 0 ? call->file : NULL;
		if ((call->mangled && in.name == NULL) || add_to_list(r, list,
		    pd_tree_add_frame(r->tree, &in, err), err) == -1)
			return PD_NOID;
	}
	return list;
}

/* Whether frames of a place in a file are those of a function, at a line. */
static bool
is_function(const struct pd_resolver *r, uint32_t v, uint32_t function)
{
	const struct pd_frame *a, *b = &r->tree->frames[function];
	size_t n;

	a = &r->tree->frames[v & PD_FRAME_LIST ?
	    pd_resolver_list(r, v, &n)[0] : v];
	return a->name == b->name && a->dso == b->dso && a->ip == b->ip;
}

/*
 * A place in a file has the same frames in each process that maps it, so there
 * are no more lists than places.
 */
static uint32_t
add_inlines(struct pd_resolver *r, const struct place *pl, uint32_t function,
    const struct pd_frame *f, struct pd_error *err)
{
	uint64_t offset = place_in_dso(pl);
	struct pd_inline_chain chain;
	const struct pd_inline *at;
	uint32_t v = PD_NOID;

	if (function & PD_FRAME_LIST)
		return function;
	if (pl->dso->id < r->dsos_cap)
		v = pd_map64_find(&r->dsos[pl->dso->id].inlined, offset);
	/* Names of JIT code are those of a process, so look at the first. */
	if (v != PD_NOID && is_function(r, v, function))
		return v;
	if (find_inlines(r, pl, &chain, err) == -1)
		return PD_NOID;
	/* perf has the line of what was inlined, too. */
	at = r->opts->perf_compat && chain.len > 0 ? chain.frames :
	    &chain.function;
	if (chain.len > 0 && !r->opts->no_inline && !r->opts->perf_compat)
		v = with_inlines(r, function, f, &chain, err);
	else
		v = line_frame(r, function, at, err);
	if (v == PD_NOID || v == function)
		return v;
	return pd_map64_put(&r->dsos[pl->dso->id].inlined, offset, v, err) ==
	    -1 ? PD_NOID : v;
}

/* The frame of code that a dump describes. */
static uint32_t
jit_frames(struct pd_resolver *r, const struct place *pl,
    struct pd_frame *f, struct pd_error *err)
{
	struct pd_inline at = { .line = 0 };
	uint32_t v = symbol_frames(r, pl->jit, f, err);

	if (v == PD_NOID || v & PD_FRAME_LIST || !r->opts->lines)
		return v;
	if (pd_jits_line(&r->jits, pl->space, pl->addr, &at.file, &at.line,
	    err) == -1)
		return PD_NOID;
	return line_frame(r, v, &at, err);
}

/* The same frame at its place: in the mapping that all processes share. */
static uint32_t
at_place(struct pd_resolver *r, const struct place *pl, uint32_t frame,
    struct pd_error *err)
{
	struct pd_mapping m = { 0 };
	struct pd_frame f;

	if (frame == PD_NOID || frame & PD_FRAME_LIST || pl->dso == NULL)
		return frame;
	f = r->tree->frames[frame];
	m.dso = pl->dso->name;
	m.buildid = pl->dso->buildid;
	f.place = pl->addr;
	if (pl->map != NULL) {
		m.start = pl->map->start;
		m.end = pl->map->end;
		m.pgoff = pl->map->pgoff;
	}
	f.map = pd_tree_add_map(r->tree, pl->dso->id, &m, err);
	if (f.map == 0)
		return PD_NOID;
	f.place += pd_tree_map(r->tree, f.map)->start - m.start;
	return pd_tree_add_frame(r->tree, &f, err);
}

/* Resolve without the cache. */
static uint32_t
resolve(struct pd_resolver *r, const struct place *pl, struct pd_error *err)
{
	struct pd_frame f = { .kind = pl->kind };
	char module[PD_MODULE_NAME];
	const struct pd_symbol *sym;
	const struct pd_dso *dso;
	int found = 0;
	uint32_t v;

	if (pl->dso != NULL)
		f.dso = pl->dso->name;
	if (pl->jit != NULL) {
		v = jit_frames(r, pl, &f, err);
		return r->opts->places ? at_place(r, pl, v, err) : v;
	}
	if (pl->dso != NULL) {
		if (r->opts->perf_compat && pl->dso->kind == PD_DSO_MODULE &&
		    f.dso[0] == '/') {
			pd_module_name(f.dso, module);
			f.dso = module;
		}
		found = find_symbol(r, pl, &sym, err);
	}
	if (found == -1)
		return PD_NOID;
	/* V8 also tells of the code in its own program, which may be stripped. */
	if (!found && pl->space != NULL && pl->map != NULL)
		found = (sym = pd_jits_find(&r->jits, pl->space, pl->addr,
		    &dso)) != NULL;
	v = found ? symbol_frames(r, sym, &f, err) :
	    unnamed_frame(r, pl, &f, err);
	if (r->opts->places)
		v = at_place(r, pl, v, err);
	if (v == PD_NOID || pl->dso == NULL)
		return v;
	return add_inlines(r, pl, v, &f, err);
}

/* The frame of addresses that nothing maps: there are many, and all alike. */
static uint32_t
unmapped_frame(struct pd_resolver *r, enum pd_frame_kind kind,
    struct pd_error *err)
{
	struct pd_frame f = { .kind = kind };

	if (r->unmapped[kind] == 0)
		r->unmapped[kind] = pd_tree_add_frame(r->tree, &f, err) + 1;
	return r->unmapped[kind] - 1;
}

uint32_t
pd_resolver_find_new(struct pd_resolver *r, struct pd_space *sp, uint8_t mode,
    uint64_t addr, struct pd_error *err)
{
	static const struct pd_frame truncated = {
		.name = "[truncated]", .kind = PD_FRAME_MARK,
	};
	struct place pl = { .addr = addr };
	uint32_t v;

	if (mode == PD_MODE_TRUNCATED)
		return pd_tree_add_frame(r->tree, &truncated, err);
	if (sp == NULL)
		return unmapped_frame(r, mode == PD_CPUMODE_GUEST_USER ?
		    PD_FRAME_GUEST : PD_FRAME_USER, err);
	if (find_place(r, sp, mode, &pl, err) == -1)
		return PD_NOID;
	/* Stray addresses are not kept: there is no end to them. */
	if (pl.dso == NULL && !r->opts->addrs)
		return unmapped_frame(r, pl.kind, err);
	v = resolve(r, &pl, err);
	if (v == PD_NOID || pl.dso == NULL)
		return v;
	sp->kept_missed |= pl.map == NULL;
	return pd_map64_put(&sp->frames, addr, v, err) == -1 ? PD_NOID : v;
}

const char *
pd_resolver_why(const struct pd_resolver *r, const char *name)
{
	const struct pd_dso *dso;
	const char *why;
	uint32_t at;
	size_t i;

	for (i = 0; (dso = pd_session_dso(r->session, i)) != NULL; i++) {
		if (strcmp(dso->name, name) != 0)
			continue;
		why = NULL;
		at = pd_map64_find(&r->perfmap_of, dso->pid);
		if (dso->kind == PD_DSO_ANON && at != PD_NOID) {
			why = pd_perfmap_why(r->perfmaps[at]);
		} else if (i < r->dsos_cap && r->dsos[i].syms != NULL) {
			why = pd_dsosyms_why(r->dsos[i].syms);
		}
		if (why != NULL)
			return why;
	}
	return NULL;
}
