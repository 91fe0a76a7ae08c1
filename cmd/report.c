/* What the user must know to trust a result. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli.h"

void
cli_report_reader(struct cli *c, const char *input,
    const struct pd_reader *rd, const struct pd_session *s)
{
	struct pd_counts n = pd_reader_counts(rd);
	const struct pd_note *note;
	size_t i;

	for (i = 0; (note = pd_reader_note(rd, i)) != NULL; i++)
		cli_warn_note(c, input, note);
	for (i = 0; (note = pd_session_note(s, i)) != NULL; i++)
		cli_warn_note(c, input, note);
	if (n.lost > 0)
		cli_warn(c, "%" PRIu64 " events were lost while recording, "
		    "beside %" PRIu64 " samples (a larger perf record -m "
		    "helps)", n.lost, n.samples);
	if (n.throttled > 0)
		cli_warn(c, "the kernel throttled sampling %" PRIu64 " times",
		    n.throttled);
}

/* Frames without a name, if they are enough to matter, and whose they are. */
static int
report_unknown(struct cli *c, const struct pd_fold *f, bool verbose,
    struct pd_error *err)
{
	uint64_t frames, unknown;
	size_t len, i;
	struct pd_blame *list;
	const char *dso, *why;

	list = pd_profile_unknown(pd_fold_profile(f), &frames, &unknown,
	    &len, err);
	if (list == NULL)
		return -1;
	if (unknown * 100 >= frames && len > 0)
		cli_warn(c, "%.1f%% of the frames have no name:",
		    100 * (double)unknown / (double)frames);
	else if (!verbose)
		len = 0;
	for (i = 0; i < len && !c->quiet && (i < 5 || verbose); i++) {
		dso = list[i].dso ? list[i].dso : "not in any map";
		why = list[i].dso ? pd_fold_why(f, dso) : NULL;
		cli_say(c, dso, "%.1f%%%s%s", 100 *
		    (double)list[i].unknown / (double)frames, why ? ", " : "",
		    why ? why : "");
	}
	free(list);
	return 0;
}

/* Stacks without their root; one in a thousand is no reason to worry. */
static void
report_stacks(struct cli *c, const struct pd_fold_counts *n,
    uint64_t samples)
{
	if (n->deep > 0 && n->deep * 1000 >= samples)
		cli_warn(c, "%" PRIu64 " of %" PRIu64 " stacks are as "
		    "deep as the kernel records, so their root may be missing "
		    "(sysctl kernel.perf_event_max_stack)", n->deep, samples);
	if (n->truncated > 0 && n->truncated * 1000 >= n->unwound)
		cli_warn(c, "%" PRIu64 " of %" PRIu64 " copied stacks "
		    "end before their root: [truncated] (perf record "
		    "--call-graph dwarf,SIZE copies more)", n->truncated,
		    n->unwound);
	if (n->unfinished > 0 && n->unfinished * 1000 >= n->deferred)
		cli_warn(c, "%" PRIu64 " of %" PRIu64 " stacks lack the user "
		    "part, which was to be recorded later: [truncated]",
		    n->unfinished, n->deferred);
	if (n->stopped > 0 && n->stopped * 1000 >= n->unwound)
		cli_warn(c, "%" PRIu64 " of %" PRIu64 " copied stacks "
		    "stop at code without unwind data", n->stopped, n->unwound);
}

int
cli_report_fold(struct cli *c, const char *input, const struct pd_reader *rd,
    const struct pd_fold *f, const char *unit, bool verbose,
    struct pd_error *err)
{
	const struct pd_profile *p = pd_fold_profile(f);
	const struct pd_event *ev = pd_fold_event(f);
	struct pd_fold_counts n = pd_fold_counts(f);
	struct pd_counts read = pd_reader_counts(rd);
	const struct pd_note *note;
	size_t i;

	cli_report_reader(c, input, rd, pd_fold_session(f));
	for (i = 0; (note = pd_fold_note(f, i)) != NULL; i++)
		cli_warn_note(c, input, note);
	if (n.other > 0)
		cli_warn(c, "only %s is folded: %" PRIu64 " samples of other "
		    "events are left out (see --event)", ev->name, n.other);
	report_stacks(c, &n, pd_profile_samples(p));
	if (verbose)
		cli_say(c, cli_input_name(input), "%" PRIu64 " records, %"
		    PRIu64 " samples; folded %" PRIu64 " of %s, counted by %s: %"
		    PRIu64, read.records, read.samples, pd_profile_samples(p),
		    ev ? ev->name : "no event", unit, pd_profile_total(p));
	return report_unknown(c, f, verbose, err);
}
