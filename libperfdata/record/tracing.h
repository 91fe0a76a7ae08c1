/* Tracing data: the formats of the tracepoints of a recording. */
#ifndef PD_RECORD_TRACING_H
#define PD_RECORD_TRACING_H

#include "base/cursor.h"
#include "base/notes.h"
#include "perfdata.h"

struct pd_tracepoints;

/*
 * Take in what the TRACING_DATA feature or record holds; makes *t if it is
 * NULL.  Damage is noted, and what was read before it is kept.
 */
int pd_tracepoints_add(struct pd_tracepoints **t, struct pd_cursor *c,
    uint64_t offset, struct pd_notes *notes, struct pd_error *err);
void pd_tracepoints_free(struct pd_tracepoints *t);

/* "system:name" of the tracepoint with this id, or NULL.  t may be NULL. */
const char *pd_tracepoints_find(const struct pd_tracepoints *t, uint64_t id);

#endif
