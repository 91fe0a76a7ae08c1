/*
 * Fuzz target: any bytes as an ELF file, whose inlined calls and source lines
 * are asked for everywhere.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/inlines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
ask(struct pd_inlines *in, uint64_t addr)
{
	struct pd_inline_chain c;
	struct pd_error err;

	if (pd_inlines_find(in, addr, &c, &err) == -1)
		abort();
	for (size_t i = 0; i < c.len; i++)
		if (c.frames[i].name == NULL)
			abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];
	struct pd_inlines_file f = { .path = path, .lines = true };
	struct pd_inlines *in;
	struct pd_error err;
	int fd = memfd_create("elf", MFD_CLOEXEC);

	if (fd == -1 || write(fd, data, size) != (ssize_t)size)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in = pd_inlines_open(&f, &err);
	if (in == NULL)
		abort();
	for (uint64_t addr = 0; addr < 0x2000; addr += 8)
		ask(in, addr);
	ask(in, UINT64_MAX);
	pd_inlines_free(in);
	close(fd);
	return 0;
}
