/*
 * The container: what stands around the records.  A file has a header with
 * attributes in front and features behind; a pipe has 16 bytes, and the rest
 * comes as records.
 */
#ifndef PD_RECORD_CONTAINER_H
#define PD_RECORD_CONTAINER_H

#include "input/source.h"
#include "record/event.h"
#include "record/feature.h"

/* Where a file has a feature. */
struct pd_feature_at {
	unsigned		id;
	uint64_t		offset, size;
};

struct pd_container {
	struct pd_source	src;
	bool			pipe, swapped;
	bool			killed;		/* the data have no known size */
	uint64_t		data, data_end;	/* PD_NOWHERE: to the end */
	unsigned		nfeatures;	/* bits that are set */
	struct pd_feature_at	*features;	/* those that are there */
	size_t			nfeatures_at, features_cap;
};

/*
 * Read what comes before the records and, in a file, the features.  The
 * source, which becomes the container's, is then at the first record.
 */
int pd_container_open(struct pd_container *ct, const struct pd_source *src,
    struct pd_events *es, struct pd_features *f, struct pd_notes *notes,
    struct pd_error *err);

/*
 * Whether the feature table of a finished file stands at this offset: then a
 * header that gives the data no size is not that of a killed recording.
 */
bool pd_container_table_at(const struct pd_container *ct, uint64_t offset);

void pd_container_close(struct pd_container *ct);

#endif
