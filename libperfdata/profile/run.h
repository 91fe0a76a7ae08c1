/* Runs: what is known of how a profile came about, as a line of text. */
#ifndef PD_PROFILE_RUN_H
#define PD_PROFILE_RUN_H

#include "perfdata.h"

/* Nothing is known. */
void pd_run_init(struct pd_run *run);

/*
 * Take what a comment line of folded stacks tells, if it is one of ours; keys
 * that are not known are passed over.
 */
int pd_run_parse(struct pd_run *run, const char *line, size_t len,
    struct pd_error *err);

/* The same of the words alone, which need not end in a NUL. */
int pd_run_parse_keys(struct pd_run *run, const char *words, size_t len,
    struct pd_error *err);

/*
 * Whether counts are no samples, but it is known how many there were: then how
 * many have a weight, of all of it, each of them having the mean.
 */
bool pd_run_has_samples(const struct pd_run *run);
uint64_t pd_run_samples(const struct pd_run *run, uint64_t all,
    uint64_t weight);

/* The numbers and words of a run, "key=value ...", without a newline. */
void pd_run_write_keys(const struct pd_run *run, FILE *out);

#endif
