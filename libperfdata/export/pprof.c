/*
 * Encodes stacks as profile.proto
 * (https://github.com/google/pprof/blob/main/proto/profile.proto).
 *
 * Samples are written first, and give numbers to what they refer to; those
 * tables are small and come behind them.  So memory holds a few words for each
 * sample and node, and nothing of the output but one sample.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/alloc.h"
#include "base/error.h"
#include "export/gzip.h"
#include "export/proto.h"
#include "profile/label.h"

/* Fields of the messages. */
enum {
	P_SAMPLE_TYPE = 1, P_SAMPLE, P_MAPPING, P_LOCATION, P_FUNCTION,
	P_STRING_TABLE, P_TIME_NANOS = 9, P_DURATION_NANOS, P_PERIOD_TYPE,
	P_PERIOD, P_COMMENT, P_DEFAULT_SAMPLE_TYPE,
	TYPE_TYPE = 1, TYPE_UNIT,
	SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL,
	LABEL_KEY = 1, LABEL_STR, LABEL_NUM, LABEL_NUM_UNIT,
	MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET,
	MAPPING_FILENAME, MAPPING_BUILD_ID, MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILENAMES, MAPPING_HAS_LINE_NUMBERS,
	MAPPING_HAS_INLINE_FRAMES,
	LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE,
	LINE_FUNCTION = 1, LINE_LINE,
	FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_FILENAME = 4,
};

struct sample {
	uint32_t	node, labels;
	uint64_t	samples, weight;
};

/* Texts by their number in strs, 0: none. */
struct label {
	uint32_t	key, text, unit;
	int64_t		number;
};

struct label_set {
	size_t		first, len;	/* in labels */
	uint32_t	profile;	/* in which the rest holds */
	size_t		at, size;	/* its fields, in label_fields */
};

/* The labels of a thread on a CPU, of which most samples repeat some. */
struct label_cache {
	const char	*comm;		/* NULL: free */
	uint32_t	pid, tid, cpu, set;
};

#define LABEL_CACHE	256

/*
 * A function and some of what is inlined there, one into the next: what is
 * deeper has this as its outer part.  All nodes that end with the same ones
 * share it.
 */
struct place {
	uint32_t	outer;		/* numbered from 1; 0: not inlined */
	uint32_t	lines;		/* of this and its outer ones */
	uint32_t	frame;
	uint32_t	mapping;	/* 0: none */
	uint32_t	function;
	bool		used;		/* it is a location of a sample */
};

struct mapping {
	const struct pd_mapping	*map;	/* NULL: only the name is known */
	const char		*dso;
	size_t			places;	/* that are seen of it */
	bool			named, lined, inlines;
};

/* Texts by their number; the file is that of the first line that was seen. */
struct function {
	uint32_t		name, file;
};

/* What a node is in the profile that is being written. */
struct seen {
	uint32_t	profile;	/* in which the rest holds */
	uint32_t	place;
};

struct pd_pprof {
	const struct pd_tree	*tree;
	struct pd_labels	names;

	/* what was added */
	struct sample		*samples;
	size_t			len, cap;
	size_t			next;	/* the first that is not yet written */
	struct pd_map64		by_key;	/* node and labels -> samples */
	struct pd_strtab	strs;	/* numbered from 1 */
	struct label		*labels;
	size_t			nlabels, labels_cap;
	struct label_set	*sets;	/* numbered from 1; 0 is empty */
	size_t			nsets, sets_cap;
	struct pd_strtab	set_keys;	/* a set as text; ids are the sets' */
	struct label_cache	cache[LABEL_CACHE];

	/* the profile that is being written */
	uint32_t		profile;	/* counts them; 0: none yet */
	struct seen		*seen;	/* by node */
	size_t			seen_cap;
	struct place		*places;	/* numbered from 1, as locations are */
	size_t			nplaces, places_cap;
	struct pd_map64		by_outer;	/* outer part and frame -> places */
	struct mapping		*mappings;	/* numbered from 1 */
	size_t			nmappings, mappings_cap;
	struct pd_map64		by_map;
	struct pd_text_opts	text;		/* of names */
	struct function		*functions;	/* numbered from 1 */
	size_t			nfunctions, functions_cap;
	struct pd_map64		by_name;
	struct pd_strtab	strings;	/* string_table */
	size_t			tables_size;	/* what the tables take at most */
	struct pd_proto		message, inner;
	struct pd_proto		label_fields;
	uint64_t		*ids;	/* locations of a sample, leaf first */
	size_t			ids_cap;
	uint32_t		*chain;
	size_t			chain_cap;
	char			*buf;
	size_t			buf_cap;
	bool			weights;	/* samples have a second value */
	struct pd_gzip		gzip;
};

/* At most, each without its texts. */
enum { FUNCTION_SIZE = 22, LOCATION_SIZE = 32, LINE_SIZE = 16,
	MAPPING_SIZE = 120, SAMPLE_SIZE = 40, ID_SIZE = 5, STRING_SIZE = 6,
	LABEL_SIZE = 60 };

#define BATCH	32768		/* what is compressed at a time */

/* ---- what is added ---------------------------------------------------------- */

struct pd_pprof *
pd_pprof_new(const struct pd_tree *tree, const struct pd_text_opts *text,
    struct pd_error *err)
{
	struct pd_pprof *p = pd_calloc(1, sizeof(*p), err);

	if (p == NULL)
		return NULL;
	p->tree = tree;
	p->text = *text;
	p->text.no_lines = true;	/* they have a field of their own */
	if (pd_labels_init(&p->names, tree, &p->text, err) == -1) {
		pd_pprof_free(p);
		return NULL;
	}
	return p;
}

/* Forget the profile that was written. */
static void
clear_profile(struct pd_pprof *p)
{
	p->nplaces = p->nmappings = p->nfunctions = p->tables_size = 0;
	pd_map64_free(&p->by_outer);
	pd_map64_free(&p->by_map);
	pd_map64_free(&p->by_name);
	pd_strtab_free(&p->strings);
	p->label_fields.len = 0;
}

/* Labels too: there may be new ones in each profile, for days. */
void
pd_pprof_clear(struct pd_pprof *p)
{
	p->len = p->next = p->nlabels = p->nsets = 0;
	pd_map64_free(&p->by_key);
	pd_strtab_free(&p->strs);
	pd_strtab_free(&p->set_keys);
	memset(p->cache, 0, sizeof(p->cache));
}

void
pd_pprof_free(struct pd_pprof *p)
{
	if (p == NULL)
		return;
	clear_profile(p);
	pd_pprof_clear(p);
	pd_labels_free(&p->names);
	free(p->samples);
	free(p->labels);
	free(p->sets);
	free(p->seen);
	free(p->places);
	free(p->mappings);
	free(p->functions);
	pd_proto_free(&p->message);
	pd_proto_free(&p->inner);
	pd_proto_free(&p->label_fields);
	free(p->ids);
	free(p->chain);
	free(p->buf);
	free(p);
}

size_t
pd_pprof_len(const struct pd_pprof *p)
{
	return p->len - p->next;
}

static uint32_t
str_id(struct pd_pprof *p, const char *s, struct pd_error *err)
{
	uint32_t id;

	if (s == NULL)
		return 0;
	id = pd_strtab_add(&p->strs, s, strlen(s), err);
	return id == PD_NOID ? PD_NOID : id + 1;
}

static const char *
str_of(const struct pd_pprof *p, uint32_t id)
{
	return id == 0 ? "" : pd_strtab_get(&p->strs, id - 1);
}

/* Put labels behind the others, where they stay if they are a new set. */
static int
put_labels(struct pd_pprof *p, const struct pd_pprof_label *labels,
    size_t len, struct pd_error *err)
{
	struct label l;
	size_t i;

	if (pd_grow(&p->labels, &p->labels_cap, p->nlabels + len, sizeof(l),
	    err) == -1)
		return -1;
	for (i = 0; i < len; i++) {
		l.key = str_id(p, labels[i].key, err);
		l.text = str_id(p, labels[i].text, err);
		l.unit = str_id(p, labels[i].unit, err);
		l.number = labels[i].text ? 0 : labels[i].number;
		if (l.key == PD_NOID || l.text == PD_NOID || l.unit == PD_NOID)
			return -1;
		p->labels[p->nlabels + i] = l;
	}
	return 0;
}

uint32_t
pd_pprof_labels(struct pd_pprof *p, const struct pd_pprof_label *labels,
    size_t len, struct pd_error *err)
{
	const struct label *l;
	uint32_t id;
	size_t n = 0, i;

	if (len == 0)
		return 0;
	if (put_labels(p, labels, len, err) == -1 ||
	    pd_grow(&p->buf, &p->buf_cap, len * 64, 1, err) == -1 ||
	    pd_grow(&p->sets, &p->sets_cap, p->nsets + 1, sizeof(*p->sets),
	    err) == -1)
		return PD_NOID;
	for (i = 0; i < len; i++) {
		l = &p->labels[p->nlabels + i];
		n += (size_t)snprintf(p->buf + n, p->buf_cap - n,
		    "%" PRIx32 " %" PRIx32 " %" PRIx32 " %" PRIx64 ";", l->key,
		    l->text, l->unit, (uint64_t)l->number);
	}
	id = pd_strtab_add(&p->set_keys, p->buf, n, err);
	if (id == PD_NOID)
		return PD_NOID;
	if (id == p->nsets) {
		p->sets[p->nsets++] = (struct label_set){
			.first = p->nlabels, .len = len };
		p->nlabels += len;
	}
	return id + 1;
}

/* The labels of a thread on a CPU, and more behind them. */
static uint32_t
thread_labels(struct pd_pprof *p, const struct pd_fold_sample *s,
    const struct pd_pprof_label *more, size_t len, struct pd_error *err)
{
	struct pd_pprof_label l[16];
	size_t n = 0, i;

	l[n++] = (struct pd_pprof_label){ "thread", s->thread->comm, 0, NULL };
	l[n++] = (struct pd_pprof_label){ "pid", NULL,
		(int32_t)s->thread->pid, "id" };
	l[n++] = (struct pd_pprof_label){ "tid", NULL,
		(int32_t)s->thread->tid, "id" };
	if (s->cpu != PD_NOID)
		l[n++] = (struct pd_pprof_label){ "cpu", NULL, s->cpu, "id" };
	if (len > sizeof(l) / sizeof(l[0]) - n) {
		pd_fail(err, PD_EARG, PD_NOWHERE, "%zu labels: too many", len);
		return PD_NOID;
	}
	for (i = 0; i < len; i++)
		l[n++] = more[i];
	return pd_pprof_labels(p, l, n, err);
}

uint32_t
pd_pprof_sample_labels(struct pd_pprof *p, const struct pd_fold_sample *s,
    const struct pd_pprof_label *more, size_t len, struct pd_error *err)
{
	const struct pd_thread *th = s->thread;
	uint64_t key = (uint64_t)s->cpu << 32 | th->tid;
	struct label_cache *c = &p->cache[pd_hash_u64(key) % LABEL_CACHE];

	if (len > 0)
		return thread_labels(p, s, more, len, err);
	/* Names are interned: while it is the same pointer, it is the same. */
	if (c->comm != th->comm || c->tid != th->tid || c->pid != th->pid ||
	    c->cpu != s->cpu) {
		c->set = thread_labels(p, s, NULL, 0, err);
		c->comm = c->set == PD_NOID ? NULL : th->comm;
		c->pid = th->pid;
		c->tid = th->tid;
		c->cpu = s->cpu;
	}
	return c->set;
}

int
pd_pprof_add(struct pd_pprof *p, uint32_t node, uint32_t labels,
    uint64_t samples, uint64_t weight, struct pd_error *err)
{
	uint64_t key = (uint64_t)node << 32 | labels;
	uint32_t i = pd_map64_find(&p->by_key, key);

	if (i == PD_NOID) {
		if (pd_grow(&p->samples, &p->cap, p->len + 1,
		    sizeof(*p->samples), err) == -1 ||
		    pd_map64_put(&p->by_key, key, (uint32_t)p->len, err) == -1)
			return -1;
		i = (uint32_t)p->len++;
		p->samples[i] = (struct sample){ node, labels, 0, 0 };
	}
	p->samples[i].samples += samples;
	p->samples[i].weight += weight;
	return 0;
}

/* ---- the profile ---------------------------------------------------------------- */

/* The number of a text in the string table; PD_NOID without memory. */
static uint32_t
string_id(struct pd_pprof *p, const char *s, struct pd_error *err)
{
	size_t size = strlen(s) + 1, n = p->strings.len;
	uint32_t id;

	if (pd_grow(&p->buf, &p->buf_cap, size, 1, err) == -1)
		return PD_NOID;
	memcpy(p->buf, s, size);
	pd_printable(p->buf);		/* readers refuse what is not UTF-8 */
	id = pd_strtab_add(&p->strings, p->buf, strlen(p->buf), err);
	if (p->strings.len > n)
		p->tables_size += size + STRING_SIZE;
	return id;
}

/* The function with the name of a frame. */
static uint32_t
function_id(struct pd_pprof *p, uint32_t frame, struct pd_error *err)
{
	const char *name = pd_label(&p->names, frame, err);
	const char *file = p->tree->frames[frame].file;
	struct function new;
	uint32_t id;

	if (name == NULL)
		return PD_NOID;
	/* Equal labels are one pointer. */
	id = pd_map64_find(&p->by_name, (uintptr_t)name);
	if (id != PD_NOID)
		return id;
	new.name = string_id(p, name, err);
	new.file = string_id(p, file ? file : "", err);
	if (new.name == PD_NOID || new.file == PD_NOID ||
	    pd_grow(&p->functions, &p->functions_cap, p->nfunctions + 1,
	    sizeof(new), err) == -1)
		return PD_NOID;
	p->functions[p->nfunctions++] = new;
	p->tables_size += FUNCTION_SIZE;
	id = (uint32_t)p->nfunctions;
	return pd_map64_put(&p->by_name, (uintptr_t)name, id, err) == -1 ?
	    PD_NOID : id;
}

/* The mapping that a frame is in, 0 for none. */
static uint32_t
mapping_id(struct pd_pprof *p, const struct pd_frame *f, struct pd_error *err)
{
	const struct pd_mapping *map = pd_tree_map(p->tree, f->map);
	/* Names are interned, and aligned: their addresses are even. */
	uint64_t key = map ? (uint64_t)f->map << 1 | 1 : (uintptr_t)f->dso;
	uint32_t id;

	if (key == 0)
		return 0;
	id = pd_map64_find(&p->by_map, key);
	if (id != PD_NOID)
		return id;
	if (pd_grow(&p->mappings, &p->mappings_cap, p->nmappings + 1,
	    sizeof(*p->mappings), err) == -1)
		return PD_NOID;
	p->mappings[p->nmappings++] = (struct mapping){ .map = map,
		.dso = map ? map->dso : f->dso };
	p->tables_size += MAPPING_SIZE + strlen(map ? map->dso : f->dso);
	id = (uint32_t)p->nmappings;
	return pd_map64_put(&p->by_map, key, id, err) == -1 ? PD_NOID : id;
}

/* The frames of an outer place, or none, with one more. */
static uint32_t
place_id(struct pd_pprof *p, uint32_t outer, uint32_t frame,
    struct pd_error *err)
{
	const struct pd_frame *f = &p->tree->frames[frame];
	uint64_t key = (uint64_t)outer << 32 | frame;
	uint32_t id = pd_map64_find(&p->by_outer, key);
	struct place new = { .outer = outer, .lines = 1, .frame = frame };
	struct mapping *m;

	if (id != PD_NOID)
		return id;
	if ((new.function = function_id(p, frame, err)) == PD_NOID)
		return PD_NOID;
	if (outer != 0) {
		new.lines += p->places[outer - 1].lines;
		new.mapping = p->places[outer - 1].mapping;
	} else if (f->kind < PD_FRAME_ROOT) {
		new.mapping = mapping_id(p, f, err);
	}
	if (new.mapping == PD_NOID || pd_grow(&p->places, &p->places_cap,
	    p->nplaces + 1, sizeof(new), err) == -1)
		return PD_NOID;
	if (new.mapping != 0) {
		m = &p->mappings[new.mapping - 1];
		m->places++;
		m->named |= f->name != NULL;
		m->lined |= f->file != NULL;
		m->inlines |= outer != 0;
	}
	p->places[p->nplaces++] = new;
	id = (uint32_t)p->nplaces;
	return pd_map64_put(&p->by_outer, key, id, err) == -1 ? PD_NOID : id;
}

/* Whether the leaf of a stack is in the location of the frame above it. */
static bool
is_inlined(const struct pd_tree *t, uint32_t node)
{
	uint32_t up = t->nodes[node].parent;

	return t->frames[t->nodes[node].frame].inlined && up != 0 &&
	    t->frames[t->nodes[up].frame].kind < PD_FRAME_ROOT;
}

/* The place of the leaf of a stack. */
static uint32_t
place_of(struct pd_pprof *p, uint32_t node, struct pd_error *err)
{
	const struct pd_tree *t = p->tree;
	uint32_t id = 0, n = node;
	size_t len = 0;

	/* Up to what is known, or the function, and down again. */
	for (;; n = t->nodes[n].parent) {
		if (p->seen[n].profile == p->profile) {
			id = p->seen[n].place;
			break;
		}
		if (pd_grow(&p->chain, &p->chain_cap, len + 1,
		    sizeof(*p->chain), err) == -1)
			return PD_NOID;
		p->chain[len++] = n;
		if (!is_inlined(t, n))
			break;
	}
	while (len-- > 0 && id != PD_NOID) {
		n = p->chain[len];
		id = place_id(p, id, t->nodes[n].frame, err);
		p->seen[n] = (struct seen){ p->profile, id };
	}
	return id;
}

/* The locations of a stack, leaf first, in p->ids: how many, or -1. */
static ssize_t
put_locations(struct pd_pprof *p, uint32_t node, struct pd_error *err)
{
	const struct pd_tree *t = p->tree;
	struct place *pl;
	uint32_t id;
	size_t len = 0;

	for (; node != 0; node = t->nodes[node].parent) {
		if ((id = place_of(p, node, err)) == PD_NOID ||
		    pd_grow(&p->ids, &p->ids_cap, len + 1, sizeof(*p->ids),
		    err) == -1)
			return -1;
		p->ids[len++] = id;
		pl = &p->places[id - 1];
		if (!pl->used)
			p->tables_size += LOCATION_SIZE + pl->lines * LINE_SIZE;
		pl->used = true;
		while (is_inlined(t, node))
			node = t->nodes[node].parent;
	}
	return (ssize_t)len;
}

/* Encode a set of labels. */
static int
encode_labels(struct pd_pprof *p, struct label_set *set,
    struct pd_error *err)
{
	uint32_t key, text, unit;
	const struct label *l;
	size_t i;

	set->at = p->label_fields.len;
	for (i = 0; i < set->len; i++) {
		l = &p->labels[set->first + i];
		key = string_id(p, str_of(p, l->key), err);
		text = string_id(p, str_of(p, l->text), err);
		unit = string_id(p, str_of(p, l->unit), err);
		if (key == PD_NOID || text == PD_NOID || unit == PD_NOID)
			return -1;
		p->inner.len = 0;
		pd_proto_u64(&p->inner, LABEL_KEY, key);
		pd_proto_u64(&p->inner, LABEL_STR, text);
		pd_proto_u64(&p->inner, LABEL_NUM, (uint64_t)l->number);
		pd_proto_u64(&p->inner, LABEL_NUM_UNIT, unit);
		pd_proto_message(&p->label_fields, SAMPLE_LABEL, &p->inner);
	}
	set->size = p->label_fields.len - set->at;
	set->profile = p->profile;
	return 0;
}

static int
put_sample(struct pd_pprof *p, const struct sample *s, struct pd_error *err)
{
	uint64_t values[2] = { s->samples, s->weight };
	struct label_set none = { 0 }, *set = &none;
	ssize_t n = put_locations(p, s->node, err);

	if (n == -1)
		return -1;
	if (s->labels != 0) {
		set = &p->sets[s->labels - 1];
		if (set->profile != p->profile &&	/* once is enough */
		    encode_labels(p, set, err) == -1)
			return -1;
	}
	p->inner.len = 0;
	pd_proto_packed(&p->inner, SAMPLE_LOCATION, p->ids, (size_t)n);
	pd_proto_packed(&p->inner, SAMPLE_VALUE, values, 1 + p->weights);
	if (set->size > 0)
		pd_proto_raw(&p->inner, p->label_fields.buf + set->at,
		    set->size);
	pd_proto_message(&p->message, P_SAMPLE, &p->inner);
	return 0;
}

static size_t
labels_cost(const struct pd_pprof *p, const struct label_set *set)
{
	const struct label *l;
	size_t size = 0, i;

	for (i = 0; i < set->len; i++) {
		l = &p->labels[set->first + i];
		size += LABEL_SIZE + strlen(str_of(p, l->key)) +
		    strlen(str_of(p, l->text)) + strlen(str_of(p, l->unit));
	}
	return size;
}

/* What a sample adds to the profile at most; -1 without memory. */
static ssize_t
cost(struct pd_pprof *p, const struct sample *s, struct pd_error *err)
{
	const struct pd_tree *t = p->tree;
	const struct pd_frame *f;
	size_t size = SAMPLE_SIZE;
	const char *name;
	uint32_t n;

	if (s->labels != 0)
		size += labels_cost(p, &p->sets[s->labels - 1]);
	for (n = s->node; n != 0; n = t->nodes[n].parent) {
		size += ID_SIZE + LOCATION_SIZE + LINE_SIZE;
		if (p->seen[n].profile == p->profile)
			continue;
		f = &t->frames[t->nodes[n].frame];
		if ((name = pd_label(&p->names, t->nodes[n].frame, err)) == NULL)
			return -1;
		if (pd_map64_find(&p->by_name, (uintptr_t)name) == PD_NOID)
			size += FUNCTION_SIZE + STRING_SIZE + strlen(name);
		if (f->dso != NULL && !is_inlined(t, n))
			size += MAPPING_SIZE + strlen(f->dso);
	}
	return (ssize_t)size;
}

/* Compress what was encoded, if it is enough. */
static void
flush(struct pd_pprof *p, size_t enough)
{
	if (p->message.len < enough)
		return;
	pd_gzip_put(&p->gzip, p->message.buf, p->message.len);
	p->message.len = 0;
}

/* As many samples as there may be in one profile. */
static int
put_samples(struct pd_pprof *p, const struct pd_pprof_head *h,
    struct pd_error *err)
{
	size_t n, size;
	ssize_t more;

	for (n = 0; p->next < p->len; n++, p->next++) {
		if (h->max_samples != 0 && n == h->max_samples)
			break;
		if (h->max_size != 0 && n > 0) {
			size = p->gzip.size + p->message.len + p->tables_size;
			more = cost(p, &p->samples[p->next], err);
			if (more == -1)
				return -1;
			if (size + (size_t)more > h->max_size)
				break;
		}
		if (put_sample(p, &p->samples[p->next], err) == -1)
			return -1;
		flush(p, BATCH);
	}
	return 0;
}

/* A message of two texts. */
static int
put_type(struct pd_pprof *p, unsigned field, const struct pd_pprof_type *t,
    struct pd_error *err)
{
	uint32_t type, unit;

	if (t->type == NULL)
		return 0;
	type = string_id(p, t->type, err);
	unit = string_id(p, t->unit, err);
	if (type == PD_NOID || unit == PD_NOID)
		return -1;
	p->inner.len = 0;
	pd_proto_u64(&p->inner, TYPE_TYPE, type);
	pd_proto_u64(&p->inner, TYPE_UNIT, unit);
	pd_proto_message(&p->message, field, &p->inner);
	return 0;
}

/* What describes the profile. */
static int
put_head(struct pd_pprof *p, const struct pd_pprof_head *h,
    struct pd_error *err)
{
	static const struct pd_pprof_type count = { "samples", "count" };
	uint64_t id;
	size_t i;

	p->weights = h->weight.type != NULL;
	if (string_id(p, "", err) == PD_NOID ||
	    put_type(p, P_SAMPLE_TYPE, &count, err) == -1 ||
	    put_type(p, P_SAMPLE_TYPE, &h->weight, err) == -1 ||
	    put_type(p, P_PERIOD_TYPE, &h->period_type, err) == -1)
		return -1;
	pd_proto_u64(&p->message, P_TIME_NANOS, (uint64_t)h->time);
	pd_proto_u64(&p->message, P_DURATION_NANOS, (uint64_t)h->duration);
	pd_proto_u64(&p->message, P_PERIOD, (uint64_t)h->period);
	for (i = 0; i < h->ncomments; i++) {
		id = string_id(p, h->comments[i], err);
		if (id == PD_NOID)
			return -1;
		pd_proto_packed(&p->message, P_COMMENT, &id, 1);
	}
	if (p->weights)
		pd_proto_u64(&p->message, P_DEFAULT_SAMPLE_TYPE,
		    string_id(p, h->weight.type, err));
	return 0;
}

/* ---- its tables ------------------------------------------------------------------ */

static int
put_mapping(struct pd_pprof *p, size_t i, struct pd_error *err)
{
	const struct mapping *m = &p->mappings[i];
	static const struct pd_mapping unknown = { 0 };
	const struct pd_mapping *map = m->map ? m->map : &unknown;
	char id[2 * sizeof(map->buildid.bytes) + 1] = "";
	uint32_t file, build;
	size_t k;

	for (k = 0; k < map->buildid.size; k++)
		snprintf(id + 2 * k, 3, "%02x", map->buildid.bytes[k]);
	file = string_id(p, m->dso, err);
	build = string_id(p, id, err);
	if (file == PD_NOID || build == PD_NOID)
		return -1;
	p->inner.len = 0;
	pd_proto_u64(&p->inner, MAPPING_ID, i + 1);
	pd_proto_u64(&p->inner, MAPPING_START, map->start);
	pd_proto_u64(&p->inner, MAPPING_LIMIT, map->end);
	pd_proto_u64(&p->inner, MAPPING_OFFSET, map->pgoff);
	pd_proto_u64(&p->inner, MAPPING_FILENAME, file);
	pd_proto_u64(&p->inner, MAPPING_BUILD_ID, build);
	pd_proto_u64(&p->inner, MAPPING_HAS_FUNCTIONS, m->named);
	pd_proto_u64(&p->inner, MAPPING_HAS_FILENAMES, m->lined);
	pd_proto_u64(&p->inner, MAPPING_HAS_LINE_NUMBERS, m->lined);
	pd_proto_u64(&p->inner, MAPPING_HAS_INLINE_FRAMES, m->inlines);
	pd_proto_message(&p->message, P_MAPPING, &p->inner);
	return 0;
}

/*
 * The program: pprof calls the profile by the first mapping.  That is the file
 * with most places that is no library.
 */
static size_t
main_mapping(const struct pd_pprof *p)
{
	const struct mapping *m;
	size_t best = 0, most = 0, i;

	for (i = 0; i < p->nmappings; i++) {
		m = &p->mappings[i];
		if (m->dso[0] == '/' && m->dso[1] != '/' &&
		    strstr(m->dso, ".so") == NULL && m->places > most) {
			best = i;
			most = m->places;
		}
	}
	return best;
}

static int
put_mappings(struct pd_pprof *p, struct pd_error *err)
{
	size_t first = main_mapping(p), i;

	if (p->nmappings > 0 && put_mapping(p, first, err) == -1)
		return -1;
	for (i = 0; i < p->nmappings; i++)
		if (i != first && put_mapping(p, i, err) == -1)
			return -1;
	return 0;
}

static void
put_location(struct pd_pprof *p, uint32_t id, struct pd_proto *line)
{
	const struct place *pl = &p->places[id - 1], *in = pl;

	while (pl->outer != 0)
		pl = &p->places[pl->outer - 1];
	p->inner.len = 0;
	pd_proto_u64(&p->inner, LOCATION_ID, id);
	pd_proto_u64(&p->inner, LOCATION_MAPPING, pl->mapping);
	pd_proto_u64(&p->inner, LOCATION_ADDRESS,
	    p->tree->frames[pl->frame].place);
	for (;; in = &p->places[in->outer - 1]) {
		line->len = 0;
		pd_proto_u64(line, LINE_FUNCTION, in->function);
		pd_proto_u64(line, LINE_LINE,
		    p->tree->frames[in->frame].line);
		pd_proto_message(&p->inner, LOCATION_LINE, line);
		if (in->outer == 0)
			break;
	}
	pd_proto_message(&p->message, P_LOCATION, &p->inner);
}

static int
put_tables(struct pd_pprof *p, struct pd_error *err)
{
	struct pd_proto line = { 0 };
	size_t i;

	if (put_mappings(p, err) == -1)
		return -1;
	for (i = 0; i < p->nplaces; i++)
		if (p->places[i].used)
			put_location(p, (uint32_t)i + 1, &line);
	p->message.failed |= line.failed;
	pd_proto_free(&line);
	for (i = 0; i < p->nfunctions; i++) {
		p->inner.len = 0;
		pd_proto_u64(&p->inner, FUNCTION_ID, i + 1);
		pd_proto_u64(&p->inner, FUNCTION_NAME, p->functions[i].name);
		pd_proto_u64(&p->inner, FUNCTION_FILENAME,
		    p->functions[i].file);
		pd_proto_message(&p->message, P_FUNCTION, &p->inner);
	}
	for (i = 0; i < p->strings.len; i++)
		pd_proto_string(&p->message, P_STRING_TABLE, p->strings.strs[i]);
	return 0;
}

static int
put_profile(struct pd_pprof *p, const struct pd_pprof_head *h,
    struct pd_error *err)
{
	p->profile++;
	p->message.len = 0;
	if (pd_grow_zeroed(&p->seen, &p->seen_cap, p->tree->len,
	    sizeof(*p->seen), err) == -1 || put_head(p, h, err) == -1 ||
	    put_samples(p, h, err) == -1 || put_tables(p, err) == -1)
		return -1;
	if (p->message.failed || p->label_fields.failed)
		return pd_fail_nomem(err);
	flush(p, 1);
	return 0;
}

int
pd_pprof_write(struct pd_pprof *p, const struct pd_pprof_head *h, FILE *out,
    size_t *size, struct pd_error *err)
{
	struct pd_error why;
	int r;

	if (pd_gzip_open(&p->gzip, out, h->raw, err) == -1)
		return -1;
	r = put_profile(p, h, err);
	if (pd_gzip_finish(&p->gzip, r == 0 ? err : &why) == -1)
		r = -1;
	clear_profile(p);
	if (size != NULL)
		*size = p->gzip.size;
	if (r == -1)
		return -1;
	if (p->next < p->len)
		return 1;
	pd_pprof_clear(p);
	return 0;
}

/* ---- what a recording says ------------------------------------------------------- */

/* "name: text", where there is one. */
static int
add_comment(struct pd_pprof_head *h, const char *name, const char *text,
    struct pd_error *err)
{
	if (text == NULL || text[0] == '\0')
		return 0;
	if (asprintf(&h->comments[h->ncomments], "%s: %s", name, text) == -1)
		return pd_fail_nomem(err);
	h->ncomments++;
	return 0;
}

static int
add_comments(struct pd_pprof_head *h, const struct pd_reader *rd,
    struct pd_error *err)
{
	const struct pd_info *info = pd_reader_info(rd);
	struct pd_counts n = pd_reader_counts(rd);
	char lost[96] = "";

	if (n.lost > 0)
		snprintf(lost, sizeof(lost), "%" PRIu64 " events, beside %"
		    PRIu64 " samples", n.lost, n.samples);
	h->comments = pd_calloc(8, sizeof(*h->comments), err);
	return h->comments == NULL ||
	    add_comment(h, "command", info->cmdline, err) == -1 ||
	    add_comment(h, "host", info->hostname, err) == -1 ||
	    add_comment(h, "kernel", info->osrelease, err) == -1 ||
	    add_comment(h, "architecture", info->arch, err) == -1 ||
	    add_comment(h, "processor", info->cpudesc, err) == -1 ||
	    add_comment(h, "perf", info->version, err) == -1 ||
	    add_comment(h, "lost", lost, err) == -1 ? -1 : 0;
}

int
pd_pprof_head_init(struct pd_pprof_head *h, const struct pd_reader *rd,
    const struct pd_event *ev, enum pd_weight weight, struct pd_error *err)
{
	bool time = weight == PD_WEIGHT_TIME ||
	    (ev != NULL && pd_event_is_clock(ev));

	*h = (struct pd_pprof_head){ 0 };
	if (time)
		h->period_type = (struct pd_pprof_type){ "cpu", "nanoseconds" };
	else if (ev != NULL)
		h->period_type = (struct pd_pprof_type){ ev->name, "count" };
	if (weight != PD_WEIGHT_SAMPLES)
		h->weight = h->period_type;
	if (ev != NULL && !ev->is_freq)
		h->period = (int64_t)ev->period_or_freq;
	else if (ev != NULL && time && ev->period_or_freq > 0)
		h->period = (int64_t)(UINT64_C(1000000000) / ev->period_or_freq);
	if (add_comments(h, rd, err) == 0)
		return 0;
	pd_pprof_head_free(h);
	return -1;
}

void
pd_pprof_head_free(struct pd_pprof_head *h)
{
	size_t i;

	for (i = 0; i < h->ncomments; i++)
		free(h->comments[i]);
	free(h->comments);
	h->comments = NULL;
	h->ncomments = 0;
}
