/*
 * Hand-made perf.data recordings, in this machine's byte order or the other
 * one.  Memory is never short here: the builder aborts instead.
 *
 *	struct pdb *b = pdb_new(PDB_FILE, swapped);
 *	unsigned ev = pdb_event(b, &(struct pdb_event){
 *	    .sample_type = PDB_IP | PDB_TID | PDB_TIME });
 *	struct pdb_id id = { .pid = 1, .tid = 1, .time = 100 };
 *	pdb_comm(b, ev, &id, "worker", false);
 *	pdb_sample(b, ev, &(struct pdb_sample){ .id = id, .ip = 0x1000 });
 *	uint8_t *bytes = pdb_finish(b, &size);		// free(3)
 */
#ifndef TESTS_PDBUILD_H
#define TESTS_PDBUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* PERF_SAMPLE_* of perf_event_open(2). */
enum {
	PDB_IP = 1 << 0,
	PDB_TID = 1 << 1,
	PDB_TIME = 1 << 2,
	PDB_ADDR = 1 << 3,
	PDB_READ = 1 << 4,
	PDB_CALLCHAIN = 1 << 5,
	PDB_ID = 1 << 6,
	PDB_CPU = 1 << 7,
	PDB_PERIOD = 1 << 8,
	PDB_STREAM_ID = 1 << 9,
	PDB_RAW = 1 << 10,
	PDB_BRANCH_STACK = 1 << 11,
	PDB_REGS_USER = 1 << 12,
	PDB_STACK_USER = 1 << 13,
	PDB_WEIGHT = 1 << 14,
	PDB_DATA_SRC = 1 << 15,
	PDB_IDENTIFIER = 1 << 16,
	PDB_TRANSACTION = 1 << 17,
	PDB_REGS_INTR = 1 << 18,
	PDB_PHYS_ADDR = 1 << 19,
};

/* Bits of perf_event_attr. */
enum {
	PDB_FLAG_FREQ = 1 << 10,
	PDB_FLAG_SAMPLE_ID_ALL = 1 << 18,
};

/* header.misc */
enum {
	PDB_KERNEL = 1,
	PDB_USER = 2,
	PDB_COMM_EXEC = 1 << 13,
	PDB_FORK_EXEC = 1 << 13,
	PDB_MMAP_BUILD_ID = 1 << 14,
};

enum pdb_kind { PDB_FILE, PDB_PIPE };

struct pdb;

struct pdb *pdb_new(enum pdb_kind kind, bool swapped);

/* Zero means: cpu-clock, period 1000, sample_id_all, one id, size 128. */
struct pdb_event {
	const char	*name;		/* NULL: none recorded */
	uint32_t	type, attr_size;
	uint64_t	config, period, sample_type, read_format, flags;
	uint64_t	regs_user, regs_intr, branch_type;
	uint32_t	stack_user;
	bool		no_sample_id_all;
	const uint64_t	*ids;
	size_t		nids;
};

/* Returns the index that the functions below take. */
unsigned pdb_event(struct pdb *b, const struct pdb_event *e);

/*
 * Who, where and when: a sample's own fields and every other record's
 * trailer.  An event id of 0 is the event's first one.
 */
struct pdb_id {
	uint32_t	pid, tid, cpu;
	uint64_t	time, id, stream_id;
};

struct pdb_sample {
	struct pdb_id	id;
	uint16_t	misc;		/* 0: PDB_USER */
	uint64_t	ip, addr, period, weight, data_src, transaction, phys_addr;
	const uint64_t	*read;		/* as read_format says */
	size_t		nread;
	const uint64_t	*chain;
	size_t		nchain;
	const void	*raw;		/* size + 4 is a multiple of 8 */
	uint32_t	raw_size;
	const uint64_t	*branches;	/* from, to, flags each */
	size_t		nbranches;
	uint64_t	user_abi, intr_abi;
	const uint64_t	*user_regs, *intr_regs;	/* for each bit of the mask */
	const void	*stack;
	uint64_t	stack_size, stack_dyn;
};

struct pdb_map {
	uint64_t	start, len, pgoff;
	uint16_t	misc;		/* 0: PDB_USER */
	uint32_t	prot;		/* 0: r-x */
	const char	*path;
	const uint8_t	*build_id;	/* 20 bytes, or NULL: inode 0 */
};

void pdb_sample(struct pdb *b, unsigned ev, const struct pdb_sample *s);
void pdb_comm(struct pdb *b, unsigned ev, const struct pdb_id *id,
    const char *comm, bool exec);
void pdb_mmap(struct pdb *b, unsigned ev, const struct pdb_id *id,
    const struct pdb_map *m);
void pdb_mmap2(struct pdb *b, unsigned ev, const struct pdb_id *id,
    const struct pdb_map *m);
/* id is the child; misc 0 or PDB_FORK_EXEC. */
void pdb_fork(struct pdb *b, unsigned ev, const struct pdb_id *id,
    uint32_t ppid, uint32_t ptid, uint16_t misc);
void pdb_exit(struct pdb *b, unsigned ev, const struct pdb_id *id);
void pdb_lost(struct pdb *b, unsigned ev, const struct pdb_id *id, uint64_t n);
void pdb_round(struct pdb *b);

/* Any other record: begin, body, end.  end writes the size into the header. */
void pdb_begin(struct pdb *b, uint32_t type, uint16_t misc);
void pdb_end(struct pdb *b);
void pdb_trailer(struct pdb *b, unsigned ev, const struct pdb_id *id);

/* Parts of a body, in the recording's byte order; also outside a record. */
void pdb_u8(struct pdb *b, uint8_t v);
void pdb_u16(struct pdb *b, uint16_t v);
void pdb_u32(struct pdb *b, uint32_t v);
void pdb_u64(struct pdb *b, uint64_t v);
void pdb_bytes(struct pdb *b, const void *p, size_t n);
/* s, a NUL and zeroes up to a multiple of 8. */
void pdb_str(struct pdb *b, const char *s);

/*
 * A record of the i-th of all the kinds that the kernel and perf write; false
 * past the last.
 */
bool pdb_any(struct pdb *b, unsigned ev, const struct pdb_id *id, size_t i);

/* A header feature by number (HEADER_*); in a pipe a FEATURE record. */
void pdb_feature(struct pdb *b, unsigned feat, const void *p, size_t n);
/* A feature that is one string: length, text, padding. */
void pdb_feature_str(struct pdb *b, unsigned feat, const char *s);

/*
 * The TRACING_DATA feature of tracepoints of one system: what
 * /sys/kernel/tracing/events/SYSTEM/NAME/format says of each.
 */
void pdb_tracing(struct pdb *b, const char *system,
    const char *const *formats, size_t n);

/* Leave the data size in the header 0, as a killed perf record does. */
void pdb_killed(struct pdb *b);

/* Bytes of the data section (in a pipe: of everything) so far. */
size_t pdb_size(const struct pdb *b);

/* The whole recording, to be freed with free(3); frees b. */
uint8_t *pdb_finish(struct pdb *b, size_t *size);

/* pdb_finish() into an unlinked file; path is a /proc/self/fd name. */
int pdb_file(struct pdb *b, char path[32]);

#endif
