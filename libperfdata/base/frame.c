/* The table of frames. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/frame.h"

struct pd_frames {
	struct pd_strtab	strs;	/* names and DSOs */
	struct pd_strtab	keys;	/* a frame as bytes; ids are the frames' */
	struct pd_frame		*frames;
	size_t			len, cap;
};

struct pd_frames *
pd_frames_new(struct pd_error *err)
{
	return pd_calloc(1, sizeof(struct pd_frames), err);
}

void
pd_frames_free(struct pd_frames *t)
{
	if (t == NULL)
		return;
	pd_strtab_free(&t->strs);
	pd_strtab_free(&t->keys);
	free(t->frames);
	free(t);
}

static uint32_t
string_id(struct pd_frames *t, const char *s, const char **copy,
    struct pd_error *err)
{
	uint32_t id;

	*copy = NULL;
	if (s == NULL)
		return 0;
	id = pd_strtab_add(&t->strs, s, strlen(s), err);
	if (id == PD_NOID)
		return PD_NOID;
	*copy = pd_strtab_get(&t->strs, id);
	return id + 1;
}

uint32_t
pd_frames_add(struct pd_frames *t, const struct pd_frame *f,
    struct pd_error *err)
{
	struct pd_frame new = *f;
	uint32_t name, dso, id;
	char key[64];
	int n;

	name = string_id(t, f->name, &new.name, err);
	dso = string_id(t, f->dso, &new.dso, err);
	if (name == PD_NOID || dso == PD_NOID)
		return PD_NOID;
	n = snprintf(key, sizeof(key), "%x %x %llx %x %x", name, dso,
	    (unsigned long long)f->ip, f->kind, f->inlined);
	id = pd_strtab_add(&t->keys, key, (size_t)n, err);
	if (id == PD_NOID || id < t->len)
		return id;
	if (pd_grow(&t->frames, &t->cap, t->len + 1, sizeof(new), err) == -1)
		return PD_NOID;
	t->frames[t->len++] = new;
	return id;
}

const struct pd_frame *
pd_frames_get(const struct pd_frames *t, uint32_t id)
{
	return &t->frames[id];
}

size_t
pd_frames_len(const struct pd_frames *t)
{
	return t->len;
}
