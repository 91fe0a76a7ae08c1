/* Loads libraries that few runs need. */
#include <dlfcn.h>
#include <string.h>

#include "symbol/plugin.h"

bool
pd_plugin_load(const char *soname, const struct pd_plugin_fn *fns, size_t len)
{
	/* Never closed: those below it may have handlers for exit(3). */
	void *lib = dlopen(soname, RTLD_NOW | RTLD_LOCAL), *p;
	size_t i;

	for (i = 0; lib != NULL && i < len; i++) {
		if ((p = dlsym(lib, fns[i].name)) == NULL)
			return false;
		memcpy(fns[i].fn, &p, sizeof(p));
	}
	return lib != NULL;
}
