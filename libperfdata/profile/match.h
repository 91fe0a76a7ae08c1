/* The same function in two builds: names without what a build makes up. */
#ifndef PD_PROFILE_MATCH_H
#define PD_PROFILE_MATCH_H

#include "perfdata.h"

/* The buffer of a name has room for so many bytes at least. */
#define PD_MATCH_ROOM	16

/* Shorten the name of a frame, in place, by PD_MATCH_* bits; never to "". */
void pd_match_name(char *name, unsigned rules);

#endif
