/* Tracing data: names and fields of the tracepoints of a recording. */
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

enum pd_field_kind {
	PD_FIELD_UNSIGNED, PD_FIELD_SIGNED,
	PD_FIELD_TEXT,			/* an array of char */
	PD_FIELD_DATA_LOC, PD_FIELD_REL_LOC,	/* text elsewhere in the sample */
	PD_FIELD_OTHER,			/* other arrays */
};

/* A field of what a tracepoint records. */
struct pd_field {
	const char		*name;	/* no NUL; owned by the tracepoints */
	size_t			name_len;
	enum pd_field_kind	kind;
	uint32_t		offset, size;
};

/* The next field of a tracepoint; false past the last.  *at begins at 0. */
bool pd_tracepoints_field(const struct pd_tracepoints *t, uint64_t id,
    size_t *at, struct pd_field *f);

/*
 * The value of a field in a sample: text without its NUL, or a number, sign
 * extended; false when the sample is too short for it.
 */
bool pd_field_text(const struct pd_field *f, const struct pd_sample *s,
    const char **text, size_t *len);
bool pd_field_number(const struct pd_field *f, const struct pd_sample *s,
    uint64_t *v);

#endif
