/* One window, as text and as times. */
#ifndef PD_CUT_WINDOW_H
#define PD_CUT_WINDOW_H

#include "cut/point.h"

enum pd_window_form {
	PD_WINDOW_BETWEEN,		/* a, b */
	PD_WINDOW_LASTING,		/* a, and length from there on */
	PD_WINDOW_CENTRED,		/* a in the middle of length */
};

struct pd_window_spec {
	enum pd_window_form	form;
	struct pd_point		a, b;
	uint64_t		length;
};

/* what names the text in messages: an option, or the line of a file. */
int pd_window_parse(const char *text, const char *what,
    struct pd_window_spec *w, struct pd_error *err);

/* PD_WINDOWS_* */
unsigned pd_window_needs(const struct pd_window_spec *w);

/* Its times; text is that of the window, for messages. */
int pd_window_resolve(const struct pd_window_spec *w,
    const struct pd_timebase *base, const char *what, const char *text,
    struct pd_window *span, struct pd_error *err);

/* Is the time in one of s[0..len), which are sorted and do not overlap? */
bool pd_window_match(const struct pd_window *s, size_t len, uint64_t time);

#endif
