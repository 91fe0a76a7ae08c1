/*
 * Writes one JSON object a line: what the recording is, then threads, frames
 * and stacks with their numbers, each before the first sample that refers to
 * it, and samples.  A field has one type on all lines, so that they fit into
 * one table.  FORMATS in pd-fold(1) is the definition; who changes the meaning
 * of a field, or takes one away, counts VERSION up.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "export/export.h"

#define VERSION	1

struct writer {
	struct pd_export_source	*s;
	struct pd_json	json;
	uint32_t	*stacks;	/* by node, their numbers + 1 */
	uint32_t	nstacks;
	bool		*frames;	/* by frame, whether it was written */
	uint32_t	nthreads, thread;	/* written, and the current one */
	struct pd_map64	by_comm;	/* of a track: names -> threads */
	uint32_t	*path;
	size_t		path_cap;
};

static void
begin(struct writer *w, const char *type)
{
	pd_json_object(&w->json, NULL);
	pd_json_string(&w->json, "type", type);
}

static void
end(struct writer *w)
{
	pd_json_object_end(&w->json);
	pd_json_newline(&w->json);
}

static void
write_header(struct writer *w)
{
	static const char *const counted[] = { "period", "samples", "time" };
	const struct pd_info *info = pd_reader_info(w->s->rd);
	struct pd_counts n = pd_reader_counts(w->s->rd);
	struct pd_json *j = &w->json;

	begin(w, "header");
	pd_json_u64(j, "version", VERSION);
	pd_json_string(j, "event", w->s->event ? w->s->event->name : NULL);
	pd_json_string(j, "counted", counted[w->s->weight]);
	pd_json_string(j, "unit", w->s->timed ? "ns" : "count");
	pd_json_string(j, "command", info->cmdline);
	pd_json_string(j, "host", info->hostname);
	pd_json_string(j, "kernel", info->osrelease);
	pd_json_string(j, "architecture", info->arch);
	pd_json_string(j, "processor", info->cpudesc);
	pd_json_string(j, "perf", info->version);
	pd_json_u64(j, "samples", n.samples);
	pd_json_u64(j, "lost", n.lost);
	/* What to add to a time for ns since 1970. */
	if (info->clock_wall != 0)
		pd_json_i64(j, "wall_offset",
		    (int64_t)(info->clock_wall - info->clock_mono));
	else
		pd_json_null(j, "wall_offset");
	end(w);
}

static int
write_frame(struct writer *w, uint32_t frame, struct pd_error *err)
{
	static const char *const kinds[] = { "user", "kernel", "guest", "jit",
		"root", "mark" };
	const struct pd_frame *f = &w->s->tree->frames[frame];
	const char *label = pd_label(&w->s->labels, frame, err);
	struct pd_json *j = &w->json;

	if (label == NULL)
		return -1;
	begin(w, "frame");
	pd_json_u64(j, "frame", frame);
	pd_json_string(j, "name", label);
	pd_json_string(j, "file", f->dso);
	pd_json_string(j, "kind", kinds[f->kind]);
	pd_json_bool(j, "known", f->name != NULL);
	pd_json_bool(j, "inlined", f->inlined);
	end(w);
	w->frames[frame] = true;
	return 0;
}

static int
write_stack(struct writer *w, uint32_t node, struct pd_error *err)
{
	const struct pd_node *nodes = w->s->tree->nodes;
	struct pd_json *j = &w->json;
	size_t len = 0;
	uint32_t n;

	for (n = node; n != 0; n = nodes[n].parent) {
		if (!w->frames[nodes[n].frame] &&
		    write_frame(w, nodes[n].frame, err) == -1)
			return -1;
		if (pd_grow(&w->path, &w->path_cap, len + 1,
		    sizeof(*w->path), err) == -1)
			return -1;
		w->path[len++] = nodes[n].frame;
	}
	begin(w, "stack");
	pd_json_u64(j, "stack", w->nstacks);
	pd_json_array(j, "frames");
	while (len-- > 0)
		pd_json_u64(j, NULL, w->path[len]);
	pd_json_array_end(j);
	end(w);
	w->stacks[node] = ++w->nstacks;
	return 0;
}

/* A thread under one of its names becomes the current one. */
static int
set_thread(struct writer *w, const struct pd_track *track, uint32_t comm,
    struct pd_error *err)
{
	struct pd_json *j = &w->json;

	w->thread = pd_map64_find(&w->by_comm, comm);
	if (w->thread != PD_NOID)
		return 0;
	w->thread = w->nthreads++;
	begin(w, "thread");
	pd_json_u64(j, "thread", w->thread);
	pd_json_i64(j, "pid", (int32_t)track->pid);
	pd_json_i64(j, "tid", (int32_t)track->tid);
	pd_json_string(j, "comm", pd_timeline_comm(w->s->timeline, comm));
	end(w);
	return pd_map64_put(&w->by_comm, comm, w->thread, err);
}

static int
write_sample(struct writer *w, const struct pd_moment *m,
    struct pd_error *err)
{
	struct pd_json *j = &w->json;

	if (w->stacks[m->node] == 0 && write_stack(w, m->node, err) == -1)
		return -1;
	begin(w, "sample");
	pd_json_u64(j, "thread", w->thread);
	pd_json_u64(j, "stack", w->stacks[m->node] - 1);
	if (m->time != PD_NOTIME)
		pd_json_u64(j, "time", m->time);
	if (m->duration != PD_NOTIME)
		pd_json_u64(j, "duration", m->duration);
	if (m->cpu != PD_NOID)
		pd_json_u64(j, "cpu", m->cpu);
	pd_json_u64(j, "weight", m->weight);
	end(w);
	return 0;
}

static int
write_track(struct writer *w, const struct pd_track *track,
    struct pd_error *err)
{
	struct pd_moment m;
	uint32_t comm = PD_NOID;
	int r;

	if (pd_timeline_open(w->s->timeline, track, err) == -1)
		return -1;
	while ((r = pd_timeline_next(w->s->timeline, &m, err)) == 1) {
		if ((m.comm != comm && set_thread(w, track, m.comm, err) == -1) ||
		    write_sample(w, &m, err) == -1)
			return -1;
		comm = m.comm;
	}
	pd_map64_free(&w->by_comm);
	return r;
}

int
pd_export_jsonlines(struct pd_export_source *s, FILE *out,
    struct pd_error *err)
{
	struct writer w = { .s = s, .json = { .out = out,
	    .printable = true } };
	size_t i;
	int r = -1;

	w.stacks = pd_calloc(s->tree->len, sizeof(*w.stacks), err);
	w.frames = pd_calloc(s->tree->nframes, sizeof(*w.frames), err);
	if (w.stacks != NULL && w.frames != NULL) {
		write_header(&w);
		for (r = 0, i = 0; i < s->timeline->len && r == 0; i++)
			r = write_track(&w, &s->timeline->tracks[i], err);
	}
	free(w.stacks);
	free(w.frames);
	pd_map64_free(&w.by_comm);
	free(w.path);
	return r;
}
