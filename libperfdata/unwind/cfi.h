/*
 * Call frame information: for each address of code, where the registers of
 * the caller are (DWARF 5, 6.4; .eh_frame: Linux Standard Base, Core, 10.6).
 */
#ifndef PD_UNWIND_CFI_H
#define PD_UNWIND_CFI_H

#include "unwind/arch.h"
#include "unwind/image.h"

enum pd_cfi_how {
	PD_CFI_UNSET,		/* nothing is said: as the ABI has it */
	PD_CFI_SAME,
	PD_CFI_UNDEFINED,
	PD_CFI_SAVED,		/* in memory at CFA + value */
	PD_CFI_OFFSET,		/* CFA + value; of the CFA: register n + value */
	PD_CFI_REGISTER,	/* in register n */
	PD_CFI_AT_EXPR,		/* in memory where an expression says */
	PD_CFI_EXPR,		/* the value of an expression */
};

struct pd_cfi_rule {
	enum pd_cfi_how	how;
	uint32_t	n;
	int64_t		value;
	const uint8_t	*expr;		/* n bytes */
};

/* One row of the table that CFI encodes. */
struct pd_cfi_row {
	struct pd_cfi_rule	cfa;
	struct pd_cfi_rule	regs[PD_ARCH_REGS];	/* by DWARF number */
	uint8_t			ra;	/* which is the return address */
	bool			signal;	/* the caller was interrupted */
};

struct pd_cfi;

/*
 * The CFI of an image, which is borrowed until pd_cfi_free().  Damaged
 * entries are left out; NULL only without memory.
 */
struct pd_cfi *pd_cfi_new(const struct pd_image *img, struct pd_error *err);
void pd_cfi_free(struct pd_cfi *c);

/*
 * The row of an address of the file: false if there is none, or it cannot be
 * understood.  Expressions point into the image.
 */
bool pd_cfi_find(struct pd_cfi *c, uint64_t addr, struct pd_cfi_row *row);

#endif
