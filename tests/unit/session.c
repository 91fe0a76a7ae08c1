/*
 * Who and where: the rules by which records change threads and maps.  A frame
 * without a name shows the file that it is mapped from, so the folded text
 * tells which maps and which name a sample met.
 */
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folding.h"

static char dir[] = "/tmp/pd-session-XXXXXX";

/* A recording whose records come in the order in which they are put in. */
static struct pdb *b;
static unsigned ev;
static uint64_t now;

static void
start(void)
{
	b = pdb_new(PDB_FILE, false);
	ev = pdb_event(b, &(struct pdb_event){ .sample_type = CHAINED });
	now = 100;
}

static struct pdb_id
of(uint32_t pid, uint32_t tid)
{
	return (struct pdb_id){ .pid = pid, .tid = tid, .time = now++ };
}

static void
comm(uint32_t pid, uint32_t tid, const char *name, bool exec)
{
	struct pdb_id id = of(pid, tid);

	pdb_comm(b, ev, &id, name, exec);
}

static void
map_at(uint32_t pid, uint64_t start, const char *path)
{
	struct pdb_map m = { .start = start, .len = 0x1000, .path = path };
	struct pdb_id id = of(pid, pid);

	pdb_mmap2(b, ev, &id, &m);
}

static void
fork_of(uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid,
    uint16_t misc)
{
	struct pdb_id id = of(pid, tid);

	pdb_fork(b, ev, &id, ppid, ptid, misc);
}

static void
ends(uint32_t pid, uint32_t tid)
{
	struct pdb_id id = of(pid, tid);

	pdb_exit(b, ev, &id);
}

/* In user mode at ip. */
static void
sample(uint32_t pid, uint32_t tid, uint64_t ip)
{
	uint64_t chain[] = { USER_CHAIN, ip };

	pdb_sample(b, ev, &(struct pdb_sample){ .id = of(pid, tid), .ip = ip,
	    .chain = chain, .nchain = 2 });
}

/* In the kernel, called from ip. */
static void
kernel_sample(uint32_t pid, uint32_t tid, uint64_t kip, uint64_t ip)
{
	uint64_t chain[] = { KERNEL_CHAIN, kip, USER_CHAIN, ip + 1 };

	pdb_sample(b, ev, &(struct pdb_sample){ .id = of(pid, tid), .ip = kip,
	    .misc = PDB_KERNEL, .chain = chain, .nchain = 4 });
}

/* Samples count 1 here. */
static void
expect(const char *want)
{
	struct pd_fold_opts opts = { .weight = PD_WEIGHT_SAMPLES };

	CHECK_FOLD(b, &opts, NULL, want);
}

/* ---- names -------------------------------------------------------------- */

static void
a_sample_has_the_name_of_its_time(void)
{
	start();
	comm(1, 1, "t", false);
	sample(1, 1, 0x10);
	comm(1, 1, "renamed one", false);
	sample(1, 1, 0x10);
	sample(1, 1, 0x10);
	comm(1, 1, "t", false);
	sample(1, 1, 0x10);
	expect("renamed_one;[unknown] 2\nt;[unknown] 2\n");
}

static void
threads_of_one_process_have_names_of_their_own(void)
{
	start();
	comm(1, 1, "main", false);
	fork_of(1, 2, 1, 1, 0);
	sample(1, 2, 0x10);		/* inherited */
	comm(1, 2, "helper", false);
	sample(1, 2, 0x10);
	sample(1, 1, 0x10);
	expect("helper;[unknown] 1\nmain;[unknown] 2\n");
}

static void
a_child_inherits_the_name_of_the_thread_that_forked(void)
{
	start();
	comm(1, 1, "main", false);
	fork_of(1, 2, 1, 1, 0);
	comm(1, 2, "worker", false);
	fork_of(9, 9, 1, 2, 0);
	comm(1, 2, "later", false);
	sample(9, 9, 0x10);
	expect("worker;[unknown] 1\n");
}

static void
threads_without_a_name_show_their_number(void)
{
	start();
	sample(7, 8, 0x10);
	fork_of(20, 20, 7, 8, 0);	/* nor does the child have one */
	sample(20, 20, 0x10);
	sample(0, 0, 0x10);
	expect(":20;[unknown] 1\n:8;[unknown] 1\nswapper;[unknown] 1\n");
}

static void
the_root_pid_has_the_name_of_the_process(void)
{
	static const enum pd_root roots[] = { PD_ROOT_PID };
	struct pd_fold_opts opts = { .weight = PD_WEIGHT_SAMPLES,
	    .stack = { .roots = roots, .nroots = 1 } };

	start();
	comm(1, 1, "main", false);
	fork_of(1, 2, 1, 1, 0);
	comm(1, 2, "helper", false);
	sample(1, 2, 0x10);
	comm(1, 1, "other", false);
	sample(1, 2, 0x10);
	CHECK_FOLD(b, &opts, NULL,
	    "main-1;[unknown] 1\nother-1;[unknown] 1\n");
}

/* ---- fork, exit, numbers ------------------------------------------------ */

static void
a_new_process_has_the_maps_of_its_parent(void)
{
	start();
	map_at(1, 0x1000, "/bin/parent");
	fork_of(2, 2, 1, 1, 0);
	sample(2, 2, 0x1000);
	map_at(1, 0x1000, "/bin/parent-later");
	sample(2, 2, 0x1000);
	map_at(2, 0x1000, "/bin/child");
	sample(1, 1, 0x1000);
	sample(2, 2, 0x1000);
	expect(":1;[parent-later] 1\n:2;[child] 1\n:2;[parent] 2\n");
}

static void
a_thread_shares_the_maps_of_its_process(void)
{
	start();
	map_at(1, 0x1000, "/bin/a");
	fork_of(1, 2, 1, 1, 0);
	map_at(1, 0x5000, "/lib/loaded-later");
	sample(1, 2, 0x1000);
	sample(1, 2, 0x5000);
	expect(":2;[a] 1\n:2;[loaded-later] 1\n");
}

/*
 * For processes that were there before, perf makes up a FORK with this bit, a
 * COMM and the maps, all at time 0 and process by process.
 */
static void
processes_from_before_the_recording_keep_their_own_maps(void)
{
	static const char *const paths[] = { "/bin/shell", "/bin/a", "/bin/b" };
	static const char *const comms[] = { "shell", "a", "b" };

	start();
	for (uint32_t pid = 1; pid <= 3; pid++) {
		struct pdb_map m = { .start = 0x1000, .len = 0x1000,
		    .path = paths[pid - 1] };
		struct pdb_id id = { .pid = pid, .tid = pid };

		pdb_fork(b, ev, &id, pid == 1 ? 0 : 1, pid == 1 ? 0 : 1,
		    PDB_FORK_EXEC);
		pdb_comm(b, ev, &id, comms[pid - 1], false);
		pdb_mmap2(b, ev, &id, &m);
	}
	/* A process whose maps could not be read has none. */
	struct pdb_id id = { .pid = 4, .tid = 4 };

	pdb_fork(b, ev, &id, 1, 1, PDB_FORK_EXEC);
	for (uint32_t pid = 1; pid <= 4; pid++)
		sample(pid, pid, 0x1000);
	expect("a;[a] 1\nb;[b] 1\nshell;[shell] 1\nshell;[unknown] 1\n");
}

/* Threads that were there before: made up with the pid as their parent. */
static void
threads_from_before_the_recording_share_maps(void)
{
	struct pdb_map m = { .start = 0x1000, .len = 0x1000, .path = "/bin/a" };
	struct pdb_id id = { .pid = 5, .tid = 5 };

	start();
	pdb_fork(b, ev, &id, 1, 1, PDB_FORK_EXEC);
	pdb_comm(b, ev, &id, "main", false);
	pdb_mmap2(b, ev, &id, &m);
	id.tid = 6;
	pdb_fork(b, ev, &id, 5, 5, PDB_FORK_EXEC);
	pdb_comm(b, ev, &id, "helper", false);
	sample(5, 5, 0x1000);
	sample(5, 6, 0x1000);
	expect("helper;[a] 1\nmain;[a] 1\n");
}

static void
a_number_that_is_used_again_is_another_process(void)
{
	start();
	comm(1, 1, "shell", false);
	map_at(1, 0x1000, "/bin/shell");
	fork_of(9, 9, 1, 1, 0);
	comm(9, 9, "first", true);
	map_at(9, 0x2000, "/bin/first");
	sample(9, 9, 0x2000);
	ends(9, 9);
	fork_of(9, 9, 1, 1, 0);
	sample(9, 9, 0x2000);
	sample(9, 9, 0x1000);
	expect("first;[first] 1\nshell;[shell] 1\nshell;[unknown] 1\n");
}

/* The FORK may be among the lost records. */
static void
a_thread_that_turns_up_in_another_process_is_new(void)
{
	start();
	comm(1, 8, "old", false);
	map_at(1, 0x1000, "/bin/old");
	sample(1, 8, 0x1000);
	sample(2, 8, 0x1000);
	expect(":8;[unknown] 1\nold;[old] 1\n");
}

static void
a_sample_right_after_the_exit_still_has_its_name_and_maps(void)
{
	start();
	comm(3, 3, "short", false);
	map_at(3, 0x1000, "/bin/short");
	ends(3, 3);
	kernel_sample(3, 3, 0xffffffff81000000, 0x1000);
	sample(3, 3, 0x1000);
	expect("short;[short] 1\nshort;[short];[[kernel.kallsyms]] 1\n");
}

/* Memory must not grow with the number of processes that come and go. */
static void
threads_that_ended_are_forgotten_when_many_others_did(void)
{
	start();
	comm(3, 3, "long-gone", false);
	ends(3, 3);
	for (uint32_t i = 0; i < 5000; i++) {
		comm(1000 + i, 1000 + i, "filler", false);
		if (i == 100)
			sample(3, 3, 0x10);	/* not yet */
		ends(1000 + i, 1000 + i);
	}
	sample(3, 3, 0x10);
	expect(":3;[unknown] 1\nlong-gone;[unknown] 1\n");
}

static void
a_number_in_use_again_is_not_forgotten(void)
{
	start();
	comm(3, 3, "first", false);
	ends(3, 3);
	fork_of(3, 3, 1, 1, 0);
	comm(3, 3, "second", false);
	for (uint32_t i = 0; i < 5000; i++) {
		comm(1000 + i, 1000 + i, "filler", false);
		ends(1000 + i, 1000 + i);
	}
	sample(3, 3, 0x10);
	expect("second;[unknown] 1\n");
}

static void
the_idle_thread_never_ends(void)
{
	start();
	ends(0, 0);
	for (uint32_t i = 0; i < 5000; i++) {
		comm(1000 + i, 1000 + i, "filler", false);
		ends(1000 + i, 1000 + i);
	}
	sample(0, 0, 0x10);
	expect("swapper;[unknown] 1\n");
}

static void
nobody_is_their_own_parent(void)
{
	start();
	comm(5, 5, "a", false);
	map_at(5, 0x1000, "/bin/a");
	fork_of(5, 5, 5, 5, 0);
	sample(5, 5, 0x1000);
	expect("a;[a] 1\n");
}

/* The FORK of a process may come after the first records of its threads. */
static void
a_late_fork_brings_the_maps(void)
{
	start();
	map_at(1, 0x1000, "/bin/parent");
	sample(2, 3, 0x1000);
	fork_of(2, 2, 1, 1, 0);
	sample(2, 2, 0x1000);
	expect(":2;[parent] 1\n:3;[unknown] 1\n");
}

/* ---- exec --------------------------------------------------------------- */

static void
exec_has_the_maps_of_the_new_program_only(void)
{
	start();
	comm(1, 1, "shell", false);
	map_at(1, 0x1000, "/bin/shell");
	map_at(1, 0x3000, "/lib/shell");
	comm(1, 1, "prog", true);
	map_at(1, 0x1000, "/bin/prog");
	sample(1, 1, 0x1000);
	sample(1, 1, 0x3000);
	expect("prog;[prog] 1\nprog;[unknown] 1\n");
}

/*
 * While the kernel loads the new program, a sample's user registers are those
 * of the old one, whose frames should not be lost.
 */
static void
the_old_program_is_known_until_the_new_one_runs(void)
{
	start();
	map_at(1, 0x1000, "/bin/shell");
	comm(1, 1, "prog", true);
	kernel_sample(1, 1, 0xffffffff81000000, 0x1000);
	map_at(1, 0x7000, "/bin/prog");
	kernel_sample(1, 1, 0xffffffff81000000, 0x1000);
	sample(1, 1, 0x7000);
	kernel_sample(1, 1, 0xffffffff81000000, 0x1000);
	expect("prog;[prog] 1\n"
	    "prog;[shell];[[kernel.kallsyms]] 2\n"
	    "prog;[unknown];[[kernel.kallsyms]] 1\n");
}

static void
a_change_of_name_is_no_exec(void)
{
	start();
	map_at(1, 0x1000, "/bin/a");
	comm(1, 1, "b", false);
	sample(1, 1, 0x1000);
	expect("b;[a] 1\n");
}

static void
exec_of_a_child_leaves_the_parent_alone(void)
{
	start();
	map_at(1, 0x1000, "/bin/shell");
	fork_of(2, 2, 1, 1, 0);
	comm(2, 2, "prog", true);
	map_at(2, 0x9000, "/bin/prog");
	sample(2, 2, 0x9000);
	sample(2, 2, 0x1000);
	sample(1, 1, 0x1000);
	expect(":1;[shell] 1\nprog;[prog] 1\nprog;[unknown] 1\n");
}

/* ---- maps --------------------------------------------------------------- */

static void
maps_count_from_their_time_on(void)
{
	start();
	sample(1, 1, 0x1000);
	map_at(1, 0x1000, "/lib/a.so");
	sample(1, 1, 0x1000);
	map_at(1, 0x1000, "/lib/b.so");
	sample(1, 1, 0x1000);
	expect(":1;[a.so] 1\n:1;[b.so] 1\n:1;[unknown] 1\n");
}

static void
a_map_of_another_thread_of_the_process_counts(void)
{
	struct pdb_map m = { .start = 0x1000, .len = 0x1000, .path = "/lib/x" };
	struct pdb_id id;

	start();
	id = of(1, 77);
	pdb_mmap2(b, ev, &id, &m);
	sample(1, 1, 0x1000);
	expect(":1;[x] 1\n");
}

static void
memory_that_may_run_without_a_file_is_named_by_its_perf_map(void)
{
	static const char *const names[] = { "", "//anon", "[heap]", "[stack]",
	    "/dev/zero", "/anon_hugepage (deleted)", "[anon:jit]",
	    "/SYSV0000" };
	struct pd_fold_opts opts = { .weight = PD_WEIGHT_SAMPLES,
	    .stack.symfs = dir };
	struct pd_text_opts text = { .mark_jit = true };
	char sub[64], path[80];

	start();
	for (size_t i = 0; i < 8; i++) {
		map_at(77, 0x10000 * (i + 1), names[i]);
		sample(77, 77, 0x10000 * (i + 1) + 8);
	}
	sample(77, 77, 0x10000 + 0x800);
	snprintf(sub, sizeof(sub), "%s/tmp", dir);
	mkdir(sub, 0755);
	snprintf(path, sizeof(path), "%s/perf-77.map", sub);
	write_text(path, "10000 100 Interpreter: run\n");
	CHECK_FOLD(b, &opts, &text, ":77;Interpreter: run_[j] 1\n"
	    ":77;[perf-77.map]_[j] 8\n");
	unlink(path);
	rmdir(sub);
}

/* [stack] that may not run is no JIT's, though nothing should run there. */
static void
memory_that_may_not_run_keeps_its_name(void)
{
	struct pdb_map m = { .start = 0x1000, .len = 0x1000, .prot = 3,
	    .path = "[stack]" };
	struct pdb_id id;

	start();
	id = of(1, 1);
	pdb_mmap2(b, ev, &id, &m);
	sample(1, 1, 0x1000);
	expect(":1;[[stack]] 1\n");
}

/* ---- the kernel --------------------------------------------------------- */

static void
kernel_map(const char *name, uint64_t start, uint64_t len, uint64_t pgoff)
{
	struct pdb_map m = { .start = start, .len = len, .pgoff = pgoff,
	    .misc = PDB_KERNEL, .path = name };
	struct pdb_id id = { .pid = (uint32_t)-1 };

	pdb_mmap(b, ev, &id, &m);
}

static void
only_kernel(uint64_t ip)
{
	uint64_t chain[] = { KERNEL_CHAIN, ip };

	pdb_sample(b, ev, &(struct pdb_sample){ .id = of(1, 1), .ip = ip,
	    .misc = PDB_KERNEL, .chain = chain, .nchain = 2 });
}

static const char kallsyms[] =
	"ffffffff81000000 T _text\n"
	"ffffffff81001000 T do_work\n"
	"ffffffff81002000 T other\n"
	"ffffffffa0000000 t helper\t[ext4]\n"
	"ffffffffa0001000 t ext4_read\t[ext4]\n";

static void
expect_with_kallsyms(const char *want)
{
	struct pd_fold_opts opts = { .weight = PD_WEIGHT_SAMPLES };
	struct pd_text_opts text = { .mark_kernel = true };
	char path[128];

	snprintf(path, sizeof(path), "%s/kallsyms", dir);
	write_text(path, kallsyms);
	opts.stack.kallsyms = path;
	CHECK_FOLD(b, &opts, &text, want);
	unlink(path);
}

static void
kernel_and_modules_are_mapped_for_all(void)
{
	start();
	kernel_map("[kernel.kallsyms]_text", 0xffffffff81000000, 0x800000,
	    0xffffffff81000000);
	kernel_map("/lib/modules/6.1/kernel/fs/ext4.ko", 0xffffffffa0000000,
	    0x3000, 0);
	kernel_map("[nosymbols]", 0xffffffffb0000000, 0x3000, 0);
	only_kernel(0xffffffff81001010);
	only_kernel(0xffffffffa0001010);
	only_kernel(0xffffffffb0000010);
	expect_with_kallsyms(":1;[[nosymbols]]_[k] 1\n"
	    ":1;do_work_[k] 1\n:1;ext4_read_[k] 1\n");
}

/* KASLR: _text of the recording is not where the kallsyms have it. */
static void
a_kernel_that_was_moved_is_moved_back(void)
{
	start();
	kernel_map("[kernel.kallsyms]_text", 0xffffffff9a000000, 0x800000,
	    0xffffffff9a000000);
	only_kernel(0xffffffff9a001010);
	only_kernel(0xffffffff9a002010);
	expect_with_kallsyms(":1;do_work_[k] 1\n:1;other_[k] 1\n");
}

static void
the_upper_half_is_the_kernels_without_a_map_of_it(void)
{
	start();
	only_kernel(0xffffffff81001010);
	only_kernel(0x1000);
	expect_with_kallsyms(":1;[unknown]_[k] 1\n:1;do_work_[k] 1\n");
}

static void
ksymbol(uint64_t addr, uint32_t len, const char *name, uint16_t flags)
{
	struct pdb_id id = of(0, 0);

	pdb_begin(b, 17, 0);
	pdb_u64(b, addr);
	pdb_u32(b, len);
	pdb_u16(b, 1);				/* BPF */
	pdb_u16(b, flags);
	pdb_str(b, name);
	pdb_trailer(b, ev, &id);
	pdb_end(b);
}

static void
bpf_programs_come_and_go(void)
{
	start();
	kernel_map("[kernel.kallsyms]_text", 0xffffffff81000000, 0x800000,
	    0xffffffff81000000);
	ksymbol(0xffffffffc0001000, 0x100, "bpf_prog_1234_filter", 0);
	only_kernel(0xffffffffc0001000);
	only_kernel(0xffffffffc00010ff);
	only_kernel(0xffffffffc0001100);
	ksymbol(0xffffffffc0001000, 0x100, "bpf_prog_1234_filter", 1);
	only_kernel(0xffffffffc0001000);
	ksymbol(0xffffffffc0001000, 0x80, "bpf_prog_99_other", 0);
	only_kernel(0xffffffffc0001000);
	only_kernel(0xffffffffc0001080);
	/* Where no map is, it is somewhere in the kernel. */
	expect(":1;[[kernel.kallsyms]] 3\n:1;bpf_prog_1234_filter 2\n"
	    ":1;bpf_prog_99_other 1\n");
}

static void
a_bpf_program_that_wraps_around_is_left_out(void)
{
	start();
	ksymbol(0xffffffffffffff00, 0x1000, "evil", 0);
	only_kernel(0xffffffffffffff10);
	expect(":1;[[kernel.kallsyms]] 1\n");
}

/* ---- damage ------------------------------------------------------------- */

static void
a_bad_map_is_noted_and_costs_nothing_else(void)
{
	struct pdb_map m = { .start = 0x1000, .len = UINT64_MAX, .path = "/x" };
	struct pdb_id id;

	start();
	map_at(1, 0x1000, "/bin/a");
	id = of(1, 1);
	pdb_mmap2(b, ev, &id, &m);
	sample(1, 1, 0x1000);
	expect(":1;[a] 1\n");
}

/* Bytes that are in use; 0 where another allocator does not say. */
static size_t
memory(void)
{
	return mallinfo2().uordblks;
}

/* A recorder of all of a machine sees millions of processes in a week. */
static void
processes_that_are_gone_take_no_memory(void)
{
	struct pd_error err;
	struct pd_record rec;
	struct pd_reader *rd;
	struct pd_session *s;
	char path[32];
	size_t before = 0, n = 0;
	int fd;

	start();
	for (uint32_t i = 0; i < 20000; i++) {
		fork_of(100 + i, 100 + i, 1, 1, 0);
		comm(100 + i, 100 + i, "short", true);
		ends(100 + i, 100 + i);
	}
	fd = pdb_file(b, path);
	rd = pd_reader_open(path, PD_FILE_ORDER, &err);
	s = pd_session_new(rd, &err);
	for (; pd_reader_next(rd, &rec, &err) == 1; n++) {
		CHECK(pd_session_apply(s, &rec, &err) == 0);
		if (n == 10000)
			before = memory();
	}
	CHECK_EQ(n, 60000);
	CHECK(memory() < before + 100000);
	pd_session_free(s);
	pd_reader_close(rd);
	close(fd);
}

int
main(void)
{
	if (mkdtemp(dir) == NULL)
		return 1;
	RUN(a_sample_has_the_name_of_its_time);
	RUN(threads_of_one_process_have_names_of_their_own);
	RUN(a_child_inherits_the_name_of_the_thread_that_forked);
	RUN(threads_without_a_name_show_their_number);
	RUN(processes_that_are_gone_take_no_memory);
	RUN(the_root_pid_has_the_name_of_the_process);
	RUN(a_new_process_has_the_maps_of_its_parent);
	RUN(a_thread_shares_the_maps_of_its_process);
	RUN(processes_from_before_the_recording_keep_their_own_maps);
	RUN(threads_from_before_the_recording_share_maps);
	RUN(a_number_that_is_used_again_is_another_process);
	RUN(a_thread_that_turns_up_in_another_process_is_new);
	RUN(a_sample_right_after_the_exit_still_has_its_name_and_maps);
	RUN(threads_that_ended_are_forgotten_when_many_others_did);
	RUN(a_number_in_use_again_is_not_forgotten);
	RUN(the_idle_thread_never_ends);
	RUN(nobody_is_their_own_parent);
	RUN(a_late_fork_brings_the_maps);
	RUN(exec_has_the_maps_of_the_new_program_only);
	RUN(the_old_program_is_known_until_the_new_one_runs);
	RUN(a_change_of_name_is_no_exec);
	RUN(exec_of_a_child_leaves_the_parent_alone);
	RUN(maps_count_from_their_time_on);
	RUN(a_map_of_another_thread_of_the_process_counts);
	RUN(memory_that_may_run_without_a_file_is_named_by_its_perf_map);
	RUN(memory_that_may_not_run_keeps_its_name);
	RUN(kernel_and_modules_are_mapped_for_all);
	RUN(a_kernel_that_was_moved_is_moved_back);
	RUN(the_upper_half_is_the_kernels_without_a_map_of_it);
	RUN(bpf_programs_come_and_go);
	RUN(a_bpf_program_that_wraps_around_is_left_out);
	RUN(a_bad_map_is_noted_and_costs_nothing_else);
	rmdir(dir);
	return tap_done();
}
