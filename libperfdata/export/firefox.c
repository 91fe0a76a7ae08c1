/*
 * Writes the "processed profile" of the Firefox Profiler
 * (https://github.com/firefox-devtools/profiler, docs-developer/).  It is
 * read by that version and all later ones, which convert it.
 *
 * Its tables are arrays of columns.  Stacks are the tree as it is: a node is a
 * stack, less one, and refers to the stack above it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "export/export.h"

#define VERSION		60	/* preprocessedProfileVersion */
#define GECKO_VERSION	32	/* of what Firefox itself wrote then */
#define LIBRARY		1	/* ResourceType.Library */

/* Of frames; the first is for what has none. */
enum { OTHER, USER, KERNEL, JIT, GUEST, NCATEGORIES };

static const struct { const char *name, *color; } categories[NCATEGORIES] = {
	{ "Other", "grey" }, { "User", "yellow" }, { "Kernel", "orange" },
	{ "JIT", "green" }, { "Guest", "purple" },
};

/* A function: its name, and the number of its file. */
struct func {
	uint32_t	name, lib;
};

struct writer {
	struct pd_export_source	*s;
	struct pd_json	json;
	struct pd_strtab strings;
	struct pd_strtab libs;		/* paths */
	struct func	*funcs;
	size_t		nfuncs, cap;
	struct pd_map64	by_name;	/* name and lib -> func */
	uint32_t	*func_of;	/* by frame */
};

/* ---- functions and files ----------------------------------------------------- */

static int
add_func(struct writer *w, uint32_t frame, struct pd_error *err)
{
	const struct pd_frame *f = &w->s->tree->frames[frame];
	const char *label = pd_label(&w->s->labels, frame, err);
	struct func new = { .lib = PD_NOID };
	uint64_t key;
	uint32_t i;

	if (label == NULL)
		return -1;
	new.name = pd_strtab_add(&w->strings, label, strlen(label), err);
	if (new.name == PD_NOID)
		return -1;
	if (f->dso != NULL && (new.lib = pd_strtab_add(&w->libs, f->dso,
	    strlen(f->dso), err)) == PD_NOID)
		return -1;
	key = (uint64_t)new.name << 32 | new.lib;
	i = pd_map64_find(&w->by_name, key);
	if (i == PD_NOID) {
		if (pd_grow(&w->funcs, &w->cap, w->nfuncs + 1,
		    sizeof(*w->funcs), err) == -1 || pd_map64_put(&w->by_name,
		    key, (uint32_t)w->nfuncs, err) == -1)
			return -1;
		i = (uint32_t)w->nfuncs++;
		w->funcs[i] = new;
	}
	w->func_of[frame] = i;
	return 0;
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* The number of the name of a file, among all strings. */
static uint32_t
lib_name(struct writer *w, size_t i, struct pd_error *err)
{
	const char *name = base_name(w->libs.strs[i]);

	return pd_strtab_add(&w->strings, name, strlen(name), err);
}

static int
number_all(struct writer *w, struct pd_error *err)
{
	size_t i;

	for (i = 0; i < w->s->tree->nframes; i++)
		if (add_func(w, (uint32_t)i, err) == -1)
			return -1;
	for (i = 0; i < w->libs.len; i++)
		if (lib_name(w, i, err) == PD_NOID)
			return -1;
	return 0;
}

static void
write_libs(struct writer *w)
{
	struct pd_json *j = &w->json;
	const char *path;
	size_t i;

	pd_json_array(j, "libs");
	for (i = 0; i < w->libs.len; i++) {
		path = w->libs.strs[i];
		pd_json_object(j, NULL);
		pd_json_string(j, "arch", "");
		pd_json_string(j, "name", base_name(path));
		pd_json_string(j, "path", path);
		pd_json_string(j, "debugName", base_name(path));
		pd_json_string(j, "debugPath", path);
		pd_json_string(j, "breakpadId", "");
		pd_json_null(j, "codeId");
		pd_json_object_end(j);
	}
	pd_json_array_end(j);
}

/* ---- columns ------------------------------------------------------------------- */

/* A column whose n elements are all null, or all one number. */
static void
nulls(struct pd_json *j, const char *key, size_t n)
{
	pd_json_array(j, key);
	while (n-- > 0)
		pd_json_null(j, NULL);
	pd_json_array_end(j);
}

static void
numbers(struct pd_json *j, const char *key, int64_t v, size_t n)
{
	pd_json_array(j, key);
	while (n-- > 0)
		pd_json_i64(j, NULL, v);
	pd_json_array_end(j);
}

static void
bools(struct pd_json *j, const char *key, bool v, size_t n)
{
	pd_json_array(j, key);
	while (n-- > 0)
		pd_json_bool(j, NULL, v);
	pd_json_array_end(j);
}

/* 0, 1, 2, ... */
static void
count_up(struct pd_json *j, const char *key, size_t n)
{
	size_t i;

	pd_json_array(j, key);
	for (i = 0; i < n; i++)
		pd_json_u64(j, NULL, i);
	pd_json_array_end(j);
}

static void
write_stack_table(struct writer *w)
{
	const struct pd_tree *t = w->s->tree;
	struct pd_json *j = &w->json;
	size_t i;

	pd_json_object(j, "stackTable");
	pd_json_array(j, "frame");
	for (i = 1; i < t->len; i++)
		pd_json_u64(j, NULL, t->nodes[i].frame);
	pd_json_array_end(j);
	pd_json_array(j, "prefix");
	for (i = 1; i < t->len; i++) {
		if (t->nodes[i].parent == 0)
			pd_json_null(j, NULL);
		else
			pd_json_u64(j, NULL, t->nodes[i].parent - 1);
	}
	pd_json_array_end(j);
	pd_json_u64(j, "length", t->len - 1);
	pd_json_object_end(j);
}

static unsigned
category(const struct pd_frame *f)
{
	switch (f->kind) {
	case PD_FRAME_USER: return USER;
	case PD_FRAME_KERNEL: return KERNEL;
	case PD_FRAME_GUEST: return GUEST;
	case PD_FRAME_JIT: return JIT;
	case PD_FRAME_ROOT: case PD_FRAME_MARK: break;
	}
	return OTHER;
}

static void
write_frame_table(struct writer *w)
{
	const struct pd_tree *t = w->s->tree;
	struct pd_json *j = &w->json;
	size_t n = t->nframes, i;

	pd_json_object(j, "frameTable");
	numbers(j, "address", -1, n);
	pd_json_array(j, "inlineDepth");
	for (i = 0; i < n; i++)
		pd_json_u64(j, NULL, t->frames[i].inlined);
	pd_json_array_end(j);
	pd_json_array(j, "category");
	for (i = 0; i < n; i++)
		pd_json_u64(j, NULL, category(&t->frames[i]));
	pd_json_array_end(j);
	numbers(j, "subcategory", 0, n);
	pd_json_array(j, "func");
	for (i = 0; i < n; i++)
		pd_json_u64(j, NULL, w->func_of[i]);
	pd_json_array_end(j);
	nulls(j, "nativeSymbol", n);
	numbers(j, "innerWindowID", 0, n);
	nulls(j, "line", n);
	nulls(j, "column", n);
	pd_json_u64(j, "length", n);
	pd_json_object_end(j);
}

static void
write_func_table(struct writer *w)
{
	struct pd_json *j = &w->json;
	size_t n = w->nfuncs, i;

	pd_json_object(j, "funcTable");
	pd_json_array(j, "name");
	for (i = 0; i < n; i++)
		pd_json_u64(j, NULL, w->funcs[i].name);
	pd_json_array_end(j);
	bools(j, "isJS", false, n);
	bools(j, "relevantForJS", false, n);
	pd_json_array(j, "resource");	/* one a file, with its number */
	for (i = 0; i < n; i++)
		pd_json_i64(j, NULL, w->funcs[i].lib == PD_NOID ? -1 :
		    (int64_t)w->funcs[i].lib);
	pd_json_array_end(j);
	nulls(j, "source", n);
	nulls(j, "lineNumber", n);
	nulls(j, "columnNumber", n);
	pd_json_u64(j, "length", n);
	pd_json_object_end(j);
}

static int
write_resources(struct writer *w, struct pd_error *err)
{
	struct pd_json *j = &w->json;
	size_t n = w->libs.len, i;
	uint32_t name;

	pd_json_object(j, "resourceTable");
	count_up(j, "lib", n);
	pd_json_array(j, "name");
	for (i = 0; i < n; i++) {
		if ((name = lib_name(w, i, err)) == PD_NOID)
			return -1;
		pd_json_u64(j, NULL, name);
	}
	pd_json_array_end(j);
	nulls(j, "host", n);
	numbers(j, "type", LIBRARY, n);
	pd_json_u64(j, "length", n);
	pd_json_object_end(j);
	return 0;
}

/* An object of columns without elements. */
static void
write_empty(struct pd_json *j, const char *key, const char *const *columns)
{
	pd_json_object(j, key);
	for (; *columns != NULL; columns++)
		nulls(j, *columns, 0);
	pd_json_u64(j, "length", 0);
	pd_json_object_end(j);
}

static int
write_shared(struct writer *w, struct pd_error *err)
{
	static const char *const symbols[] = { "libIndex", "address", "name",
		"functionSize", NULL };
	static const char *const sources[] = { "uuid", "filename", NULL };
	struct pd_json *j = &w->json;
	size_t i;

	pd_json_object(j, "shared");
	write_stack_table(w);
	write_frame_table(w);
	write_func_table(w);
	if (write_resources(w, err) == -1)
		return -1;
	write_empty(j, "nativeSymbols", symbols);
	write_empty(j, "sources", sources);
	pd_json_array(j, "stringArray");
	for (i = 0; i < w->strings.len; i++)
		pd_json_string(j, NULL, w->strings.strs[i]);
	pd_json_array_end(j);
	pd_json_object_end(j);
	return 0;
}

/* ---- threads --------------------------------------------------------------------- */

static void
put_ms(struct pd_json *j, const char *key, uint64_t ns)
{
	pd_json_decimal(j, key, ns, 6);
}

enum column { STACK, TIME, WEIGHT, CPU };

/* A column of the samples; a gap is a sample without stack at its end. */
static int
write_samples(struct writer *w, const struct pd_track *track,
    enum column column, const char *key, uint64_t *n, struct pd_error *err)
{
	struct pd_export_source *s = w->s;
	struct pd_json *j = &w->json;
	struct pd_stretches runs;
	struct pd_stretch run;
	uint64_t time, last = 0;
	int r;

	if (pd_stretches_open(&runs, s, track, false, err) == -1)
		return -1;
	pd_json_array(j, key);
	for (*n = 0; (r = pd_stretches_next(&runs, &run, err)) == 1; ++*n) {
		switch (column) {
		case STACK:
			if (run.node == 0)
				pd_json_null(j, NULL);
			else
				pd_json_u64(j, NULL, run.node - 1);
			break;
		case TIME:
			time = run.node == 0 ? pd_export_start(s, &run.last) :
			    run.last.time - s->timeline->start;
			if (run.last.time == PD_NOTIME)
				time = *n * 1000000;
			if (time > last)	/* it never goes back */
				last = time;
			put_ms(j, NULL, last);
			break;
		case WEIGHT:
			if (s->timed)
				put_ms(j, NULL, run.node ? run.weight : 0);
			else
				pd_json_u64(j, NULL, run.weight);
			break;
		case CPU:
			pd_json_u64(j, NULL, run.node ? run.weight : 0);
			break;
		}
	}
	pd_json_array_end(j);
	return r;
}

static int
write_thread(struct writer *w, const struct pd_track *track,
    struct pd_error *err)
{
	static const char *const markers[] = { "data", "name", "startTime",
		"endTime", "phase", "category", NULL };
	const struct pd_timeline *t = w->s->timeline;
	struct pd_json *j = &w->json;
	uint64_t n;
	char pid[16];

	snprintf(pid, sizeof(pid), "%" PRId32, (int32_t)track->pid);
	pd_json_object(j, NULL);
	pd_json_string(j, "processType", "default");
	pd_json_string(j, "processName", track->leader);
	pd_json_u64(j, "processStartupTime", 0);
	pd_json_null(j, "processShutdownTime");
	put_ms(j, "registerTime", track->samples > 0 &&
	    track->start != PD_NOTIME ? track->start - t->start : 0);
	pd_json_null(j, "unregisterTime");
	nulls(j, "pausedRanges", 0);
	pd_json_string(j, "name", pd_timeline_comm(t, track->comm));
	pd_json_bool(j, "isMainThread", track->pid == track->tid);
	pd_json_string(j, "pid", pid);
	pd_json_i64(j, "tid", (int32_t)track->tid);
	pd_json_object(j, "samples");
	if (write_samples(w, track, STACK, "stack", &n, err) == -1 ||
	    write_samples(w, track, TIME, "time", &n, err) == -1 ||
	    write_samples(w, track, WEIGHT, "weight", &n, err) == -1 ||
	    (w->s->timed && write_samples(w, track, CPU, "threadCPUDelta", &n,
	    err) == -1))
		return -1;
	pd_json_string(j, "weightType", w->s->timed ? "tracing-ms" :
	    "samples");
	pd_json_u64(j, "length", n);
	pd_json_object_end(j);
	write_empty(j, "markers", markers);
	pd_json_object_end(j);
	return 0;
}

/* ---- all of it --------------------------------------------------------------------- */

static void
write_categories(struct pd_json *j)
{
	size_t i;

	pd_json_array(j, "categories");
	for (i = 0; i < NCATEGORIES; i++) {
		pd_json_object(j, NULL);
		pd_json_string(j, "name", categories[i].name);
		pd_json_string(j, "color", categories[i].color);
		pd_json_array(j, "subcategories");
		pd_json_string(j, NULL, "Other");
		pd_json_array_end(j);
		pd_json_object_end(j);
	}
	pd_json_array_end(j);
}

/* How far samples are apart: what the first one stands for, or one ms. */
static uint64_t
interval(const struct pd_export_source *s)
{
	uint64_t ns = s->timeline->len > 0 ? s->tracks[0]->last.duration :
	    PD_NOTIME;

	return ns == PD_NOTIME || ns == 0 ? 1000000 : ns;
}

static void
write_meta(struct writer *w)
{
	const struct pd_info *info = pd_reader_info(w->s->rd);
	const struct pd_timeline *t = w->s->timeline;
	struct pd_json *j = &w->json;

	pd_json_object(j, "meta");
	pd_json_u64(j, "version", GECKO_VERSION);
	pd_json_u64(j, "preprocessedProfileVersion", VERSION);
	put_ms(j, "interval", interval(w->s));
	put_ms(j, "startTime", t->len > 0 ? pd_info_wall(info, t->start) : 0);
	pd_json_u64(j, "processType", 0);
	pd_json_u64(j, "stackwalk", 1);
	pd_json_string(j, "product", "perf");
	pd_json_string(j, "importedFrom", "perfdata-tools");
	pd_json_bool(j, "symbolicated", true);
	pd_json_bool(j, "usesOnlyOneStackType", true);
	pd_json_bool(j, "sourceCodeIsNotOnSearchfox", true);
	if (info->cmdline != NULL)
		pd_json_string(j, "arguments", info->cmdline);
	if (info->osrelease != NULL)
		pd_json_string(j, "oscpu", info->osrelease);
	if (info->cpudesc != NULL)
		pd_json_string(j, "CPUName", info->cpudesc);
	if (info->ncpus_online > 0)
		pd_json_u64(j, "logicalCPUs", info->ncpus_online);
	pd_json_object(j, "sampleUnits");
	pd_json_string(j, "time", "ms");
	pd_json_string(j, "eventDelay", "ms");
	pd_json_string(j, "threadCPUDelta", "ns");
	pd_json_object_end(j);
	write_categories(j);
	pd_json_array(j, "markerSchema");
	pd_json_array_end(j);
	pd_json_object_end(j);
}

static int
write_all(struct writer *w, struct pd_error *err)
{
	struct pd_json *j = &w->json;
	size_t i;

	pd_json_object(j, NULL);
	write_meta(w);
	write_libs(w);
	if (write_shared(w, err) == -1)
		return -1;
	pd_json_array(j, "threads");
	for (i = 0; i < w->s->timeline->len; i++)
		if (write_thread(w, w->s->tracks[i], err) == -1)
			return -1;
	pd_json_array_end(j);
	pd_json_object_end(j);
	pd_json_newline(j);
	return 0;
}

int
pd_export_firefox(struct pd_export_source *s, FILE *out,
    struct pd_error *err)
{
	struct writer w = { .s = s, .json = { .out = out,
	    .printable = true } };
	int r = -1;

	w.func_of = pd_calloc(s->tree->nframes, sizeof(*w.func_of), err);
	if (w.func_of != NULL && number_all(&w, err) == 0)
		r = write_all(&w, err);
	pd_strtab_free(&w.strings);
	pd_strtab_free(&w.libs);
	pd_map64_free(&w.by_name);
	free(w.funcs);
	free(w.func_of);
	return r;
}
