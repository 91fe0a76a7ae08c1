/* LBR call stacks go on where an earlier sample of the thread knew more. */
#include <stdlib.h>

#include "unwind/stitch.h"
#include "tap.h"

#define REGISTERS	4

static struct pd_stitcher st;
static struct pd_chain chain;
static char text[16384];

/*
 * A sample of a stack, outermost first, of which the registers keep the end;
 * base is the register of the outermost.  The call of 'x' comes from 'x' + 0.
 */
static const char *
stack(uint32_t tid, const char *calls, size_t base, bool perf_compat)
{
	uint64_t branches[3 * REGISTERS] = { 0 }, ips[] = { PD_CONTEXT_USER, 1 };
	struct pd_event ev = { .branch_type = 1 << 11 };
	size_t depth = strlen(calls), n, i, len = 0;
	struct pd_error err;

	n = depth < REGISTERS ? depth : REGISTERS;
	for (i = 0; i < n; i++)
		branches[3 * i] = (uint64_t)calls[depth - 1 - i];
	branches[1] = '.';
	struct pd_sample s = { .has_callchain = true, .callchain_len = 2,
		.callchain = (uint8_t *)ips, .has_branches = true,
		.branches = (uint8_t *)branches, .branches_len = n,
		.branch_index = (base + depth - 1) % REGISTERS };

	CHECK(pd_chain_build(&chain, &ev, &s, 0, perf_compat, &err) == 0);
	CHECK(pd_stitcher_run(&st, tid, REGISTERS, &s, &chain, perf_compat,
	    &err) == 0);
	for (i = 0; i < chain.len && len < sizeof(text) - 1; i++)
		text[len++] = (char)chain.entries[i].ip;
	text[len] = '\0';
	return text;
}

static void
again(void)
{
	pd_stitcher_free(&st);
	st = (struct pd_stitcher){ .len = 0 };
}

static void
what_was_overwritten_is_kept(void)
{
	CHECK_STR(stack(1, "abc", 3, false), "abc.");
	CHECK_STR(stack(1, "abcd", 3, false), "abcd.");
	CHECK_STR(stack(1, "abcdef", 3, false), "abcdef.");
	CHECK_STR(stack(1, "abcdefgh", 3, false), "abcdefgh.");
	CHECK_STR(stack(1, "abcdefgh", 3, false), "abcdefgh.");
	again();
}

static void
a_gap_is_not_bridged(void)
{
	CHECK_STR(stack(1, "abcdef", 3, false), "cdef.");
	CHECK_STR(stack(1, "abcdefghijk", 3, false), "hijk.");
	CHECK_STR(stack(1, "abcdefghijkl", 3, false), "hijkl.");
	/* Another caller in the register where they would meet. */
	CHECK_STR(stack(1, "abcdefghXXXXm", 3, false), "XXXm.");
	again();
}

static void
threads_have_stacks_of_their_own(void)
{
	CHECK_STR(stack(1, "abcd", 0, false), "abcd.");
	CHECK_STR(stack(2, "abxyz", 0, false), "bxyz.");
	CHECK_STR(stack(1, "abcdef", 0, false), "abcdef.");
	again();
}

/* After a return fewer registers are in use; perf loses its place then. */
static void
stacks_may_become_shorter(void)
{
	CHECK_STR(stack(1, "abcd", 0, false), "abcd.");
	CHECK_STR(stack(1, "abcdef", 0, false), "abcdef.");
	again();
	for (int compat = 0; compat < 2; compat++) {
		uint64_t b[3 * REGISTERS] = { 'd', 0, 0, 'c' };
		uint64_t ips[] = { PD_CONTEXT_USER, 1 };
		struct pd_event ev = { .branch_type = 1 << 11 };
		struct pd_sample s = { .has_callchain = true,
			.callchain = (uint8_t *)ips, .callchain_len = 2,
			.branches = (uint8_t *)b, .branches_len = 2,
			.branch_index = 3 };
		struct pd_error err;

		CHECK_STR(stack(1, "abcd", 0, compat), "abcd.");
		CHECK_STR(stack(1, "abcdef", 0, compat), "abcdef.");
		/* Back to d: that of e and f are empty, a and b are gone. */
		CHECK(pd_chain_build(&chain, &ev, &s, 0, compat, &err) == 0);
		CHECK(pd_stitcher_run(&st, 1, REGISTERS, &s, &chain, compat,
		    &err) == 0);
		CHECK_EQ(chain.len, compat ? 3 : 5);
		again();
	}
}

static void
without_registers_or_index_nothing_is_stitched(void)
{
	uint64_t b[6] = { 'b', '.', 0, 'a' }, ips[] = { PD_CONTEXT_USER, 1 };
	struct pd_event ev = { .branch_type = 1 << 11 };
	struct pd_sample s = { .has_callchain = true, .callchain_len = 2,
		.callchain = (uint8_t *)ips, .branches = (uint8_t *)b,
		.branches_len = 2, .branch_index = 1 };
	struct pd_error err;

	for (int i = 0; i < 6; i++) {
		s.branch_index = i < 2 ? PD_NOWHERE : i < 4 ? 1 : 1u << 30;
		CHECK(pd_chain_build(&chain, &ev, &s, 0, false, &err) == 0);
		CHECK(pd_stitcher_run(&st, 1, i & 1 ? 0 : 1, &s, &chain,
		    i & 1, &err) == 0);
		CHECK_EQ(chain.len, 3);
	}
	again();
}

/* An endless recursion, or who makes up one. */
static void
there_is_an_end_and_a_mark(void)
{
	char calls[4000];

	for (size_t i = 0; i < sizeof(calls) - 1; i++) {
		calls[i] = (char)('a' + i % 26);
		calls[i + 1] = '\0';
		stack(1, calls, 0, false);
	}
	CHECK_EQ(chain.len, 1024 + REGISTERS + 1);
	CHECK(chain.truncated);
	CHECK_EQ(chain.entries[0].ip, calls[sizeof(calls) - 1 - 1028]);
	again();
}

int
main(void)
{
	RUN(what_was_overwritten_is_kept);
	RUN(a_gap_is_not_bridged);
	RUN(threads_have_stacks_of_their_own);
	RUN(stacks_may_become_shorter);
	RUN(without_registers_or_index_nothing_is_stitched);
	RUN(there_is_an_end_and_a_mark);
	pd_chain_free(&chain);
	return tap_done();
}
