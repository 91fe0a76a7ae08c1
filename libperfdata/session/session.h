/* The session, as the layers above it see it. */
#ifndef PD_SESSION_SESSION_H
#define PD_SESSION_SESSION_H

#include "session/space.h"

/* A process: what its threads share. */
struct pd_process {
	uint32_t	pid;
	uint32_t	threads;	/* that refer to it */
	uint64_t	serial;		/* no two processes or threads have the same */
	const char	*comm;		/* of its leader; NULL: not known */
	struct pd_space	space;
	uint64_t	mnt_ns;		/* inode of its mount namespace, 0 */
};

/* A thread; pub is first. */
struct pd_thr {
	struct pd_thread	pub;		/* comm: NULL until it is asked for */
	struct pd_process	*proc;
	uint64_t		serial;
	uint32_t		ppid, ptid;	/* PD_NOID: no FORK was seen */
	bool			named;	/* by a COMM record, or its parent's */
	uint64_t		ended;	/* the session's count of ends; 0: not */
};

/* The user address space of a thread. */
static inline struct pd_space *
pd_thread_space(const struct pd_thread *th)
{
	return &((const struct pd_thr *)th)->proc->space;
}

/* The thread that has this number now, or NULL. */
struct pd_thr *pd_session_find(const struct pd_session *s, uint32_t tid);

/* The process of this number that a new thread would belong to, or NULL. */
struct pd_process *pd_session_process(const struct pd_session *s,
    uint32_t pid);

/* The next thread from place *i on, which goes behind it; NULL at the end. */
struct pd_thr *pd_session_next(const struct pd_session *s, size_t *i);

/* A thread whose process called exec runs its new program: see space.h. */
void pd_session_settle(struct pd_session *s, const struct pd_thread *th);

/* Some addresses of th's process are other code from now on. */
void pd_session_rename(struct pd_session *s, const struct pd_thread *th);

/* No frame or rule that is cached anywhere holds any longer. */
void pd_session_forget(struct pd_session *s);

/* Kernel and modules of the host, and of guests. */
struct pd_space *pd_session_kernel(struct pd_session *s, bool guest);

/* The DSO with id i, or NULL past the last. */
const struct pd_dso *pd_session_dso(const struct pd_session *s, size_t i);

/* The recorded address of the kernel's reference symbol; 0 when not known. */
uint64_t pd_session_kernel_ref(const struct pd_session *s,
    const char **symbol);

/* The kernel itself, also when the recording has no map of it. */
struct pd_dso *pd_session_kernel_dso(struct pd_session *s, bool guest,
    struct pd_error *err);

const struct pd_info *pd_session_info(const struct pd_session *s);

/* The inode of the mount namespace of a process, 0 when not known. */
uint64_t pd_session_mnt_ns(const struct pd_session *s, uint32_t pid);

/* The path of a cgroup by its id, or NULL. */
const char *pd_session_cgroup(const struct pd_session *s, uint64_t id);

#endif
