/*
 * seeds DIR: writes small recordings that hold every kind of record, as file
 * and pipe in both byte orders, for the fuzz targets to start from.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "pdbuild.h"

static void
fill(struct pdb *b)
{
	static const uint64_t chain[] = { 0xfffffffffffffe00, 0x1000, 0x2000 };
	static const uint64_t branches[] = { 1, 2, 3 }, regs[] = { 4, 5 };
	static const uint64_t one = 1;	/* the id in the bodies of pdb_any() */
	struct pdb_event all = {
		.name = "all",
		.ids = &one, .nids = 1,
		.sample_type = PDB_IDENTIFIER | PDB_IP | PDB_TID | PDB_TIME |
		    PDB_ADDR | PDB_CPU | PDB_PERIOD | PDB_READ | PDB_CALLCHAIN |
		    PDB_RAW | PDB_BRANCH_STACK | PDB_REGS_USER | PDB_STACK_USER,
		.read_format = 4,		/* PERF_FORMAT_ID */
		.regs_user = 3,
		.stack_user = 16,
	};
	struct pdb_sample s = {
		.id = { .pid = 2, .tid = 2, .time = 5 },
		.ip = 0x1000,
		.read = regs, .nread = 2,
		.chain = chain, .nchain = 3,
		.raw = "raw bytes...", .raw_size = 12,
		.branches = branches, .nbranches = 1,
		.user_abi = 2, .user_regs = regs,
		.stack = "0123456789abcdef", .stack_size = 16, .stack_dyn = 8,
	};
	unsigned ev = pdb_event(b, &all);

	for (size_t i = 0; pdb_any(b, ev, &s.id, i); i++)
		s.id.time++;
	pdb_sample(b, ev, &s);
	pdb_feature_str(b, 3, "host");
	pdb_feature_str(b, 6, "x86_64");
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		errx(2, "usage: seeds DIR");
	for (int i = 0; i < 4; i++) {
		struct pdb *b = pdb_new(i / 2 ? PDB_PIPE : PDB_FILE, i % 2);
		char path[4096];
		uint8_t *bytes;
		size_t size;
		FILE *f;

		fill(b);
		bytes = pdb_finish(b, &size);
		snprintf(path, sizeof(path), "%s/%s-%s.data", argv[1],
		    i / 2 ? "pipe" : "file", i % 2 ? "swapped" : "native");
		f = fopen(path, "wb");
		if (f == NULL || fwrite(bytes, 1, size, f) != size || fclose(f) != 0)
			err(2, "%s", path);
		free(bytes);
	}
	return 0;
}
