/* Which records a selection keeps. */
#include <fnmatch.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "cut/filter.h"

/* The kinds below LISTS are lists of numbers, the others globs. */
#define LISTS	PD_BY_COMM
#define KINDS	(PD_BY_STACK + 1)

struct pd_filter {
	struct pd_range	*ranges[LISTS];
	char		**globs[KINDS];
	size_t		len[KINDS], cap[KINDS];
};

struct pd_filter *
pd_filter_new(struct pd_error *err)
{
	return pd_calloc(1, sizeof(struct pd_filter), err);
}

void
pd_filter_free(struct pd_filter *f)
{
	size_t i, j;

	if (f == NULL)
		return;
	for (i = 0; i < LISTS; i++)
		free(f->ranges[i]);
	for (i = LISTS; i < KINDS; i++) {
		for (j = 0; j < f->len[i]; j++)
			free(f->globs[i][j]);
		free(f->globs[i]);
	}
	free(f);
}

int
pd_filter_add(struct pd_filter *f, enum pd_filter_kind kind,
    const char *spec, struct pd_error *err)
{
	static const char *const what[LISTS] = { "--pid", "--tid", "--cpu" };

	if (kind < LISTS)
		return pd_text_ranges(spec, what[kind], &f->ranges[kind],
		    &f->len[kind], &f->cap[kind], err);
	if (pd_grow(&f->globs[kind], &f->cap[kind], f->len[kind] + 1,
	    sizeof(*f->globs[kind]), err) == -1 ||
	    (f->globs[kind][f->len[kind]] = pd_strdup(spec, err)) == NULL)
		return -1;
	f->len[kind]++;
	return 0;
}

bool
pd_filter_has(const struct pd_filter *f, enum pd_filter_kind kind)
{
	return f->len[kind] > 0;
}

static bool
in_ranges(const struct pd_filter *f, enum pd_filter_kind kind, uint32_t v)
{
	return pd_ranges_match(f->ranges[kind], f->len[kind], v);
}

bool
pd_filter_match_glob(const struct pd_filter *f, enum pd_filter_kind kind,
    const char *text)
{
	size_t i;

	for (i = 0; i < f->len[kind]; i++)
		if (fnmatch(f->globs[kind][i], text, 0) == 0)
			return true;
	return false;
}

bool
pd_filter_match_who(const struct pd_filter *f, const struct pd_record *rec,
    const struct pd_thread *th)
{
	return in_ranges(f, PD_BY_PID, rec->pid) &&
	    in_ranges(f, PD_BY_TID, rec->tid) &&
	    in_ranges(f, PD_BY_CPU, rec->cpu) &&
	    (f->len[PD_BY_COMM] == 0 ||
	    pd_filter_match_glob(f, PD_BY_COMM, th->comm));
}

bool
pd_filter_match(const struct pd_filter *f, const struct pd_record *rec,
    const struct pd_thread *th)
{
	return pd_filter_match_who(f, rec, th) &&
	    (f->len[PD_BY_EVENT] == 0 || (rec->event != NULL &&
	    pd_filter_match_glob(f, PD_BY_EVENT, rec->event->name)));
}
