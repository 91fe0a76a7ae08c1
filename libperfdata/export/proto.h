/*
 * Writes protobuf messages (https://protobuf.dev/programming-guides/encoding)
 * into a buffer that grows.
 */
#ifndef PD_EXPORT_PROTO_H
#define PD_EXPORT_PROTO_H

#include "perfdata.h"

/* Zero is empty.  Without memory it stays as it is, and failed is set. */
struct pd_proto {
	uint8_t	*buf;
	size_t	len, cap;
	bool	failed;
};

void pd_proto_free(struct pd_proto *m);

/*
 * Each adds a field; what is 0 or empty is what a reader assumes where there
 * is none, and not written, but an empty element of a repeated field is.
 */
void pd_proto_u64(struct pd_proto *m, unsigned field, uint64_t v);
void pd_proto_string(struct pd_proto *m, unsigned field, const char *s);
void pd_proto_bytes(struct pd_proto *m, unsigned field, const void *data,
    size_t size);
/* A message inside of this one. */
void pd_proto_message(struct pd_proto *m, unsigned field,
    const struct pd_proto *inner);
/* Fields that are encoded already. */
void pd_proto_raw(struct pd_proto *m, const void *data, size_t size);
/* Numbers of a repeated field, packed. */
void pd_proto_packed(struct pd_proto *m, unsigned field, const uint64_t *v,
    size_t len);

#endif
