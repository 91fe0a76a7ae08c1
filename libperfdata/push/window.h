/* Cuts the samples of a fold into profiles, each of its own time. */
#ifndef PD_PUSH_WINDOW_H
#define PD_PUSH_WINDOW_H

#include "push/parts.h"

struct pd_push_windows;

struct pd_push_window_opts {
	uint64_t	size;		/* ns; 0: one for all */
	uint64_t	span;		/* ns; 0: samples do not tell theirs */
	uint64_t	base;		/* wall clock at the first sample; 0: as recorded */
	/* If nothing is recorded; 0: it was just taken, follow the clock. */
	uint64_t	guess;
	struct pd_text_opts text;
	int		(*put)(void *ctx, const struct pd_push_part *part,
			    struct pd_error *err);
	void		*put_ctx;
};

struct pd_push_window_counts {
	uint64_t	windows;	/* that had samples */
	uint64_t	samples;
	uint64_t	timeless;	/* samples without a time */
};

/*
 * Windows begin at multiples of their size since 1970, but the first where the
 * first sample is.  What is in them has the time where they begin, and in the
 * part below a millisecond that of the first sample: two recordings of one
 * moment have different times, as a server keeps only one of two that are
 * equal.  That makes it the same each time that a recording is read.
 */
struct pd_push_windows *pd_push_windows_new(const struct pd_reader *rd,
    const struct pd_push_window_opts *opts, struct pd_error *err);
void pd_push_windows_free(struct pd_push_windows *w);

/* To be pd_fold_opts.sample, with w as its context. */
int pd_push_windows_sample(void *w, const struct pd_fold_sample *s,
    struct pd_error *err);
/* Put the window that is open, at the end or when it is over. */
int pd_push_windows_flush(struct pd_push_windows *w, struct pd_error *err);
/* Whether, by the wall clock, its window is over; for live ones. */
bool pd_push_windows_over(const struct pd_push_windows *w, uint64_t wall);
/* When nothing is open: the tree is void from now on. */
void pd_push_windows_forget(struct pd_push_windows *w);

struct pd_push_window_counts pd_push_windows_counts(const struct pd_push_windows *w);
/* Whether the recording says what time it was. */
bool pd_push_windows_has_clock(const struct pd_push_windows *w);

/* One profile of folded stacks, of this time (wall clock, ns). */
int pd_folded_put(const struct pd_tree *tree, const struct pd_profile *p,
    const struct pd_run *run, uint64_t time, const struct pd_push_window_opts *opts,
    struct pd_error *err);

#endif
