/*
 * Writes stacks as folded text.  Lines must come in the order of their
 * bytes, and stacks whose text is equal must be one line, while memory must
 * not grow with the length of the output: so the tree is walked in that order.
 *
 * A child "b" of the stack "a" makes the line "a;b N" and lines that begin
 * with "a;b;".  Between them belong the lines of a sibling "b c", since ' '
 * sorts before ';'.  Each child therefore is two items, which are sorted by
 * the byte that follows the label: the end of the stack, or ';'.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profile/folded.h"
#include "profile/label.h"
#include "profile/profile.h"

/* A child of the nodes being written, as one of its two items. */
struct item {
	const char	*label;
	uint32_t	node;
	bool		deeper;		/* what is below it, not itself */
};

/* The children of some nodes, and how far they are written. */
struct level {
	struct item	*items;
	size_t		len, next;
	size_t		at;		/* the stack above is line[0..at) */
};

struct writer {
	const struct pd_tree	*tree;
	struct pd_labels	plain, java, *labels;
	uint32_t		*first, *next;	/* children, siblings */
	struct level		*levels;	/* from the roots down */
	size_t			depth, levels_cap;
	char			*line;
	size_t			line_cap;
	pd_line_fn		write;
	void			*ctx;
};

/* Compare as if ';' or the end came after the label. */
static int
by_text(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	const unsigned char *s = (const unsigned char *)x->label;
	const unsigned char *t = (const unsigned char *)y->label;
	int c, d;

	for (; *s != '\0' && *s == *t; s++, t++)
		;
	c = *s ? *s : x->deeper ? ';' : 0;
	d = *t ? *t : y->deeper ? ';' : 0;
	if (c != d)
		return c < d ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Add the items of the children of one node. */
static int
add_children(struct writer *w, struct level *lv, size_t *cap, uint32_t node,
    struct pd_error *err)
{
	const char *label;
	uint32_t c;

	for (c = w->first[node]; c != 0; c = w->next[c]) {
		label = pd_label(w->labels, w->tree->nodes[c].frame, err);
		if (label == NULL || pd_grow(&lv->items, cap, lv->len + 2,
		    sizeof(*lv->items), err) == -1)
			return -1;
		lv->items[lv->len++] = (struct item){ label, c, false };
		if (w->first[c] != 0)
			lv->items[lv->len++] = (struct item){ label, c, true };
	}
	return 0;
}

/* Go on with the children of items, whose stack is line[0..at). */
static int
go_down(struct writer *w, const struct item *items, size_t n, size_t at,
    struct pd_error *err)
{
	struct level lv = { .at = at };
	size_t cap = 0, i;

	for (i = 0; i < n; i++)
		if (add_children(w, &lv, &cap, items[i].node, err) == -1)
			goto fail;
	if (pd_grow(&w->levels, &w->levels_cap, w->depth + 1, sizeof(lv), err))
		goto fail;
	if (lv.len > 0)
		qsort(lv.items, lv.len, sizeof(*lv.items), by_text);
	w->levels[w->depth++] = lv;
	return 0;

fail:
	free(lv.items);
	return -1;
}

/* The stack in w->line ends at these nodes. */
static int
write_line(struct writer *w, const struct item *items, size_t n,
    struct pd_error *err)
{
	uint32_t nodes[16];
	size_t i, j;
	int r = 0;

	/* Mostly it is one; of many, the first call has the line. */
	for (i = 0; i < n && r == 0; i += j) {
		for (j = 0; i + j < n && j < 16; j++)
			nodes[j] = items[i + j].node;
		r = w->write(w->ctx, w->line, nodes, j, i + j == n, err);
	}
	return r;
}

/* Write the next items that have one label, or go down below them. */
static int
write_next(struct writer *w, struct pd_error *err)
{
	struct level *lv = &w->levels[w->depth - 1];
	struct item *items = lv->items + lv->next;
	bool root = w->depth == 1;
	size_t n, size = strlen(items[0].label), at = lv->at;

	for (n = 1; lv->next + n < lv->len &&
	    items[n].label == items[0].label &&
	    items[n].deeper == items[0].deeper; n++)
		;
	lv->next += n;
	if (pd_grow(&w->line, &w->line_cap, at + size + 2, 1, err) == -1)
		return -1;
	if (!root)
		w->line[at++] = ';';
	memcpy(w->line + at, items[0].label, size + 1);
	if (root)
		w->labels = strncmp(items[0].label, "java", 4) == 0 ?
		    &w->java : &w->plain;
	if (items[0].deeper)
		return go_down(w, items, n, at + size, err);
	return write_line(w, items, n, err);
}

static int
write_all(struct writer *w, struct pd_error *err)
{
	const struct item above = { .node = 0 };

	if (go_down(w, &above, 1, 0, err) == -1)
		return -1;
	while (w->depth > 0) {
		if (w->levels[w->depth - 1].next <
		    w->levels[w->depth - 1].len) {
			if (write_next(w, err) == -1)
				return -1;
		} else {
			free(w->levels[--w->depth].items);
		}
	}
	return 0;
}

static void
writer_free(struct writer *w)
{
	while (w->depth > 0)
		free(w->levels[--w->depth].items);
	free(w->levels);
	free(w->first);
	free(w->next);
	free(w->line);
	pd_labels_free(&w->plain);
	pd_labels_free(&w->java);
}

int
pd_tree_write_lines(const struct pd_tree *t, const struct pd_text_opts *opts,
    pd_line_fn write, void *ctx, struct pd_error *err)
{
	struct writer w = { .tree = t, .write = write, .ctx = ctx };
	int r = -1;

	w.labels = &w.plain;
	if (pd_labels_init(&w.plain, t, opts, err) == 0 &&
	    pd_labels_init(&w.java, t, opts, err) == 0 &&
	    pd_tree_link(t, &w.first, &w.next, err) == 0) {
		w.java.java = opts->perl;
		r = write_all(&w, err);
	}
	writer_free(&w);
	return r;
}

struct folded {
	const struct pd_profile	*p;
	FILE			*out;
	struct pd_tally		sum;
};

static int
write_sum(void *ctx, const char *stack, const uint32_t *nodes, size_t n,
    bool last, struct pd_error *err)
{
	struct folded *f = ctx;
	struct pd_tally t;
	size_t i;

	(void)err;
	for (i = 0; i < n; i++) {
		t = pd_profile_tally(f->p, nodes[i]);
		f->sum.weight += t.weight;
		f->sum.samples += t.samples;
	}
	if (last) {
		if (f->sum.samples > 0)
			fprintf(f->out, "%s %" PRIu64 "\n", stack,
			    f->sum.weight);
		f->sum = (struct pd_tally){ 0, 0 };
	}
	return 0;
}

int
pd_profile_write_folded(const struct pd_profile *p,
    const struct pd_text_opts *opts, FILE *out, struct pd_error *err)
{
	struct folded f = { p, out, { 0, 0 } };

	if (pd_tree_write_lines(p->tree, opts, write_sum, &f, err) == -1)
		return -1;
	return ferror(out) ? pd_fail(err, PD_EIO, PD_NOWHERE, "write") : 0;
}
