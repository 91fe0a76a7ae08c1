/* The outputs of a comparison, and what they have in common. */
#ifndef PD_PROFILE_DIFFTEXT_H
#define PD_PROFILE_DIFFTEXT_H

#include "profile/diff.h"

/*
 * Functions in the order of interest: regressions, improvements, what is
 * suspect or moved, then all others; of each the most certain cost first.
 * An array of f->len to free(3).
 */
const struct pd_change **pd_diff_sorted(const struct pd_family *f,
    struct pd_error *err);

/* "REGRESSION", "same", ...; for reading and for programs. */
const char *pd_verdict_name(enum pd_verdict v);

/* "+1.2%"; the change that would be seen, "" if none. */
void pd_diff_put_percent(double ratio, char *buf, size_t size);
void pd_diff_put_seen(double mde, char *buf, size_t size);

/* Whether its interval tells anything. */
bool pd_diff_has_interval(const struct pd_change *c);

/* How many bytes of a name to show where long ones would be in the way. */
size_t pd_diff_name_len(const char *name);

/* "base and new ... per unit of work", without newline. */
void pd_diff_put_subject(const struct pd_diff *d, FILE *out);

/* "REGRESSION 2 functions (worst: ...)", without "pd-diff: " and newline. */
int pd_diff_put_verdict(const struct pd_diff *d, FILE *out,
    struct pd_error *err);

/* A cost, "12.3 ms" or "4.5%"; a change, "+10.4%", "new", "gone". */
void pd_diff_put_cost(const struct pd_diff *d, double cost, char *buf,
    size_t size);
void pd_diff_put_change(const struct pd_change *c, char *buf, size_t size);

int pd_diff_write_text(const struct pd_diff *d,
    const struct pd_diff_text *how, FILE *out, struct pd_error *err);
int pd_diff_write_folded(const struct pd_diff *d,
    const struct pd_diff_text *how, FILE *out, struct pd_error *err);
int pd_diff_write_json(const struct pd_diff *d, FILE *out,
    struct pd_error *err);
int pd_diff_write_benchmark(const struct pd_diff *d, FILE *out,
    struct pd_error *err);
int pd_diff_write_markdown(const struct pd_diff *d,
    const struct pd_diff_text *how, FILE *out, struct pd_error *err);
int pd_diff_write_github(const struct pd_diff *d, FILE *out,
    struct pd_error *err);
int pd_diff_write_junit(const struct pd_diff *d, FILE *out,
    struct pd_error *err);

#endif
