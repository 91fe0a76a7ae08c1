/* Readable names of C++ and Rust functions. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/alloc.h"
#include "base/error.h"
#include "symbol/rustname.h"

#include "symbol/demangle.h"

/* The longest name in the Rust compiler and LLVM is a tenth of this. */
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
 * A hostile C++ name can stand for a text that doubles with each letter, and
 * libiberty's callback cannot refuse: leave it by a jump.  Its demangler holds
 * only memory of the stack then.
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
 * Legacy Rust names are valid C++ names too, so Rust comes first.  name ends
 * at len, where there is a NUL or an '@'.
 */
static bool
read_name(struct output *o, const char *name, size_t len, bool full)
{
	char head[1024];		/* libiberty reads no longer names */

	if (pd_rustname_read(name, len, full, !o->d->perf_compat, append, o))
		return true;
	o->d->len = 0;
	if (o->nomem || name[0] != '_')
		return false;
	if (name[len] == '\0')
		return read_cxx(o, name, full);
	if (len >= sizeof(head))
		return false;
	memcpy(head, name, len);
	head[len] = '\0';
	return read_cxx(o, head, full);
}

const char *
pd_demangle(struct pd_demangler *d, const char *name, enum pd_demangle mode,
    struct pd_error *err)
{
	struct output o = { .d = d, .err = err };
	const char *at;
	size_t len;

	if (mode == PD_DEMANGLE_NONE)
		return name;
	len = strcspn(name, "@");
	at = strcmp(name + len, "@plt") == 0 ? name + len : "";
	d->len = 0;
	if (read_name(&o, name, len, mode == PD_DEMANGLE_FULL) &&
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
