/* DWARF expressions, as call frame information has them (DWARF 5, 2.5). */
#ifndef PD_UNWIND_EXPR_H
#define PD_UNWIND_EXPR_H

#include "unwind/arch.h"

/* Registers by DWARF number; valid has a bit for each that is known. */
struct pd_regs {
	uint64_t	r[PD_ARCH_REGS];
	uint64_t	valid;
};

/* The bytes of a stack that were copied. */
struct pd_stack_copy {
	const uint8_t	*bytes;
	uint64_t	addr, size;
	bool		swapped;
};

/* The word at an address of the stack: false if it was not copied. */
bool pd_stack_word(const struct pd_stack_copy *s, uint64_t addr, uint64_t *v);

/*
 * The value of an expression; cfa is NULL while that is what it computes.
 * False if it needs what is not known, or does not end soon.
 */
bool pd_expr_eval(const uint8_t *expr, size_t size, const struct pd_regs *regs,
    const uint64_t *cfa, const struct pd_stack_copy *stack, uint64_t *v);

#endif
