/* Filters, as a slice sees them. */
#ifndef PD_CUT_FILTER_H
#define PD_CUT_FILTER_H

#include "perfdata.h"

/* Whether there is a condition of this kind. */
bool pd_filter_has(const struct pd_filter *f, enum pd_filter_kind kind);

/* Whether text matches a glob of this kind. */
bool pd_filter_match_glob(const struct pd_filter *f, enum pd_filter_kind kind,
    const char *text);

#endif
