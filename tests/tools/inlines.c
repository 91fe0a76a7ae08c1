/*
 * inlines FILE [PROGRAM]: reads addresses of FILE in hexadecimal from standard
 * input and prints for each what `addr2line -a -f -i` does: the address, then
 * for the inlined functions, innermost first, and the function that they are
 * in, the name and the place in it.  Names are as stored; "-" stands before
 * those that are no linkage names.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbol/inlines.h"

static void
show(const struct pd_inline *f)
{
	printf("%s%s\n%s:%" PRIu32 "\n", f->mangled || !f->name ? "" : "-",
	    f->name ? f->name : "??", f->file ? f->file : "??", f->line);
}

int
main(int argc, char **argv)
{
	struct pd_inline_chain c;
	struct pd_inlines_file f = { .path = argv[1], .lines = true };
	struct pd_inlines *in;
	struct pd_error err;
	uint64_t addr;
	size_t i;

	if (argc < 2 || argc > 3)
		return 2;
	f.program = argv[2];
	in = pd_inlines_open(&f, &err);
	if (in == NULL)
		return 2;
	while (scanf("%" SCNx64, &addr) == 1) {
		if (pd_inlines_find(in, addr, &c, &err) == -1)
			return 2;
		printf("0x%016" PRIx64 "\n", addr);
		for (i = 0; i < c.len; i++)
			show(&c.frames[i]);
		show(&c.function);
	}
	pd_inlines_free(in);
	return 0;
}
