/* DSOs: what code can come from, by name and build-id. */
#ifndef PD_SESSION_DSO_H
#define PD_SESSION_DSO_H

#include "perfdata.h"

enum pd_dso_kind {
	PD_DSO_FILE,		/* a path, perhaps with " (deleted)" behind it */
	PD_DSO_KERNEL,		/* [kernel.kallsyms], its text */
	PD_DSO_MODULE,		/* a .ko path or [module] */
	PD_DSO_VDSO,		/* [vdso] and its 32-bit forms */
	PD_DSO_ANON,		/* //anon, [heap], memfd, ...: JIT code */
	PD_DSO_BPF,		/* a BPF program or trampoline named by KSYMBOL */
};

/* Owned by the session. */
struct pd_dso {
	uint32_t		id;	/* dense, from 0 */
	enum pd_dso_kind	kind;
	bool			guest;
	const char		*name;	/* as recorded, or [kernel.kallsyms] */
	struct pd_buildid	buildid;
};

/* The kind that a recorded user-space map name means. */
enum pd_dso_kind pd_dso_kind_of(const char *name);

#endif
