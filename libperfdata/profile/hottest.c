/* Writes the functions that cost most. */
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profile/label.h"
#include "profile/profile.h"

struct hot {
	const char	*name;
	uint64_t	self, total;
};

static int
by_self(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Whether a function is further up in the stack too: it recurses. */
static bool
recurses(const struct pd_tree *t, const uint32_t *function, uint32_t node)
{
	uint32_t n = t->nodes[node].parent;

	for (; n != 0; n = t->nodes[n].parent)
		if (function[t->nodes[n].frame] ==
		    function[t->nodes[node].frame])
			return true;
	return false;
}

/*
 * Number the functions: frames with one label are one function.  names gets
 * their labels; the count, or -1.
 */
static ssize_t
number_functions(const struct pd_tree *t, struct pd_labels *labels,
    struct pd_strtab *names, uint32_t *function, struct pd_error *err)
{
	size_t n = t->nframes, i;
	const char *label;

	for (i = 0; i < n; i++) {
		label = pd_label(labels, (uint32_t)i, err);
		if (label == NULL)
			return -1;
		function[i] = pd_strtab_add(names, label, strlen(label), err);
		if (function[i] == PD_NOID)
			return -1;
	}
	return (ssize_t)names->len;
}

static void
sum(const struct pd_profile *p, const uint32_t *function, uint64_t *below,
    struct hot *hot)
{
	const struct pd_tree *t = p->tree;
	struct hot *h;
	uint64_t self;
	uint32_t i;

	/* A node comes after its parent, so sums flow up in one pass. */
	for (i = (uint32_t)t->len; i-- > 1;) {
		self = pd_profile_tally(p, i).weight;
		below[i] += self;
		below[t->nodes[i].parent] += below[i];
		if (pd_tree_leaf(t, i)->kind >= PD_FRAME_ROOT)
			continue;
		h = &hot[function[t->nodes[i].frame]];
		h->self += self;
		if (!recurses(t, function, i))
			h->total += below[i];
	}
}

static void
write_table(const struct pd_profile *p, const struct hot *hot, size_t n,
    FILE *out)
{
	double all = p->weight > 0 ? (double)p->weight : 1;
	size_t i;

	fprintf(out, "%7s %7s  %s\n", "self", "total", "function");
	for (i = 0; i < n && hot[i].total > 0; i++)
		fprintf(out, "%6.2f%% %6.2f%%  %s\n",
		    100 * (double)hot[i].self / all,
		    100 * (double)hot[i].total / all, hot[i].name);
}

int
pd_profile_write_hottest(const struct pd_profile *p,
    const struct pd_text_opts *opts, size_t n, FILE *out,
    struct pd_error *err)
{
	const struct pd_tree *t = p->tree;
	uint32_t *function = pd_calloc(t->nframes, sizeof(*function), err);
	uint64_t *below = pd_calloc(t->len, sizeof(*below), err);
	struct hot *hot = NULL;
	struct pd_labels labels;
	struct pd_strtab names = { 0 };
	ssize_t count = -1, i;

	if (function != NULL && below != NULL &&
	    pd_labels_init(&labels, t, opts, err) == 0) {
		count = number_functions(t, &labels, &names, function, err);
		pd_labels_free(&labels);
	}
	if (count >= 0)
		hot = pd_calloc((size_t)count, sizeof(*hot), err);
	if (hot != NULL) {
		for (i = 0; i < count; i++)
			hot[i].name = names.strs[i];
		sum(p, function, below, hot);
		qsort(hot, (size_t)count, sizeof(*hot), by_self);
		write_table(p, hot, (size_t)count < n ? (size_t)count : n,
		    out);
	}
	free(hot);
	free(function);
	free(below);
	pd_strtab_free(&names);
	return hot == NULL ? -1 : 0;
}
