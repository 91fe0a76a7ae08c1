/*
 * Fuzz target: any bytes as a baseline, which is compared with itself; as a
 * file of rules; and its lines as names that are matched.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/match.h"
#include "perfdata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *
stream(const uint8_t *data, size_t size)
{
	FILE *f = fmemopen((void *)(uintptr_t)data, size, "r");

	if (f == NULL)
		abort();
	return f;
}

/* All formats of a comparison, into nothing. */
static void
write_all(struct pd_diff *d)
{
	struct pd_diff_text how = { .merged = true };
	struct pd_error err;
	FILE *null = fopen("/dev/null", "w");
	int i;

	for (i = PD_DIFF_TEXT; i <= PD_DIFF_BENCHMARK; i++)
		if (pd_diff_write(d, (enum pd_diff_format)i, &how, null,
		    &err) == -1)
			abort();
	fclose(null);
}

static void
compare(const uint8_t *data, size_t size)
{
	struct pd_diff_opts opts;
	struct pd_error err;
	struct pd_diff *d;
	FILE *a = stream(data, size), *b = stream(data, size);

	pd_diff_opts_init(&opts);
	opts.match = PD_MATCH_LOOSE;
	opts.min_samples = 0;
	d = pd_diff_new(&opts, &err);
	if (pd_diff_read_baseline(d, PD_BASE, a, &err) == 0 &&
	    pd_diff_read_baseline(d, PD_NEW, b, &err) == 0 &&
	    pd_diff_run(d, &err) == 0)
		write_all(d);
	pd_diff_free(d);
	fclose(a);
	fclose(b);
}

static void
match(const uint8_t *data, size_t size)
{
	char name[256 + PD_MATCH_ROOM];
	size_t n = size < 256 ? size : 255;

	memcpy(name, data, n);
	name[n] = '\0';
	n = strlen(name);
	pd_match_name(name, PD_MATCH_LOOSE);
	if ((name[0] == '\0') != (n == 0) || strlen(name) > n + PD_MATCH_ROOM)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pd_error err;
	FILE *f;

	match(data, size);
	if (size == 0)
		return 0;
	compare(data, size);
	f = stream(data, size);
	pd_rules_free(pd_rules_read(f, &err));
	fclose(f);
	return 0;
}
