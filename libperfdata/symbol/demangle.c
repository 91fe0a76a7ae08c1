/* Readable names of C++ and Rust functions. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/alloc.h"
#include "base/error.h"

#include "symbol/demangle.h"

/* The longest text of a name in the Rust compiler and LLVM is a tenth of it. */
#define MAX_TEXT	(64 * 1024)

struct output {
	struct pd_demangler	*d;
	struct pd_error		*err;
	bool			nomem;
	jmp_buf			stop;
};

static bool
append(void *arg, const char *s, size_t len)
{
	struct output *o = arg;

	if (len > MAX_TEXT - o->d->len)
		return false;
	if (pd_grow(&o->d->buf, &o->d->cap, o->d->len + len + 1, 1, o->err) ==
	    -1) {
		o->nomem = true;
		return false;
	}
	if (len > 0)			/* s may be NULL then */
		memcpy(o->d->buf + o->d->len, s, len);
	o->d->len += len;
	return true;
}

static void
append_or_stop(const char *s, size_t len, void *arg)
{
	struct output *o = arg;

	if (!append(o, s, len))
		longjmp(o->stop, 1);
}

/*
 * A hostile name can stand for a text that doubles with each letter, and
 * libiberty's callbacks cannot refuse: leave them by a jump.  What they hold
 * then is memory of the stack, but for the buffer of one identifier that is
 * not ASCII.
 */
static bool
read_cxx(struct output *o, const char *name, bool full)
{
	int options = full ? DMGL_PARAMS | DMGL_ANSI | DMGL_VERBOSE :
	    DMGL_NO_OPTS;

	if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_GLOBAL_", 8) != 0)
		return false;
	if (setjmp(o->stop) != 0)
		return false;
	return cplus_demangle_v3_callback(name, options, append_or_stop, o) !=
	    0;
}

/*
 * Where the compiler's suffix begins, which libiberty leaves out: a v0 name
 * has no '.' itself, a legacy one ends with the 'E' before it.
 */
static const char *
rust_suffix(const char *name)
{
	const char *p = strchr(name, '.');

	if (p == NULL || strncmp(name, "_ZN", 3) != 0)
		return p ? p : "";
	for (p = name + strlen(name); p > name + 1; p--)
		if (p[-1] == 'E' && (*p == '.' || *p == '\0'))
			return p;
	return "";
}

static bool
read_rust(struct output *o, const char *name, bool full)
{
	int options = full ? DMGL_VERBOSE : DMGL_NO_OPTS;

	if (setjmp(o->stop) != 0)
		return false;
	return rust_demangle_callback(name, options, append_or_stop, o) != 0;
}

/* ThinLTO renames what it imports: ".llvm." and a number that says nothing. */
static bool
append_suffix(struct output *o, const char *suffix)
{
	const char *llvm = strstr(suffix, ".llvm."), *p;
	size_t n = strlen(suffix);

	if (llvm == NULL)
		return append(o, suffix, n);
	p = llvm + strlen(".llvm.");
	p += strspn(p, "0123456789ABCDEF");
	return append(o, suffix, (size_t)(llvm - suffix)) &&
	    append(o, p, strlen(p));
}

/* Legacy Rust names are valid C++ names too, so Rust comes first. */
static bool
read_name(struct output *o, const char *name, bool full)
{
	if (read_rust(o, name, full))
		return full || o->d->perf_compat ||
		    append_suffix(o, rust_suffix(name));
	o->d->len = 0;
	return !o->nomem && read_cxx(o, name, full);
}

const char *
pd_demangle(struct pd_demangler *d, const char *name, enum pd_demangle mode,
    struct pd_error *err)
{
	struct output o = { .d = d, .err = err };
	size_t len = strcspn(name, "@");
	const char *at = "", *mangled = name;
	char head[4096];

	if (mode == PD_DEMANGLE_NONE || name[0] != '_')
		return name;
	if (name[len] == '@') {		/* a stub, or a version */
		if (len >= sizeof(head))
			return name;
		memcpy(head, name, len);
		head[len] = '\0';
		mangled = head;
		at = strcmp(name + len, "@plt") == 0 ? name + len : "";
	}
	d->len = 0;
	if (read_name(&o, mangled, mode == PD_DEMANGLE_FULL) &&
	    append(&o, at, strlen(at))) {
		d->buf[d->len] = '\0';
		return d->buf;
	}
	return o.nomem ? NULL : name;
}

void
pd_demangler_free(struct pd_demangler *d)
{
	free(d->buf);
	memset(d, 0, sizeof(*d));
}
