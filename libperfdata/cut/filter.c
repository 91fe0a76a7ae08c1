/* Which records a selection keeps. */
#include <fnmatch.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

enum { LISTS = 3 };			/* the kinds that are lists of numbers */

struct pd_filter {
	struct pd_range	*ranges[LISTS];
	size_t		len[LISTS], cap[LISTS];
	char		**comms;
	size_t		ncomms, comms_cap;
};

struct pd_filter *
pd_filter_new(struct pd_error *err)
{
	return pd_calloc(1, sizeof(struct pd_filter), err);
}

void
pd_filter_free(struct pd_filter *f)
{
	size_t i;

	if (f == NULL)
		return;
	for (i = 0; i < LISTS; i++)
		free(f->ranges[i]);
	for (i = 0; i < f->ncomms; i++)
		free(f->comms[i]);
	free(f->comms);
	free(f);
}

int
pd_filter_add(struct pd_filter *f, enum pd_filter_kind kind,
    const char *spec, struct pd_error *err)
{
	static const char *const what[LISTS] = { "--pid", "--tid", "--cpu" };

	if (kind != PD_BY_COMM)
		return pd_text_ranges(spec, what[kind], &f->ranges[kind],
		    &f->len[kind], &f->cap[kind], err);
	if (pd_grow(&f->comms, &f->comms_cap, f->ncomms + 1,
	    sizeof(*f->comms), err) == -1 ||
	    (f->comms[f->ncomms] = pd_strdup(spec, err)) == NULL)
		return -1;
	f->ncomms++;
	return 0;
}

static bool
in_ranges(const struct pd_filter *f, enum pd_filter_kind kind, uint32_t v)
{
	size_t i;

	if (f->len[kind] == 0)
		return true;
	for (i = 0; i < f->len[kind]; i++)
		if (v >= f->ranges[kind][i].first &&
		    v <= f->ranges[kind][i].last)
			return true;
	return false;
}

bool
pd_filter_match(const struct pd_filter *f, const struct pd_record *rec,
    const struct pd_thread *th)
{
	size_t i;

	if (!in_ranges(f, PD_BY_PID, rec->pid) ||
	    !in_ranges(f, PD_BY_TID, rec->tid) ||
	    !in_ranges(f, PD_BY_CPU, rec->cpu))
		return false;
	for (i = 0; i < f->ncomms; i++)
		if (fnmatch(f->comms[i], th->comm, 0) == 0)
			return true;
	return f->ncomms == 0;
}
