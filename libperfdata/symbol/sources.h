/* What DSOs of the kernel share: its kallsyms, and which kernel this is. */
#ifndef PD_SYMBOL_SOURCES_H
#define PD_SYMBOL_SOURCES_H

#include "symbol/dsosyms.h"
#include "symbol/kallsyms.h"

struct pd_symsources {
	struct pd_symopts	opts;
	struct pd_buildid	kernel;		/* of the recording */
	struct pd_kallsyms_of {
		bool			looked;
		struct pd_kallsyms	k;
		char			*path;
	}			text, all;
};

/*
 * The kallsyms of the recording's kernel, NULL when there is none (*why) or
 * without memory (*why NULL).  modules: where modules are matters too.  They
 * move with every boot, so the running kernel is asked first; for the kernel's
 * own text a copy in the build-id cache is as good, and read in a fifth of the
 * time.
 */
const struct pd_kallsyms_of *pd_symsources_kallsyms(struct pd_symsources *src,
    bool modules, const char **why, struct pd_error *err);

/* Was this recorded under the kernel that runs now? */
bool pd_symsources_is_running(const struct pd_symsources *src);

#endif
