/* Samples whose user part is recorded when the thread leaves the kernel. */
#include "folding.h"

#define USER_DEFERRED	((uint64_t)-640)
#define CALLCHAIN_DEFERRED	22

static const char *const names[] = { "f", "g", "h" };	/* 0x1000, ... */
static char dir[] = "/tmp/pd-deferred-XXXXXX";

struct rec {
	struct pdb	*b;
	unsigned	ev;
};

static void
map_program(struct rec *r, uint32_t pid)
{
	pdb_mmap2(r->b, r->ev, &(struct pdb_id){ .pid = pid, .tid = pid,
	    .time = 1 }, &(struct pdb_map){ .start = 0x400000, .len = 0x4000,
	    .path = "/program" });
}

static struct rec
new_recording(bool swapped)
{
	struct rec r = { pdb_new(PDB_FILE, swapped), 0 };

	r.ev = pdb_event(r.b, &(struct pdb_event){ .sample_type = CHAINED });
	map_program(&r, 1);
	return r;
}

/* A sample in function i of the program, entered with the cookie. */
static void
waiting(struct rec *r, uint32_t tid, uint64_t time, uint64_t cookie)
{
	uint64_t chain[] = { KERNEL_CHAIN, 0xffffffff81000000, USER_DEFERRED,
	    cookie };

	pdb_sample(r->b, r->ev, &(struct pdb_sample){ .id = { .pid = 1,
	    .tid = tid, .time = time }, .misc = PDB_KERNEL,
	    .ip = 0xffffffff81000000, .chain = chain, .nchain = 4 });
}

static void
user_part(struct rec *r, uint32_t tid, uint64_t time, uint64_t cookie,
    const uint64_t *ips, size_t n)
{
	pdb_begin(r->b, CALLCHAIN_DEFERRED, PDB_USER);
	pdb_u64(r->b, cookie);
	pdb_u64(r->b, n);
	for (size_t i = 0; i < n; i++)
		pdb_u64(r->b, ips[i]);
	pdb_trailer(r->b, r->ev, &(struct pdb_id){ .pid = 1, .tid = tid,
	    .time = time });
	pdb_end(r->b);
}

static const uint64_t in_f[] = { 0x401000, 0x403010 };
static const uint64_t in_g[] = { 0x402000, 0x403010 };

static struct pd_fold_counts counts;

static void
keep(struct pd_reader *rd, struct pd_fold *f)
{
	(void)rd;
	counts = pd_fold_counts(f);
}

static void
check_with(struct rec *r, struct pd_fold_opts opts, const char *want,
    uint64_t deferred, uint64_t unfinished)
{
	char *got;

	opts.weight = PD_WEIGHT_SAMPLES;
	opts.stack.symfs = dir;
	got = fold_and(r->b, &opts, NULL, keep);
	CHECK_STR(got, want);
	CHECK_EQ(counts.deferred, deferred);
	CHECK_EQ(counts.unfinished, unfinished);
	CHECK_EQ(counts.truncated, 0);
	free(got);
}

static void
check(struct rec *r, const char *want, uint64_t deferred,
    uint64_t unfinished)
{
	check_with(r, (struct pd_fold_opts){ 0 }, want, deferred, unfinished);
}

#define K	"[[kernel.kallsyms]]"

static void
samples_get_the_user_part_that_follows(void)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct rec r = new_recording(swapped);

		waiting(&r, 1, 10, 77);
		waiting(&r, 1, 11, 77);
		user_part(&r, 1, 12, 77, in_f, 2);
		waiting(&r, 1, 20, 78);
		user_part(&r, 1, 21, 78, in_g, 2);
		check(&r, ":1;h;f;" K " 2\n:1;h;g;" K " 1\n", 3, 0);
	}
}

static void
threads_wait_for_their_own(void)
{
	struct rec r = new_recording(false);

	for (uint32_t tid = 1; tid <= 3000; tid++)
		waiting(&r, tid, 10, 77);
	user_part(&r, 1, 12, 77, in_f, 2);
	user_part(&r, 2, 12, 77, in_g, 2);
	for (uint32_t tid = 3; tid <= 3000; tid++)
		user_part(&r, tid, 13, 77, in_g, 2);
	check_with(&r, (struct pd_fold_opts){ .stack = {
	    .roots = (enum pd_root[]){ PD_ROOT_EVENT }, .nroots = 1 } },
	    "cpu-clock:HG;h;f;" K " 1\ncpu-clock:HG;h;g;" K " 2999\n", 3000, 0);
}

static void
a_sample_may_come_behind_its_user_part(void)
{
	struct rec r = new_recording(false);

	waiting(&r, 1, 10, 77);
	user_part(&r, 1, 12, 77, in_f, 2);
	waiting(&r, 1, 13, 77);
	check(&r, ":1;h;f;" K " 2\n", 2, 0);
}

static void
another_cookie_means_that_the_right_one_is_lost(void)
{
	struct rec r = new_recording(false);

	waiting(&r, 1, 10, 77);
	waiting(&r, 1, 20, 78);
	user_part(&r, 1, 21, 78, in_f, 2);
	check(&r, ":1;[truncated];" K " 1\n:1;h;f;" K " 1\n", 2, 1);
}

static void
who_ends_waits_no_more(void)
{
	struct rec r = new_recording(false);

	waiting(&r, 2, 10, 77);
	pdb_exit(r.b, r.ev, &(struct pdb_id){ .pid = 1, .tid = 2,
	    .time = 11 });
	/* The number is another thread's now. */
	pdb_fork(r.b, r.ev, &(struct pdb_id){ .pid = 1, .tid = 2,
	    .time = 12 }, 1, 1, 0);
	waiting(&r, 2, 20, 77);
	pdb_fork(r.b, r.ev, &(struct pdb_id){ .pid = 1, .tid = 2,
	    .time = 25 }, 1, 1, 0);
	user_part(&r, 2, 30, 77, in_f, 2);
	waiting(&r, 2, 40, 79);			/* at the end */
	check(&r, ":2;[truncated];" K " 3\n", 3, 3);
}

static void
memory_is_bounded(void)
{
	/* 32 MiB of them, and some more. */
	const unsigned n = (32 << 20) / 160;
	struct rec r = new_recording(false);
	char want[128];

	for (unsigned i = 0; i < n; i++)
		waiting(&r, 1 + i % 500, 10 + i, 1000 + i % 500);
	for (unsigned i = 0; i < 500; i++)
		user_part(&r, 1 + i, 10 + n, 1000 + i, in_f, 2);
	struct pd_fold_opts opts = { .weight = PD_WEIGHT_SAMPLES,
	    .stack = { .symfs = dir, .roots = (enum pd_root[]){
	    PD_ROOT_EVENT }, .nroots = 1 } };
	char *got = fold_and(r.b, &opts, NULL, keep);

	CHECK_EQ(counts.deferred, n);
	CHECK(counts.unfinished > 0 && counts.unfinished < n / 2);
	snprintf(want, sizeof(want), "cpu-clock:HG;[truncated];" K " %u\n"
	    "cpu-clock:HG;h;f;" K " %u\n", (unsigned)counts.unfinished,
	    n - (unsigned)counts.unfinished);
	CHECK_STR(got, want);
	free(got);
}

static void
user_addresses_are_looked_up_when_they_were_read(void)
{
	struct rec r = new_recording(false);
	struct pdb_id id = { .pid = 1, .tid = 1, .time = 11 };

	/* A sample in execve(2): what returns is the new program. */
	waiting(&r, 1, 10, 77);
	pdb_comm(r.b, r.ev, &id, "new", true);
	pdb_mmap2(r.b, r.ev, &id, &(struct pdb_map){ .start = 0x400000,
	    .len = 0x4000, .path = "/program", .pgoff = 0x1000 });
	id.time = 12;
	user_part(&r, 1, 13, 77, in_f, 1);
	check(&r, "new;g;" K " 1\n", 1, 0);
}

static void
counters_of_groups_are_read_in_the_order_of_the_samples(void)
{
	static const uint64_t ids[] = { 5, 6 };
	struct rec r = { pdb_new(PDB_FILE, false), 0 };
	uint64_t chain[] = { USER_DEFERRED, 77 };
	uint64_t reads[2][5] = { { 2, 100, 5, 10, 6 }, { 2, 130, 5, 11, 6 } };

	r.ev = pdb_event(r.b, &(struct pdb_event){ .name = "lead",
	    .sample_type = CHAINED | PDB_READ, .read_format = 4 | 8,
	    .ids = &ids[0], .nids = 1 });
	pdb_event(r.b, &(struct pdb_event){ .name = "member",
	    .sample_type = CHAINED | PDB_READ, .read_format = 4 | 8,
	    .ids = &ids[1], .nids = 1 });
	map_program(&r, 1);
	for (uint32_t i = 0; i < 2; i++)
		pdb_sample(r.b, r.ev, &(struct pdb_sample){ .id = { .pid = 1,
		    .tid = 1 + i, .time = 10 + i, .id = 5 }, .ip = 0x401000,
		    .read = reads[i], .nread = 5, .chain = chain,
		    .nchain = 2 });
	user_part(&r, 2, 20, 77, in_g, 1);	/* the second first */
	user_part(&r, 1, 21, 77, in_f, 1);
	struct pd_fold_opts opts = { .stack.symfs = dir };
	CHECK_FOLD(r.b, &opts, NULL, ":1;f 100\n:2;g 30\n");
}

static void
perf_6_1_shows_no_callchain(void)
{
	struct rec r = new_recording(false);

	waiting(&r, 1, 10, 77);
	user_part(&r, 1, 12, 77, in_f, 2);
	check_with(&r, (struct pd_fold_opts){ .stack.perf_compat = true },
	    ":1 1\n", 0, 0);
}

static void
an_impossible_length_is_left_out(void)
{
	struct rec r = new_recording(false);

	waiting(&r, 1, 10, 77);
	pdb_begin(r.b, CALLCHAIN_DEFERRED, PDB_USER);
	pdb_u64(r.b, 77);
	pdb_u64(r.b, UINT64_MAX / 8 + 2);
	pdb_u64(r.b, 0x401000);
	pdb_trailer(r.b, r.ev, &(struct pdb_id){ .pid = 1, .tid = 1,
	    .time = 11 });
	pdb_end(r.b);
	user_part(&r, 1, 12, 77, in_f, 0);	/* nothing could be read */
	check(&r, ":1;" K " 1\n", 1, 0);
}

int
main(void)
{
	char program[64];

	if (mkdtemp(dir) == NULL)
		return 1;
	write_program(dir, "program", names, 3);
	RUN(samples_get_the_user_part_that_follows);
	RUN(threads_wait_for_their_own);
	RUN(a_sample_may_come_behind_its_user_part);
	RUN(another_cookie_means_that_the_right_one_is_lost);
	RUN(who_ends_waits_no_more);
	RUN(memory_is_bounded);
	RUN(user_addresses_are_looked_up_when_they_were_read);
	RUN(counters_of_groups_are_read_in_the_order_of_the_samples);
	RUN(perf_6_1_shows_no_callchain);
	RUN(an_impossible_length_is_left_out);
	snprintf(program, sizeof(program), "%s/program", dir);
	unlink(program);
	rmdir(dir);
	return tap_done();
}
