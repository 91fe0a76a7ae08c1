/* The processors that can be unwound. */
#include <elf.h>
#include <string.h>

#include "unwind/arch.h"

#define BIT(n)	(UINT64_C(1) << (n))

/*
 * DWARF numbers: System V ABI, AMD64 supplement, figure 3.36; perf's:
 * arch/x86/include/uapi/asm/perf_regs.h.
 */
static const struct pd_arch x86_64 = {
	.machine = EM_X86_64,
	.nregs = 17,
	.sp = 7, .fp = 6, .pc = 16, .link = 16,
	/* rbx, rbp, r12 to r15; rsp is the CFA */
	.kept = BIT(3) | BIT(6) | BIT(12) | BIT(13) | BIT(14) | BIT(15),
	.perf = {
		0, 3, 2, 1,		/* rax, rdx, rcx, rbx */
		4, 5, 6, 7,		/* rsi, rdi, rbp, rsp */
		16, 17, 18, 19, 20, 21, 22, 23,
		8,			/* rip */
	},
};

/*
 * DWARF for the Arm 64-bit Architecture (AADWARF64) 4.1, where 32 is the
 * program counter; perf counts alike: arch/arm64/include/uapi/asm/perf_regs.h.
 */
static const struct pd_arch arm64 = {
	.machine = EM_AARCH64,
	.nregs = 33,
	.sp = 31, .fp = 29, .pc = 32, .link = 30,
	.strips = true,
	/* x19 to x29 */
	.kept = BIT(30) - BIT(19),
	.perf = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
		18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
	},
};

static bool
has(const struct pd_event *ev, const struct pd_arch *a)
{
	return (ev->regs_user & BIT(a->perf[a->pc])) &&
	    (ev->regs_user & BIT(a->perf[a->sp]));
}

const struct pd_arch *
pd_arch_find(const char *name, const struct pd_event *ev)
{
	const struct pd_arch *a;

	/* Only arm64 has its program counter that high up. */
	if (name == NULL)
		a = ev->regs_user & BIT(32) ? &arm64 : &x86_64;
	else if (strcmp(name, "x86_64") == 0)
		a = &x86_64;
	else if (strcmp(name, "aarch64") == 0 || strcmp(name, "arm64") == 0)
		a = &arm64;
	else
		return NULL;
	return has(ev, a) ? a : NULL;
}
