/* Writes either container. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/tmpfile.h"
#include "cut/writer.h"

#define PIPE_HEADER	16	/* struct perf_pipe_file_header */
#define FILE_HEADER	104	/* struct perf_file_header */
#define SECTION		16	/* struct perf_file_section */

#define BUFFER		(256 << 10)

/* PERF_ATTR_SIZE_VER7: what perf 6.1 knows; it refuses files with larger ones. */
#define ATTR_SIZE	128

/*
 * perf unpacks one COMPRESSED record into a buffer of the size that the
 * COMPRESSED feature names, and a record is smaller than 64 KiB: so much is
 * compressed at a time that the result always fits in one.
 */
#define CHUNK		60000
#define PERF_MMAP_LEN	(528 << 10)

struct pd_writer {
	int			fd;
	struct pd_writer_opts	opts;
	uint8_t			*buf;		/* not written yet */
	size_t			len;
	uint64_t		written;	/* before buf */
	uint8_t			*chunk;		/* not compressed yet */
	size_t			chunk_len;
	ZSTD_CCtx		*zstd;
	bool			announced;	/* that records are compressed */
	uint8_t			*attrs;		/* of a file: entries for the end */
	size_t			attrs_len, attrs_cap, nattrs;
	uint32_t		attr_size;	/* the largest */
	uint64_t		data_end;
	struct pd_feature_at	*features;
	size_t			nfeatures, features_max;
};

/* ---- bytes ------------------------------------------------------------------- */

static int
drain(struct pd_writer *w, struct pd_error *err)
{
	if (pd_write_all(w->fd, w->buf, w->len, "write", err) == -1)
		return -1;
	w->written += w->len;
	w->len = 0;
	return 0;
}

static int
append(struct pd_writer *w, const void *data, size_t size,
    struct pd_error *err)
{
	size_t n;

	while (size > BUFFER - w->len) {
		n = BUFFER - w->len;
		memcpy(w->buf + w->len, data, n);
		w->len += n;
		data = (const uint8_t *)data + n;
		size -= n;
		if (drain(w, err) == -1)
			return -1;
	}
	if (size > 0)
		memcpy(w->buf + w->len, data, size);
	w->len += size;
	return 0;
}

uint64_t
pd_writer_size(const struct pd_writer *w)
{
	return w->written + w->len + w->chunk_len;
}

static void
put_header(const struct pd_writer *w, uint8_t *p, uint32_t type, size_t size)
{
	pd_store_u32(p, type, w->opts.swapped);
	pd_store_u16(p + 4, 0, w->opts.swapped);
	pd_store_u16(p + 6, (uint16_t)size, w->opts.swapped);
}

/* ---- compression ---------------------------------------------------------------- */

/* The COMPRESSED feature: version, type (zstd), level, ratio, mmap_len. */
static int
put_compressed(struct pd_writer *w, struct pd_error *err)
{
	uint32_t words[] = { 1, 1, (uint32_t)w->opts.level, 1, PERF_MMAP_LEN };
	uint8_t data[sizeof(words)];
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		pd_store_u32(data + 4 * i, words[i], w->opts.swapped);
	return pd_writer_feature(w, PD_FEATURE_COMPRESSED, data, sizeof(data),
	    err);
}

/* Make a COMPRESSED record of the chunk. */
static int
compress(struct pd_writer *w, struct pd_error *err)
{
	uint8_t rec[UINT16_MAX];
	ZSTD_inBuffer in = { w->chunk, w->chunk_len, 0 };
	ZSTD_outBuffer out = { rec + PD_HEADER_SIZE,
		sizeof(rec) - PD_HEADER_SIZE, 0 };
	size_t left;

	if (w->chunk_len == 0)
		return 0;
	if (w->opts.pipe && !w->announced) {
		w->announced = true;
		if (put_compressed(w, err) == -1)
			return -1;
	}
	left = ZSTD_compressStream2(w->zstd, &out, &in, ZSTD_e_flush);
	if (ZSTD_isError(left))
		return pd_fail(err, PD_ENOMEM, PD_NOWHERE, "zstd: %s",
		    ZSTD_getErrorName(left));
	if (left > 0 || in.pos < in.size)
		return pd_fail(err, PD_EUNSUPP, PD_NOWHERE,
		    "zstd: %zu bytes do not fit in a record", w->chunk_len);
	w->chunk_len = 0;
	put_header(w, rec, PD_REC_COMPRESSED, PD_HEADER_SIZE + out.pos);
	return append(w, rec, PD_HEADER_SIZE + out.pos, err);
}

/* A record may be larger than a chunk: readers put its parts together. */
static int
put_chunk(struct pd_writer *w, const uint8_t *data, size_t size,
    struct pd_error *err)
{
	size_t n;

	if (size > CHUNK - w->chunk_len && compress(w, err) == -1)
		return -1;
	for (; size > 0; size -= n, data += n) {
		n = size < CHUNK - w->chunk_len ? size : CHUNK - w->chunk_len;
		memcpy(w->chunk + w->chunk_len, data, n);
		w->chunk_len += n;
		if (w->chunk_len == CHUNK && compress(w, err) == -1)
			return -1;
	}
	return 0;
}

/* ---- the object ------------------------------------------------------------------- */

struct pd_writer *
pd_writer_new(int fd, const struct pd_writer_opts *opts,
    struct pd_error *err)
{
	struct pd_writer *w = pd_calloc(1, sizeof(*w), err);
	size_t head = opts->pipe ? PIPE_HEADER : FILE_HEADER;

	if (w == NULL)
		return NULL;
	w->fd = fd;
	w->opts = *opts;
	if ((w->buf = pd_calloc(1, BUFFER, err)) == NULL)
		goto fail;
	if (opts->level != 0) {
		if ((w->chunk = pd_calloc(1, CHUNK, err)) == NULL)
			goto fail;
		if ((w->zstd = ZSTD_createCCtx()) == NULL) {
			pd_fail_nomem(err);
			goto fail;
		}
		ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel,
		    opts->level);
	}
	/* A file's is zero until it is complete. */
	w->len = head;
	if (opts->pipe) {
		memcpy(w->buf, opts->swapped ? "2ELIFREP" : "PERFILE2", 8);
		pd_store_u64(w->buf + 8, head, opts->swapped);
	}
	return w;

fail:
	pd_writer_free(w);
	return NULL;
}

void
pd_writer_free(struct pd_writer *w)
{
	if (w == NULL)
		return;
	free(w->buf);
	free(w->chunk);
	ZSTD_freeCCtx(w->zstd);
	free(w->attrs);
	free(w->features);
	free(w);
}

int
pd_writer_put(struct pd_writer *w, const uint8_t *data, size_t size,
    struct pd_error *err)
{
	if (w->zstd != NULL &&
	    pd_load_u32(data, w->opts.swapped) < PD_RECORD_USER_START)
		return put_chunk(w, data, size, err);
	/* perf's own records describe those around them: not compressed. */
	if (w->chunk_len > 0 && compress(w, err) == -1)
		return -1;
	return append(w, data, size, err);
}

int
pd_writer_flush(struct pd_writer *w, struct pd_error *err)
{
	return compress(w, err) == -1 ? -1 : drain(w, err);
}

/* ---- what describes the recording ---------------------------------------------------- */

/*
 * In a file: the attribute, the number of its ids, and the ids, until
 * put_attrs() knows the size that all entries have.
 */
static int
keep_attr(struct pd_writer *w, const uint8_t *attr, uint32_t size,
    const uint64_t *ids, size_t nids, struct pd_error *err)
{
	uint64_t n = nids, s;
	uint8_t *p;
	size_t i;

	/* What is missing is zero. */
	while (size >= ATTR_SIZE + 8 &&
	    pd_load_u64(attr + size - 8, false) == 0)
		size -= 8;
	s = size;
	if (pd_grow(&w->attrs, &w->attrs_cap, w->attrs_len + 16 + size +
	    8 * nids, 1, err) == -1)
		return -1;
	p = w->attrs + w->attrs_len;
	memcpy(p, &s, 8);
	memcpy(p + 8, &n, 8);
	memcpy(p + 16, attr, size);
	for (i = 0; i < nids; i++)
		pd_store_u64(p + 16 + size + 8 * i, ids[i], w->opts.swapped);
	w->attrs_len += 16 + size + 8 * nids;
	w->nattrs++;
	if (size > w->attr_size)
		w->attr_size = size;
	return 0;
}

int
pd_writer_attr(struct pd_writer *w, const uint8_t *attr, uint32_t size,
    const uint64_t *ids, size_t nids, struct pd_error *err)
{
	uint8_t rec[UINT16_MAX + 1];
	size_t all = PD_HEADER_SIZE + size + 8 * nids, i;

	if (!w->opts.pipe)
		return keep_attr(w, attr, size, ids, nids, err);
	if (all > UINT16_MAX)
		return pd_fail(err, PD_EUNSUPP, PD_NOWHERE, "an event with "
		    "%zu ids cannot go through a pipe: write to a file", nids);
	put_header(w, rec, PD_REC_HEADER_ATTR, all);
	memcpy(rec + PD_HEADER_SIZE, attr, size);
	for (i = 0; i < nids; i++)
		pd_store_u64(rec + PD_HEADER_SIZE + size + 8 * i, ids[i],
		    w->opts.swapped);
	return pd_writer_put(w, rec, all, err);
}

static int
feature_record(struct pd_writer *w, unsigned id, const uint8_t *data,
    size_t size, struct pd_error *err)
{
	uint8_t rec[UINT16_MAX];
	/* Not padded: perf tells versions of a feature by its size. */
	size_t all = PD_HEADER_SIZE + 8 + size;

	if (all > UINT16_MAX)
		return 0;
	put_header(w, rec, PD_REC_HEADER_FEATURE, all);
	pd_store_u64(rec + PD_HEADER_SIZE, id, w->opts.swapped);
	memcpy(rec + PD_HEADER_SIZE + 8, data, size);
	return append(w, rec, all, err) == -1 ? -1 : 1;
}

int
pd_writer_feature(struct pd_writer *w, unsigned id, const uint8_t *data,
    size_t size, struct pd_error *err)
{
	size_t i;

	if (w->opts.pipe)
		return feature_record(w, id, data, size, err);
	for (i = 0; i < w->nfeatures; i++)
		if (w->features[i].id == id)
			return 1;	/* each once: the first */
	if (w->nfeatures == w->features_max)
		return 0;
	w->features[w->nfeatures++] = (struct pd_feature_at){ id,
		pd_writer_size(w), size };
	return append(w, data, size, err) == -1 ? -1 : 1;
}

int
pd_writer_tracing(struct pd_writer *w, const uint8_t *data, size_t size,
    struct pd_error *err)
{
	static const uint8_t zeros[8];
	uint8_t rec[PD_HEADER_SIZE + 4];
	size_t pad = -size & 7;

	/* Its size is that of what follows, padded (perf 6.1, header.c). */
	put_header(w, rec, PD_REC_HEADER_TRACING_DATA, sizeof(rec));
	pd_store_u32(rec + PD_HEADER_SIZE, (uint32_t)(size + pad),
	    w->opts.swapped);
	return pd_writer_put(w, rec, sizeof(rec), err) == -1 ||
	    append(w, data, size, err) == -1 ||
	    append(w, zeros, pad, err) == -1 ? -1 : 0;
}

int
pd_writer_end(struct pd_writer *w, unsigned features, struct pd_error *err)
{
	static const uint8_t round[] = { 0, 0, 0, 0, 0, 0, 0, 0 };
	uint8_t rec[sizeof(round)];
	size_t i;

	if (compress(w, err) == -1)
		return -1;
	if (w->opts.pipe)
		return 0;
	/* Data without a size are those of a recorder that was killed. */
	if (w->written + w->len == FILE_HEADER) {
		put_header(w, rec, PD_REC_FINISHED_ROUND, sizeof(rec));
		if (append(w, rec, sizeof(rec), err) == -1)
			return -1;
	}
	w->data_end = w->written + w->len;
	w->features_max = features + 1;		/* COMPRESSED */
	w->features = pd_calloc(w->features_max, sizeof(*w->features), err);
	if (w->features == NULL)
		return -1;
	/* Room for the table, which must stand here (perf_header__process_sections()). */
	for (i = 0; i < w->features_max; i++)
		if (append(w, round, 8, err) == -1 ||
		    append(w, round, 8, err) == -1)
			return -1;
	return w->zstd == NULL ? 0 : put_compressed(w, err) == -1 ? -1 : 0;
}

/* ---- completing a file ------------------------------------------------------------------ */

static void
put_section(const struct pd_writer *w, uint8_t *p, uint64_t offset,
    uint64_t size)
{
	pd_store_u64(p, offset, w->opts.swapped);
	pd_store_u64(p + 8, size, w->opts.swapped);
}

/* The ids of all events, then the entries, as the last parts of the file. */
static int
put_attrs(struct pd_writer *w, uint8_t *head, struct pd_error *err)
{
	uint64_t at = w->written + w->len, size, n;
	uint8_t *entry = pd_calloc(1, w->attr_size + SECTION, err);
	const uint8_t *p;
	size_t i;
	int r = entry == NULL ? -1 : 0;

	for (i = 0; r == 0 && i < w->attrs_len; i += 16 + size + 8 * n) {
		p = w->attrs + i;
		memcpy(&size, p, 8);
		memcpy(&n, p + 8, 8);
		r = append(w, p + 16 + size, 8 * n, err);
	}
	put_section(w, head + 24, w->written + w->len,
	    w->nattrs * (w->attr_size + SECTION));
	for (i = 0; r == 0 && i < w->attrs_len; i += 16 + size + 8 * n) {
		p = w->attrs + i;
		memcpy(&size, p, 8);
		memcpy(&n, p + 8, 8);
		memset(entry, 0, w->attr_size);
		memcpy(entry, p + 16, size);
		/* perf finds the next entry by this one's own size. */
		if (pd_load_u32(entry + 4, w->opts.swapped) != 0 ||
		    size < w->attr_size)
			pd_store_u32(entry + 4, w->attr_size, w->opts.swapped);
		put_section(w, entry + w->attr_size, at, 8 * n);
		at += 8 * n;
		r = append(w, entry, w->attr_size + SECTION, err);
	}
	free(entry);
	return r;
}

static int
by_id(const void *a, const void *b)
{
	const struct pd_feature_at *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int
write_at(const struct pd_writer *w, const uint8_t *p, size_t size,
    uint64_t offset, struct pd_error *err)
{
	ssize_t n;

	while (size > 0) {
		n = pwrite(w->fd, p, size, (off_t)offset);
		if (n < 0 && errno != EINTR)
			return pd_fail(err, PD_EIO, offset, "write");
		if (n > 0) {
			p += n;
			size -= (size_t)n;
			offset += (uint64_t)n;
		}
	}
	return 0;
}

/* The header, and which features there are: bits of an array of u64. */
static int
put_tables(struct pd_writer *w, uint8_t *head, struct pd_error *err)
{
	uint64_t bits[PD_FEATURES / 64] = { 0 };
	uint8_t *table = pd_calloc(w->features_max, SECTION, err);
	size_t i;
	int r;

	if (table == NULL)
		return -1;
	qsort(w->features, w->nfeatures, sizeof(*w->features), by_id);
	for (i = 0; i < w->nfeatures; i++) {
		bits[w->features[i].id / 64] |= UINT64_C(1) <<
		    w->features[i].id % 64;
		put_section(w, table + SECTION * i, w->features[i].offset,
		    w->features[i].size);
	}
	for (i = 0; i < PD_FEATURES / 64; i++)
		pd_store_u64(head + 72 + 8 * i, bits[i], w->opts.swapped);
	r = write_at(w, table, w->nfeatures * SECTION, w->data_end, err);
	free(table);
	return r == -1 ? -1 : write_at(w, head, FILE_HEADER, 0, err);
}

int
pd_writer_finish(struct pd_writer *w, struct pd_error *err)
{
	uint8_t head[FILE_HEADER] = { 0 };

	if (w->opts.pipe)
		return pd_writer_flush(w, err);
	memcpy(head, w->opts.swapped ? "2ELIFREP" : "PERFILE2", 8);
	pd_store_u64(head + 8, FILE_HEADER, w->opts.swapped);
	pd_store_u64(head + 16, w->attr_size + SECTION, w->opts.swapped);
	put_section(w, head + 40, FILE_HEADER, w->data_end - FILE_HEADER);
	return put_attrs(w, head, err) == -1 || drain(w, err) == -1 ||
	    put_tables(w, head, err) == -1 ? -1 : 0;
}
