/*
 * seeds DIR: writes small recordings that hold every kind of record, as file
 * and pipe in both byte orders, a jitdump, and files with DWARF, for the fuzz
 * targets to start from.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pdbuild.h"
#include "unit/dwarfbuild.h"

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

/* A pair of probes with fields. */
static void
fill_markers(struct pdb *b)
{
	static const char *const formats[] = {
		"name: x_start\nID: 7\nformat:\n"
		"\tfield:int n;\toffset:0;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc char[] s;\toffset:4;\tsize:4;\tsigned:0;\n"
		"\nprint fmt: \"\"\n",
		"name: x_end\nID: 8\nformat:\n"
		"\tfield:char t[4];\toffset:0;\tsize:4;\tsigned:0;\n",
	};
	struct pdb_sample s = { .id = { .pid = 2, .tid = 2 }, .raw_size = 12 };
	unsigned ev[2];

	for (uint64_t i = 0; i < 2; i++) {
		uint64_t id = i + 1;

		ev[i] = pdb_event(b, &(struct pdb_event){ .type = 2,
		    .config = 7 + i, .ids = &id, .nids = 1,
		    .name = i ? "p:x_end" : "p:x_start", .sample_type =
		    PDB_IDENTIFIER | PDB_TID | PDB_TIME | PDB_CPU | PDB_RAW });
	}
	pdb_tracing(b, "p", formats, 2);
	for (unsigned i = 0; i < 6; i++) {
		s.id.time = 10 + i;
		s.raw = "\x05\0\0\0\x08\0\x03\0abc";
		pdb_sample(b, ev[i % 4 / 2], &s);
	}
	pdb_exit(b, ev[0], &s.id);
}

static void
save(const char *dir, const char *name, const void *bytes, size_t size)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.data", dir, name);
	f = fopen(path, "wb");
	if (f == NULL || fwrite(bytes, size, 1, f) != 1 || fclose(f) != 0)
		err(2, "%s", path);
}

/*
 * A jit-PID.dump with source lines and CFI, a load that they are of, a move
 * and a load over both.
 */
static void
save_jitdump(const char *dir)
{
	static const struct lines {
		uint32_t id, size;
		uint64_t time, start, len, addr;
		uint32_t line, discriminator;
		char name[8];
	} lines = { 2, 64, 1, 0x1000, 1, 0x1000, 1, 0, "/dir/a." };
	/* A CIE, an FDE, and the header of a header. */
	static const struct frames {
		uint32_t id, size;
		uint64_t time, all, header, mapped;
		uint32_t cie[6], fde[5];
		uint8_t hdr[4];
	} frames = { 4, 88, 1, 48, 4, 0,
		{ 20, 0, 0x00527a01, 0x01107801, 0x08070c1b, 0x00000190 },
		{ 16, 28, (uint32_t)-0x30, 16, 0 }, { 1, 0xff, 0xff, 0xff } };
	static const struct load {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, addr, code, index;
		char name[8], bytes[16];
	} loads[] = {
		{ 0, 80, 10, 7, 7, 0x1000, 0x1000, 16, 1, "first..", "" },
		{ 0, 80, 30, 7, 7, 0x1008, 0x1008, 16, 2, "second.", "" },
	};
	static const uint64_t move[] = { 1 | UINT64_C(64) << 32, 20,
		7 | UINT64_C(7) << 32, 0x1800, 0x1000, 0x1800, 16, 1 };
	static const uint32_t head[10] = { 0x4a695444, 1, 40, 62, 0, 7 };
	uint8_t all[512], *p = all;

	p = mempcpy(p, head, sizeof(head));
	p = mempcpy(p, &lines, sizeof(lines));
	p = mempcpy(p, &frames, sizeof(frames));
	p = mempcpy(p, &loads[0], sizeof(loads[0]));
	p = mempcpy(p, move, sizeof(move));
	p = mempcpy(p, &loads[1], sizeof(loads[1]));
	save(dir, "jitdump", all, (size_t)(p - all));
}

/* A unit with an inlined call and lines, some as a module of the kernel. */
static void
save_dwarf(const char *dir, int version)
{
	struct dwarf d = with_lines(true, false, version);
	char name[32], bytes[4096];
	size_t size;
	FILE *f;

	if (version == 4)
		d.elf.type = ET_REL;
	write_file(&d);
	f = fopen(path, "rb");
	if (f == NULL || (size = fread(bytes, 1, sizeof(bytes), f)) == 0)
		err(2, "%s", path);
	fclose(f);
	snprintf(name, sizeof(name), "dwarf-%d", version);
	save(dir, name, bytes, size);
}

static void
save_folded(const char *dir)
{
	static const char text[] = "# pd-fold: v=1 unit=ns freq=1000 start=@1.5"
	    " samples=4 work=2.5 host=a%20b\na;b 1\na;b;c 23\na;b c 7\n"
	    "ab;b;b 9223372036854770000\n";

	static const char baseline[] = "pd-baseline 1\n"
	    "run\ta\tv=1 unit=samples work=3\nrun\tb\tv=1 work=2.5\n"
	    "stack\t100\t90\tx;f.isra.0;g<h<i>>(int)\n"
	    "stack\t0\t70\tx;f;operator<<\nstack\t5\t0\tx;[so <12>]\n";
	static const char rules[] = "# f\nf* min-effect 5%\nb c\tignore\n";

	save(dir, "folded", (const uint8_t *)text, sizeof(text) - 1);
	save(dir, "baseline", (const uint8_t *)baseline, sizeof(baseline) - 1);
	save(dir, "rules", (const uint8_t *)rules, sizeof(rules) - 1);
}

/* A profile.proto with two stacks, labels, a mapping and a comment. */
static void
save_pprof(const char *dir)
{
	static const uint8_t bytes[] =
	    "\x0a\4\x08\1\x10\2"			/* cpu-clock, count */
	    "\x12\x0d\x0a\2\1\2\x12\1\3\x1a\4\x08\4\x10"
	    "\5\x12\6\x0a\1\2\x12\1\7"
	    "\x1a\6\x08\1\x10\1\x28\3"
	    "\x22\x08\x08\1\x10\1\x22\2\x08\1"
	    "\x22\x0a\x08\2\x10\1\x18\x10\x22\2\x08\2"
	    "\x2a\4\x08\1\x10\3\x2a\4\x08\2\x10\4"
	    "\x32\0\x32\x09" "cpu-clock\x32\5" "count\x32\4" "main"
	    "\x32\2" "a\xff\x32\1" "b\x48\x10\x50\x20\x5a\4\x08\1\x10\2"
	    "\x60\1\x6a\1\5\x70\1";

	save(dir, "pprof", bytes, sizeof(bytes) - 1);
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		errx(2, "usage: seeds DIR");
	for (int i = 0; i < 4; i++) {
		struct pdb *b = pdb_new(i / 2 ? PDB_PIPE : PDB_FILE, i % 2);
		char name[32];
		uint8_t *bytes;
		size_t size;

		fill(b);
		bytes = pdb_finish(b, &size);
		snprintf(name, sizeof(name), "%s-%s", i / 2 ? "pipe" : "file",
		    i % 2 ? "swapped" : "native");
		save(argv[1], name, bytes, size);
		free(bytes);
	}
	for (int i = 0; i < 2; i++) {
		struct pdb *b = pdb_new(i ? PDB_PIPE : PDB_FILE, i);
		uint8_t *bytes;
		size_t size;

		fill_markers(b);
		bytes = pdb_finish(b, &size);
		save(argv[1], i ? "markers-pipe" : "markers", bytes, size);
		free(bytes);
	}
	save_jitdump(argv[1]);
	if (!dwarf_begin())
		err(2, "%s", path);
	for (int version = 3; version <= 5; version++)
		save_dwarf(argv[1], version);
	unlink(path);
	save_folded(argv[1]);
	save_pprof(argv[1]);
	return 0;
}
