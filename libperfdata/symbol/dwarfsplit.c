/* Finds the units of split DWARF, in .dwo files or a .dwp package. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "symbol/debugfile.h"
#include "symbol/dwarf.h"

#define MAX_FILES	65000		/* they are numbered by 16 bits */

/* Open a file of split DWARF and keep it; owns path. */
static int
open_split(struct pd_dw_split *s, struct pd_dw_file **f, char *path,
    struct pd_error *err)
{
	int ret;

	*f = NULL;
	if (path == NULL)
		return -1;
	if (s->nfiles >= MAX_FILES) {
		free(path);
		return 0;
	}
	ret = pd_grow(&s->files, &s->files_cap, s->nfiles + 1,
	    sizeof(*s->files), err);
	if (ret == 0)
		ret = pd_dw_file_open(f, path, NULL, true, s->main->limits,
		    err);
	free(path);
	if (*f != NULL) {
		(*f)->alt = s->main->alt;
		s->files[s->nfiles++] = *f;
		(*f)->number = (uint16_t)(s->nfiles + 1);
	}
	return ret;
}

/* ---- .dwp ---------------------------------------------------------------- */

/*
 * .debug_cu_index (DWARF 5, 7.3.5.3; version 2 is GNU's for DWARF 4): a hash
 * table from ids to rows, then a table of offsets and one of sizes with a
 * column for each section.
 */
struct index {
	struct pd_cursor	ids, rows, columns, offsets, sizes;
	uint32_t		version, ncolumns, nunits, nslots;
};

static struct pd_cursor
take(struct pd_cursor *c, uint64_t n, unsigned size)
{
	struct pd_cursor part = *c;

	pd_get_bytes(c, n > pd_left(c) ? SIZE_MAX : n * size);
	part.end = c->bad ? part.p : c->p;
	return part;
}

static bool
read_index(struct index *x, const struct pd_dw_file *f)
{
	struct pd_cursor c = pd_dw_cursor(f, PD_DW_CU_INDEX, 0), v;

	v = c;
	x->version = pd_get_u32(&c);
	if (x->version != 2)
		x->version = pd_get_u16(&v);	/* and two bytes of padding */
	x->ncolumns = pd_get_u32(&c);
	x->nunits = pd_get_u32(&c);
	x->nslots = pd_get_u32(&c);
	if (c.bad || (x->version != 2 && x->version != 5) ||
	    x->ncolumns > 16 || (x->nslots & (x->nslots - 1)) != 0 ||
	    x->nslots == 0)
		return false;
	x->ids = take(&c, x->nslots, 8);
	x->rows = take(&c, x->nslots, 4);
	x->columns = take(&c, x->ncolumns, 4);
	x->offsets = take(&c, (uint64_t)x->nunits * x->ncolumns, 4);
	x->sizes = take(&c, (uint64_t)x->nunits * x->ncolumns, 4);
	return !c.bad;
}

static uint32_t
u32_at(const struct pd_cursor *c, size_t i)
{
	return pd_load_u32(c->p + 4 * i, c->swapped);
}

/* The row of an id, counted from 1; 0 when it is not there. */
static uint32_t
find_row(const struct index *x, uint64_t id)
{
	uint32_t mask = x->nslots - 1, at = (uint32_t)id & mask, n, row;
	uint32_t step = ((uint32_t)(id >> 32) & mask) | 1;

	for (n = 0; n < x->nslots; n++, at = (at + step) & mask) {
		row = u32_at(&x->rows, at);
		if (row == 0)
			break;
		if (pd_load_u64(x->ids.p + 8 * (size_t)at, x->ids.swapped) ==
		    id)
			return row <= x->nunits ? row : 0;
	}
	return 0;
}

/* Where the parts of a unit are. */
static void
apply_row(struct pd_dw_unit *u, const struct index *x, uint32_t row)
{
	uint32_t i, offset;

	for (i = 0; i < x->ncolumns; i++) {
		offset = u32_at(&x->offsets,
		    (size_t)(row - 1) * x->ncolumns + i);
		switch (u32_at(&x->columns, i)) {
		case 1: u->info = offset; break;	/* DW_SECT_INFO */
		case 3: u->abbrev = offset; break;
		case 4: u->line = offset; break;
		case 6: u->str = offset; break;
		case 8:			/* DW_SECT_MACRO in version 2 */
			if (x->version == 5)
				u->rnglists = offset;
			break;
		}
	}
}

/* ---- units --------------------------------------------------------------- */

/* Keep the unit at u->start as the one that skeleton stands for. */
static struct pd_dw_unit *
finish(struct pd_dw_unit *made, const struct pd_dw_unit *skeleton,
    struct pd_error *err)
{
	struct pd_dw_unit *u;

	made->skeleton = skeleton;
	if ((u = pd_dw_unit_keep(made, err)) == NULL)
		return NULL;
	if (u->language == 0)
		u->language = skeleton->language;
	return u;
}

static struct pd_dw_unit *
find_in_dwp(struct pd_dw_file *f, const struct pd_dw_unit *skeleton,
    struct pd_error *err)
{
	struct pd_dw_unit u, parts = { 0 };
	struct index x;
	uint64_t next;
	uint32_t row;

	if (!read_index(&x, f) || (row = find_row(&x, skeleton->id)) == 0)
		return NULL;
	apply_row(&parts, &x, row);
	if (!pd_dw_unit_header(&u, f, parts.info, &next))
		return NULL;
	apply_row(&u, &x, row);
	return finish(&u, skeleton, err);
}

static struct pd_dw_unit *
find_in_dwo(struct pd_dw_file *f, const struct pd_dw_unit *skeleton,
    struct pd_error *err)
{
	uint64_t at = 0, next, size = f->sections[PD_DW_INFO].size;
	struct pd_dw_abbrevs room = { 0 };
	struct pd_dw_unit u, seen;
	struct pd_dw_die d;
	bool found = false;
	int ret = 0;

	for (; at < size && !found && ret == 0; at = next) {
		if (!pd_dw_unit_header(&u, f, at, &next) ||
		    u.type == DW_UT_split_type)
			continue;
		seen = u;
		ret = pd_dw_unit_peek(&seen, &d, &room, err);
		found = ret == 0 && seen.id == skeleton->id;
	}
	pd_dw_abbrevs_free(&room);
	return found ? finish(&u, skeleton, err) : NULL;
}

/* ---- files --------------------------------------------------------------- */

/* The package is beside the program: "prog.dwp". */
static int
open_dwp(struct pd_dw_split *s, struct pd_error *err)
{
	const char *main = s->main->path;
	size_t len = strlen(main);

	s->has_dwp = true;
	if (open_split(s, &s->dwp, pd_path(err, "%s.dwp", main), err) == -1)
		return -1;
	if (s->dwp == NULL && s->program != NULL && open_split(s, &s->dwp,
	    pd_path(err, "%s.dwp", s->program), err) == -1)
		return -1;
	if (s->dwp != NULL || len < 6 ||
	    strcmp(main + len - 6, ".debug") != 0)
		return 0;
	return open_split(s, &s->dwp, pd_path(err, "%.*s.dwp", (int)len - 6,
	    main), err);
}

#define MAX_TRIES	5

/*
 * The .dwo is where the compiler wrote it, or (made on another machine)
 * beside the program.  NULL with PD_OK: nothing to try.
 */
static char *
dwo_path(const struct pd_dw_split *s, const struct pd_dw_unit *skeleton,
    int try, struct pd_error *err)
{
	const char *name = skeleton->dwo_name, *slash = strrchr(name, '/');
	const char *beside = try < 3 ? s->main->path : s->program;

	err->code = PD_OK;
	if (try == 0 && name[0] == '/')
		return pd_path(err, "%s%s", s->symfs, name);
	if (try == 0 && skeleton->comp_dir != NULL)
		return pd_path(err, "%s%s/%s", s->symfs, skeleton->comp_dir,
		    name);
	if (try == 0 || beside == NULL)
		return NULL;
	if ((try & 1) == 0 && slash != NULL)
		name = slash + 1;
	slash = strrchr(beside, '/');
	return pd_path(err, "%.*s%s", slash ? (int)(slash - beside + 1) : 0,
	    beside, name);
}

struct pd_dw_unit *
pd_dw_split_unit(struct pd_dw_split *s, const struct pd_dw_unit *skeleton,
    struct pd_error *err)
{
	struct pd_dw_unit *u = NULL;
	struct pd_dw_file *f;
	char *path;
	int try;

	err->code = PD_OK;
	if (!s->has_dwp && open_dwp(s, err) == -1)
		return NULL;
	err->code = PD_OK;
	if (s->dwp != NULL)
		u = find_in_dwp(s->dwp, skeleton, err);
	for (try = 0; try < MAX_TRIES && u == NULL && err->code == PD_OK;
	    try++) {
		path = dwo_path(s, skeleton, try, err);
		if (path == NULL && err->code == PD_OK)
			continue;
		if (open_split(s, &f, path, err) == -1)
			return NULL;
		err->code = PD_OK;
		if (f != NULL)
			u = find_in_dwo(f, skeleton, err);
	}
	return u;
}

void
pd_dw_split_free(struct pd_dw_split *s)
{
	while (s->nfiles > 0)
		pd_dw_file_close(s->files[--s->nfiles]);
	free(s->files);
	free(s->symfs);
	free(s->program);
}
