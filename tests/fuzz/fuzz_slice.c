/*
 * Fuzz target: any bytes as a recording that is cut, in a way that the bytes
 * choose too.  What comes out is read to its end.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perfdata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	WINDOW = 1, FILTER = 2, INVERT = 4, PIPE = 8, COMPRESS = 16, STRIP = 32,
	KEEP = 64, PARTS = 128,
};

static int
part_open(void *ctx, uint64_t i, struct pd_error *err)
{
	(void)ctx, (void)i, (void)err;
	return memfd_create("part", 0);
}

static int
part_close(void *ctx, uint64_t i, int fd, const struct pd_part *part,
    struct pd_error *err)
{
	(void)ctx, (void)i, (void)part, (void)err;
	close(fd);
	return 0;
}

static void
cut(const char *path, int out, const struct pd_slice_opts *opts)
{
	struct pd_error err;
	struct pd_reader *rd = pd_reader_open(path, pd_slice_order(opts, path),
	    &err);
	struct pd_slice *s = rd ? pd_slice_new(rd, out, opts, &err) : NULL;

	while (s != NULL && pd_slice_next(s, &err) == 1)
		;
	if (s != NULL)
		pd_slice_finish(s, &err);
	pd_slice_free(s);
	pd_reader_close(rd);
}

static void
read_all(const char *path)
{
	struct pd_error err;
	struct pd_record rec;
	struct pd_reader *rd = pd_reader_open(path, PD_TIME_ORDER, &err);

	while (rd != NULL && pd_reader_next(rd, &rec, &err) == 1)
		;
	pd_reader_close(rd);
}

static void
cut_as(unsigned how, const char *path)
{
	struct pd_error err;
	struct pd_windows *w = pd_windows_new(&err);
	struct pd_filter *f = pd_filter_new(&err);
	struct pd_slice_parts parts = { .every = UINT64_C(1) << 60,
		.open = part_open, .close = part_close };
	struct pd_slice_opts o = { .windows = how & WINDOW ? w : NULL,
		.filter = f, .invert = how & INVERT, .pipe = how & PIPE,
		.level = how & COMPRESS ? 1 : 0, .strip_stacks = how & STRIP,
		.keep_state = how & KEEP, .first_time = PD_NOTIME,
		.last_time = PD_NOTIME };
	char to[32];
	int out = memfd_create("slice", 0);

	pd_windows_add(w, "+1us,+1s", &err);
	if (how & FILTER)
		pd_filter_add(f, PD_BY_TID, "0-20,1000-4000000000", &err);
	if (how & PARTS) {
		o.pipe = o.keep_state = false;
		o.parts = &parts;
	}
	cut(path, o.parts ? -1 : out, &o);
	snprintf(to, sizeof(to), "/proc/self/fd/%d", out);
	read_all(to);
	close(out);
	pd_filter_free(f);
	pd_windows_free(w);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];
	unsigned how = 0;
	int fd = memfd_create("fuzz", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (size_t i = 0; i < size; i++)
		how = 31 * how + data[i];
	cut_as(how ^ how >> 16, path);
	close(fd);
	return 0;
}
