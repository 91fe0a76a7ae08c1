/* Which process of the machine is one of the recording. */
#include <sys/stat.h>
#include <unistd.h>

#include "session/session.h"
#include "symbol/live.h"
#include "pdbuild.h"
#include "tap.h"

/* A process id that no process of this machine can have. */
#define NO_PID	4199990u

static void
a_process_must_be_in_the_namespace_or_have_the_code(void)
{
	uint64_t code = (uintptr_t)&getpid, data = (uintptr_t)&code;
	struct stat st;
	struct pd_live l;
	struct pd_error err;
	uint32_t pid = (uint32_t)getpid();

	CHECK(stat("/proc/self/ns/mnt", &st) == 0);
	CHECK_EQ(pd_live_find(&l, pid, st.st_ino, 0, &err), 1);
	CHECK_EQ(l.pid, pid);
	CHECK_STR(l.root, "");
	CHECK_EQ(pd_live_find(&l, pid, st.st_ino + 1, code, &err), 0);
	CHECK_EQ(pd_live_find(&l, pid, 0, code, &err), 1);
	CHECK_EQ(pd_live_find(&l, pid, 0, data, &err), 0);
	CHECK_EQ(pd_live_find(&l, pid, 0, 0, &err), 0);
	CHECK_EQ(pd_live_find(&l, NO_PID, 0, code, &err), 0);
	CHECK_EQ(pd_live_find(&l, NO_PID, st.st_ino, code, &err), 0);
}

/* net, uts, ipc, pid, user, mnt, cgroup: a device and an inode each. */
static void
the_mount_namespace_is_the_sixth(void)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct pdb *b = pdb_new(PDB_FILE, swapped);
		struct pdb_id id = { .pid = 7, .tid = 7, .time = 1 };
		struct pd_session *s;
		struct pd_reader *rd;
		struct pd_record rec;
		struct pd_error err;
		char path[32];
		unsigned ev;
		int fd;

		ev = pdb_event(b, &(struct pdb_event){ .sample_type = PDB_TID |
		    PDB_TIME });
		pdb_begin(b, 16, 0);
		pdb_u32(b, 7);
		pdb_u32(b, 7);
		pdb_u64(b, 7);
		for (uint64_t i = 0; i < 7; i++) {
			pdb_u64(b, 4);
			pdb_u64(b, 100 + i);
		}
		pdb_trailer(b, ev, &id);
		pdb_end(b);
		fd = pdb_file(b, path);
		rd = pd_reader_open(path, PD_TIME_ORDER, &err);
		s = pd_session_new(rd, &err);
		while (pd_reader_next(rd, &rec, &err) == 1)
			CHECK(pd_session_apply(s, &rec, &err) == 0);
		CHECK_EQ(pd_session_mnt_ns(s, 7), 105);
		CHECK_EQ(pd_session_mnt_ns(s, 8), 0);
		pd_session_free(s);
		pd_reader_close(rd);
		close(fd);
	}
}

int
main(void)
{
	RUN(a_process_must_be_in_the_namespace_or_have_the_code);
	RUN(the_mount_namespace_is_the_sixth);
	return tap_done();
}
