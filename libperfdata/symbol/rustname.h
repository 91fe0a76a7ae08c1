/* Reads the names of Rust functions, v0 and legacy. */
#ifndef PD_SYMBOL_RUSTNAME_H
#define PD_SYMBOL_RUSTNAME_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the text piece by piece; false: stop, it is enough. */
typedef bool pd_rustname_put(void *arg, const char *s, size_t len);

/*
 * Read the mangled name s[0..len), with no suffix or one that begins with a
 * dot, which is put as it is unless it is LLVM's.  hashes: as rustc-demangle's
 * {}, else {:#}.  False when it is not a Rust name, nests too deep, takes too
 * long, or put said so; what was put before is then void.
 */
bool pd_rustname_read(const char *s, size_t len, bool hashes, bool suffix,
    pd_rustname_put *put, void *arg);

#endif
