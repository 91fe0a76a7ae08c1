/* The kernel's own list of symbols, /proc/kallsyms or a copy of it. */
#ifndef PD_SYMBOL_KALLSYMS_H
#define PD_SYMBOL_KALLSYMS_H

#include "symbol/symtab.h"

struct pd_kallsyms {
	struct pd_symtab	*table;	/* never NULL; functions only */
	char			*text;
	const char		*why;	/* no symbols: static text */
};

/* 0, also when there are no symbols (see why); -1 without memory. */
int pd_kallsyms_open(struct pd_kallsyms *k, const char *path,
    struct pd_error *err);
void pd_kallsyms_close(struct pd_kallsyms *k);

#endif
