/* Reads protobuf messages. */
#include "push/protoread.h"

uint64_t
pd_proto_varint(struct pd_proto_in *in)
{
	uint64_t v = 0;
	unsigned shift;

	for (shift = 0; shift < 64; shift += 7) {
		if (in->at == in->end)
			break;
		v |= (uint64_t)(*in->at & 0x7f) << shift;
		if (*in->at++ < 0x80)
			return v;
	}
	in->bad = true;
	in->at = in->end;
	return 0;
}

/* Take size bytes, if they are there. */
static const uint8_t *
take(struct pd_proto_in *in, uint64_t size)
{
	const uint8_t *p = in->at;

	if (size > (uint64_t)(in->end - in->at)) {
		in->bad = true;
		in->at = in->end;
		return NULL;
	}
	in->at += size;
	return p;
}

static uint64_t
fixed(struct pd_proto_in *in, unsigned size)
{
	const uint8_t *p = take(in, size);
	uint64_t v = 0;

	while (p != NULL && size-- > 0)
		v = v << 8 | p[size];
	return v;
}

bool
pd_proto_next(struct pd_proto_in *in, struct pd_field *f)
{
	uint64_t key, size;

	if (in->at == in->end)
		return false;
	key = pd_proto_varint(in);
	*f = (struct pd_field){ (unsigned)(key >> 3), key & 7, 0, NULL, 0 };
	switch (f->wire) {
	case PD_WIRE_VARINT:
		f->value = pd_proto_varint(in);
		break;
	case PD_WIRE_I64:
	case PD_WIRE_I32:
		f->value = fixed(in, f->wire == PD_WIRE_I64 ? 8 : 4);
		break;
	case PD_WIRE_BYTES:
		size = pd_proto_varint(in);
		f->data = take(in, size);
		f->size = (size_t)size;
		break;
	default:
		in->bad = true;
	}
	if (key >> 3 == 0 || key >> 32 != 0)
		in->bad = true;
	return !in->bad;
}

bool
pd_field_numbers(const struct pd_field *f, uint64_t *v, size_t *len,
    size_t max)
{
	struct pd_proto_in in = pd_field_in(f);
	uint64_t n = f->value;

	if (f->wire == PD_WIRE_VARINT) {
		if (*len < max)
			v[*len] = n;
		(*len)++;
		return true;
	}
	while (in.at != in.end) {
		n = pd_proto_varint(&in);
		if (*len < max)
			v[*len] = n;
		(*len)++;
	}
	return f->wire == PD_WIRE_BYTES && !in.bad;
}
