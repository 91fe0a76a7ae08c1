/* The version of the library. */
#include "perfdata.h"

const char *
pd_version(void)
{
	return PD_VERSION;
}
