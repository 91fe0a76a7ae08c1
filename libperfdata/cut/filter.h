/* Filters, as a slice sees them. */
#ifndef PD_CUT_FILTER_H
#define PD_CUT_FILTER_H

#include "perfdata.h"

/* Whether there is a condition of this kind. */
bool pd_filter_has(const struct pd_filter *f, enum pd_filter_kind kind);

/* pd_filter_match(), but whatever its event. */
bool pd_filter_match_who(const struct pd_filter *f,
    const struct pd_record *rec, const struct pd_thread *th);

/* Whether text matches a glob of this kind. */
bool pd_filter_match_glob(const struct pd_filter *f, enum pd_filter_kind kind,
    const char *text);

#endif
