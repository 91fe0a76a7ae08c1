/*
 * Libraries that few runs need: linked, they would cost milliseconds at every
 * start, and be dependencies of all who install the tools.
 */
#ifndef PD_SYMBOL_PLUGIN_H
#define PD_SYMBOL_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>

struct pd_plugin_fn {
	const char	*name;
	void		*fn;		/* points to a pointer to the function */
};

/*
 * Load a library for the rest of the process, and find functions; false when
 * it, or one of them, is not there.
 */
bool pd_plugin_load(const char *soname, const struct pd_plugin_fn *fns,
    size_t len);

#endif
