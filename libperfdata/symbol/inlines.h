/* The functions that the compiler inlined at an address, out of DWARF. */
#ifndef PD_SYMBOL_INLINES_H
#define PD_SYMBOL_INLINES_H

#include "perfdata.h"

struct pd_inline {
	/*
	 * As the compiler stored it: a linkage name, to be read by
	 * pd_demangle(), if mangled, else the name with all that is around it:
	 * "ns::(anonymous namespace)::Class::f".  Hostile text.
	 */
	const char	*name;
	bool		mangled;
	/*
	 * Where in it the code is, or calls what was inlined.  Only if lines
	 * were asked for; NULL, 0: unknown.
	 */
	const char	*file;
	uint32_t	line;
};

/*
 * What is at an address: `frames`, innermost first, were inlined one into the
 * next and the last into `function`.
 */
struct pd_inline_chain {
	const struct pd_inline	*frames;
	size_t			len;
	struct pd_inline	function;	/* a name of NULL: not known */
};

struct pd_inlines;

struct pd_inlines_file {
	const char		*path;
	const struct pd_buildid	*id;	/* it must have this one; NULL: any */
	/*
	 * The program as it was recorded, or NULL: what split DWARF left
	 * beside it is not beside a copy in perf's cache.
	 */
	const char		*program;
	const char		*symfs;	/* before absolute names; NULL: none */
	bool			lines;	/* read source lines, too */
};

/*
 * Open the file with the debug information of a DSO.  Without debug
 * information, or when it cannot be read, the table is empty.  NULL only
 * without memory.  f is not needed afterwards.
 */
struct pd_inlines *pd_inlines_open(const struct pd_inlines_file *f,
    struct pd_error *err);
void pd_inlines_free(struct pd_inlines *in);

/*
 * What is at an address as the file counts them: 0, also when nothing is
 * known (then chain->len is 0), or -1 without memory.  The frames are borrowed
 * until the next call, their texts live as long as the table.  The first
 * address of a compile unit costs a pass over it, others a binary search.
 */
int pd_inlines_find(struct pd_inlines *in, uint64_t addr,
    struct pd_inline_chain *chain, struct pd_error *err);

/*
 * Why some of what was inlined is missing, what can be said of "its debug
 * information"; or NULL.
 */
const char *pd_inlines_gave_up(const struct pd_inlines *in);

#endif
