/*
 * Writes the file format of speedscope
 * (https://www.speedscope.app/file-format-schema.json): a "sampled" profile
 * for each thread, whose samples have the time they stand for as weight, and
 * an empty stack where the thread did not run.
 *
 * Stacks are most of the output, and written often, so the text of each frame
 * is made once.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "export/export.h"

#define SCHEMA	"https://www.speedscope.app/file-format-schema.json"

/* The number of a frame and the comma before it. */
struct text {
	char	s[12];		/* not terminated */
	uint8_t	len;		/* 0: it has no number yet */
};

struct writer {
	struct pd_export_source	*s;
	struct pd_json	json;
	struct text	*texts;		/* by frame of the tree */
	uint32_t	*frames;	/* of the tree, by their number */
	size_t		len, cap;
	struct pd_strtab names;		/* name and file; ids are the numbers */
	char		*buf;		/* the end of it is a stack */
	size_t		buf_size;
};

/*
 * Number a frame.  Those of equal name and file are one: whether a call was
 * inlined makes no other function of it.
 */
static int
number_frame(struct writer *w, uint32_t frame, struct pd_error *err)
{
	const struct pd_frame *f = &w->s->tree->frames[frame];
	const char *label = pd_label(&w->s->labels, frame, err);
	char *key, number[16];
	uint32_t id;
	int n;

	/* Labels have no newline. */
	if (label == NULL)
		return -1;
	if (asprintf(&key, "%s\n%s", label, f->dso ? f->dso : "") == -1)
		return pd_fail_nomem(err);
	id = pd_strtab_add(&w->names, key, strlen(key), err);
	free(key);
	if (id == PD_NOID || pd_grow(&w->frames, &w->cap, w->len + 1,
	    sizeof(*w->frames), err) == -1)
		return -1;
	if (id == w->len)
		w->frames[w->len++] = frame;
	n = snprintf(number, sizeof(number), ",%" PRIu32, id);
	memcpy(w->texts[frame].s, number, (size_t)n);
	w->texts[frame].len = (uint8_t)n;
	return 0;
}

/* Twice the room; what is used is at the end. */
static int
grow_buf(struct writer *w, size_t used, struct pd_error *err)
{
	size_t size = 2 * w->buf_size;
	char *buf = pd_calloc(size, 1, err);

	if (buf == NULL)
		return -1;
	memcpy(buf + size - used, w->buf + w->buf_size - used, used);
	free(w->buf);
	w->buf = buf;
	w->buf_size = size;
	return 0;
}

/* "[1,2,3]", outermost first; written from its end, as the tree goes. */
static int
write_stack(struct writer *w, uint32_t node, struct pd_error *err)
{
	const struct pd_node *nodes = w->s->tree->nodes;
	const struct text *t;
	char *p = w->buf + w->buf_size;

	*--p = ']';
	for (; node != 0; node = nodes[node].parent) {
		t = &w->texts[nodes[node].frame];
		if (t->len == 0 &&
		    number_frame(w, nodes[node].frame, err) == -1)
			return -1;
		if ((size_t)(p - w->buf) < sizeof(t->s)) {
			size_t used = (size_t)(w->buf + w->buf_size - p);

			if (grow_buf(w, used, err) == -1)
				return -1;
			p = w->buf + w->buf_size - used;
		}
		p -= t->len;
		memcpy(p, t->s, t->len);
	}
	p -= *p == ']';
	*p = '[';		/* in the place of the first comma */
	pd_json_raw(&w->json, NULL, p, (size_t)(w->buf + w->buf_size - p));
	return 0;
}

/* The stacks of a thread, or what they weigh. */
static int
write_runs(struct writer *w, const struct pd_track *track, bool stacks,
    struct pd_error *err)
{
	struct pd_stretches runs;
	struct pd_stretch run;
	int r;

	if (pd_stretches_open(&runs, w->s, track, true, err) == -1)
		return -1;
	while ((r = pd_stretches_next(&runs, &run, err)) == 1) {
		if (!stacks)
			pd_json_u64(&w->json, NULL, run.weight);
		else if (write_stack(w, run.node, err) == -1)
			return -1;
	}
	return r;
}

static int
write_thread(struct writer *w, const struct pd_track *track,
    struct pd_error *err)
{
	const struct pd_timeline *t = w->s->timeline;
	struct pd_json *j = &w->json;
	char name[320];

	snprintf(name, sizeof(name), "%s-%" PRId32 "/%" PRId32,
	    pd_timeline_comm(t, track->comm), (int32_t)track->pid,
	    (int32_t)track->tid);
	pd_json_object(j, NULL);
	pd_json_string(j, "type", "sampled");
	pd_json_string(j, "name", name);
	pd_json_string(j, "unit", w->s->timed ? "nanoseconds" : "none");
	pd_json_u64(j, "startValue", 0);
	/* All threads have one axis of time. */
	pd_json_u64(j, "endValue", w->s->timed ? t->end - t->start :
	    track->weight);
	pd_json_array(j, "samples");
	if (write_runs(w, track, true, err) == -1)
		return -1;
	pd_json_array_end(j);
	pd_json_array(j, "weights");
	if (write_runs(w, track, false, err) == -1)
		return -1;
	pd_json_array_end(j);
	pd_json_object_end(j);
	return 0;
}

static void
write_frames(struct writer *w)
{
	struct pd_json *j = &w->json;
	const struct pd_frame *f;
	struct pd_error err;
	size_t i;

	pd_json_object(j, "shared");
	pd_json_array(j, "frames");
	for (i = 0; i < w->len; i++) {
		f = &w->s->tree->frames[w->frames[i]];
		pd_json_object(j, NULL);
		/* It was made when the frame was numbered. */
		pd_json_string(j, "name", pd_label(&w->s->labels,
		    w->frames[i], &err));
		if (f->dso != NULL)
			pd_json_string(j, "file", f->dso);
		pd_json_object_end(j);
	}
	pd_json_array_end(j);
	pd_json_object_end(j);
}

static int
write_all(struct writer *w, struct pd_error *err)
{
	const struct pd_info *info = pd_reader_info(w->s->rd);
	struct pd_json *j = &w->json;
	size_t i;

	pd_json_object(j, NULL);
	pd_json_string(j, "$schema", SCHEMA);
	pd_json_string(j, "exporter", "perfdata-tools");
	pd_json_string(j, "name", info->cmdline ? info->cmdline : "perf.data");
	if (w->s->timeline->len > 0)	/* the first is the busiest */
		pd_json_u64(j, "activeProfileIndex", 0);
	pd_json_array(j, "profiles");
	for (i = 0; i < w->s->timeline->len; i++)
		if (write_thread(w, w->s->tracks[i], err) == -1)
			return -1;
	pd_json_array_end(j);
	write_frames(w);
	pd_json_object_end(j);
	pd_json_newline(j);
	return 0;
}

int
pd_export_speedscope(struct pd_export_source *s, FILE *out,
    struct pd_error *err)
{
	struct writer w = { .s = s, .json = { .out = out,
	    .printable = true } };
	int r = -1;

	w.buf_size = 4096;
	w.texts = pd_calloc(s->tree->nframes, sizeof(*w.texts), err);
	if (w.texts != NULL && (w.buf = pd_calloc(w.buf_size, 1, err)) != NULL)
		r = write_all(&w, err);
	free(w.texts);
	free(w.frames);
	pd_strtab_free(&w.names);
	free(w.buf);
	return r;
}
