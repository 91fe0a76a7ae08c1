/* Writes protobuf messages. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "export/proto.h"

enum { VARINT = 0, LEN = 2 };		/* wire types */

#define MAX_VARINT	10

void
pd_proto_free(struct pd_proto *m)
{
	free(m->buf);
	*m = (struct pd_proto){ 0 };
}

/* Whether there is room for so many bytes more. */
static bool
has_room(struct pd_proto *m, size_t size)
{
	struct pd_error err;

	if (!m->failed && size <= m->cap - m->len)
		return true;
	m->failed = m->failed || size > SIZE_MAX - m->len ||
	    pd_grow(&m->buf, &m->cap, m->len + size, 1, &err) == -1;
	return !m->failed;
}

static size_t
varint_size(uint64_t v)
{
	return (size_t)(63 - __builtin_clzll(v | 1)) / 7 + 1;
}

static void
put_varint(struct pd_proto *m, uint64_t v)
{
	uint8_t *p = m->buf + m->len;

	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	m->len = (size_t)(p - m->buf);
}

static void
put_tag(struct pd_proto *m, unsigned field, unsigned wire)
{
	put_varint(m, field << 3 | wire);
}

void
pd_proto_u64(struct pd_proto *m, unsigned field, uint64_t v)
{
	if (v == 0 || !has_room(m, 2 * MAX_VARINT))
		return;
	put_tag(m, field, VARINT);
	put_varint(m, v);
}

void
pd_proto_bytes(struct pd_proto *m, unsigned field, const void *data,
    size_t size)
{
	if (size > SIZE_MAX - 2 * MAX_VARINT ||
	    !has_room(m, size + 2 * MAX_VARINT)) {
		m->failed = true;
		return;
	}
	put_tag(m, field, LEN);
	put_varint(m, size);
	if (size > 0)
		memcpy(m->buf + m->len, data, size);
	m->len += size;
}

void
pd_proto_raw(struct pd_proto *m, const void *data, size_t size)
{
	if (size == 0 || !has_room(m, size))
		return;
	memcpy(m->buf + m->len, data, size);
	m->len += size;
}

void
pd_proto_string(struct pd_proto *m, unsigned field, const char *s)
{
	pd_proto_bytes(m, field, s, strlen(s));
}

void
pd_proto_message(struct pd_proto *m, unsigned field,
    const struct pd_proto *inner)
{
	m->failed |= inner->failed;
	pd_proto_bytes(m, field, inner->buf, inner->len);
}

void
pd_proto_packed(struct pd_proto *m, unsigned field, const uint64_t *v,
    size_t len)
{
	size_t size = 0, i;

	for (i = 0; i < len; i++)
		size += varint_size(v[i]);
	if (size == 0 || !has_room(m, size + 2 * MAX_VARINT))
		return;
	put_tag(m, field, LEN);
	put_varint(m, size);
	for (i = 0; i < len; i++)
		put_varint(m, v[i]);
}
