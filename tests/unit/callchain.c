/* Callchains: which addresses a sample has, in which mode each is looked up. */
#include <stdlib.h>

#include "record/event.h"
#include "tap.h"
#include "unwind/callchain.h"

static struct pd_error err;

#define HV		((uint64_t)-32)
#define KERNEL		((uint64_t)-128)
#define USER		((uint64_t)-512)
#define USER_DEFERRED	((uint64_t)-640)
#define GUEST		((uint64_t)-2048)
#define GUEST_KERNEL	((uint64_t)-2176)
#define GUEST_USER	((uint64_t)-2560)

static const struct pd_event fp = { .sample_type = PD_SAMPLE_IP |
	PD_SAMPLE_CALLCHAIN };

static const char *const modes[] = { "?", "k", "u", "h", "gk", "gu" };

/* "u1000 u2000!": outermost first, ! for an exact one. */
static const char *
text_of(const struct pd_chain *c)
{
	static char text[8192];
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < c->len && n < sizeof(text) - 64; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s%llx%s",
		    i > 0 ? " " : "", modes[c->entries[i].mode],
		    (unsigned long long)c->entries[i].ip,
		    c->entries[i].exact ? "!" : "");
	return text;
}

struct how {
	const struct pd_event	*ev;		/* NULL: fp */
	size_t			max;
	bool			perf_compat, no_chain;
	const uint64_t		*branches;	/* from, to, flags */
	size_t			nbranches;
	uint8_t			mode;		/* 0: user */
};

static void
check(const uint64_t *chain, size_t n, struct how how, const char *want,
    bool truncated)
{
	static struct pd_chain c;	/* reused, as the stacker does */
	struct pd_sample s = {
		.ip = 0x77, .cpumode = how.mode ? how.mode : PD_CPUMODE_USER,
		.has_callchain = !how.no_chain,
		.callchain = (const uint8_t *)chain, .callchain_len = n,
		.has_branches = how.branches != NULL,
		.branches = (const uint8_t *)how.branches,
		.branches_len = how.nbranches,
	};

	for (int swapped = 0; swapped < 2; swapped++) {
		uint64_t *turned = malloc(n * 8 + 8);
		uint64_t *others = malloc(how.nbranches * 24 + 8);

		for (size_t i = 0; i < n; i++)
			turned[i] = swapped ? __builtin_bswap64(chain[i]) :
			    chain[i];
		for (size_t i = 0; i < how.nbranches * 3; i++)
			others[i] = swapped ?
			    __builtin_bswap64(how.branches[i]) :
			    how.branches[i];
		s.swapped = swapped;
		s.callchain = (const uint8_t *)turned;
		s.branches = (const uint8_t *)others;
		CHECK_EQ(pd_chain_build(&c, how.ev ? how.ev : &fp, &s, how.max,
		    how.perf_compat, &err), 0);
		CHECK_STR(text_of(&c), want);
		CHECK_EQ(c.truncated || c.deep, truncated);
		free(turned);
		free(others);
	}
}

#define CHAIN(...) (const uint64_t[]){ __VA_ARGS__ }, \
	sizeof((uint64_t[]){ __VA_ARGS__ }) / 8

static void
contexts_say_in_which_space_addresses_are(void)
{
	check(CHAIN(KERNEL, 1, 2, USER, 3, 4), (struct how){ 0 },
	    "u4 u3! k2 k1!", false);
	check(CHAIN(HV, 1, KERNEL, 2, USER, 3), (struct how){ 0 },
	    "u3! k2! h1!", false);
	check(CHAIN(GUEST_KERNEL, 1, GUEST_USER, 2), (struct how){ 0 },
	    "gu2! gk1!", false);
	check(CHAIN(GUEST, 1), (struct how){ 0 }, "gu1!", false);
	/* A marker that nobody knows: nothing is known of what follows. */
	check(CHAIN((uint64_t)-4000, 1), (struct how){ 0 }, "?1!", false);
	/* Old kernels wrote user addresses without a marker. */
	check(CHAIN(1, 2), (struct how){ 0 }, "u2 u1!", false);
}

/* The others are return addresses, which belong to the call before them. */
static void
only_the_first_address_behind_a_context_is_exact(void)
{
	check(CHAIN(USER, 1, 2, 3), (struct how){ 0 }, "u3 u2 u1!", false);
	check(CHAIN(KERNEL, 1, 2, KERNEL, 3, 4, USER, 5, 6), (struct how){ 0 },
	    "u6 u5! k4 k3! k2 k1!", false);
	check(CHAIN(KERNEL, USER, 1, 2), (struct how){ 0 }, "u2 u1!", false);
}

static void
perf_compat_takes_all_addresses_for_exact(void)
{
	check(CHAIN(KERNEL, 1, 2, USER, 3, 4),
	    (struct how){ .perf_compat = true }, "u4! u3! k2! k1!", false);
}

/* add_callchain_ip() of perf: "context not known, callchain is corrupt" */
static void
perf_compat_drops_chains_with_a_marker_that_perf_does_not_know(void)
{
	check(CHAIN(KERNEL, 1, (uint64_t)-4000, 2),
	    (struct how){ .perf_compat = true }, "", false);
	check(CHAIN(KERNEL, 1, GUEST_USER, 2),
	    (struct how){ .perf_compat = true }, "", false);
}

static void
the_highest_addresses_are_markers(void)
{
	check(CHAIN(USER, (uint64_t)-4096, 5), (struct how){ 0 },
	    "u5 ufffffffffffff000!", false);
	check(CHAIN(USER, (uint64_t)-4095, 5), (struct how){ 0 }, "?5!",
	    false);
	check(CHAIN(USER, (uint64_t)-1, 5), (struct how){ 0 }, "?5!", false);
}

static void
a_sample_without_addresses_is_its_ip(void)
{
	check(NULL, 0, (struct how){ 0 }, "u77!", false);
	check(NULL, 0, (struct how){ .no_chain = true }, "u77!", false);
	check(CHAIN(KERNEL, USER), (struct how){ .mode = PD_CPUMODE_KERNEL },
	    "k77!", false);
	check(NULL, 0, (struct how){ .no_chain = true,
	    .mode = PD_CPUMODE_GUEST_KERNEL }, "gk77!", false);
	/* perf prints nothing for a callchain that is there and empty. */
	check(NULL, 0, (struct how){ .perf_compat = true }, "", false);
	check(NULL, 0, (struct how){ .perf_compat = true, .no_chain = true },
	    "u77!", false);
}

static void
an_event_without_ips_has_none(void)
{
	static const struct pd_event no_ip = { .sample_type = PD_SAMPLE_TID };

	check(NULL, 0, (struct how){ .ev = &no_ip, .no_chain = true }, "",
	    false);
}

static void
max_keeps_the_frames_nearest_the_leaf(void)
{
	check(CHAIN(KERNEL, 1, 2, USER, 3, 4), (struct how){ .max = 1 }, "k1!",
	    false);
	check(CHAIN(KERNEL, 1, 2, USER, 3, 4), (struct how){ .max = 3 },
	    "u3! k2 k1!", false);
	check(CHAIN(KERNEL, 1, 2, USER, 3, 4), (struct how){ .max = 4 },
	    "u4 u3! k2 k1!", false);
	check(CHAIN(KERNEL, 1, 2, USER, 3, 4), (struct how){ .max = 99 },
	    "u4 u3! k2 k1!", false);
}

/* The user part comes in a later record; what stands there is its cookie. */
static void
a_deferred_user_part_leaves_the_root_open(void)
{
	check(CHAIN(KERNEL, 1, 2, USER_DEFERRED, 12345), (struct how){ 0 },
	    "k2 k1!", true);
	check(CHAIN(USER_DEFERRED), (struct how){ 0 }, "u77!", true);
	/* On a stack without frame pointers it is a number as any other. */
	check(CHAIN(USER, 1, USER_DEFERRED), (struct how){ 0 }, "u1!", false);
	check(CHAIN(USER, 1, USER_DEFERRED, 2), (struct how){ 0 }, "u2! u1!",
	    false);
}

static void
a_chain_as_deep_as_the_limit_may_lack_its_root(void)
{
	static const struct pd_event limited = { .sample_type =
	    PD_SAMPLE_CALLCHAIN, .max_stack = 3 };
	uint64_t chain[130] = { USER };
	struct pd_chain c = { 0 };
	struct pd_sample s = { .has_callchain = true,
	    .callchain = (const uint8_t *)chain };

	check(CHAIN(USER, 1, 2), (struct how){ .ev = &limited }, "u2 u1!",
	    false);
	check(CHAIN(USER, 1, 2, 3), (struct how){ .ev = &limited },
	    "u3 u2 u1!", true);
	/* 127 is the system's limit; where more are there it was raised. */
	for (uint64_t n = 126; n <= 128; n++) {
		for (uint64_t i = 1; i <= n; i++)
			chain[i] = i;
		s.callchain_len = n + 1;
		CHECK_EQ(pd_chain_build(&c, &fp, &s, 0, false, &err), 0);
		CHECK_EQ(c.len, n);
		CHECK_EQ(c.deep, n == 127);
	}
	pd_chain_free(&c);
}

static void
hostile_lengths_fit(void)
{
	struct pd_chain c = { 0 };
	uint64_t *chain = calloc(8000, 8);
	struct pd_sample s = { .has_callchain = true,
	    .callchain = (const uint8_t *)chain, .callchain_len = 8000 };

	CHECK_EQ(pd_chain_build(&c, &fp, &s, 0, false, &err), 0);
	CHECK_EQ(c.len, 8000);
	s.callchain_len = 1;
	CHECK_EQ(pd_chain_build(&c, &fp, &s, 0, false, &err), 0);
	CHECK_EQ(c.len, 1);
	free(chain);
	pd_chain_free(&c);
}

/* ---- the last branch record as a call stack ----------------------------- */

static const struct pd_event lbr = {
	.sample_type = PD_SAMPLE_IP | PD_SAMPLE_CALLCHAIN |
	    PD_SAMPLE_BRANCH_STACK,
	.branch_type = 1 << 11,		/* PERF_SAMPLE_BRANCH_CALL_STACK */
};

/* leaf() at 0x300 was called from 0x201, that from 0x101. */
static const uint64_t calls[] = { 0x201, 0x300, 0, 0x101, 0x200, 0 };

static void
the_user_part_of_an_lbr_stack_is_where_its_calls_are(void)
{
	check(CHAIN(USER, 0x310), (struct how){ .ev = &lbr, .branches = calls,
	    .nbranches = 2 }, "u101! u201! u300!", false);
	check(CHAIN(KERNEL, 1, 2, USER, 0x310, 0x999), (struct how){ .ev = &lbr,
	    .branches = calls, .nbranches = 2 }, "u101! u201! u300! k2 k1!",
	    false);
	check(CHAIN(KERNEL, 1, USER, 0x310), (struct how){ .ev = &lbr,
	    .branches = calls, .nbranches = 2, .max = 3 }, "u201! u300! k1!",
	    false);
}

static void
without_branches_the_callchain_counts(void)
{
	check(CHAIN(USER, 1, 2), (struct how){ .ev = &lbr }, "u2 u1!", false);
	check(CHAIN(KERNEL, 1), (struct how){ .ev = &lbr, .branches = calls,
	    .nbranches = 2 }, "k1!", false);
}

/* perf record -b: the branches are no call stack. */
static void
branches_of_another_kind_are_not_the_stack(void)
{
	static const struct pd_event any = { .sample_type = PD_SAMPLE_IP |
	    PD_SAMPLE_CALLCHAIN | PD_SAMPLE_BRANCH_STACK,
	    .branch_type = 1 << 3 };

	check(CHAIN(USER, 1, 2), (struct how){ .ev = &any, .branches = calls,
	    .nbranches = 2 }, "u2 u1!", false);
}

/* Unwinding that did not reach the root takes over what was recorded above. */
static void
an_unwound_part_goes_below_what_was_recorded(void)
{
	static const struct {
		uint64_t	above;		/* the second recorded */
		uint64_t	ips[4];		/* unwound, leaf first */
		size_t		n;
		const char	*want;
		bool		truncated;
	} cases[] = {
		/* met in the middle: f and main stay */
		{ 0x2000, { 0x4000, 0x3500, 0x3000 }, 3,
			"u1000! u2000! u3000! u3500! u4000!", false },
		/* met at the outermost: nothing is above it */
		{ 0x2000, { 0x4000, 0x1000 }, 2, "u1000! u4000!", false },
		/* not met */
		{ 0x2000, { 0x4000, 0x9000 }, 2, "u9000! u4000!", true },
		/* recursion: the entry that is as far from the leaf */
		{ 0x3000, { 0x4000, 0x3000, 0x3000 }, 3,
			"u1000! u3000! u3000! u4000!", false },
		{ 0x3000, { 0x4000, 0x3000 }, 2,
			"u1000! u3000! u3000! u4000!", false },
	};
	struct pd_chain c = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t chain[] = { USER, 0x4000, 0x3000, cases[i].above,
			0x1000 };
		struct pd_chain_entry e[4];
		struct pd_sample s = { .has_callchain = true,
			.callchain = (const uint8_t *)chain,
			.callchain_len = 5 };

		for (size_t k = 0; k < cases[i].n; k++)
			e[k] = (struct pd_chain_entry){ cases[i].ips[k],
				PD_CPUMODE_USER, true };
		CHECK_EQ(pd_chain_build(&c, &fp, &s, 0, true, &err), 0);
		CHECK_EQ(pd_chain_set_user(&c, e, cases[i].n, true, &err), 0);
		CHECK_STR(text_of(&c), cases[i].want);
		CHECK_EQ(c.truncated, cases[i].truncated);
	}
	pd_chain_free(&c);
}

int
main(void)
{
	RUN(contexts_say_in_which_space_addresses_are);
	RUN(only_the_first_address_behind_a_context_is_exact);
	RUN(perf_compat_takes_all_addresses_for_exact);
	RUN(perf_compat_drops_chains_with_a_marker_that_perf_does_not_know);
	RUN(the_highest_addresses_are_markers);
	RUN(a_sample_without_addresses_is_its_ip);
	RUN(an_event_without_ips_has_none);
	RUN(max_keeps_the_frames_nearest_the_leaf);
	RUN(a_deferred_user_part_leaves_the_root_open);
	RUN(a_chain_as_deep_as_the_limit_may_lack_its_root);
	RUN(hostile_lengths_fit);
	RUN(the_user_part_of_an_lbr_stack_is_where_its_calls_are);
	RUN(without_branches_the_callchain_counts);
	RUN(branches_of_another_kind_are_not_the_stack);
	RUN(an_unwound_part_goes_below_what_was_recorded);
	return tap_done();
}
