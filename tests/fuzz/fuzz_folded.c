/* Fuzz target: any bytes as folded stacks; what is read is written alike. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct text {
	char	*s;
	size_t	size;
};

/* Reads size bytes and writes them: s is NULL when they are refused. */
static struct text
rewrite(const void *data, size_t size)
{
	struct text t = { NULL, 0 };
	struct pd_error err;
	struct pd_tree *tree = pd_tree_new(&err);
	struct pd_profile *p = pd_profile_new(tree, &err);
	const struct pd_text_opts opts = { 0 };
	struct pd_run run;
	FILE *f;
	int fd = memfd_create("folded", MFD_CLOEXEC);

	if (fd == -1 || write(fd, data, size) != (ssize_t)size ||
	    lseek(fd, 0, SEEK_SET) == -1)
		abort();
	if (pd_folded_read(fd, tree, p, &run, &err) == 0) {
		f = open_memstream(&t.s, &t.size);
		pd_profile_write_folded(p, &opts, f, &err);
		fclose(f);
	}
	close(fd);
	pd_profile_free(p);
	pd_tree_free(tree);
	return t;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text once = rewrite(data, size), again;

	if (once.s == NULL)
		return 0;
	again = rewrite(once.s, once.size);
	if (again.s == NULL || again.size != once.size ||
	    memcmp(once.s, again.s, once.size) != 0)
		abort();
	free(once.s);
	free(again.s);
	return 0;
}
