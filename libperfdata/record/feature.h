/* Header features: what a recording says of itself, from either container. */
#ifndef PD_RECORD_FEATURE_H
#define PD_RECORD_FEATURE_H

#include "base/alloc.h"
#include "base/notes.h"
#include "record/event.h"
#include "record/record.h"

enum {
	PD_FEATURE_TRACING_DATA = 1, PD_FEATURE_BUILD_ID = 2,
	PD_FEATURE_HOSTNAME = 3, PD_FEATURE_OSRELEASE = 4,
	PD_FEATURE_VERSION = 5, PD_FEATURE_ARCH = 6, PD_FEATURE_NRCPUS = 7,
	PD_FEATURE_CPUDESC = 8, PD_FEATURE_CPUID = 9,
	PD_FEATURE_TOTAL_MEM = 10, PD_FEATURE_CMDLINE = 11,
	PD_FEATURE_EVENT_DESC = 12, PD_FEATURE_PMU_MAPPINGS = 16,
	PD_FEATURE_GROUP_DESC = 17, PD_FEATURE_AUXTRACE = 18,
	PD_FEATURE_SAMPLE_TIME = 21, PD_FEATURE_CLOCKID = 23,
	PD_FEATURE_DIR_FORMAT = 24, PD_FEATURE_BPF_PROG_INFO = 25,
	PD_FEATURE_COMPRESSED = 27, PD_FEATURE_CPU_PMU_CAPS = 28,
	PD_FEATURE_CLOCK_DATA = 29, PD_FEATURE_PMU_CAPS = 31,
	PD_FEATURES = 256,		/* bits in the file header */
};

struct pd_tracepoints;

struct pd_features {
	struct pd_info		info;
	struct pd_arena		arena;	/* strings and build-id names */
	struct pd_buildid_entry	*buildids;
	size_t			nbuildids, buildids_cap;
	struct pd_map64		pmus;	/* attr.type -> index */
	const char		**pmu_names;
	size_t			npmus, pmus_cap;
	struct pd_tracepoints	*tracepoints;	/* NULL: none recorded */
};

void pd_features_init(struct pd_features *f);
void pd_features_free(struct pd_features *f);

/*
 * Take one feature in.  What is damaged is noted and ignored; -1 only
 * without memory.
 */
int pd_features_add(struct pd_features *f, struct pd_events *es, uint64_t id,
    const uint8_t *data, size_t size, bool swapped, uint64_t offset,
    struct pd_notes *notes, struct pd_error *err);

/* Take in a build-id entry with copied name. */
int pd_features_add_buildid(struct pd_features *f,
    const struct pd_buildid_entry *e, struct pd_error *err);

/*
 * Once the attributes are read: give every event without a name the one that
 * its attribute means, and take from them the clock that they name.
 */
int pd_features_name_events(struct pd_features *f,
    struct pd_events *es, struct pd_error *err);

/* "HOSTNAME", or NULL. */
const char *pd_feature_name(uint64_t id);

#endif
