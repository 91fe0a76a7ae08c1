/* Writes a stream, compressed by gzip (RFC 1952) or as it is. */
#ifndef PD_EXPORT_GZIP_H
#define PD_EXPORT_GZIP_H

#include <zlib.h>

#include "perfdata.h"

struct pd_gzip {
	z_stream	z;
	FILE		*out;
	bool		raw;		/* as it is */
	size_t		size;		/* of what was put in */
	uint8_t		buf[32768];
};

/* The header has no time: equal input makes equal bytes. */
int pd_gzip_open(struct pd_gzip *g, FILE *out, bool raw,
    struct pd_error *err);
/* A full disk is found by pd_gzip_finish(). */
void pd_gzip_put(struct pd_gzip *g, const void *data, size_t size);
/* Write what is left, and free all but *g. */
int pd_gzip_finish(struct pd_gzip *g, struct pd_error *err);

#endif
