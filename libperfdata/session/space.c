/* Maps of one address space, as a sorted array. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "session/space.h"

void
pd_space_forget(struct pd_space *sp, uint64_t *versions)
{
	sp->version = ++*versions;
	sp->missed = sp->kept_missed = false;
	pd_map64_free(&sp->frames);
	pd_map64_free(&sp->rules);
}

/* What was found unmapped may be mapped now, but was not kept. */
static void
filled(struct pd_space *sp, uint64_t *versions)
{
	sp->version = ++*versions;
	sp->missed = false;
	pd_map64_free(&sp->rules);
}

void
pd_space_rename(struct pd_space *sp, uint64_t *versions)
{
	sp->version = ++*versions;
	sp->kept_missed = false;
	pd_map64_free(&sp->frames);
	pd_map64_free(&sp->rules);
}

void
pd_space_init(struct pd_space *sp, uint64_t *versions)
{
	*sp = (struct pd_space){ .version = ++*versions };
}

void
pd_space_free(struct pd_space *sp)
{
	free(sp->maps);
	free(sp->old);
	free(sp->jits);
	pd_map64_free(&sp->frames);
	pd_map64_free(&sp->rules);
}

int
pd_space_copy(struct pd_space *to, const struct pd_space *from,
    uint64_t *versions, struct pd_error *err)
{
	pd_space_forget(to, versions);
	if (pd_grow(&to->maps, &to->cap, from->len, sizeof(*to->maps), err) ||
	    pd_grow(&to->jits, &to->jits_cap, from->njits, sizeof(*to->jits),
	    err))
		return -1;
	if (from->njits > 0)
		memcpy(to->jits, from->jits, from->njits * sizeof(*to->jits));
	to->njits = from->njits;
	if (from->len > 0)
		memcpy(to->maps, from->maps, from->len * sizeof(*to->maps));
	to->len = from->len;
	return 0;
}

/* The first map that ends behind ip. */
static size_t
first_behind(const struct pd_map *maps, size_t len, uint64_t ip)
{
	size_t lo = 0, hi = len, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (maps[mid].end <= ip)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * Replace what is in [start, end) by m, or by nothing when m is NULL: at most
 * two rests of old maps and m take the place of maps[i..j).
 */
static int
replace(struct pd_space *sp, uint64_t start, uint64_t end,
    const struct pd_map *m, struct pd_error *err)
{
	size_t i = first_behind(sp->maps, sp->len, start), j = i, n = 0;
	struct pd_map new[3];

	if (i < sp->len && sp->maps[i].start < start) {
		new[n] = sp->maps[i];
		new[n++].end = start;
	}
	if (m != NULL)
		new[n++] = *m;
	while (j < sp->len && sp->maps[j].start < end)
		j++;
	if (j > i && sp->maps[j - 1].end > end) {
		new[n] = sp->maps[j - 1];
		new[n].pgoff += end - new[n].start;
		new[n++].start = end;
	}
	if (pd_grow(&sp->maps, &sp->cap, sp->len - (j - i) + n,
	    sizeof(*sp->maps), err) == -1)
		return -1;
	if (j < sp->len)
		memmove(sp->maps + i + n, sp->maps + j,
		    (sp->len - j) * sizeof(*sp->maps));
	if (n > 0)
		memcpy(sp->maps + i, new, n * sizeof(*new));
	sp->len = sp->len - (j - i) + n;
	return 0;
}

/* Whether all of m is mapped just so already. */
static bool
is_mapped(const struct pd_space *sp, const struct pd_map *m)
{
	size_t i = first_behind(sp->maps, sp->len, m->start);
	const struct pd_map *old;

	if (i == sp->len)
		return false;
	old = &sp->maps[i];
	return old->start <= m->start && old->end >= m->end &&
	    old->dso == m->dso && old->data == m->data &&
	    old->pgoff + (m->start - old->start) == m->pgoff;
}

int
pd_space_map(struct pd_space *sp, const struct pd_map *m, uint64_t *versions,
    struct pd_error *err)
{
	size_t i = first_behind(sp->maps, sp->len, m->start);

	if (m->start >= m->end || is_mapped(sp, m))
		return 0;
	if (sp->kept_missed || (i < sp->len && sp->maps[i].start < m->end))
		pd_space_forget(sp, versions);
	else if (sp->missed)
		filled(sp, versions);
	return replace(sp, m->start, m->end, m, err);
}

int
pd_space_unmap(struct pd_space *sp, uint64_t start, uint64_t end,
    uint64_t *versions, struct pd_error *err)
{
	pd_space_forget(sp, versions);
	return start < end ? replace(sp, start, end, NULL, err) : 0;
}

int
pd_space_add_jit(struct pd_space *sp, const struct pd_dso *dso,
    uint64_t addr, struct pd_error *err)
{
	size_t i;

	for (i = 0; i < sp->njits; i++)
		if (sp->jits[i].dso == dso)
			return 0;
	if (pd_grow(&sp->jits, &sp->jits_cap, sp->njits + 1,
	    sizeof(*sp->jits), err) == -1)
		return -1;
	sp->jits[sp->njits++] = (struct pd_space_jit){ .dso = dso,
		.addr = addr, .until = PD_NOTIME };
	return 0;
}

void
pd_space_exec(struct pd_space *sp, uint64_t *versions)
{
	pd_space_forget(sp, versions);
	sp->njits = 0;
	if (sp->len == 0)
		return;
	free(sp->old);
	sp->old = sp->maps;
	sp->old_len = sp->len;
	sp->maps = NULL;
	sp->len = sp->cap = 0;
}

void
pd_space_settle(struct pd_space *sp, uint64_t *versions)
{
	free(sp->old);
	sp->old = NULL;
	sp->old_len = 0;
	pd_space_forget(sp, versions);
}

bool
pd_space_has(const struct pd_space *sp, uint64_t ip)
{
	size_t i = first_behind(sp->maps, sp->len, ip);

	return i < sp->len && sp->maps[i].start <= ip;
}

const struct pd_map *
pd_space_find(struct pd_space *sp, uint64_t ip)
{
	size_t i = first_behind(sp->maps, sp->len, ip);

	if (i < sp->len && sp->maps[i].start <= ip)
		return &sp->maps[i];
	sp->missed = true;
	i = first_behind(sp->old, sp->old_len, ip);
	if (i < sp->old_len && sp->old[i].start <= ip)
		return &sp->old[i];
	return NULL;
}
