/* Conditions on events: "sched:sched_switch:prev_pid==12 && prev_state!=0". */
#ifndef PD_CUT_CONDITION_H
#define PD_CUT_CONDITION_H

#include "perfdata.h"

struct pd_condition;

/* what names the text in messages.  Free with pd_condition_free(). */
struct pd_condition *pd_condition_parse(const char *text, const char *what,
    struct pd_error *err);
void pd_condition_free(struct pd_condition *c);

/* The glob of the event's name, and what the text was for. */
const char *pd_condition_event(const struct pd_condition *c);
const char *pd_condition_what(const struct pd_condition *c);

/* Does the name of the event match, whatever the fields? */
bool pd_condition_names(const struct pd_condition *c,
    const struct pd_event *ev);

/*
 * Does a sample of rd meet the condition: 1, 0, or -1, which is PD_EARG when
 * the event does not have the fields, or not of the kind that is asked for.
 */
int pd_condition_match(struct pd_condition *c, struct pd_reader *rd,
    const struct pd_record *rec, struct pd_error *err);

#endif
