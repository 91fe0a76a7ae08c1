/* Reads protobuf messages, bounds checked; see export/proto.h for writing. */
#ifndef PD_PUSH_PROTOREAD_H
#define PD_PUSH_PROTOREAD_H

#include "perfdata.h"

enum { PD_WIRE_VARINT = 0, PD_WIRE_I64 = 1, PD_WIRE_BYTES = 2, PD_WIRE_I32 = 5 };

struct pd_proto_in {
	const uint8_t	*at, *end;
	bool		bad;		/* the bytes are no message */
};

struct pd_field {
	unsigned	number, wire;
	uint64_t	value;		/* of numbers */
	const uint8_t	*data;		/* of PD_WIRE_BYTES */
	size_t		size;
};

static inline struct pd_proto_in
pd_proto_in(const void *data, size_t size)
{
	return (struct pd_proto_in){ data, (const uint8_t *)data + size, false };
}

/* A message, or packed numbers, inside of a field. */
static inline struct pd_proto_in
pd_field_in(const struct pd_field *f)
{
	return pd_proto_in(f->data, f->wire == PD_WIRE_BYTES ? f->size : 0);
}

/* 0 at the end and behind it. */
uint64_t pd_proto_varint(struct pd_proto_in *in);

/* The next field: false at the end, and when the bytes are bad. */
bool pd_proto_next(struct pd_proto_in *in, struct pd_field *f);

/*
 * The numbers of a repeated field, which may be packed or one by one, are
 * added to v[0..*len): up to max, counting all of them.
 */
bool pd_field_numbers(const struct pd_field *f, uint64_t *v, size_t *len,
    size_t max);

#endif
