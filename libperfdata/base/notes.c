/* The list of notes. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/notes.h"
#include "base/text.h"

void
pd_note_add(struct pd_notes *n, bool damage, uint64_t offset,
    const char *fmt, ...)
{
	struct pd_error err;
	struct pd_note *note;
	va_list ap;
	size_t i;

	for (i = 0; i < n->len; i++)
		if (n->kinds[i] == fmt || strcmp(n->kinds[i], fmt) == 0) {
			n->notes[i].count++;
			return;
		}
	if (pd_grow(&n->notes, &n->cap, n->len + 1, sizeof(*note), &err) ||
	    pd_grow(&n->kinds, &n->kinds_cap, n->len + 1, sizeof(fmt), &err))
		return;
	note = &n->notes[n->len];
	note->count = 1;
	note->offset = offset;
	note->damage = damage;
	va_start(ap, fmt);
	vsnprintf(note->msg, sizeof(note->msg), fmt, ap);
	va_end(ap);
	pd_printable(note->msg);
	n->kinds[n->len++] = fmt;
}

void
pd_note_error(struct pd_notes *n, const struct pd_error *err)
{
	size_t i;

	for (i = 0; i < n->len; i++)
		if (strcmp(n->notes[i].msg, err->msg) == 0) {
			n->notes[i].count++;
			return;
		}
	pd_note_add(n, true, err->offset, "%s", err->msg);
	if (n->len > i)
		n->kinds[i] = "";	/* "%s" is no kind of its own */
}

const struct pd_note *
pd_notes_get(const struct pd_notes *n, size_t i)
{
	return i < n->len ? &n->notes[i] : NULL;
}

void
pd_notes_free(struct pd_notes *n)
{
	free(n->notes);
	free(n->kinds);
	memset(n, 0, sizeof(*n));
}
