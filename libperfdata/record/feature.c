/* Decodes header features. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/shape.h"
#include "base/text.h"
#include "record/feature.h"
#include "record/tracing.h"

struct row {
	const char	*name, *shape;
};

#define FEATURE(number, name, shape) [number] = { #name, shape },
static const struct row rows[] = {
#include "record/feature.def"
};
#undef FEATURE

const char *
pd_feature_name(uint64_t id)
{
	return id < sizeof(rows) / sizeof(rows[0]) ? rows[id].name : NULL;
}

void
pd_features_init(struct pd_features *f)
{
	memset(f, 0, sizeof(*f));
	f->info.first_time = f->info.last_time = PD_NOTIME;
	f->info.clockid = -1;
}

void
pd_features_free(struct pd_features *f)
{
	pd_arena_free(&f->arena);
	free(f->buildids);
	pd_map64_free(&f->pmus);
	free(f->pmu_names);
	pd_tracepoints_free(f->tracepoints);
}

/* A perf_header_string: u32 length, padded with NULs.  Its shape was checked. */
static int
get_string(struct pd_features *f, struct pd_cursor *c, const char **out,
    struct pd_error *err)
{
	uint32_t len = pd_get_u32(c);
	const char *s = (const char *)pd_get_bytes(c, len);
	char *copy;

	copy = pd_arena_strndup(&f->arena, s, strnlen(s, len), err);
	if (copy == NULL)
		return -1;
	pd_printable(copy);
	*out = copy;
	return 0;
}

static int
get_cmdline(struct pd_features *f, struct pd_cursor *c, struct pd_error *err)
{
	uint32_t n = pd_get_u32(c), i, len;
	char *line, *p;

	/* The arguments are at most as long as what holds them. */
	line = p = pd_arena_alloc(&f->arena, pd_left(c) + 1, err);
	if (line == NULL)
		return -1;
	for (i = 0; i < n; i++) {
		len = pd_get_u32(c);
		if (i > 0)
			*p++ = ' ';
		p = stpncpy(p, (const char *)pd_get_bytes(c, len), len);
	}
	*p = '\0';
	pd_printable(line);
	f->info.cmdline = line;
	return 0;
}

static int
get_pmus(struct pd_features *f, struct pd_cursor *c, struct pd_error *err)
{
	uint32_t n = pd_get_u32(c), i, type;

	for (i = 0; i < n; i++) {
		type = pd_get_u32(c);
		if (pd_grow(&f->pmu_names, &f->pmus_cap, f->npmus + 1,
		    sizeof(*f->pmu_names), err) == -1 ||
		    get_string(f, c, &f->pmu_names[f->npmus], err) == -1 ||
		    pd_map64_put(&f->pmus, type, (uint32_t)f->npmus, err) == -1)
			return -1;
		f->npmus++;
	}
	return 0;
}

/*
 * u32 count, u32 size of an attribute, then for each event: the attribute,
 * u32 number of ids, the name, the ids.  Names go to events by id, or by
 * position where there are no ids.
 */
static int
get_event_desc(struct pd_events *es, struct pd_cursor *c, struct pd_error *err)
{
	uint32_t n = pd_get_u32(c), size = pd_get_u32(c), i, nids, len;
	const uint8_t *name, *ids;
	struct pd_evt *evt;

	for (i = 0; i < n && !c->bad; i++) {
		pd_get_bytes(c, size);
		nids = pd_get_u32(c);
		len = pd_get_u32(c);
		name = pd_get_bytes(c, len);
		if (nids > pd_left(c) / 8)
			c->bad = true;
		ids = pd_get_bytes(c, c->bad ? 0 : (size_t)nids * 8);
		if (c->bad || memchr(name, 0, len) == NULL) {
			c->bad = true;
			return 0;
		}
		evt = nids == 0 ? NULL :
		    pd_events_by_id(es, pd_load_u64(ids, c->swapped));
		if (evt == NULL && i < es->len)
			evt = es->evts[i];
		if (evt != NULL && evt->name == NULL &&
		    pd_evt_set_name(evt, (const char *)name, len, err) == -1)
			return -1;
	}
	return 0;
}

int
pd_features_add_buildid(struct pd_features *f,
    const struct pd_buildid_entry *e, struct pd_error *err)
{
	struct pd_buildid_entry *new;

	if (pd_grow(&f->buildids, &f->buildids_cap, f->nbuildids + 1,
	    sizeof(*e), err) == -1)
		return -1;
	new = &f->buildids[f->nbuildids];
	*new = *e;
	new->name = pd_arena_strndup(&f->arena, e->name, strlen(e->name), err);
	if (new->name == NULL)
		return -1;
	f->nbuildids++;
	return 0;
}

static int
get_buildids(struct pd_features *f, struct pd_cursor *c, uint64_t offset,
    struct pd_notes *notes, struct pd_error *err)
{
	struct pd_buildid_entry e;

	while (pd_left(c) > 0) {
		if (pd_buildid_decode(c, &e) == 0 &&
		    strlen(e.name) < PD_PATH_MAX) {
			if (pd_features_add_buildid(f, &e, err) == -1)
				return -1;
			continue;
		}
		pd_note_add(notes, true, offset,
		    "BUILD_ID feature: an entry is damaged and left out");
		if (c->bad)
			break;
	}
	c->bad = false;
	return 0;
}

static bool
equals(const uint8_t *s, size_t len, const char *text)
{
	size_t n = strnlen((const char *)s, len);

	return n == strlen(text) && memcmp(s, text, n) == 0;
}

/* Pairs of names and values of what a PMU can do. */
static void
get_pmu_caps(struct pd_features *f, struct pd_cursor *c)
{
	uint32_t n = pd_get_u32(c), len;
	const uint8_t *name, *value;
	char text[16] = "";
	bool wanted;

	for (; n > 0 && !c->bad; n--) {
		len = pd_get_u32(c);
		name = pd_get_bytes(c, len);
		wanted = name != NULL && equals(name, len, "branches");
		len = pd_get_u32(c);
		value = pd_get_bytes(c, len);
		if (value == NULL || !wanted)
			continue;
		memcpy(text, value, len < sizeof(text) ? len :
		    sizeof(text) - 1);
		f->info.lbr_registers = (uint32_t)strtoul(text, NULL, 10);
	}
}

/* The same of several PMUs, each with its name behind it. */
static void
get_pmus_caps(struct pd_features *f, struct pd_cursor *c)
{
	uint32_t n = pd_get_u32(c);

	for (; n > 0 && !c->bad; n--) {
		get_pmu_caps(f, c);
		pd_get_bytes(c, pd_get_u32(c));
	}
}

/* struct perf_bpil of tools/perf/util/bpf-utils.h: two lengths, a mask, data. */
static void
check_bpf_prog_info(struct pd_cursor *c)
{
	uint32_t n = pd_get_u32(c), info, data;

	for (; n > 0 && !c->bad; n--) {
		info = pd_get_u32(c);
		data = pd_get_u32(c);
		pd_get_u64(c);
		pd_get_bytes(c, info);
		pd_get_bytes(c, data);
	}
}

/* Each group: its name, the index of its leader, its size. */
static void
check_groups(const struct pd_events *es, struct pd_cursor *c)
{
	uint32_t n = pd_get_u32(c), leader, members;

	for (; n > 0 && !c->bad; n--) {
		pd_get_bytes(c, pd_get_u32(c));
		leader = pd_get_u32(c);
		members = pd_get_u32(c);
		if (leader >= es->len || members > es->len - leader)
			c->bad = true;
	}
}

static int
decode(struct pd_features *f, struct pd_events *es, uint64_t id,
    struct pd_cursor *c, uint64_t offset, struct pd_notes *notes,
    struct pd_error *err)
{
	struct pd_info *i = &f->info;

	switch (id) {
	case PD_FEATURE_TRACING_DATA:
		return pd_tracepoints_add(&f->tracepoints, c, offset, notes,
		    err);
	case PD_FEATURE_BUILD_ID:
		return get_buildids(f, c, offset, notes, err);
	case PD_FEATURE_HOSTNAME: return get_string(f, c, &i->hostname, err);
	case PD_FEATURE_OSRELEASE: return get_string(f, c, &i->osrelease, err);
	case PD_FEATURE_VERSION: return get_string(f, c, &i->version, err);
	case PD_FEATURE_ARCH: return get_string(f, c, &i->arch, err);
	case PD_FEATURE_CPUDESC: return get_string(f, c, &i->cpudesc, err);
	case PD_FEATURE_CPUID: return get_string(f, c, &i->cpuid, err);
	case PD_FEATURE_CMDLINE: return get_cmdline(f, c, err);
	case PD_FEATURE_PMU_MAPPINGS: return get_pmus(f, c, err);
	case PD_FEATURE_EVENT_DESC: return get_event_desc(es, c, err);
	case PD_FEATURE_GROUP_DESC: check_groups(es, c); break;
	case PD_FEATURE_BPF_PROG_INFO: check_bpf_prog_info(c); break;
	case PD_FEATURE_NRCPUS:
		/* write_nrcpus() writes the available ones first. */
		i->ncpus_avail = pd_get_u32(c);
		i->ncpus_online = pd_get_u32(c);
		break;
	case PD_FEATURE_TOTAL_MEM: i->total_mem = pd_get_u64(c); break;
	case PD_FEATURE_SAMPLE_TIME:
		i->first_time = pd_get_u64(c);
		i->last_time = pd_get_u64(c);
		break;
	case PD_FEATURE_CLOCKID: i->clock_res = pd_get_u64(c); break;
	case PD_FEATURE_COMPRESSED: i->compressed = true; break;
	case PD_FEATURE_CPU_PMU_CAPS: get_pmu_caps(f, c); break;
	case PD_FEATURE_PMU_CAPS: get_pmus_caps(f, c); break;
	case PD_FEATURE_CLOCK_DATA:
		pd_get_u32(c);		/* version */
		i->clockid = (int32_t)pd_get_u32(c);
		i->clock_wall = pd_get_u64(c);
		i->clock_mono = pd_get_u64(c);
		break;
	}
	return 0;
}

int
pd_features_add(struct pd_features *f, struct pd_events *es, uint64_t id,
    const uint8_t *data, size_t size, bool swapped, uint64_t offset,
    struct pd_notes *notes, struct pd_error *err)
{
	struct pd_cursor c = pd_cursor(data, size, swapped), check = c;
	const char *name = pd_feature_name(id);

	if (name == NULL)		/* newer than we know, or another tool's */
		return 0;
	if (pd_shape_skip(rows[id].shape, &check)) {
		if (decode(f, es, id, &c, offset, notes, err) == -1)
			return -1;
		if (!c.bad)
			return 0;
	}
	pd_note_add(notes, true, offset,
	    "%s feature is damaged: it is ignored", name);
	return 0;
}

int
pd_features_name_events(struct pd_features *f, struct pd_events *es,
    struct pd_error *err)
{
	const char *pmu, *tracepoint;
	struct pd_evt *evt;
	uint32_t idx;
	size_t i;

	for (i = 0; i < es->len; i++) {
		evt = es->evts[i];
		if (f->info.clockid == -1)
			f->info.clockid = evt->clockid;
		if (evt->name != NULL)
			continue;
		idx = pd_map64_find(&f->pmus, evt->pub.type);
		pmu = idx == PD_NOID ? NULL : f->pmu_names[idx];
		tracepoint = evt->pub.type != PD_TYPE_TRACEPOINT ? NULL :
		    pd_tracepoints_find(f->tracepoints, evt->pub.config);
		if (pd_evt_make_name(evt, pmu, tracepoint, err) == -1)
			return -1;
	}
	return 0;
}

uint64_t
pd_info_wall(const struct pd_info *info, uint64_t time)
{
	/* Before the clocks were read the difference wraps around, and back. */
	return info->clock_wall == 0 || time == PD_NOTIME ? 0 :
	    info->clock_wall + (time - info->clock_mono);
}
