/*
 * Runs the line program of a unit: its header lists the source files, what
 * follows says which line of which file the code at an address is from.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "symbol/dwarf.h"
#include "symbol/spans.h"
#include "unwind/leb.h"

struct file {
	const char	*name;
	uint32_t	dir;
};

/* From `at` on, counted from the start of the sequence, up to the next. */
struct row {
	uint32_t	at, line, file;
};

/* Code without a gap, in the order of addresses. */
struct sequence {
	uint64_t	start;
	size_t		first, len;	/* its rows */
};

/* How to run a line program: what its header says. */
struct program {
	struct pd_cursor	c;	/* what to run */
	const uint8_t		*operands;	/* how many, by opcode - 1 */
	uint8_t			min_len, max_ops, range, first_special;
	int8_t			base;
};

struct pd_dw_line {
	struct file	*files;
	size_t		nfiles, files_cap;
	const char	**dirs;
	size_t		ndirs, dirs_cap;
	const char	**paths;	/* of files, once asked for */
	size_t		npaths;
	struct program	program;
	bool		has_rows;
	struct row	*rows;
	size_t		nrows, rows_cap;
	struct sequence	*seqs;
	size_t		nseqs, seqs_cap;
	struct pd_spanmap map;		/* to seqs */
};

/* ---- the header ---------------------------------------------------------- */

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
	struct program *p = &l->program;
	uint64_t len = pd_get_u32(&c);

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
	if (c.bad)
		return 0;
	p->c = c;
	p->c.p = len < pd_left(&c) ? c.p + len : c.end;
	c.end = p->c.p;				/* the program is behind it */
	p->min_len = pd_get_u8(&c);
	p->max_ops = u.version >= 4 ? pd_get_u8(&c) : 1;
	pd_get_u8(&c);				/* default_is_stmt */
	p->base = (int8_t)pd_get_u8(&c);
	p->range = pd_get_u8(&c);
	p->first_special = pd_get_u8(&c);
	p->operands = pd_get_bytes(&c, p->first_special ?
	    p->first_special - 1u : 0);
	if (c.bad || !pd_dw_spend(&u.file->limits->bytes, 4 * pd_left(&c)))
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
	return read_header(u->files, from, offset, err);
}

/* ---- paths --------------------------------------------------------------- */

/* "comp_dir/dir/name", without what the next makes absolute. */
static const char *
make_path(const struct pd_dw_unit *u, const struct file *f,
    struct pd_arena *a, struct pd_error *err)
{
	const struct pd_dw_line *l = u->files;
	const char *dir = f->dir < l->ndirs ? l->dirs[f->dir] : NULL;
	const char *part[3] = { u->comp_dir, dir, f->name };
	size_t len = 0, i;
	char *path, *p, *end;

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
	if (path == NULL)
		return NULL;
	end = path + len;
	*p = '\0';
	for (i = i > 2 ? 0 : i; i < 3; i++) {
		if (part[i] == NULL || part[i][0] == '\0')
			continue;
		p = pd_text_append(p, end, part[i]);
		if (i < 2)
			p = pd_text_append(p, end, "/");
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
	if (number >= l->nfiles || l->files[number].name == NULL)
		return 0;
	if (pd_grow_zeroed(&l->paths, &l->npaths, l->nfiles,
	    sizeof(*l->paths), err) == -1)
		return -1;
	if (l->paths[number] == NULL) {
		l->paths[number] = make_path(u, &l->files[number], a, err);
		if (l->paths[number] == NULL)
			return -1;
	}
	*path = l->paths[number];
	return 0;
}

/* ---- the program --------------------------------------------------------- */

/* The registers (DWARF 5, 6.2.2) that matter, and the open sequence. */
struct machine {
	struct pd_dw_unit	*u;
	struct pd_dw_line	*l;
	uint64_t		addr, file, line, op_index;
	bool			open;
	struct sequence		seq;
	struct pd_spans		spans;
};

static void
reset(struct machine *m)
{
	m->addr = m->op_index = 0;
	m->file = m->line = 1;
	m->open = false;
}

static void
advance(struct machine *m, uint64_t ops)
{
	const struct program *p = &m->l->program;

	if (p->max_ops > 1) {			/* several in an instruction */
		ops += m->op_index;
		m->op_index = ops % p->max_ops;
		ops /= p->max_ops;
	}
	m->addr += ops * p->min_len;
}

/* The open sequence reaches to m->addr; where two overlap the first counts. */
static int
close_sequence(struct machine *m, struct pd_error *err)
{
	struct pd_dw_line *l = m->l;

	if (!m->open)
		return 0;
	m->open = false;
	m->seq.len = l->nrows - m->seq.first;
	if (!pd_dw_holds_code(m->u->file, m->seq.start, m->addr) ||
	    !pd_dw_spend(&m->u->file->limits->bytes,
	    sizeof(struct pd_span) + sizeof(m->seq))) {
		l->nrows = m->seq.first;
		return 0;
	}
	if (pd_grow(&l->seqs, &l->seqs_cap, l->nseqs + 1, sizeof(m->seq),
	    err) == -1)
		return -1;
	l->seqs[l->nseqs++] = m->seq;
	return pd_spans_add(&m->spans, m->seq.start, m->addr,
	    UINT64_MAX - l->nseqs, (uint32_t)l->nseqs - 1, err);
}

/* The code from m->addr on is from m->line. */
static int
add_row(struct machine *m, struct pd_error *err)
{
	struct pd_dw_line *l = m->l;
	struct row *last = l->nrows > 0 ? &l->rows[l->nrows - 1] : NULL;
	struct row r = { .line = m->line > UINT32_MAX ? 0 : (uint32_t)m->line,
		.file = m->file > UINT32_MAX ? PD_NOID : (uint32_t)m->file };

	/* A sequence must not go back. */
	if (m->open && (m->addr < m->seq.start + last->at ||
	    m->addr - m->seq.start > UINT32_MAX)) {
		uint64_t addr = m->addr;

		m->addr = m->seq.start + last->at;
		if (close_sequence(m, err) == -1)
			return -1;
		m->addr = addr;
	}
	if (!m->open) {
		m->seq = (struct sequence){ m->addr, l->nrows, 0 };
		m->open = true;
	} else if (m->addr == m->seq.start + last->at) {
		last->line = r.line;
		last->file = r.file;
		return 0;
	} else if (last->line == r.line && last->file == r.file) {
		return 0;
	}
	r.at = (uint32_t)(m->addr - m->seq.start);
	if (!pd_dw_spend(&m->u->file->limits->bytes, sizeof(r))) {
		l->program.c.bad = true;
		return 0;
	}
	if (pd_grow(&l->rows, &l->rows_cap, l->nrows + 1, sizeof(r), err) ==
	    -1)
		return -1;
	l->rows[l->nrows++] = r;
	return 0;
}

/* DW_LNE_*: they say how long they are. */
static int
run_extended(struct machine *m, struct pd_error *err)
{
	struct pd_cursor *c = &m->l->program.c, op = *c;
	uint64_t len = pd_get_uleb(c), dir;
	const char *name;

	op.p = pd_get_bytes(c, len);
	if (op.p == NULL)
		return 0;
	op.end = c->p;
	switch (pd_get_u8(&op)) {
	case DW_LNE_end_sequence:
		if (close_sequence(m, err) == -1)
			return -1;
		reset(m);
		break;
	case DW_LNE_set_address:
		m->op_index = 0;
		m->addr = pd_dw_get(&op, (unsigned)pd_left(&op));
		break;
	case DW_LNE_define_file:
		name = pd_get_str(&op);
		dir = pd_get_uleb(&op);
		if (!op.bad && pd_dw_spend(&m->u->file->limits->bytes,
		    sizeof(struct file)))
			return add_file(m->l, name, dir, err);
		break;
	}
	return 0;
}

static int
run_special(struct machine *m, uint8_t op, struct pd_error *err)
{
	const struct program *p = &m->l->program;
	uint8_t n = (uint8_t)(op - p->first_special);

	advance(m, n / p->range);
	m->line += (uint64_t)(int64_t)(p->base + n % p->range);
	return add_row(m, err);
}

static int
run_standard(struct machine *m, uint8_t op, struct pd_error *err)
{
	struct program *p = &m->l->program;
	uint8_t i;

	switch (op) {
	case 0: return run_extended(m, err);
	case DW_LNS_copy: return add_row(m, err);
	case DW_LNS_advance_pc: advance(m, pd_get_uleb(&p->c)); break;
	case DW_LNS_advance_line:
		m->line += (uint64_t)pd_get_sleb(&p->c);
		break;
	case DW_LNS_set_file: m->file = pd_get_uleb(&p->c); break;
	case DW_LNS_const_add_pc:
		advance(m, (255u - p->first_special) / p->range);
		break;
	case DW_LNS_fixed_advance_pc:
		m->addr += pd_get_u16(&p->c);
		m->op_index = 0;
		break;
	default:
		for (i = 0; i < p->operands[op - 1]; i++)
			pd_get_uleb(&p->c);
	}
	return 0;
}

static int
run(struct pd_dw_unit *u, struct pd_error *err)
{
	struct program *p = &u->files->program;
	struct machine m = { .u = u, .l = u->files };
	int ret = 0;
	uint8_t op;

	u->files->has_rows = true;
	if (p->range == 0 || p->operands == NULL || p->first_special == 0 ||
	    !pd_dw_spend(&u->file->limits->steps, pd_left(&p->c)))
		return 0;
	for (reset(&m); ret == 0 && !p->c.bad && pd_left(&p->c) > 0;) {
		op = pd_get_u8(&p->c);
		ret = op >= p->first_special ? run_special(&m, op, err) :
		    run_standard(&m, op, err);
	}
	if (ret == 0)
		ret = pd_spanmap_make(&u->files->map, &m.spans, err);
	pd_spans_free(&m.spans);
	return ret;
}

/* The last row of a sequence that is not behind an address. */
static const struct row *
row_at(const struct pd_dw_line *l, const struct sequence *s, uint64_t addr)
{
	size_t lo = s->first, hi = s->first + s->len, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (l->rows[mid].at <= addr - s->start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return &l->rows[lo - 1];
}

int
pd_dw_line_find(const char **path, uint32_t *line, struct pd_dw_unit *u,
    uint64_t addr, struct pd_arena *a, struct pd_error *err)
{
	const struct row *r;
	uint32_t seq;

	*path = NULL;
	*line = 0;
	if ((u->files == NULL && load(u, err) == -1) ||
	    (!u->files->has_rows && run(u, err) == -1))
		return -1;
	seq = pd_spanmap_find(&u->files->map, addr);
	if (seq == PD_NOID)
		return 0;
	r = row_at(u->files, &u->files->seqs[seq], addr);
	*line = r->line;
	return pd_dw_line_file(path, u, r->file, a, err);
}

void
pd_dw_line_free(struct pd_dw_unit *u)
{
	if (u->files == NULL)
		return;
	free(u->files->files);
	free(u->files->dirs);
	free(u->files->paths);
	free(u->files->rows);
	free(u->files->seqs);
	pd_spanmap_free(&u->files->map);
	free(u->files);
}
