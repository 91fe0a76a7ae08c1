/*
 * Reads jit-PID.dump, and finds what code was at an address at a time.
 *
 * Code comes and goes: an address belongs to the last event that covers it.
 * So that this can be asked of any moment without going through the events,
 * they hang in a segment tree: its leaves are the stretches between the
 * starts and ends of all code, an event is in the few nodes that make up its
 * range, and all events of an address are on the way from its leaf to the
 * root.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

#include "symbol/jitdump.h"

#define MAGIC		0x4a695444	/* "JiTD" */
#define HEADER_SIZE	40
#define PREFIX_SIZE	16		/* of a record: id, size, time */
#define ARCH_TIMESTAMP	1		/* JITDUMP_FLAGS_ARCH_TIMESTAMP */

/* enum jit_record_type: tools/perf/util/jitdump.h. */
enum { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO, CODE_CLOSE, CODE_UNWINDING_INFO };

#define MAX_EVENTS	(1u << 24)
#define MAX_NODES	64	/* of an event: two a level of the tree */
/* What describes one function. */
#define MAX_UNWINDING	(1u << 16)
#define MAX_DEBUG	(1u << 24)

/* What is known of the frame of one function, read when it is asked for. */
struct unwinding {
	uint64_t		offset;		/* of its .eh_frame in the file */
	uint32_t		size;
	bool			read;
	struct pd_image		image;
	struct pd_cfi		*cfi;
};

struct line {
	uint32_t		at;		/* from the start of the code */
	uint32_t		number;
	const char		*file;
	size_t			place;		/* in the record */
};

/* The source lines of one function, likewise. */
struct lines {
	uint64_t		offset;		/* of the entries in the file */
	uint64_t		size;
	uint64_t		start;		/* where the code was */
	bool			read;
	struct line		*v;		/* by address */
	size_t			len, cap;
};

/*
 * Code that was loaded or moved; sym.outer is its place in the file.  sym is
 * the first member.
 */
struct event {
	struct pd_symbol	sym;
	uint64_t		time;
	struct unwinding	*unwinding;	/* NULL: none; of this event */
	struct lines		*lines;		/* likewise; of a load */
};

struct pd_jitdump {
	struct pd_arena		names;
	struct event		*events;	/* by time */
	size_t			len, cap;
	uint64_t		*bounds;	/* starts and ends, sorted */
	size_t			nbounds;
	/*
	 * The tree: leaf i is node i + nbounds - 1, the parent of node i is
	 * i / 2.  The events of node i, in order, are
	 * items[first[i]..first[i + 1]).
	 */
	uint32_t		*first, *items;
	size_t			damaged;
	uint32_t		pid;
	uint16_t		machine;
	bool			swapped, counts;
	int			fd;		/* for what is read later */
	const char		*why;
};

/* ---- reading --------------------------------------------------------------- */

/* The part of the file that is in memory. */
struct window {
	int		fd;
	uint64_t	size;		/* of the file */
	uint64_t	start;
	size_t		len;
	uint8_t		buf[65536];
};

/* Up to n bytes at an offset of the file, fewer only at its end. */
static struct pd_cursor
look(struct window *w, uint64_t offset, size_t n, bool swapped)
{
	if (n > sizeof(w->buf))
		n = sizeof(w->buf);
	if (offset > w->size)
		offset = w->size;
	if (n > w->size - offset)
		n = (size_t)(w->size - offset);
	if (offset < w->start || offset + n > w->start + w->len) {
		w->start = offset;
		w->len = w->size - offset < sizeof(w->buf) ?
		    (size_t)(w->size - offset) : sizeof(w->buf);
		if (!pd_file_read(w->fd, w->buf, w->len, offset)) {
			w->size = offset;	/* it shrank */
			w->len = n = 0;
		}
	}
	return pd_cursor(w->buf + (offset - w->start), n, swapped);
}

/* The size of the header, or 0 and a reason. */
static uint32_t
read_header(struct pd_jitdump *d, struct window *w)
{
	struct pd_cursor c = look(w, 0, HEADER_SIZE, false);
	uint32_t magic = pd_get_u32(&c), version, size;

	d->why = "not a jitdump file";
	d->swapped = c.swapped = magic == __builtin_bswap32(MAGIC);
	if (magic != MAGIC && !d->swapped)
		return 0;
	version = pd_get_u32(&c);
	size = pd_get_u32(&c);
	d->machine = (uint16_t)pd_get_u32(&c);
	pd_get_u32(&c);
	d->pid = pd_get_u32(&c);
	pd_get_u64(&c);			/* when it was begun */
	d->counts = pd_get_u64(&c) & ARCH_TIMESTAMP;
	d->why = "the header of the jitdump is damaged";
	if (c.bad || size < HEADER_SIZE || size > w->size)
		return 0;
	d->why = "jitdump of an unknown version";
	if (version != 1)
		return 0;
	d->why = NULL;
	return size;
}

static int
add_event(struct pd_jitdump *d, uint64_t time, uint64_t start, uint64_t size,
    const char *name, const struct event *like, struct pd_error *err)
{
	struct event e = { .time = time, .sym = { .start = start,
	    .end = start + size, .name = name, .outer = (uint32_t)d->len,
	    .flags = PD_SYM_GLOBAL }, .lines = like->lines };

	if (size == 0)
		return 0;
	if (e.sym.end < start || d->len == MAX_EVENTS) {
		d->damaged++;
		return 0;
	}
	if (like->unwinding != NULL) {
		e.unwinding = pd_arena_alloc(&d->names, sizeof(*e.unwinding),
		    err);
		if (e.unwinding == NULL)
			return -1;
		*e.unwinding = *like->unwinding;
	}
	if (pd_grow(&d->events, &d->cap, d->len + 1, sizeof(e), err) == -1)
		return -1;
	d->events[d->len++] = e;
	return 0;
}

/* What was read of the function that the next load brings. */
struct coming {
	struct event		like;
	struct unwinding	unwinding;
};

/*
 * JIT_CODE_UNWINDING_INFO: an .eh_frame and its .eh_frame_hdr, which may be
 * all that there is, and is not needed.
 */
static void
add_unwinding(struct coming *next, uint64_t offset, uint32_t size,
    struct pd_cursor c)
{
	uint64_t all = pd_get_u64(&c), header = pd_get_u64(&c);

	pd_get_u64(&c);			/* how much of it is mapped */
	if (c.bad || all > size - PREFIX_SIZE - 24 || header >= all ||
	    all - header > MAX_UNWINDING)
		return;
	next->unwinding = (struct unwinding){
		.offset = offset + PREFIX_SIZE + 24,
		.size = (uint32_t)(all - header),
	};
	next->like.unwinding = &next->unwinding;
}

/* JIT_CODE_DEBUG_INFO */
static int
add_lines(struct pd_jitdump *d, struct coming *next, uint64_t offset,
    uint32_t size, struct pd_cursor c, struct pd_error *err)
{
	uint64_t start = pd_get_u64(&c);
	struct lines *l;

	pd_get_u64(&c);			/* how many; the size says it, too */
	if (c.bad || size > MAX_DEBUG)
		return 0;
	l = pd_arena_alloc(&d->names, sizeof(*l), err);
	if (l == NULL)
		return -1;
	l->offset = offset + PREFIX_SIZE + 16;
	l->size = size - PREFIX_SIZE - 16;
	l->start = start;
	next->like.lines = l;
	return 0;
}

/*
 * JIT_CODE_LOAD: c has its size bytes or as many as a window holds, which
 * must be enough for the name.
 */
static int
add_load(struct pd_jitdump *d, struct pd_map64 *by_index, uint32_t size,
    uint64_t time, const struct event *like, struct pd_cursor c,
    struct pd_error *err)
{
	const uint8_t *begin = c.p - PREFIX_SIZE;
	struct event known = *like;
	uint64_t start, code, index;
	const char *name;
	uint32_t pid;

	pid = pd_get_u32(&c);
	pd_get_u32(&c);			/* tid */
	pd_get_u64(&c);			/* vma: perf goes by the address, too */
	start = pd_get_u64(&c);
	code = pd_get_u64(&c);
	index = pd_get_u64(&c);
	name = pd_get_str(&c);
	if (c.bad || code > size - (size_t)(c.p - begin)) {
		d->damaged++;
		return 0;
	}
	/* A child that was forked goes on in the file of its parent. */
	if (pid != d->pid)
		return 0;
	name = pd_arena_strndup(&d->names, name, strlen(name), err);
	if (name == NULL || (d->len < MAX_EVENTS && pd_map64_put(by_index,
	    index, (uint32_t)d->len, err) == -1))
		return -1;
	if (known.lines != NULL && known.lines->start != start)
		known.lines = NULL;	/* they are of other code */
	return add_event(d, time, start, code, name, &known, err);
}

/* JIT_CODE_MOVE: the code of an earlier load has another place. */
static int
add_move(struct pd_jitdump *d, const struct pd_map64 *by_index,
    uint64_t time, struct pd_cursor c, struct pd_error *err)
{
	uint64_t start, size;
	uint32_t pid, load;

	pid = pd_get_u32(&c);
	pd_get_u32(&c);			/* tid */
	pd_get_u64(&c);			/* vma */
	pd_get_u64(&c);			/* the old address */
	start = pd_get_u64(&c);
	size = pd_get_u64(&c);
	load = pd_map64_find(by_index, pd_get_u64(&c));
	if (!c.bad && pid != d->pid)
		return 0;
	if (c.bad || load >= d->len) {
		d->damaged++;
		return 0;
	}
	return add_event(d, time, start, size, d->events[load].sym.name,
	    &d->events[load], err);
}

/*
 * Read records up to the end.  The last may be cut off: its process was
 * killed, or is still writing.
 */
static int
read_records(struct pd_jitdump *d, struct window *w, uint64_t offset,
    struct pd_map64 *by_index, struct pd_error *err)
{
	struct coming next = { .like.time = 0 };
	uint32_t id, size;
	struct pd_cursor c;
	uint64_t time;
	int ret = 0;

	for (; ret == 0; offset += size) {
		c = look(w, offset, PREFIX_SIZE, d->swapped);
		id = pd_get_u32(&c);
		size = pd_get_u32(&c);
		if (c.bad || size > w->size - offset)
			break;
		if (size < PREFIX_SIZE) {
			d->damaged++;
			break;
		}
		c = look(w, offset, size, d->swapped);
		pd_get_u64(&c);
		time = pd_get_u64(&c);
		switch (id) {
		case CODE_LOAD:
			ret = add_load(d, by_index, size, time, &next.like, c,
			    err);
			next = (struct coming){ .like.time = 0 };
			break;
		case CODE_MOVE:
			ret = add_move(d, by_index, time, c, err);
			break;
		case CODE_DEBUG_INFO:
			ret = add_lines(d, &next, offset, size, c, err);
			break;
		case CODE_UNWINDING_INFO:
			add_unwinding(&next, offset, size, c);
			break;
		}
	}
	return ret;
}

/* ---- the index --------------------------------------------------------------- */

static int
by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->sym.outer < y->sym.outer ? -1 : x->sym.outer > y->sym.outer;
}

static int
by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int
find_bounds(struct pd_jitdump *d, struct pd_error *err)
{
	size_t i, n = 0;

	d->bounds = pd_calloc(2 * d->len, sizeof(*d->bounds), err);
	if (d->bounds == NULL)
		return -1;
	for (i = 0; i < d->len; i++) {
		d->bounds[2 * i] = d->events[i].sym.start;
		d->bounds[2 * i + 1] = d->events[i].sym.end;
	}
	qsort(d->bounds, 2 * d->len, sizeof(*d->bounds), by_value);
	for (i = 0; i < 2 * d->len; i++)
		if (n == 0 || d->bounds[n - 1] != d->bounds[i])
			d->bounds[n++] = d->bounds[i];
	d->nbounds = n;
	return 0;
}

/* The place of the last bound that is not behind ip; nbounds for none. */
static size_t
bound_of(const struct pd_jitdump *d, uint64_t ip)
{
	size_t lo = 0, hi = d->nbounds, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (d->bounds[mid] <= ip)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 ? lo - 1 : d->nbounds;
}

/* The nodes that together are the range of an event. */
static size_t
nodes_of(const struct pd_jitdump *d, const struct event *e,
    size_t nodes[MAX_NODES])
{
	size_t leaves = d->nbounds - 1, n = 0;
	size_t l = bound_of(d, e->sym.start) + leaves;
	size_t r = bound_of(d, e->sym.end) + leaves;

	for (; l < r; l /= 2, r /= 2) {
		if (l % 2 == 1)
			nodes[n++] = l++;
		if (r % 2 == 1)
			nodes[n++] = --r;
	}
	return n;
}

/* Count the events of each node, then fill them in from the last one on. */
static int
build_tree(struct pd_jitdump *d, struct pd_error *err)
{
	size_t all = 2 * (d->nbounds - 1), nodes[MAX_NODES], n, i;

	d->first = pd_calloc(all + 1, sizeof(*d->first), err);
	if (d->first == NULL)
		return -1;
	for (i = 0; i < d->len; i++)
		for (n = nodes_of(d, &d->events[i], nodes); n-- > 0;)
			d->first[nodes[n]]++;
	for (i = 1; i <= all; i++)
		d->first[i] += d->first[i - 1];
	d->items = pd_calloc(d->first[all], sizeof(*d->items), err);
	if (d->items == NULL)
		return -1;
	for (i = d->len; i-- > 0;)
		for (n = nodes_of(d, &d->events[i], nodes); n-- > 0;)
			d->items[--d->first[nodes[n]]] = (uint32_t)i;
	return 0;
}

/* ---- interface ----------------------------------------------------------- */

static int
read_dump(struct pd_jitdump *d, int fd, uint64_t size, struct pd_error *err)
{
	struct pd_map64 by_index = { 0 };	/* code index -> event */
	struct window *w = pd_calloc(1, sizeof(*w), err);
	uint32_t header;
	int ret = 0;

	if (w == NULL)
		return -1;
	w->fd = fd;
	w->size = size;
	header = read_header(d, w);
	if (header != 0)
		ret = read_records(d, w, header, &by_index, err);
	pd_map64_free(&by_index);
	free(w);
	if (ret == -1 || d->why != NULL)
		return ret;
	if (d->len == 0) {
		d->why = d->damaged > 0 ? "the records of the jitdump are "
		    "damaged" : "jitdump has no names";
		return 0;
	}
	qsort(d->events, d->len, sizeof(*d->events), by_time);
	return find_bounds(d, err) == -1 ? -1 : build_tree(d, err);
}

struct pd_jitdump *
pd_jitdump_open(const char *path, bool anywhere, struct pd_error *err)
{
	struct pd_jitdump *d = pd_calloc(1, sizeof(*d), err);
	struct stat st;
	int fd, ret = 0;

	if (d == NULL)
		return NULL;
	d->fd = fd = pd_file_open(path, anywhere, &st, &d->why);
	if (fd == -1)
		return d;
	if (!anywhere && !pd_file_is_trusted(&st))
		d->why = "jitdump belongs to another user";
	else
		ret = read_dump(d, fd, (uint64_t)st.st_size, err);
	if (ret == -1) {
		pd_jitdump_free(d);
		return NULL;
	}
	return d;
}

void
pd_jitdump_free(struct pd_jitdump *d)
{
	size_t i;

	if (d == NULL)
		return;
	if (d->fd != -1)
		close(d->fd);
	for (i = 0; i < d->len; i++) {
		if (d->events[i].unwinding != NULL) {
			pd_cfi_free(d->events[i].unwinding->cfi);
			pd_image_free(&d->events[i].unwinding->image);
		}
		if (d->events[i].lines != NULL) {
			free(d->events[i].lines->v);
			d->events[i].lines->v = NULL;	/* others share it */
		}
	}
	pd_arena_free(&d->names);
	free(d->events);
	free(d->bounds);
	free(d->first);
	free(d->items);
	free(d);
}

const char *
pd_jitdump_why(const struct pd_jitdump *d)
{
	return d->why;
}

size_t
pd_jitdump_damaged(const struct pd_jitdump *d)
{
	return d->damaged;
}

bool
pd_jitdump_counts(const struct pd_jitdump *d)
{
	return d->counts;
}

size_t
pd_jitdump_until(const struct pd_jitdump *d, size_t from, uint64_t time)
{
	while (from < d->len && d->events[from].time <= time)
		from++;
	return from;
}

/* The last event of a node that is among the first n; PD_NOID for none. */
static uint32_t
last_of(const struct pd_jitdump *d, size_t node, size_t n)
{
	size_t lo = d->first[node], hi = d->first[node + 1], mid;
	size_t begin = lo;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (d->items[mid] < n)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > begin ? d->items[lo - 1] : PD_NOID;
}

const struct pd_symbol *
pd_jitdump_find(const struct pd_jitdump *d, size_t n, uint64_t ip,
    uint64_t *time)
{
	uint32_t best = PD_NOID, e;
	size_t node;

	/* Behind the last bound there is nothing. */
	if (n == 0 || (node = bound_of(d, ip)) + 1 >= d->nbounds)
		return NULL;
	for (node += d->nbounds - 1; node > 0; node /= 2) {
		e = last_of(d, node, n);
		if (e != PD_NOID && (best == PD_NOID || e > best))
			best = e;
	}
	if (best == PD_NOID)
		return NULL;
	*time = d->events[best].time;
	return &d->events[best].sym;
}

/* ---- what is read later ---------------------------------------------------- */

/*
 * perf inject puts it into an ELF file, behind the code at the next multiple
 * of 8, and so it counts from there (tools/perf/util/genelf.c).
 */
static int
read_unwinding(struct pd_jitdump *d, const struct event *e,
    struct pd_error *err)
{
	struct unwinding *u = e->unwinding;
	struct pd_image_section *s = &u->image.eh_frame;

	s->bytes = pd_calloc(u->size, 1, err);
	if (s->bytes == NULL)
		return -1;
	if (!pd_file_read(d->fd, s->bytes, u->size, u->offset)) {
		pd_image_free(&u->image);
		u->read = true;
		return 0;
	}
	s->size = u->size;
	s->addr = e->sym.start + ((e->sym.end - e->sym.start + 7) &
	    ~UINT64_C(7));
	u->image.machine = d->machine;
	u->image.is64 = true;
	u->image.swapped = d->swapped;
	u->cfi = pd_cfi_new(&u->image, err);
	u->read = u->cfi != NULL;
	if (u->cfi == NULL)
		pd_image_free(&u->image);
	return u->read ? 0 : -1;
}

int
pd_jitdump_cfi(struct pd_jitdump *d, const struct pd_symbol *code,
    struct pd_cfi **cfi, struct pd_error *err)
{
	const struct event *e = (const struct event *)code;

	*cfi = NULL;
	if (e->unwinding == NULL)
		return 0;
	if (!e->unwinding->read && read_unwinding(d, e, err) == -1)
		return -1;
	*cfi = e->unwinding->cfi;
	return 0;
}

static int
by_place(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* V8 says in the name of a function where it is: "JS:*f /dir/a.js:1:13". */
#define V8_PREFIX	"JS:"
/* ... and counts from the start of the ELF file that perf inject would make. */
#define V8_SHIFT	64

/* The entries of one function, as far as they are read. */
struct entries {
	struct pd_cursor	c;
	uint64_t		start, size;	/* of what they are about */
	const char		*script;	/* of V8; else NULL */
	size_t			script_len;
};

static void
find_script(struct entries *s, const char *name)
{
	const char *p = strrchr(name, ' '), *end;
	int colons = 0;

	if (strncmp(name, V8_PREFIX, strlen(V8_PREFIX)) != 0)
		return;
	s->start += V8_SHIFT;
	if (p == NULL)
		return;
	for (end = name + strlen(name); end > p && colons < 2;)
		colons += *--end == ':';
	s->script = p + 1;
	s->script_len = end > p ? (size_t)(end - p - 1) : 0;
}

/* Whether an entry begins here, or all have been read. */
static bool
at_entry(const struct entries *s, struct pd_cursor c)
{
	/* Records are padded to 8 bytes. */
	return pd_left(&c) < 17 || pd_get_u64(&c) - s->start <= s->size;
}

/*
 * The file of an entry and its length.  V8 12 writes memory that it has freed
 * for the name of the script, but it has the right length.
 */
static const char *
get_file(struct entries *s, size_t *len)
{
	struct pd_cursor own = s->c;
	const uint8_t *p = pd_get_bytes(&own, s->script_len + 1);
	const char *name;

	if (s->script_len > 0 && p != NULL && p[s->script_len] == 0 &&
	    at_entry(s, own)) {
		s->c = own;
		*len = s->script_len;
		return s->script;
	}
	name = pd_get_str(&s->c);
	*len = name ? strlen(name) : 0;
	return name;
}

static int
parse_lines(struct pd_jitdump *d, const struct event *e,
    struct pd_cursor c, struct pd_error *err)
{
	struct entries s = { .c = c, .start = e->lines->start,
		.size = e->sym.end - e->sym.start };
	struct line new = { .file = NULL };
	struct lines *l = e->lines;
	const char *name;
	size_t len;

	find_script(&s, e->sym.name);
	while (pd_left(&s.c) >= 17 && at_entry(&s, s.c)) {
		new.at = (uint32_t)(pd_get_u64(&s.c) - s.start);
		new.number = pd_get_u32(&s.c);
		pd_get_u32(&s.c);		/* discriminator */
		name = get_file(&s, &len);
		if (name == NULL)
			break;
		new.place = l->len;
		/* "\xff" is the name of the entry before. */
		if (strcmp(name, "\xff") != 0 && (new.file == NULL ||
		    strncmp(name, new.file, len) != 0 ||
		    new.file[len] != '\0') && (new.file =
		    pd_arena_strndup(&d->names, name, len, err)) == NULL)
			return -1;
		if (pd_grow(&l->v, &l->cap, l->len + 1, sizeof(new), err) == -1)
			return -1;
		l->v[l->len++] = new;
	}
	if (l->len > 1)
		qsort(l->v, l->len, sizeof(*l->v), by_place);
	return 0;
}

static int
read_lines(struct pd_jitdump *d, const struct event *e, struct pd_error *err)
{
	struct lines *l = e->lines;
	uint8_t *bytes = pd_calloc(l->size, 1, err);
	int ret = 0;

	if (bytes == NULL)
		return -1;
	if (pd_file_read(d->fd, bytes, l->size, l->offset))
		ret = parse_lines(d, e, pd_cursor(bytes, l->size, d->swapped),
		    err);
	free(bytes);
	l->read = ret == 0;
	return ret;
}

int
pd_jitdump_line(struct pd_jitdump *d, const struct pd_symbol *code,
    uint64_t ip, const char **file, uint32_t *line, struct pd_error *err)
{
	const struct event *e = (const struct event *)code;
	size_t lo = 0, hi, mid;

	*file = NULL;
	*line = 0;
	if (e->lines == NULL)
		return 0;
	if (!e->lines->read && read_lines(d, e, err) == -1)
		return -1;
	for (hi = e->lines->len; lo < hi;) {
		mid = lo + (hi - lo) / 2;
		if (e->lines->v[mid].at <= ip - e->sym.start)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return 0;
	*file = e->lines->v[lo - 1].file;
	*line = e->lines->v[lo - 1].number;
	return 0;
}
