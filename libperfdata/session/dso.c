/* The table of DSOs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "session/dso.h"

enum pd_dso_kind
pd_dso_kind_of(const char *name)
{
	static const char *const anon[] = {
		/* is_anon_memory(), is_no_dso_memory(): tools/perf/util/map.c */
		"//anon", "/dev/zero", "/anon_hugepage", "[stack", "/SYSV",
		"[heap]", "[anon",
	};
	size_t i;

	if (pd_starts(name, "[vdso"))
		return PD_DSO_VDSO;
	if (*name == '\0')
		return PD_DSO_ANON;
	for (i = 0; i < sizeof(anon) / sizeof(anon[0]); i++)
		if (pd_starts(name, anon[i]))
			return PD_DSO_ANON;
	return PD_DSO_FILE;
}

size_t
pd_dso_path_len(const char *name)
{
	static const char tail[] = " (deleted)";
	size_t n = strlen(name), gone = sizeof(tail) - 1;

	return n >= gone && memcmp(name + n - gone, tail, gone) == 0 ?
	    n - gone : n;
}

static struct pd_dso *
get(struct pd_dsos *t, const char *name, enum pd_dso_kind kind,
    const struct pd_buildid *id, uint32_t pid, struct pd_error *err)
{
	char key[PD_PATH_MAX + 64];
	size_t n = strnlen(name, PD_PATH_MAX), i;
	struct pd_dso *d;
	uint32_t slot;

	/* One key of kind, process, build-id and name: equal keys, equal DSO. */
	memcpy(key, name, n);
	n += (size_t)snprintf(key + n, 24, "/%d/%" PRIu32 "/", kind, pid);
	for (i = 0; id != NULL && i < id->size; i++)
		n += (size_t)snprintf(key + n, 3, "%02x", id->bytes[i]);
	slot = pd_strtab_add(&t->names, key, n, err);
	if (slot == PD_NOID)
		return NULL;
	if (slot < t->len)
		return t->dsos[slot];
	if (pd_grow(&t->dsos, &t->cap, t->len + 1, sizeof(d), err) == -1 ||
	    (d = pd_arena_alloc(&t->arena, sizeof(*d), err)) == NULL)
		return NULL;
	d->id = slot;
	d->kind = kind;
	d->pid = pid;
	d->name = pd_arena_strndup(&t->arena, name, strnlen(name, PD_PATH_MAX), err);
	if (d->name == NULL)
		return NULL;
	if (id != NULL)
		d->buildid = *id;
	t->dsos[t->len++] = d;
	return d;
}

struct pd_dso *
pd_dsos_get(struct pd_dsos *t, const char *name, enum pd_dso_kind kind,
    const struct pd_buildid *id, struct pd_error *err)
{
	return get(t, name, kind, id, 0, err);
}

struct pd_dso *
pd_dsos_get_of(struct pd_dsos *t, const char *name, uint32_t pid,
    struct pd_error *err)
{
	return get(t, name, PD_DSO_ANON, NULL, pid, err);
}

void
pd_dsos_free(struct pd_dsos *t)
{
	pd_strtab_free(&t->names);
	pd_arena_free(&t->arena);
	free(t->dsos);
}
