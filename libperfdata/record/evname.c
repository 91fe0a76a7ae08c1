/*
 * Names of events built from their attributes, as perf builds them
 * (evsel__name() in tools/perf/util/evsel.c).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "record/event.h"

#define LEN(a)	(sizeof(a) / sizeof((a)[0]))

static const char *const hardware[] = {
	"cycles", "instructions", "cache-references", "cache-misses",
	"branches", "branch-misses", "bus-cycles", "stalled-cycles-frontend",
	"stalled-cycles-backend", "ref-cycles",
};

static const char *const software[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches",
	"cpu-migrations", "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy", "bpf-output", "cgroup-switches",
};

static const char *const cache[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
};

static const char *const cache_op[] = { "load", "store", "prefetch" };
static const char *const cache_ops[] = { "loads", "stores", "prefetches" };

/* Append ":ukhHGppp", or nothing when the attribute has the defaults. */
static void
add_modifiers(const struct pd_event *ev, char *buf, size_t size)
{
	unsigned precise = ev->flags >> PD_ATTR_PRECISE_IP & 3;
	bool user = !(ev->flags >> PD_ATTR_EXCLUDE_USER & 1);
	bool kernel = !(ev->flags >> PD_ATTR_EXCLUDE_KERNEL & 1);
	bool hv = !(ev->flags >> PD_ATTR_EXCLUDE_HV & 1);
	bool host = !(ev->flags >> PD_ATTR_EXCLUDE_HOST & 1);
	bool guest = !(ev->flags >> PD_ATTR_EXCLUDE_GUEST & 1);
	bool any = !user || !kernel || !hv;
	bool guest_excluded = any || precise > 0;
	/*
	 * perf: `exclude_host || exclude_guest == exclude_guest_default`, where
	 * the default is to exclude guests once any other modifier is given.
	 */
	bool places = !host || !guest == guest_excluded;
	size_t n = strlen(buf);
	char mods[12] = "", *p = mods;

	if (any) {
		if (kernel)
			*p++ = 'k';
		if (user)
			*p++ = 'u';
		if (hv)
			*p++ = 'h';
	}
	for (; precise > 0; precise--)
		*p++ = 'p';
	if (places) {
		if (host)
			*p++ = 'H';
		if (guest)
			*p++ = 'G';
	}
	if (p != mods)
		snprintf(buf + n, size - n, ":%s", mods);
}

static void
cache_name(uint64_t config, char *buf, size_t size)
{
	uint64_t type = config & 0xff, op = config >> 8 & 0xff;
	uint64_t result = config >> 16 & 0xff;

	if (type >= LEN(cache) || op >= LEN(cache_op) || result > 1)
		snprintf(buf, size, "unknown-ext-hardware-cache-type");
	else if (result == 1)
		snprintf(buf, size, "%s-%s-misses", cache[type], cache_op[op]);
	else
		snprintf(buf, size, "%s-%s", cache[type], cache_ops[op]);
}

int
pd_evt_set_name(struct pd_evt *ev, const char *s, size_t len,
    struct pd_error *err)
{
	char *name = strndup(s, len);

	if (name == NULL)
		return pd_fail_nomem(err);
	pd_printable(name);
	free(ev->name);
	ev->name = name;
	ev->pub.name = name;
	return 0;
}

int
pd_evt_make_name(struct pd_evt *evt, const char *pmu, const char *tracepoint,
    struct pd_error *err)
{
	const struct pd_event *ev = &evt->pub;
	char buf[160];

	switch (ev->type) {
	case PD_TYPE_HARDWARE:
		snprintf(buf, sizeof(buf), "%s", ev->config < LEN(hardware) ?
		    hardware[ev->config] : "unknown-hardware");
		break;
	case PD_TYPE_SOFTWARE:
		snprintf(buf, sizeof(buf), "%s", ev->config < LEN(software) ?
		    software[ev->config] : "unknown-software");
		break;
	case PD_TYPE_HW_CACHE:
		cache_name(ev->config, buf, sizeof(buf));
		break;
	case PD_TYPE_RAW:
		snprintf(buf, sizeof(buf), "raw 0x%" PRIx64, ev->config);
		break;
	case PD_TYPE_TRACEPOINT:
		snprintf(buf, sizeof(buf), "%s",
		    tracepoint ? tracepoint : "unknown tracepoint");
		return pd_evt_set_name(evt, buf, strlen(buf), err);
	case PD_TYPE_BREAKPOINT:
		/* HW_BREAKPOINT_R, _W, _X: linux/hw_breakpoint.h */
		snprintf(buf, sizeof(buf), "mem:0x%" PRIx64 ":%s%s%s",
		    evt->bp_addr, evt->bp_type & 1 ? "r" : "",
		    evt->bp_type & 2 ? "w" : "", evt->bp_type & 4 ? "x" : "");
		break;
	default:
		if (pmu == NULL) {
			snprintf(buf, sizeof(buf), "unknown attr type: %" PRIu32,
			    ev->type);
			return pd_evt_set_name(evt, buf, strlen(buf), err);
		}
		snprintf(buf, sizeof(buf), "%s/config=0x%" PRIx64 "/", pmu,
		    ev->config);
	}
	add_modifiers(ev, buf, sizeof(buf));
	return pd_evt_set_name(evt, buf, strlen(buf), err);
}
