/* Readable names of C++ and Rust functions. */
#ifndef PD_SYMBOL_DEMANGLE_H
#define PD_SYMBOL_DEMANGLE_H

#include "perfdata.h"

/* Room for one name; zero is empty.  Reuse it for the next. */
struct pd_demangler {
	char	*buf;
	size_t	len, cap;
	bool	perf_compat;	/* Rust names lose ".cold" too */
};

/*
 * The readable form of a name as stored in a symbol table, borrowed until the
 * next call with the same d; the name itself when it is not mangled, or when
 * reading it takes more memory or time than a real name does.  NULL only
 * without memory.
 *
 *   PD_DEMANGLE_SHORT	C++ as perf prints it: no parameters of the function
 *			itself; Rust as rustc-demangle's {:#}, no hashes
 *   PD_DEMANGLE_FULL	as c++filt(1)
 *   PD_DEMANGLE_NONE	as stored
 *
 * What the compiler puts behind a name (.cold, .part.0, .isra.1) is dropped
 * from SHORT C++ names, as perf does, and stays in SHORT Rust names, as
 * rustc-demangle does, but for the number of ".llvm.NUMBER", which changes with
 * every build.  FULL shows it where c++filt does.  "@plt" stays.  A C name is
 * never changed.
 */
const char *pd_demangle(struct pd_demangler *d, const char *name,
    enum pd_demangle mode, struct pd_error *err);
void pd_demangler_free(struct pd_demangler *d);

#endif
