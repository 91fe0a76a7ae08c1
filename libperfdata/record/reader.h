/* The reader, as the layers above it see it. */
#ifndef PD_RECORD_READER_H
#define PD_RECORD_READER_H

#include "perfdata.h"
#include "record/feature.h"

/*
 * The features read so far: build-ids and PMU names too.  In a pipe they grow
 * while records are read.
 */
const struct pd_features *pd_reader_features(const struct pd_reader *rd);


#endif
