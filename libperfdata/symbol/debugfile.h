/* Finds the file that a DSO was, and the file with its symbols. */
#ifndef PD_SYMBOL_DEBUGFILE_H
#define PD_SYMBOL_DEBUGFILE_H

#include "session/dso.h"
#include "symbol/elf.h"

/* Where to look; strings are borrowed, NULL is the default. */
struct pd_symopts {
	const char		*symfs;		/* prefix of paths; NULL: none */
	const char		*buildid_dir;	/* NULL: ~/.debug */
	const char		*kallsyms;	/* a saved /proc/kallsyms */
	const char		*vmlinux;
	const struct pd_path_map *path_maps;	/* see struct pd_stack_opts */
	size_t			npath_maps;
	struct pd_archive	*archive;	/* of build-ids, or NULL */
	struct pd_debuginfod	*debuginfod;	/* NULL: ask no servers */
	const struct pd_info	*info;		/* of the recording, or NULL */
	const struct pd_buildid	*kernel;	/* its kernel's, or NULL */
	bool			perf_compat;	/* choose as perf 6.1 does */
	bool			dwarf;		/* find debug information too */
};

/*
 * The run-time file (its segments, .dynsym and PLT), the file with the
 * .symtab and, when asked for, the one with .debug_info: often one file, in
 * which case the pointers are equal.  A file with another build-id than the
 * recording's is never one of them.
 */
struct pd_debugfile {
	struct pd_elf	files[3];
	char		*paths[3];
	size_t		nfiles;
	struct pd_elf	*run, *syms, *dwarf;	/* into files, or NULL */
	const char	*why;		/* there is no run: static text */
};

/* 0, also when nothing was found; -1 without memory. */
int pd_debugfile_find(struct pd_debugfile *f, const struct pd_dso *dso,
    const struct pd_symopts *o, struct pd_error *err);
void pd_debugfile_close(struct pd_debugfile *f);

/*
 * The path of a build-id in opts->archive or else perf's cache (`perf help buildid-cache`) with
 * what to find there: "elf", "debug", "vdso", "kallsyms".  free(3); NULL
 * with PD_OK where there is no cache or id.
 */
char *pd_buildid_cache_path(const struct pd_symopts *o,
    const struct pd_buildid *id, const char *what, struct pd_error *err);
/* "/usr/lib/debug/.build-id/ab/cdef.debug" below symfs; free(3). */
char *pd_buildid_debug_path(const char *symfs, const struct pd_buildid *id,
    struct pd_error *err);

/* The formatted path; free(3). */
char *pd_path(struct pd_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Where the file is that was recorded as name[0..len), which begins with '/':
 * what opts->path_maps say, else below opts->symfs.  free(3).
 */
char *pd_path_of(const struct pd_symopts *o, const char *name, size_t len,
    struct pd_error *err);

/* The prefix before absolute paths: "" or opts->symfs. */
const char *pd_symfs(const struct pd_symopts *o);

#endif
