/* Makes names of frames. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "symbol/namer.h"

void
pd_namer_init(struct pd_namer *n, enum pd_demangle mode, bool perf_compat)
{
	*n = (struct pd_namer){
		.demangler.perf_compat = perf_compat, .mode = mode,
		.perf_compat = perf_compat,
	};
}

void
pd_namer_free(struct pd_namer *n)
{
	pd_demangler_free(&n->demangler);
	free(n->buf);
}

/* The length of a name without " const" and the like at its end. */
static size_t
without_qualifiers(const char *name, size_t len)
{
	static const char *const tails[] = {
		" const", " volatile", " &&", " &", " noexcept",
	};
	size_t i = 0, t;

	while (i < sizeof(tails) / sizeof(tails[0])) {
		t = strlen(tails[i]);
		i++;
		if (len > t && strncmp(name + len - t, tails[i - 1], t) == 0) {
			len -= t;
			i = 0;
		}
	}
	return len;
}

/* Where the bracket opens that the ')' before len closes; len: nowhere. */
static size_t
opening(const char *name, size_t len)
{
	size_t depth = 0, i;

	for (i = len; i-- > 0;) {
		depth += name[i] == ')';
		depth -= name[i] == '(';
		if (depth == 0)
			return i;
	}
	return len;
}

/*
 * The length of a name that was not mangled without its parameter list.  No
 * parameters are operator(), (anonymous namespace), a Go method's receiver,
 * and what is all of the name.
 */
static size_t
without_parameters(const char *name)
{
	size_t all = strlen(name), len = without_qualifiers(name, all), i;

	if (len < 3 || name[len - 1] != ')')
		return all;
	i = opening(name, len);
	if (i == len || i == 0 || name[i - 1] == ':' || name[i - 1] == '.' ||
	    (i >= 8 && strncmp(name + i - 8, "operator", 8) == 0 &&
	    len - i == 2))
		return all;
	while (i > 1 && name[i - 1] == ' ')
		i--;
	return i;
}

const char *
pd_namer_symbol(struct pd_namer *n, const struct pd_symbol *sym, bool kernel,
    struct pd_error *err)
{
	const char *name;
	size_t len;

	/* perf leaves the kernel's names alone, unless told otherwise. */
	if (kernel)
		return sym->name;
	name = pd_demangle(&n->demangler, sym->name, n->mode, err);
	if (name != sym->name || n->mode != PD_DEMANGLE_SHORT ||
	    n->perf_compat)
		return name;
	len = without_parameters(name);
	if (name[len] == '\0')
		return name;
	if (pd_grow(&n->buf, &n->cap, len + 1, 1, err) == -1)
		return NULL;
	memcpy(n->buf, name, len);
	n->buf[len] = '\0';
	return n->buf;
}

const char *
pd_namer_inlined(struct pd_namer *n, const char *name, bool mangled,
    struct pd_error *err)
{
	return mangled ? pd_demangle(&n->demangler, name, n->mode, err) : name;
}
