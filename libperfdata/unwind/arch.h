/* What unwinding must know of a processor: its registers and their numbers. */
#ifndef PD_UNWIND_ARCH_H
#define PD_UNWIND_ARCH_H

#include "perfdata.h"

/*
 * Registers are known by their DWARF numbers.  Those from here on (vector and
 * status registers) are never followed: no code address depends on them.
 */
#define PD_ARCH_REGS	33

struct pd_arch {
	uint16_t	machine;	/* e_machine of its ELF files */
	uint8_t		nregs;
	uint8_t		sp, fp, pc;
	/* Holds the return address when a function starts; pc: the stack does. */
	uint8_t		link;
	bool		strips;		/* return addresses may be signed */
	uint64_t	kept;		/* a bit for each that a callee restores */
	uint8_t		perf[PD_ARCH_REGS];	/* its bit in a register mask */
};

/*
 * The processor of samples of ev: name is the recording's, or NULL where it
 * does not say; then the registers tell.  NULL when it is not supported.
 */
const struct pd_arch *pd_arch_find(const char *name, const struct pd_event *ev);

#endif
