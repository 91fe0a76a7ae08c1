/* Files in a directory, one for each part of a slice, and a table of them. */
#ifndef PD_PARTS_H
#define PD_PARTS_H

#include "cli.h"

struct parts {
	const struct cli	*cli;
	const char		*dir;
	int			fd;		/* of dir */
	struct pd_slice_parts	of;		/* for pd_slice_opts */
	struct part		*rows;		/* that are complete */
	size_t			len, cap;
};

/*
 * Have parts go to dir, which is made if it is missing: list, by start, or,
 * where that is NULL, pieces of every ns.  Exit 2 on failure.
 */
void parts_open(struct parts *p, const struct cli *c, const char *dir,
    const struct pd_occurrence *list, size_t len, uint64_t every);

/* Write the table, index.tsv, after all parts. */
void parts_close(struct parts *p);

#endif
