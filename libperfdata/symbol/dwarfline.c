/* Reads the table of source files of a unit: the header of a line program. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "symbol/dwarf.h"
#include "unwind/leb.h"

struct file {
	const char	*name;
	uint32_t	dir;
};

struct pd_dw_line {
	struct file	*files;
	size_t		nfiles, files_cap;
	const char	**dirs;
	size_t		ndirs, dirs_cap;
	const char	**paths;	/* of files, once asked for */
};

static int
add_file(struct pd_dw_line *l, const char *name, uint64_t dir,
    struct pd_error *err)
{
	if (pd_grow(&l->files, &l->files_cap, l->nfiles + 1,
	    sizeof(*l->files), err) == -1)
		return -1;
	l->files[l->nfiles].name = name;
	l->files[l->nfiles++].dir = dir > UINT32_MAX ? 0 : (uint32_t)dir;
	return 0;
}

static int
add_dir(struct pd_dw_line *l, const char *name, struct pd_error *err)
{
	if (pd_grow(&l->dirs, &l->dirs_cap, l->ndirs + 1, sizeof(*l->dirs),
	    err) == -1)
		return -1;
	l->dirs[l->ndirs++] = name;
	return 0;
}

/* DWARF 2 to 4: both count from 1, directory 0 is that of the compiler. */
static int
read_old(struct pd_dw_line *l, struct pd_cursor *c, const char *comp_dir,
    struct pd_error *err)
{
	const char *s;
	uint64_t dir;

	if (add_dir(l, comp_dir, err) == -1 || add_file(l, NULL, 0, err) == -1)
		return -1;
	while ((s = pd_get_str(c)) != NULL && *s != '\0')
		if (add_dir(l, s, err) == -1)
			return -1;
	while ((s = pd_get_str(c)) != NULL && *s != '\0') {
		dir = pd_get_uleb(c);
		pd_get_uleb(c);			/* time */
		pd_get_uleb(c);			/* length */
		if (!c->bad && add_file(l, s, dir, err) == -1)
			return -1;
	}
	return 0;
}

struct format {				/* of the entries, DWARF 5, 6.2.4.1 */
	uint64_t	type, form;
};

static const char *
get_string(struct pd_cursor *c, const struct pd_dw_unit *u, uint64_t form)
{
	struct pd_dw_value v = { .form = (uint16_t)form };

	switch (form) {
	case DW_FORM_string: return pd_get_str(c);
	case DW_FORM_strp: case DW_FORM_line_strp: case DW_FORM_strp_sup:
		v.u = pd_dw_get(c, u->offset_size);
		break;
	case DW_FORM_strx: v.u = pd_get_uleb(c); break;
	case DW_FORM_strx1: v.u = pd_dw_get(c, 1); break;
	case DW_FORM_strx2: v.u = pd_dw_get(c, 2); break;
	case DW_FORM_strx3: v.u = pd_dw_get(c, 3); break;
	case DW_FORM_strx4: v.u = pd_dw_get(c, 4); break;
	default: c->bad = true;
	}
	return c->bad ? NULL : pd_dw_str(u, &v);
}

static uint64_t
get_number(struct pd_cursor *c, uint64_t form)
{
	switch (form) {
	case DW_FORM_udata: return pd_get_uleb(c);
	case DW_FORM_data1: return pd_get_u8(c);
	case DW_FORM_data2: return pd_get_u16(c);
	case DW_FORM_data4: return pd_get_u32(c);
	case DW_FORM_data8: return pd_get_u64(c);
	case DW_FORM_data16: pd_get_bytes(c, 16); return 0;
	case DW_FORM_block: pd_get_bytes(c, pd_get_uleb(c)); return 0;
	default: c->bad = true; return 0;
	}
}

static int
read_entries(struct pd_dw_line *l, struct pd_cursor *c,
    const struct pd_dw_unit *u, bool dirs, struct pd_error *err)
{
	struct format fmt[16];
	uint8_t n = pd_get_u8(c), i;
	const char *name;
	uint64_t count, dir;

	if (n > 16)				/* there are five types */
		c->bad = true;
	for (i = 0; i < n && !c->bad; i++) {
		fmt[i].type = pd_get_uleb(c);
		fmt[i].form = pd_get_uleb(c);
	}
	count = pd_get_uleb(c);
	if (n == 0)
		return 0;
	for (; count > 0 && !c->bad; count--) {
		name = NULL;
		dir = 0;
		for (i = 0; i < n; i++) {
			if (fmt[i].type == DW_LNCT_path)
				name = get_string(c, u, fmt[i].form);
			else if (fmt[i].type == DW_LNCT_directory_index)
				dir = get_number(c, fmt[i].form);
			else
				get_number(c, fmt[i].form);
		}
		if (!c->bad && (dirs ? add_dir(l, name, err) :
		    add_file(l, name, dir, err)) == -1)
			return -1;
	}
	return 0;
}

static int
read_header(struct pd_dw_line *l, const struct pd_dw_unit *unit,
    uint64_t offset, struct pd_error *err)
{
	struct pd_dw_unit u = *unit;	/* the header has sizes of its own */
	struct pd_cursor c = pd_dw_cursor(u.file, PD_DW_LINE, offset);
	uint64_t len = pd_get_u32(&c);
	uint8_t ops;

	u.offset_size = len == 0xffffffff ? 8 : 4;
	if (len == 0xffffffff)
		len = pd_get_u64(&c);
	if (c.bad)
		return 0;
	if (len < pd_left(&c))
		c.end = c.p + len;
	u.version = (uint8_t)pd_get_u16(&c);
	if (u.version < 2 || u.version > 5)
		return 0;
	if (u.version == 5)
		pd_get_bytes(&c, 2);		/* sizes of an address, segment */
	len = pd_dw_get(&c, u.offset_size);
	if (len < pd_left(&c))			/* the program is behind it */
		c.end = c.p + len;
	pd_get_bytes(&c, u.version >= 4 ? 5 : 4);
	ops = pd_get_u8(&c);
	pd_get_bytes(&c, ops ? ops - 1u : 0);
	if (!pd_dw_spend(&u.file->limits->bytes, 4 * pd_left(&c)))
		return 0;
	if (u.version < 5)
		return read_old(l, &c, u.comp_dir, err);
	return read_entries(l, &c, &u, true, err) == -1 ? -1 :
	    read_entries(l, &c, &u, false, err);
}

/*
 * The files of a split unit are in its own .debug_line.dwo, which starts with
 * them, or are those of the program's unit.
 */
static int
load(struct pd_dw_unit *u, struct pd_error *err)
{
	const struct pd_dw_unit *from = u;
	uint64_t offset = u->line + u->stmt_list;

	u->files = pd_calloc(1, sizeof(*u->files), err);
	if (u->files == NULL)
		return -1;
	if (u->skeleton != NULL && u->file->sections[PD_DW_LINE].size == 0) {
		from = u->skeleton;
		offset = from->line + from->stmt_list;
	}
	if (from == u && u->skeleton == NULL && !u->has_line)
		return 0;
	if (read_header(u->files, from, offset, err) == -1)
		return -1;
	u->files->paths = pd_calloc(u->files->nfiles, sizeof(char *), err);
	return u->files->paths == NULL ? -1 : 0;
}

/* "comp_dir/dir/name", without what the next makes absolute. */
static const char *
make_path(const struct pd_dw_unit *u, const struct file *f,
    struct pd_arena *a, struct pd_error *err)
{
	const struct pd_dw_line *l = u->files;
	const char *dir = f->dir < l->ndirs ? l->dirs[f->dir] : NULL;
	const char *part[3] = { u->comp_dir, dir, f->name };
	size_t len = 0, i;
	char *path, *p;

	if (part[0] == NULL && u->skeleton != NULL)
		part[0] = u->skeleton->comp_dir;
	for (i = 3; i-- > 0;) {
		len += part[i] ? strlen(part[i]) + 1 : 0;
		if (part[i] != NULL && part[i][0] == '/')
			break;
	}
	if (!pd_dw_spend(&u->file->limits->bytes, len))
		return f->name;
	path = p = pd_arena_alloc(a, len + 1, err);
	for (i = i > 2 ? 0 : i; p != NULL && i < 3; i++) {
		if (part[i] == NULL || part[i][0] == '\0')
			continue;
		p = stpcpy(p, part[i]);
		if (i < 2)
			*p++ = '/';
	}
	return path;
}

int
pd_dw_line_file(const char **path, struct pd_dw_unit *u, uint32_t number,
    struct pd_arena *a, struct pd_error *err)
{
	struct pd_dw_line *l;

	*path = NULL;
	if (u->files == NULL && load(u, err) == -1)
		return -1;
	l = u->files;
	if (number >= l->nfiles || l->paths == NULL ||
	    l->files[number].name == NULL)
		return 0;
	if (l->paths[number] == NULL) {
		l->paths[number] = make_path(u, &l->files[number], a, err);
		if (l->paths[number] == NULL)
			return -1;
	}
	*path = l->paths[number];
	return 0;
}

void
pd_dw_line_free(struct pd_dw_unit *u)
{
	if (u->files == NULL)
		return;
	free(u->files->files);
	free(u->files->dirs);
	free(u->files->paths);
	free(u->files);
}
