/* Fuzz target: any bytes as a jit-PID.dump, whose every address is asked for. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines and CFI are read when they are asked for. */
static void
ask_of(struct pd_jitdump *d, const struct pd_symbol *sym)
{
	struct pd_cfi_row row;
	struct pd_cfi *cfi;
	struct pd_error err;
	const char *file;
	uint32_t line;

	if (pd_jitdump_line(d, sym, sym->start, &file, &line, &err) == -1 ||
	    pd_jitdump_cfi(d, sym, &cfi, &err) == -1)
		abort();
	if (cfi != NULL)
		pd_cfi_find(cfi, sym->start, &row);
}

/* An address has the same name until an event changes it, and lies in it. */
static void
ask(struct pd_jitdump *d)
{
	size_t all = pd_jitdump_until(d, 0, PD_NOTIME), n;
	const struct pd_symbol *sym, *again;
	uint64_t time, since;

	for (n = all; n > 0 && all - n < 64; n--) {
		for (uint64_t ip = 0; ip < 1 << 13; ip += 16)
			if ((sym = pd_jitdump_find(d, n, ip, &time)) != NULL)
				ask_of(d, sym);
		sym = pd_jitdump_find(d, n, UINT64_MAX - 1, &time);
		if (sym == NULL)
			continue;
		again = pd_jitdump_find(d, n, sym->start, &since);
		if (again == NULL || sym->end <= sym->start ||
		    (again != sym && since < time))
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pd_jitdump *d;
	struct pd_error err;
	char path[32];
	int fd = memfd_create("dump", MFD_CLOEXEC);

	if (fd == -1 || write(fd, data, size) != (ssize_t)size)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	d = pd_jitdump_open(path, true, &err);
	if (d != NULL)
		ask(d);
	pd_jitdump_free(d);
	close(fd);
	return 0;
}
