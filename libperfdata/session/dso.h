/* DSOs: what code can come from, by name and build-id. */
#ifndef PD_SESSION_DSO_H
#define PD_SESSION_DSO_H

#include "base/hash.h"
#include "base/intern.h"
#include "perfdata.h"

enum pd_dso_kind {
	PD_DSO_FILE,		/* a path, perhaps with " (deleted)" behind it */
	PD_DSO_KERNEL,		/* [kernel.kallsyms], its text */
	PD_DSO_MODULE,		/* a .ko path or [module] */
	PD_DSO_VDSO,		/* [vdso] and its 32-bit forms */
	PD_DSO_ANON,		/* memory without a file: JIT code of a process */
	PD_DSO_BPF,		/* a BPF program or trampoline named by KSYMBOL */
};

/* Owned by the session. */
struct pd_dso {
	uint32_t		id;	/* dense, from 0 */
	enum pd_dso_kind	kind;
	bool			guest;
	uint32_t		pid;	/* ANON: whose perf map or jitdump */
	struct pd_dso_use {		/* FILE: who mapped it last, where */
		uint32_t	pid;	/* 0: nobody that is known */
		uint64_t	start, end;
	}			use;
	const char		*name;	/* as recorded, or [kernel.kallsyms] */
	struct pd_buildid	buildid;
};

/* The kind that a recorded user-space map name means. */
enum pd_dso_kind pd_dso_kind_of(const char *name);

/* Of a name without the " (deleted)" that the kernel puts behind it. */
size_t pd_dso_path_len(const char *name);

/* All DSOs of a session.  Zero is empty. */
struct pd_dsos {
	struct pd_strtab	names;	/* name, kind and build-id */
	struct pd_dso		**dsos;	/* by id */
	size_t			len, cap;
	struct pd_arena		arena;
};

/*
 * The DSO of this name and build-id, made when new; two files that had the
 * same name are two DSOs.
 */
struct pd_dso *pd_dsos_get(struct pd_dsos *t, const char *name,
    enum pd_dso_kind kind, const struct pd_buildid *id, struct pd_error *err);
/*
 * The ANON DSO of this name of a process: in containers, several may have files
 * of one name.
 */
struct pd_dso *pd_dsos_get_of(struct pd_dsos *t, const char *name,
    uint32_t pid, struct pd_error *err);

void pd_dsos_free(struct pd_dsos *t);

#endif
