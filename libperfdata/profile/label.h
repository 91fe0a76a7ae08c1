/* Labels: the text of a frame in folded output. */
#ifndef PD_PROFILE_LABEL_H
#define PD_PROFILE_LABEL_H

#include "base/tree.h"

/* The labels of a table of frames, made when asked for. */
struct pd_labels {
	const struct pd_tree		*tree;
	const struct pd_text_opts	*opts;
	bool				java;	/* perl: below a java root */
	const char			**by_frame;
	size_t				frames_cap;
	struct pd_strtab		strs;
	char				*buf;
	size_t				cap;
};

int pd_labels_init(struct pd_labels *l, const struct pd_tree *tree,
    const struct pd_text_opts *opts, struct pd_error *err);
void pd_labels_free(struct pd_labels *l);

/*
 * The label of a frame; equal text is the same pointer.  NULL without memory.
 * Labels have no ';', no control bytes, and a root has no blanks.
 */
const char *pd_label(struct pd_labels *l, uint32_t frame,
    struct pd_error *err);

#endif
