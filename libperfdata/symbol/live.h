/* A process of the recording that still runs: where its files are. */
#ifndef PD_SYMBOL_LIVE_H
#define PD_SYMBOL_LIVE_H

#include "session/dso.h"

struct pd_live {
	uint32_t	pid;		/* as the process itself knows it */
	char		root[32];	/* before its paths; "" where they are ours */
};

/* Whether a recording may be of this machine, as far as it says. */
bool pd_live_is_here(const struct pd_info *info);

/*
 * Whether a process that was recorded on this machine still runs: 1, 0, -1
 * without memory.  Numbers are used again, so it must be in the mount
 * namespace mnt_ns (an inode), or, when that is 0, have code at addr.
 */
int pd_live_find(struct pd_live *l, uint32_t pid, uint64_t mnt_ns,
    uint64_t addr, struct pd_error *err);

/*
 * Where a process mapped this DSO it still has a file of that name: a path in
 * /proc leads to it, also when it was deleted, or is in a container.  Needs
 * CAP_CHECKPOINT_RESTORE, see proc(5).
 */
#define PD_LIVE_PATH	80
bool pd_live_file(const struct pd_dso *dso, char path[PD_LIVE_PATH]);

#endif
