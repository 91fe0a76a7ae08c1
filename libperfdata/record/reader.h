/* The reader, as the layers above it see it. */
#ifndef PD_RECORD_READER_H
#define PD_RECORD_READER_H

#include "perfdata.h"
#include "record/container.h"

/*
 * The features read so far: build-ids and PMU names too.  In a pipe they grow
 * while records are read.
 */
const struct pd_features *pd_reader_features(const struct pd_reader *rd);

/* For who writes a recording like this one. */
const struct pd_events *pd_reader_events(const struct pd_reader *rd);
const struct pd_container *pd_reader_container(const struct pd_reader *rd);
/* The tracing data that came through a pipe; NULL when none did. */
const uint8_t *pd_reader_tracing(const struct pd_reader *rd, size_t *size);
/*
 * Call fn before the reader waits for more of a pipe: what was delivered is
 * all that there is for now; and at times when it never waits.  It may fail.
 */
void pd_reader_on_wait(struct pd_reader *rd,
    int (*fn)(void *ctx, struct pd_error *err), void *ctx);

#endif
