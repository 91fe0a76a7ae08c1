/* A process of the recording that still runs: where its files are. */
#ifndef PD_SYMBOL_LIVE_H
#define PD_SYMBOL_LIVE_H

#include "perfdata.h"

struct pd_live {
	uint32_t	pid;		/* as the process itself knows it */
	char		root[32];	/* before its paths; "" where they are ours */
};

/*
 * Whether a process that was recorded on this machine still runs: 1, 0, -1
 * without memory.  Numbers are used again, so it must be in the mount
 * namespace mnt_ns (an inode), or, when that is 0, have code at addr.
 */
int pd_live_find(struct pd_live *l, uint32_t pid, uint64_t mnt_ns,
    uint64_t addr, struct pd_error *err);

#endif
