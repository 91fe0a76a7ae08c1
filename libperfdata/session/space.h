/* Address spaces: which DSO is mapped where, now. */
#ifndef PD_SESSION_SPACE_H
#define PD_SESSION_SPACE_H

#include "base/hash.h"
#include "session/dso.h"

struct pd_map {
	uint64_t	start, end;	/* end is the first address behind it */
	uint64_t	pgoff;		/* file offset of start */
	struct pd_dso	*dso;
	bool		data;		/* not to be run (perf record -d) */
	/*
	 * What its record says besides process and place, as struct pd_form
	 * with that behind it; owned by the session, NULL for kernel maps.
	 */
	const uint8_t	*form;
};

/* The head of a form, to be copied out: it is not aligned. */
struct pd_form {
	uint32_t	type;		/* MMAP or MMAP2 */
	uint16_t	misc, size;	/* size bytes follow */
};

/* A file in which a process, or its parent, describes the code it makes. */
struct pd_space_jit {
	const struct pd_dso	*dso;	/* its name is the path */
	uint64_t		addr;	/* where that was mapped, to be seen */
	uint64_t		until;	/* what comes later is not ours */
	size_t			applied;	/* events in the past: symbol/jits.h */
};

struct pd_space {
	struct pd_map	*maps;		/* by start, none overlaps another */
	size_t		len, cap;
	/*
	 * Changes when an address that was looked up may now be another
	 * thing; no two spaces ever have the same.
	 */
	uint64_t	version;
	bool		missed;		/* an address was found unmapped */
	bool		kept_missed;	/* ... and its frame is in the cache */
	/*
	 * After exec, until the new program first runs: the registers that the
	 * kernel samples while it loads it are still those of the old one.
	 */
	struct pd_map	*old;
	size_t		old_len;
	struct pd_map64	frames;		/* the stacker's cache, by address */
	struct pd_map64	rules;		/* the unwinder's, likewise */
	struct pd_space_jit *jits;
	size_t		njits, jits_cap;
};

void pd_space_init(struct pd_space *sp, uint64_t *versions);
void pd_space_free(struct pd_space *sp);

/* Cached frames and rules may be wrong from now on. */
void pd_space_forget(struct pd_space *sp, uint64_t *versions);

/* A copy of the maps and of what names JIT code, for a forked process. */
int pd_space_copy(struct pd_space *to, const struct pd_space *from,
    uint64_t *versions, struct pd_error *err);

/*
 * Map m; what it covers of older maps goes, their rest stays
 * (maps__fixup_overlappings() in tools/perf/util/maps.c).
 */
int pd_space_map(struct pd_space *sp, const struct pd_map *m,
    uint64_t *versions, struct pd_error *err);

/* Take away what is mapped in [start, end). */
int pd_space_unmap(struct pd_space *sp, uint64_t start, uint64_t end,
    uint64_t *versions, struct pd_error *err);

/* A file that describes JIT code; nothing changes when it is known. */
int pd_space_add_jit(struct pd_space *sp, const struct pd_dso *dso,
    uint64_t addr, struct pd_error *err);

/* The same maps, but some addresses are other code now. */
void pd_space_rename(struct pd_space *sp, uint64_t *versions);

/* exec: the maps count for nothing but what runs before the new program. */
void pd_space_exec(struct pd_space *sp, uint64_t *versions);
/* The new program runs. */
void pd_space_settle(struct pd_space *sp, uint64_t *versions);

/* Whether an address is mapped, not counting what was before exec. */
bool pd_space_has(const struct pd_space *sp, uint64_t ip);

/* The map of an address or NULL; borrowed until the space changes. */
const struct pd_map *pd_space_find(struct pd_space *sp, uint64_t ip);

#endif
