/* Stacks as text, one after the other, into a tree. */
#ifndef PD_PROFILE_FOLDEDREAD_H
#define PD_PROFILE_FOLDEDREAD_H

#include "base/tree.h"

/*
 * Zero but for the tree is the start; pd_stack_parser_free() it.  frame gives
 * the tree's frame of a name; NULL: one of that name.
 */
struct pd_stack_parser {
	struct pd_tree		*tree;
	uint32_t		(*frame)(void *ctx, const char *name,
				    struct pd_error *err);
	void			*ctx;
	struct pd_strtab	names;
	uint32_t		*frames;	/* of the tree, by id of names */
	size_t			nframes, frames_cap;
	struct pd_place		*places;	/* frames of the last stack */
	size_t			depth, places_cap;
	char			*last;		/* the last stack */
	size_t			last_len, last_cap;
};

/* The node of "root;...;leaf", or PD_NOID: PD_EFORMAT when it is none. */
uint32_t pd_stack_parse(struct pd_stack_parser *p, const char *s, size_t len,
    struct pd_error *err);
void pd_stack_parser_free(struct pd_stack_parser *p);

/* Is given each stack with its count; -1 ends reading. */
typedef int (*pd_stack_fn)(void *ctx, uint32_t node, uint64_t count,
    struct pd_error *err);

/* pd_folded_read() for who counts in another way. */
int pd_folded_parse(int fd, struct pd_stack_parser *stacks, pd_stack_fn add,
    void *ctx, struct pd_run *run, struct pd_error *err);

#endif
