/* Readable names of C++ and Rust functions. */
#ifndef PD_SYMBOL_DEMANGLE_H
#define PD_SYMBOL_DEMANGLE_H

#include "perfdata.h"

/* Room for one name; zero is empty.  Reuse it for the next. */
struct pd_demangler {
	char	*buf;
	size_t	len, cap;
};

/*
 * The readable form of a name as stored in a symbol table, borrowed until the
 * next call with the same d; the name itself when it is not mangled, or when
 * reading it takes more memory or time than a real name does.  NULL only
 * without memory.
 *
 *   PD_DEMANGLE_SHORT	C++ as perf prints it, without the parameter list;
 *			Rust without hashes, as rustc-demangle's {:#}
 *   PD_DEMANGLE_FULL	C++ as c++filt(1), Rust with hashes as {}
 *   PD_DEMANGLE_NONE	as stored
 *
 * Suffixes of the compiler stay visible in the way of c++filt ("f(int)
 * [clone .cold]") and rustc-demangle ("f.cold"), but ".llvm.NUMBER", which
 * changes with every build, is dropped in SHORT.
 */
const char *pd_demangle(struct pd_demangler *d, const char *name,
    enum pd_demangle mode, struct pd_error *err);
void pd_demangler_free(struct pd_demangler *d);

#endif
