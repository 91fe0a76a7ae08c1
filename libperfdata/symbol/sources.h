/* What DSOs of the kernel share: its kallsyms, and which kernel this is. */
#ifndef PD_SYMBOL_SOURCES_H
#define PD_SYMBOL_SOURCES_H

#include "symbol/dsosyms.h"
#include "symbol/kallsyms.h"

struct pd_symsources {
	struct pd_symopts	opts;
	struct pd_buildid	kernel;		/* of the recording */
	bool			looked;		/* kallsyms was tried */
	struct pd_kallsyms	kallsyms;
	char			*kallsyms_path;
};

/*
 * The kallsyms of the recording's kernel, NULL when there is none (*why) or
 * without memory (*why NULL).
 */
const struct pd_kallsyms *pd_symsources_kallsyms(struct pd_symsources *src,
    const char **why, struct pd_error *err);

/* Was this recorded under the kernel that runs now? */
bool pd_symsources_is_running(const struct pd_symsources *src);

#endif
