/*
 * Runs a fuzz target without a fuzzer: on each file as it is, on prefixes of
 * it, and with one byte changed.  All of them for small files, and about
 * RUNS of each for larger ones.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS	4000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An exact-size copy, so that AddressSanitizer sees the end. */
static void
run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + !size);

	if (copy == NULL)
		err(2, "replay");
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void
replay(const char *path)
{
	static uint8_t data[1 << 20];
	FILE *f = fopen(path, "rb");

	if (f == NULL)
		err(2, "%s", path);

	size_t size = fread(data, 1, sizeof(data), f);
	size_t step = size / RUNS + 1;

	fclose(f);
	run(data, size);
	for (size_t i = 0; i < size; i += step) {
		uint8_t was = data[i];

		run(data, i);
		data[i] = ~was;
		run(data, size);
		data[i] = 0;
		run(data, size);
		data[i] = was;
	}
}

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	return 0;
}
