/*
 * Fuzz target: any bytes as a pprof profile that is to be pushed.  What is
 * taken is split further without loss, and within its limits.
 */
#include <stdlib.h>

#include "push/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sum {
	uint64_t	samples;
	size_t		parts;
	const struct pd_parts_opts *then;	/* NULL: enough */
};

static int
put(void *ctx, const struct pd_push_part *part, struct pd_error *err)
{
	struct sum *s = ctx, again = { 0, 0, NULL };
	struct pd_parts_seen seen = { 0 };

	s->samples += part->samples;
	s->parts++;
	if (s->then == NULL)
		return 0;
	/* What we made is a profile, unless one stack alone is too large. */
	if (pd_pprof_split(part->data, part->size, s->then, put, &again, &seen,
	    err) == -1) {
		if (err->code != PD_EUNSUPP)
			abort();
		return 0;
	}
	if (again.samples != part->samples || seen.renamed != 0)
		abort();
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct pd_parts_opts small = { 3, 500, 2, true, 1 };
	static const struct pd_parts_opts large = { 50, 4000, 9, true, 7 };
	struct sum s = { 0, 0, &small };
	struct pd_parts_seen seen = { 0 };
	struct pd_error err;

	if (pd_pprof_split(data, size, &large, put, &s, &seen, &err) == 0 &&
	    s.parts != seen.parts)
		abort();
	return 0;
}
