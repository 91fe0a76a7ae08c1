/* The stacks of a tree as lines, in the order of their bytes. */
#ifndef PD_PROFILE_FOLDED_H
#define PD_PROFILE_FOLDED_H

#include "base/tree.h"

/*
 * A stack as text and nodes that it is the text of, which may be told in more
 * than one call: then the last one says so.  -1 ends the walk.
 */
typedef int (*pd_line_fn)(void *ctx, const char *stack, const uint32_t *nodes,
    size_t n, bool last, struct pd_error *err);

/* All nodes of a tree, those too that nothing was counted for. */
int pd_tree_write_lines(const struct pd_tree *t,
    const struct pd_text_opts *opts, pd_line_fn write, void *ctx,
    struct pd_error *err);

#endif
