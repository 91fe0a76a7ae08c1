/* Carries what describes a recording over to another. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cut/describe.h"
#include "cut/rewrite.h"

struct pd_kept_feature {
	unsigned	id;
	uint8_t		*data;		/* free(3) */
	size_t		size;
};

static bool
swapped(const struct pd_describe *d)
{
	return pd_reader_container(d->rd)->swapped;
}

/* ---- events --------------------------------------------------------------------- */

int
pd_describe_events(struct pd_describe *d, struct pd_described *to,
    struct pd_error *err)
{
	const struct pd_events *es = pd_reader_events(d->rd);
	const struct pd_evt *evt;
	uint8_t *attr;
	int r;

	for (; to->events < es->len; to->events++) {
		evt = es->evts[to->events];
		if ((attr = malloc(evt->attr_size)) == NULL)
			return pd_fail_nomem(err);
		memcpy(attr, evt->attr, evt->attr_size);
		if (d->strip)
			pd_rewrite_attr(attr, evt->attr_size, swapped(d),
			    d->unwound);
		r = pd_writer_attr(to->writer, attr, evt->attr_size, evt->ids,
		    evt->nids, err);
		free(attr);
		if (r == -1)
			return -1;
	}
	return 0;
}

/* ---- features ------------------------------------------------------------------- */

/* Those of how the other recording was stored, and what is told anew. */
static bool
is_carried(unsigned id)
{
	return id != PD_FEATURE_SAMPLE_TIME && id != PD_FEATURE_COMPRESSED &&
	    id != PD_FEATURE_AUXTRACE && id != PD_FEATURE_DIR_FORMAT;
}

/*
 * The command line with what cut the recording behind it, "perf record ... |
 * pd-slice ...": u32 count, then strings of u32 length padded with NULs to a
 * multiple of 64 (do_write_string() in tools/perf/util/header.c).
 */
static int
put_cmdline(struct pd_describe *d, struct pd_described *to,
    const uint8_t *data, size_t size, struct pd_error *err)
{
	const char *bar[] = { "|", NULL };
	const char *const *words[2] = { bar, d->argv };
	size_t len = size > 4 ? size : 4, pad, i, j;
	uint32_t n = size >= 4 ? pd_load_u32(data, swapped(d)) : 0;
	uint8_t *line, *p;
	int r;

	for (i = n > 0 ? 0 : 1; i < 2; i++)
		for (j = 0; words[i] != NULL && words[i][j] != NULL; j++)
			len += 4 + (strlen(words[i][j]) / 64 + 1) * 64;
	if ((line = pd_calloc(1, len, err)) == NULL)
		return -1;
	if (size > 4)
		memcpy(line, data, size);
	p = line + (size > 4 ? size : 4);
	for (i = n > 0 ? 0 : 1; i < 2; i++)
		for (j = 0; words[i] != NULL && words[i][j] != NULL; j++) {
			pad = (strlen(words[i][j]) / 64 + 1) * 64;
			pd_store_u32(p, (uint32_t)pad, swapped(d));
			memcpy(p + 4, words[i][j], strlen(words[i][j]));
			p += 4 + pad;
			n++;
		}
	pd_store_u32(line, n, swapped(d));
	r = pd_writer_feature(to->writer, PD_FEATURE_CMDLINE, line, len, err);
	free(line);
	return r == -1 ? -1 : 0;
}

/* data may be changed. */
static int
put_feature(struct pd_describe *d, struct pd_described *to, unsigned id,
    uint8_t *data, size_t size, struct pd_error *err)
{
	bool damaged = pd_reader_info(d->rd)->cmdline == NULL;
	int r;

	if (id == PD_FEATURE_CMDLINE && d->argv != NULL)
		return put_cmdline(d, to, data, damaged ? 0 : size, err);
	if (id == PD_FEATURE_EVENT_DESC && d->strip)
		pd_rewrite_event_desc(data, size, swapped(d), d->unwound);
	r = pd_writer_feature(to->writer, id, data, size, err);
	if (r == 0)
		pd_note_add(d->notes, false, PD_NOWHERE, "the %s feature is "
		    "too large for a pipe, and left out", pd_feature_name(id) ?
		    pd_feature_name(id) : "unnamed");
	return r == -1 ? -1 : 0;
}

static int
keep_feature(struct pd_describe *d, unsigned id, const uint8_t *data,
    size_t size, struct pd_error *err)
{
	struct pd_kept_feature *f;
	uint8_t *copy;
	size_t i;

	if ((copy = pd_calloc(1, size + 1, err)) == NULL)
		return -1;
	memcpy(copy, data, size);
	for (i = 0; i < d->nkept; i++)
		if (d->kept[i].id == id)
			break;
	if (i == d->nkept) {
		if (pd_grow(&d->kept, &d->kept_cap, i + 1, sizeof(*f), err)) {
			free(copy);
			return -1;
		}
		d->kept[d->nkept++] = (struct pd_kept_feature){ .id = id };
	}
	f = &d->kept[i];
	free(f->data);
	f->data = copy;
	f->size = size;
	return 0;
}

static int
feature_record(struct pd_describe *d, struct pd_described *to,
    const struct pd_record *rec, struct pd_error *err)
{
	struct pd_cursor c = pd_cursor(rec->data + PD_HEADER_SIZE,
	    rec->size - PD_HEADER_SIZE, rec->swapped);
	uint64_t id = pd_get_u64(&c);
	int r;

	if (id >= PD_FEATURES || !is_carried((unsigned)id))
		return 0;
	if (keep_feature(d, (unsigned)id, c.p, pd_left(&c), err) == -1)
		return -1;
	if (!d->pipe)
		return 0;
	r = put_feature(d, to, d->kept[0].id, d->kept[0].data, d->kept[0].size,
	    err);
	free(d->kept[0].data);
	d->nkept = 0;
	return r;
}

/* ---- build-ids ------------------------------------------------------------------- */

/* The entries of a file's feature, each as the record that it is in a pipe. */
static int
put_buildids(struct pd_describe *d, struct pd_described *to, uint8_t *data,
    size_t size, struct pd_error *err)
{
	struct pd_cursor c = pd_cursor(data, size, swapped(d));
	struct pd_buildid_entry e;
	uint8_t *start;

	while (pd_left(&c) > 0) {
		start = data + (c.p - data);
		if (pd_buildid_decode(&c, &e) == -1) {
			if (c.bad)
				break;
			continue;
		}
		pd_store_u32(start, PD_REC_HEADER_BUILD_ID, swapped(d));
		if (pd_writer_put(to->writer, start, (size_t)(c.p - start),
		    err) == -1)
			return -1;
	}
	return 0;
}

static int
keep_buildid(struct pd_describe *d, const struct pd_record *rec,
    struct pd_error *err)
{
	if (pd_grow(&d->buildids, &d->buildids_cap, d->buildids_len +
	    rec->size, 1, err) == -1)
		return -1;
	memcpy(d->buildids + d->buildids_len, rec->data, rec->size);
	d->buildids_len += rec->size;
	return 0;
}

/* ---- the way there ------------------------------------------------------------------ */

/* One feature of a file. */
static int
carry(struct pd_describe *d, struct pd_described *to,
    const struct pd_feature_at *at, struct pd_error *err)
{
	const struct pd_container *ct = pd_reader_container(d->rd);
	uint8_t *data;
	int r;

	if (!is_carried(at->id))
		return 0;
	if ((data = malloc((size_t)at->size + 1)) == NULL)
		return pd_fail_nomem(err);
	r = pd_source_pread(&ct->src, data, (size_t)at->size, at->offset, err);
	if (r > 0 && d->pipe && at->id == PD_FEATURE_BUILD_ID)
		r = put_buildids(d, to, data, (size_t)at->size, err);
	else if (r > 0 && d->pipe && at->id == PD_FEATURE_TRACING_DATA)
		r = pd_writer_tracing(to->writer, data, (size_t)at->size, err);
	else if (r > 0)
		r = put_feature(d, to, at->id, data, (size_t)at->size, err);
	free(data);
	return r == -1 ? -1 : 0;
}

int
pd_describe_begin(struct pd_describe *d, struct pd_described *to,
    struct pd_error *err)
{
	const struct pd_container *ct = pd_reader_container(d->rd);
	size_t i;

	if (pd_describe_events(d, to, err) == -1)
		return -1;
	for (i = 0; d->pipe && i < ct->nfeatures_at; i++)
		if (carry(d, to, &ct->features[i], err) == -1)
			return -1;
	return 0;
}

int
pd_describe_record(struct pd_describe *d, struct pd_described *to,
    const struct pd_record *rec, struct pd_error *err)
{
	const uint8_t *tracing;
	size_t size;

	switch (rec->type) {
	case PD_REC_HEADER_ATTR:
	case PD_REC_COMPRESSED:
	case PD_REC_COMPRESSED2:
		return 1;
	case PD_REC_HEADER_FEATURE:
		return feature_record(d, to, rec, err) == -1 ? -1 : 1;
	case PD_REC_HEADER_TRACING_DATA:
		tracing = pd_reader_tracing(d->rd, &size);
		return d->pipe && tracing != NULL && pd_writer_tracing(
		    to->writer, tracing, size, err) == -1 ? -1 : 1;
	case PD_REC_HEADER_BUILD_ID:
		return d->pipe ? 0 : keep_buildid(d, rec, err) == -1 ? -1 : 1;
	}
	return 0;
}

static int
put_sample_time(struct pd_describe *d, struct pd_described *to,
    uint64_t first, uint64_t last, struct pd_error *err)
{
	uint8_t data[16];

	if (first == PD_NOTIME)
		return 0;
	pd_store_u64(data, first, swapped(d));
	pd_store_u64(data + 8, last, swapped(d));
	return pd_writer_feature(to->writer, PD_FEATURE_SAMPLE_TIME, data,
	    sizeof(data), err);
}

/* What came as records into a file. */
static int
put_kept(struct pd_describe *d, struct pd_described *to,
    struct pd_error *err)
{
	const uint8_t *tracing;
	size_t size, i;

	tracing = pd_reader_tracing(d->rd, &size);
	if (tracing != NULL && pd_writer_feature(to->writer,
	    PD_FEATURE_TRACING_DATA, tracing, size, err) == -1)
		return -1;
	for (i = 0; i < d->nkept; i++)
		if (put_feature(d, to, d->kept[i].id, d->kept[i].data,
		    d->kept[i].size, err) == -1)
			return -1;
	return d->buildids_len > 0 && pd_writer_feature(to->writer,
	    PD_FEATURE_BUILD_ID, d->buildids, d->buildids_len, err) == -1 ?
	    -1 : 0;
}

int
pd_describe_end(struct pd_describe *d, struct pd_described *to,
    uint64_t first, uint64_t last, struct pd_error *err)
{
	const struct pd_container *ct = pd_reader_container(d->rd);
	bool named = pd_reader_info(d->rd)->cmdline != NULL;
	size_t i;

	/* and TRACING_DATA, BUILD_ID, CMDLINE, SAMPLE_TIME */
	if (pd_describe_events(d, to, err) == -1 || pd_writer_end(to->writer,
	    (unsigned)(ct->nfeatures_at + d->nkept + 4), err) == -1)
		return -1;
	if (d->pipe)
		return 0;
	for (i = 0; i < ct->nfeatures_at; i++)
		if (carry(d, to, &ct->features[i], err) == -1)
			return -1;
	if (put_kept(d, to, err) == -1 || (!named && d->argv != NULL &&
	    put_cmdline(d, to, NULL, 0, err) == -1))
		return -1;
	return put_sample_time(d, to, first, last, err) == -1 ? -1 : 0;
}

void
pd_describe_free(struct pd_describe *d)
{
	size_t i;

	for (i = 0; i < d->nkept; i++)
		free(d->kept[i].data);
	free(d->kept);
	free(d->buildids);
}
