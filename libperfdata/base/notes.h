/* Notes: what the user must know though it was not an error. */
#ifndef PD_BASE_NOTES_H
#define PD_BASE_NOTES_H

#include "perfdata.h"

/* Zero is empty. */
struct pd_notes {
	struct pd_note	*notes;
	const char	**kinds;	/* the format of each, which is its kind */
	size_t		len, cap, kinds_cap;
};

/*
 * Count a note.  fmt, a literal, is the kind: the text is formatted for the
 * first of a kind only.  Never fails: without memory the note is lost.
 */
void pd_note_add(struct pd_notes *n, bool damage, uint64_t offset,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Count a damage that was found as an error; its text is the kind. */
void pd_note_error(struct pd_notes *n, const struct pd_error *err);

/* The i-th, or NULL. */
const struct pd_note *pd_notes_get(const struct pd_notes *n, size_t i);
void pd_notes_free(struct pd_notes *n);

#endif
