/* Rules: what is expected of functions, kept with the program under test. */
#ifndef PD_PROFILE_RULES_H
#define PD_PROFILE_RULES_H

#include "perfdata.h"

struct pd_rule {
	char	*glob;
	bool	ignore;
	double	min_effect;		/* a fraction; < 0: as always */
};

/* The first rule that fits a function, or NULL; r may be NULL. */
const struct pd_rule *pd_rules_find(const struct pd_rules *r,
    const char *name);

#endif
