/* Lets the names of JIT code follow the time of the samples. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "symbol/jitdump.h"
#include "symbol/jits.h"
#include "symbol/live.h"

void
pd_jits_free(struct pd_jits *j)
{
	size_t i;

	for (i = 0; i < j->cap; i++)
		pd_jitdump_free(j->dumps[i]);
	free(j->dumps);
}

/* Without the right clock an address has the name that it had last. */
static bool
has_times(const struct pd_jits *j, const struct pd_jitdump *d)
{
	return j->opts->info->clockid == CLOCK_MONOTONIC &&
	    !pd_jitdump_counts(d);
}

static void
note(struct pd_jits *j, const struct pd_jitdump *d, const char *path)
{
	if (pd_jitdump_why(d) != NULL) {
		pd_note_add(j->notes, false, PD_NOWHERE,
		    "no names of JIT code from %s: %s", path,
		    pd_jitdump_why(d));
		return;
	}
	if (pd_jitdump_damaged(d) > 0)
		pd_note_add(j->notes, false, PD_NOWHERE, "%s: damaged "
		    "records were left out: %zu", path, pd_jitdump_damaged(d));
	if (!has_times(j, d))
		pd_note_add(j->notes, false, PD_NOWHERE, "%s: where JIT code "
		    "was replaced, only the last name is known (perf record "
		    "-k CLOCK_MONOTONIC records comparable times)", path);
	if (!pd_live_is_here(j->opts->info) && pd_symfs(j->opts)[0] == '\0' &&
	    j->opts->npath_maps == 0)
		pd_note_add(j->notes, false, PD_NOWHERE, "%s is of this "
		    "machine, but %s was recorded (see --symfs)", path,
		    j->opts->info->hostname);
}

/*
 * Where a dump is; *said when the user told.  In a container, paths are those
 * of the process, as long as it runs.
 */
static char *
path_of(const struct pd_jits *j, const struct pd_session *s,
    const struct pd_space_jit *jit, bool *said, struct pd_error *err)
{
	const struct pd_dso *dso = jit->dso;
	char *path = pd_path_of(j->opts, dso->name, strlen(dso->name), err);
	struct pd_live live;
	int r;

	*said = path != NULL && strcmp(path, dso->name) != 0;
	if (path == NULL || *said || !pd_live_is_here(j->opts->info))
		return path;
	r = pd_live_find(&live, dso->pid, pd_session_mnt_ns(s, dso->pid),
	    jit->addr, err);
	if (r == 0)
		return path;
	free(path);
	return r == -1 ? NULL : pd_path(err, "%s%s", live.root, dso->name);
}

static struct pd_jitdump *
dump_of(struct pd_jits *j, const struct pd_session *s,
    const struct pd_space_jit *jit, struct pd_error *err)
{
	const struct pd_dso *dso = jit->dso;
	char *path;
	bool said;

	if (pd_grow_zeroed(&j->dumps, &j->cap, dso->id + 1,
	    sizeof(*j->dumps), err) == -1)
		return NULL;
	if (j->dumps[dso->id] != NULL)
		return j->dumps[dso->id];
	path = path_of(j, s, jit, &said, err);
	if (path == NULL)
		return NULL;
	/* Who says where to look has also said whose files count. */
	j->dumps[dso->id] = pd_jitdump_open(path, said, err);
	if (j->dumps[dso->id] != NULL)
		note(j, j->dumps[dso->id], path);
	free(path);
	return j->dumps[dso->id];
}

int
pd_jits_advance(struct pd_jits *j, struct pd_session *s,
    const struct pd_thread *th, uint64_t time, struct pd_error *err)
{
	struct pd_space *sp = pd_thread_space(th);
	const struct pd_jitdump *d;
	struct pd_space_jit *jit;
	bool renamed = false;
	size_t i, n;

	for (i = 0; i < sp->njits; i++) {
		jit = &sp->jits[i];
		if ((d = dump_of(j, s, jit, err)) == NULL)
			return -1;
		n = pd_jitdump_until(d, jit->applied, !has_times(j, d) ?
		    PD_NOTIME : time < jit->until ? time : jit->until);
		renamed |= n != jit->applied;
		jit->applied = n;
	}
	if (renamed)
		pd_session_rename(s, th);
	return 0;
}

/* The code that was put at an address last, and by which dump. */
static const struct pd_symbol *
find(const struct pd_jits *j, const struct pd_space *sp, uint64_t ip,
    const struct pd_dso **dso)
{
	const struct pd_symbol *best = NULL, *sym;
	uint64_t last = 0, time;
	size_t i;

	for (i = 0; i < sp->njits; i++) {
		if (sp->jits[i].applied == 0)
			continue;
		sym = pd_jitdump_find(j->dumps[sp->jits[i].dso->id],
		    sp->jits[i].applied, ip, &time);
		if (sym == NULL || (best != NULL && time < last))
			continue;
		best = sym;
		last = time;
		*dso = sp->jits[i].dso;
	}
	return best;
}

const struct pd_symbol *
pd_jits_find(const struct pd_jits *j, const struct pd_space *sp, uint64_t ip,
    const struct pd_dso **dso)
{
	const struct pd_dso *at;
	const struct pd_symbol *sym = find(j, sp, ip, &at);

	/* A record without a name still says that an older name is over. */
	if (sym == NULL || *sym->name == '\0')
		return NULL;
	*dso = at;
	return sym;
}

int
pd_jits_line(const struct pd_jits *j, const struct pd_space *sp, uint64_t ip,
    const char **file, uint32_t *line, struct pd_error *err)
{
	const struct pd_dso *dso;
	const struct pd_symbol *sym = find(j, sp, ip, &dso);

	*file = NULL;
	*line = 0;
	return sym == NULL ? 0 : pd_jitdump_line(j->dumps[dso->id], sym, ip,
	    file, line, err);
}

int
pd_jits_cfi(void *jits, const struct pd_space *sp, uint64_t ip,
    struct pd_cfi **cfi, struct pd_error *err)
{
	const struct pd_jits *j = jits;
	const struct pd_dso *dso;
	const struct pd_symbol *sym = find(j, sp, ip, &dso);

	*cfi = NULL;
	return sym == NULL ? 0 : pd_jitdump_cfi(j->dumps[dso->id], sym, cfi,
	    err);
}
