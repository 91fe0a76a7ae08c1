/*
 * Fuzz target: any bytes as a recording.  It is described, as text and JSON,
 * and critical sections are looked for, with conditions on fields.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perfdata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere;

static void
describe(const char *path, enum pd_summary_form form)
{
	struct pd_error err;
	struct pd_reader *rd = pd_reader_open(path, PD_TIME_ORDER, &err);
	struct pd_summary *s = NULL;
	int r = -1;

	if (rd != NULL && (s = pd_summary_new(rd, &err)) != NULL)
		while ((r = pd_summary_next(s, &err)) == 1)
			;
	if (r == 0)
		pd_summary_write(s, path, form, nowhere, &err);
	pd_summary_free(s);
	pd_reader_close(rd);
}

static void
find(const char *path, const char *begin, const char *end,
    enum pd_scope scope)
{
	const struct pd_marker_opts opts = { .scope = scope, .before = 1,
		.unfinished = true };
	struct pd_error err;
	struct pd_reader *rd = pd_reader_open(path, PD_TIME_ORDER, &err);
	struct pd_markers *m = pd_markers_new(&err);
	struct pd_record rec;
	int r = rd == NULL || m == NULL ? -1 :
	    pd_markers_between(m, begin, end, &err) == -1 ||
	    pd_markers_around(m, begin, &err) == -1 ? -1 : 1;

	if (m != NULL)
		pd_markers_set(m, &opts);
	while (r == 1 && (r = pd_reader_next(rd, &rec, &err)) == 1)
		if (pd_markers_put(m, rd, &rec, &err) == -1)
			r = -1;
	if (r == 0 && pd_markers_finish(m, rd, &err) == 0)
		pd_markers_match(m, 12, 2, 2, 0);
	pd_markers_free(m);
	pd_reader_close(rd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (nowhere == NULL)
		nowhere = fopen("/dev/null", "w");
	if (fd == -1 || nowhere == NULL ||
	    write(fd, data, size) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	describe(path, PD_SUMMARY_ALL);
	describe(path, PD_SUMMARY_JSON);
	find(path, "*start:n>=5&&s~a*", "*end:t!=x", PD_SCOPE_THREAD);
	find(path, "*", "*", PD_SCOPE_CPU);
	close(fd);
	return 0;
}
