/*
 * Makes requests: PushRequest of push.v1.PusherService, which takes many
 * profiles,
 *
 *	PushRequest      { repeated RawProfileSeries series = 1; }
 *	RawProfileSeries { repeated LabelPair labels = 1;
 *	                   repeated RawSample samples = 2; }
 *	LabelPair        { string name = 1; string value = 2; }
 *	RawSample        { bytes raw_profile = 1; }
 *
 * or a form for /ingest, which takes one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "export/proto.h"
#include "push/protoread.h"
#include "push/request.h"

#define MAX_LABELS	30		/* of a series, with ours */
#define OWN_LABELS	4
#define MAX_NAME	1024
#define MAX_VALUE	2048
/*
 * Half of what the rate limiter lets through at once, and what the server
 * handles in parallel.  It counts what arrives, which bunches up: a request that
 * is over its limit in part is stored in part, and counts double until it is
 * compacted after it was sent again.
 */
#define BATCH_RAW	(PD_SERVER_SIZE / 2)
#define BATCH_PROFILES	256

struct pd_batch {
	const struct pd_push_ident *id;
	struct pd_proto	body;
	struct pd_push_part	last;		/* for /ingest: its data is body */
	size_t		profiles;
	uint64_t	samples, raw, label_size;
};

/* ---- names --------------------------------------------------------------------- */

static bool
is_label_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return n > 0 && n <= MAX_NAME && s[n] == '\0' &&
	    (s[0] < '0' || s[0] > '9');
}

static bool
is_text(const char *s)
{
	char copy[MAX_VALUE + 1];

	if (strlen(s) > MAX_VALUE)
		return false;
	strcpy(copy, s);
	pd_printable(copy);
	return strcmp(copy, s) == 0;
}

static int
check_label(const struct pd_push_ident *id, size_t i, struct pd_error *err)
{
	const struct pd_push_label *l = &id->labels[i];
	size_t j;

	if (!is_label_name(l->name))
		return pd_fail(err, PD_EARG, PD_NOWHERE, "label '%.64s': "
		    "expected letters, digits and '_'", l->name);
	if (!is_text(l->value))
		return pd_fail(err, PD_EARG, PD_NOWHERE, "label %.64s: its value "
		    "is not printable UTF-8, or longer than %d bytes", l->name,
		    MAX_VALUE);
	/* "__name__" and its like are the server's. */
	if (pd_starts(l->name, "__") || strcmp(l->name, "service_name") == 0 ||
	    strcmp(l->name, "pyroscope_spy") == 0)
		return pd_fail(err, PD_EARG, PD_NOWHERE,
		    "label %.64s: this name is taken", l->name);
	if (id->api == PD_PUSH_INGEST && strpbrk(l->value, ",{}=") != NULL)
		return pd_fail(err, PD_EARG, PD_NOWHERE, "label %.64s: its value "
		    "has one of , { } = which /ingest cannot take", l->name);
	for (j = 0; j < i; j++)
		if (strcmp(id->labels[j].name, l->name) == 0)
			return pd_fail(err, PD_EARG, PD_NOWHERE,
			    "label %.64s: given twice", l->name);
	return 0;
}

int
pd_push_ident_check(const struct pd_push_ident *id, struct pd_error *err)
{
	size_t i;

	if (id->app[0] == '\0' || !is_text(id->app))
		return pd_fail(err, PD_EARG, PD_NOWHERE, "the name of the "
		    "application is empty, not printable UTF-8, or longer than "
		    "%d bytes", MAX_VALUE);
	if (id->api == PD_PUSH_INGEST && strspn(id->app, "abcdefghijklmnopqrst"
	    "uvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") !=
	    strlen(id->app))
		return pd_fail(err, PD_EARG, PD_NOWHERE, "the name of the "
		    "application: /ingest takes letters, digits and _ . / -");
	if (id->nlabels > MAX_LABELS - OWN_LABELS)
		return pd_fail(err, PD_EARG, PD_NOWHERE, "%zu labels, and the "
		    "server takes %d", id->nlabels, MAX_LABELS - OWN_LABELS);
	for (i = 0; i < id->nlabels; i++)
		if (check_label(id, i, err) == -1)
			return -1;
	return 0;
}

/* ---- batches --------------------------------------------------------------------- */

struct pd_batch *
pd_batch_new(const struct pd_push_ident *id, struct pd_error *err)
{
	struct pd_batch *b = pd_calloc(1, sizeof(*b), err);
	size_t i;

	if (b == NULL)
		return NULL;
	b->id = id;
	b->label_size = 128 + strlen(id->app);
	for (i = 0; i < id->nlabels; i++)
		b->label_size += strlen(id->labels[i].name) +
		    strlen(id->labels[i].value);
	return b;
}

void
pd_batch_free(struct pd_batch *b)
{
	if (b == NULL)
		return;
	pd_proto_free(&b->body);
	free(b);
}

size_t
pd_batch_profiles(const struct pd_batch *b)
{
	return b->profiles;
}

bool
pd_batch_full(const struct pd_batch *b, uint64_t raw)
{
	if (b->profiles == 0)
		return false;
	return b->id->api == PD_PUSH_INGEST || b->profiles == BATCH_PROFILES ||
	    b->raw + raw + b->label_size > BATCH_RAW;
}

static void
put_label(struct pd_proto *series, const char *name, const char *value)
{
	struct pd_proto pair = { 0 };

	pd_proto_string(&pair, 1, name);
	pd_proto_string(&pair, 2, value);
	pd_proto_message(series, 1, &pair);
	pd_proto_free(&pair);
}

static void
put_series(struct pd_batch *b, const struct pd_push_part *part)
{
	struct pd_proto series = { 0 }, sample = { 0 };
	size_t i;

	put_label(&series, "__name__", part->name);
	put_label(&series, "service_name", b->id->app);
	/* Without it, old servers take values for ever growing ones. */
	put_label(&series, "__delta__", "false");
	put_label(&series, "pyroscope_spy", "perf");
	for (i = 0; i < b->id->nlabels; i++)
		put_label(&series, b->id->labels[i].name,
		    b->id->labels[i].value);
	pd_proto_bytes(&sample, 1, part->data, part->size);
	pd_proto_message(&series, 2, &sample);
	pd_proto_message(&b->body, 1, &series);
	pd_proto_free(&series);
	pd_proto_free(&sample);
}

/* The body is the profile itself, until pd_batch_take() knows its path. */
static int
put_form(struct pd_batch *b, const struct pd_push_part *part, struct pd_error *err)
{
	b->last = *part;
	if (pd_grow(&b->body.buf, &b->body.cap, part->size, 1, err) == -1)
		return -1;
	memcpy(b->body.buf, part->data, part->size);
	b->body.len = part->size;
	return 0;
}

int
pd_batch_add(struct pd_batch *b, const struct pd_push_part *part,
    struct pd_error *err)
{
	if (b->id->api == PD_PUSH_INGEST) {
		if (put_form(b, part, err) == -1)
			return -1;
	} else {
		put_series(b, part);
		if (b->body.failed)
			return pd_fail_nomem(err);
	}
	b->profiles++;
	b->samples += part->samples;
	b->raw += part->raw + b->label_size;
	return 0;
}

static struct pd_request *
request_new(const char *path, const char *type, uint8_t *body, size_t size,
    struct pd_error *err)
{
	struct pd_request *r = pd_calloc(1, sizeof(*r), err);

	if (r == NULL)
		return NULL;
	r->path = pd_strdup(path, err);
	r->type = pd_strdup(type, err);
	if (r->path == NULL || r->type == NULL) {
		pd_request_free(r);
		return NULL;
	}
	r->body = body;
	r->size = size;
	return r;
}

static void
put_escaped(FILE *f, const char *s)
{
	for (; *s != '\0'; s++)
		if (strchr("-._~", *s) != NULL ||
		    (*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') ||
		    (*s >= 'A' && *s <= 'Z'))
			putc(*s, f);
		else
			fprintf(f, "%%%02X", (unsigned char)*s);
}

static void
write_ingest_path(FILE *f, const struct pd_batch *b)
{
	const struct pd_push_ident *id = b->id;
	uint64_t from = b->last.time;
	size_t i;

	fputs("/ingest?name=", f);
	put_escaped(f, id->app);
	for (i = 0; i < id->nlabels; i++) {
		fputs(i == 0 ? "%7B" : "%2C", f);
		put_escaped(f, id->labels[i].name);
		fputs("%3D", f);
		put_escaped(f, id->labels[i].value);
	}
	if (id->nlabels > 0)
		fputs("%7D", f);
	/* 19 digits: any other number is taken for another unit. */
	fprintf(f, "&from=%019" PRIu64 "&until=%019" PRIu64 "&spyName=perf",
	    from, from + b->last.duration);
}

/* Old servers ignore types of samples that they do not know. */
static void
write_form(FILE *f, const struct pd_batch *b, const char *boundary)
{
	fprintf(f, "--%s\r\nContent-Disposition: form-data; name=\"profile\"; "
	    "filename=\"profile.pprof\"\r\n"
	    "Content-Type: application/octet-stream\r\n\r\n", boundary);
	fwrite(b->body.buf, 1, b->body.len, f);
	fprintf(f, "\r\n--%s--\r\n", boundary);
}

static struct pd_request *
take_form(struct pd_batch *b, struct pd_error *err)
{
	char *path = NULL, *form = NULL, type[80], boundary[32];
	size_t path_size = 0, form_size = 0;
	struct pd_request *r = NULL;
	FILE *p, *f;
	int failed;

	snprintf(boundary, sizeof(boundary), "perfdata-%016" PRIx64,
	    (uint64_t)XXH64(b->body.buf, b->body.len, 0));
	snprintf(type, sizeof(type), "multipart/form-data; boundary=%s",
	    boundary);
	p = open_memstream(&path, &path_size);
	f = open_memstream(&form, &form_size);
	if (p != NULL)
		write_ingest_path(p, b);
	if (f != NULL)
		write_form(f, b, boundary);
	failed = p == NULL || f == NULL;
	if (p != NULL)
		failed |= fclose(p) != 0;
	if (f != NULL)
		failed |= fclose(f) != 0;
	/* The last allocation of all is not in the result of fclose(). */
	if (failed || path == NULL || form == NULL)
		pd_fail_nomem(err);
	else
		r = request_new(path, type, (uint8_t *)form, form_size, err);
	free(path);
	if (r == NULL)
		free(form);
	return r;
}

struct pd_request *
pd_batch_take(struct pd_batch *b, struct pd_error *err)
{
	struct pd_request *r;

	if (b->id->api == PD_PUSH_INGEST) {
		r = take_form(b, err);
		b->body.len = 0;
	} else {
		r = request_new("/push.v1.PusherService/Push",
		    "application/proto", b->body.buf, b->body.len, err);
		if (r != NULL)
			b->body = (struct pd_proto){ 0 };
	}
	if (r == NULL)
		return NULL;
	r->profiles = b->profiles;
	r->samples = b->samples;
	r->raw = b->raw;
	b->profiles = 0;
	b->samples = b->raw = 0;
	return r;
}

void
pd_request_free(struct pd_request *r)
{
	if (r == NULL)
		return;
	free(r->path);
	free(r->type);
	free(r->body);
	free(r);
}

/* ---- halves ------------------------------------------------------------------------ */

static int
count_part(void *ctx, const struct pd_push_part *part, struct pd_error *err)
{
	struct pd_request *r = ctx;

	(void)err;
	r->samples += part->samples;
	r->raw += part->raw;
	return 0;
}

/* Add what a series holds to the numbers of a request. */
static int
count_series(struct pd_request *r, const struct pd_field *series,
    struct pd_error *err)
{
	const struct pd_parts_opts any = { SIZE_MAX, SIZE_MAX, SIZE_MAX, false, 0 };
	struct pd_proto_in in = pd_field_in(series), sample;
	struct pd_parts_seen seen = { 0 };
	struct pd_field f, g;

	r->profiles++;
	while (pd_proto_next(&in, &f)) {
		r->raw += f.number == 1 ? f.size : 0;
		sample = pd_field_in(&f);
		while (f.number == 2 && pd_proto_next(&sample, &g))
			if (g.number == 1 && pd_pprof_split(g.data, g.size,
			    &any, count_part, r, &seen, err) == -1)
				return -1;
	}
	return 0;
}

/* The series first to end (not included) of r as a request of their own. */
static struct pd_request *
part_of(const struct pd_request *r, size_t first, size_t end,
    struct pd_error *err)
{
	struct pd_proto_in in = pd_proto_in(r->body, r->size);
	struct pd_request *half = request_new(r->path, r->type, NULL, 0, err);
	struct pd_proto body = { 0 };
	struct pd_field f;
	size_t i;

	if (half == NULL)
		return NULL;
	for (i = 0; pd_proto_next(&in, &f); i++) {
		if (i < first || i >= end)
			continue;
		pd_proto_bytes(&body, 1, f.data, f.size);
		if (count_series(half, &f, err) == -1)
			goto fail;
	}
	half->body = body.buf;
	half->size = body.len;
	if (!body.failed)
		return half;
	pd_fail_nomem(err);
	half->body = NULL;

fail:
	pd_proto_free(&body);
	pd_request_free(half);
	return NULL;
}

int
pd_request_split(const struct pd_request *r, struct pd_request *half[2],
    struct pd_error *err)
{
	size_t middle = r->profiles / 2;

	half[1] = NULL;
	if ((half[0] = part_of(r, 0, middle, err)) == NULL ||
	    (half[1] = part_of(r, middle, r->profiles, err)) == NULL) {
		pd_request_free(half[0]);
		return -1;
	}
	return 0;
}
