/* From registers and a copied stack to a callchain. */
#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "unwind/unwind.h"
#include "cfibuild.h"
#include "pdbuild.h"
#include "tap.h"

#define BASE	0x400000u	/* where the program is mapped */
#define LIB	0x500000u	/* a file that is not there */
#define JIT	0x600000u
#define DATA	0x700000u
#define SP	0x7ffd00001000u
#define MAX	64

/* perf's numbers. */
enum { BP = 6, X86_SP = 7, X86_IP = 8, R12 = 20, FP = 29, LR = 30, ARM_SP = 31,
	PC = 32 };
#define X86_MASK	0xff0fffu
#define ARM_MASK	0x1ffffffffu

static struct pd_reader *rd;
static struct pd_session *session;
static struct pd_unwinder *unwinder;
static const struct pd_thread *th;
static int fd;
static struct cb cfi;
static uint16_t machine;
static unsigned reads;

static uint64_t regs[33];
static struct pd_event events[2], *event = events;
static struct pd_sample sample;
static struct pd_chain_entry out[MAX];
static size_t len;
static enum pd_unwind_end end;

static int
read_image(void *ctx, const struct pd_dso *dso, struct pd_image *img,
    struct pd_error *err)
{
	(void)ctx;
	(void)err;
	reads++;
	if (strcmp(dso->name, "/bin/p") != 0)
		return 0;
	img->machine = machine;
	img->is64 = true;
	img->code = calloc(1, sizeof(*img->code));
	img->code[0] = (struct pd_image_range){ 0x1000, 0x9000, 0x1000 };
	img->ncode = 1;
	img->plts[0] = (struct pd_image_range){ 0x8000, 0x100, 0x8000 };
	img->nplts = 1;
	img->eh_frame = (struct pd_image_section){ cb_bytes(&cfi, cfi.n),
		cfi.n, 0 };
	return 0;
}

/* A process with its maps; feature 6 is HEADER_ARCH. */
static void
start(const char *arch)
{
	struct pd_unwind_files files = { .read = read_image };
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = pdb_event(b, &(struct pdb_event){ .sample_type =
	    PDB_IP | PDB_TID | PDB_TIME });
	struct pdb_id id = { .pid = 7, .tid = 7, .time = 1 };
	struct pd_error err;
	struct pd_record rec;
	char path[32];

	if (arch != NULL)
		pdb_feature_str(b, 6, arch);
	pdb_mmap2(b, ev, &id, &(struct pdb_map){ .start = BASE,
	    .len = 0xa000, .path = "/bin/p" });
	pdb_mmap2(b, ev, &id, &(struct pdb_map){ .start = LIB,
	    .len = 0x10000, .path = "/lib/gone" });
	pdb_mmap2(b, ev, &id, &(struct pdb_map){ .start = JIT,
	    .len = 0x10000, .path = "//anon" });
	/* What perf record -d adds. */
	pdb_mmap2(b, ev, &id, &(struct pdb_map){ .start = DATA, .len = 0x1000,
	    .path = "/lib/data", .prot = 3, .misc = 2 | 1 << 13 });
	/* The loader maps all of a file, then its code into that. */
	pdb_mmap2(b, ev, &id, &(struct pdb_map){ .start = DATA + 0x10000,
	    .len = 0x3000, .path = "/lib/whole", .prot = 1,
	    .misc = 2 | 1 << 13 });
	pdb_mmap2(b, ev, &id, &(struct pdb_map){ .start = DATA + 0x11000,
	    .len = 0x1000, .pgoff = 0x1000, .path = "/lib/whole" });
	fd = pdb_file(b, path);
	rd = pd_reader_open(path, PD_TIME_ORDER, &err);
	session = pd_session_new(rd, &err);
	while (pd_reader_next(rd, &rec, &err) == 1)
		pd_session_apply(session, &rec, &err);
	th = pd_session_thread(session, 7, 7, &err);
	unwinder = pd_unwinder_new(session, &files, &err);
	reads = 0;
	memset(regs, 0, sizeof(regs));
}

static void
stop(void)
{
	pd_unwinder_free(unwinder);
	pd_session_free(session);
	pd_reader_close(rd);
	close(fd);
}

/* Unwind size bytes of a stack; regs are packed as the kernel does. */
static void
unwind_max(const uint64_t *stack, size_t size, uint64_t mask, size_t max)
{
	uint64_t packed[33];
	struct pd_error err;
	uint8_t *copy = malloc(size + !size);
	size_t n = 0;

	for (size_t i = 0; i < 33; i++)
		if (mask >> i & 1)
			packed[n++] = regs[i];
	memcpy(copy, stack, size);
	/* Events do not change: this is the other one. */
	event = &events[event == events];
	event->sample_type = PDB_REGS_USER | PDB_STACK_USER;
	event->regs_user = mask;
	sample = (struct pd_sample){ .user_abi = 2, .user_stack = copy,
		.user_stack_size = size, .user_regs = (uint8_t *)packed };
	CHECK(pd_unwinder_run(unwinder, th, event, &sample, out, max, &len,
	    &end, &err) == 0);
	free(copy);
}

#define UNWIND(stack, mask)	unwind_max(stack, sizeof(stack), mask, MAX)

static void
expect(const uint64_t *want, size_t n, enum pd_unwind_end how)
{
	CHECK_EQ(len, n);
	CHECK_EQ(end, how);
	for (size_t i = 0; i < n && i < len; i++) {
		CHECK_EQ(out[i].ip, want[i]);
		CHECK_EQ(out[i].mode, PD_CPUMODE_USER);
	}
}

#define EXPECT(how, ...) do { \
	uint64_t want[] = { __VA_ARGS__ }; \
	expect(want, sizeof(want) / sizeof(want[0]), how); \
} while (0)

/* Functions of the program, by the address of their file. */
#define LEAF		0x1000u	/* nothing pushed */
#define PUSHED		0x1100u	/* r12 and rbx saved, 32 bytes */
#define FRAMED		0x1200u	/* has a frame pointer */
#define REALIGNED	0x1300u	/* its CFA is in r12 */
#define START		0x1400u	/* has no caller */
#define TRAMPOLINE	0x1500u
#define STUB		0x1600u	/* a PLT as ld describes it */
#define ODD		0x1700u	/* rbp is in memory that r12 points to */
#define STUCK		0x1800u	/* a CFA below the stack pointer */
#define NOTHING		0x7000u	/* without CFI */
#define BARE_STUB	0x8000u	/* likewise, in a PLT */

static void
x86_program(void)
{
	machine = EM_X86_64;
	cfi.n = 0;
	cb_cie(&cfi, 16, false);
	CB_END(&cfi, "\x0c\x07\x08\x90\x01");
	cb_fde(&cfi, LEAF, 0x100);
	CB_END(&cfi, "");
	cb_fde(&cfi, PUSHED, 0x100);
	CB_END(&cfi, "\x0e\x20\x8c\x02\x83\x03");
	cb_fde(&cfi, FRAMED, 0x100);
	CB_END(&cfi, "\x0c\x06\x10\x86\x02");
	cb_fde(&cfi, REALIGNED, 0x100);
	CB_END(&cfi, "\x0c\x0c\x00");
	cb_fde(&cfi, START, 0x100);
	CB_END(&cfi, "\x07\x10");
	cb_fde(&cfi, STUB, 0x100);
	CB_END(&cfi, "\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22");
	cb_fde(&cfi, ODD, 0x100);
	CB_END(&cfi, "\x0e\x10\x10\x06\x02\x7c\x08\x16\x03\x02\x7c\x05"
	    "\x09\x0d\x0c");
	cb_fde(&cfi, STUCK, 0x100);
	CB_END(&cfi, "\x0c\x07\x00");
	cb_cie(&cfi, 16, true);
	CB_END(&cfi, "\x0c\x07\x08");
	cb_fde(&cfi, TRAMPOLINE - 1, 0x10);
	/* rsp, rip and rbp are at 0, 8 and 16 from the stack pointer. */
	CB_END(&cfi, "\x0f\x03\x77\x00\x06\x10\x10\x02\x77\x08"
	    "\x10\x06\x02\x77\x10");
}

static void
start_x86(void)
{
	x86_program();
	start("x86_64");
	regs[X86_SP] = SP;
}

/* A stack with all of it: leaf, pushed, framed, pushed, start. */
static const uint64_t plain[] = {
	BASE + PUSHED + 5,
	1, 2, 3, BASE + FRAMED + 5,
	0, 0, SP + 11 * 8, BASE + PUSHED + 9,
	7, 8, 9, BASE + START + 3, 0, 0,
};

static void
plain_regs(void)
{
	regs[X86_IP] = BASE + LEAF;
	regs[BP] = SP + 7 * 8;
}

static void
calls_are_followed_to_the_start(void)
{
	start_x86();
	plain_regs();
	UNWIND(plain, X86_MASK);
	EXPECT(PD_UNWIND_COMPLETE, BASE + LEAF, BASE + PUSHED + 5,
	    BASE + FRAMED + 5, BASE + PUSHED + 9, BASE + START + 3);
	CHECK(out[0].exact);
	for (size_t i = 1; i < len; i++)
		CHECK(!out[i].exact);
	stop();
}

static void
the_architecture_is_seen_from_the_registers(void)
{
	x86_program();
	start(NULL);
	regs[X86_SP] = SP;
	plain_regs();
	UNWIND(plain, X86_MASK);
	CHECK_EQ(len, 5);
	stop();
	start("riscv64");
	UNWIND(plain, X86_MASK);
	CHECK_EQ(len, 0);
	CHECK_EQ(end, PD_UNWIND_STOPPED);
	stop();
}

/* What is left of the stack decides how far it goes, and nothing else. */
static void
a_cut_stack_is_truncated(void)
{
	size_t last = 1;

	start_x86();
	plain_regs();
	for (size_t n = 0; n <= sizeof(plain); n++) {
		unwind_max(plain, n, X86_MASK, MAX);
		CHECK(len >= last);
		last = len;
		CHECK_EQ(end, n >= 13 * 8 ? PD_UNWIND_COMPLETE :
		    PD_UNWIND_TRUNCATED);
	}
	CHECK_EQ(last, 5);
	for (size_t max = 0; max <= 5; max++) {
		unwind_max(plain, sizeof(plain), X86_MASK, max);
		CHECK_EQ(len, max);
	}
	stop();
}

static void
missing_registers_end_it(void)
{
	start_x86();
	plain_regs();
	UNWIND(plain, X86_MASK & ~(1u << BP));
	EXPECT(PD_UNWIND_STOPPED, BASE + LEAF, BASE + PUSHED + 5,
	    BASE + FRAMED + 5);
	UNWIND(plain, X86_MASK & ~(1u << X86_SP));
	CHECK_EQ(len, 0);
	UNWIND(plain, 0);
	CHECK_EQ(len, 0);
	stop();
}

static void
saved_registers_carry_the_cfa(void)
{
	/* pushed saves r12, from which its caller finds the return address */
	const uint64_t stack[] = {
		0, 3, SP + 64, BASE + REALIGNED + 9,
		0, 0, 0, BASE + START + 1, 0,
	};

	start_x86();
	regs[X86_IP] = BASE + PUSHED;
	UNWIND(stack, X86_MASK);
	EXPECT(PD_UNWIND_COMPLETE, BASE + PUSHED, BASE + REALIGNED + 9,
	    BASE + START + 1);
	stop();
}

static void
registers_may_be_anywhere(void)
{
	const uint64_t stack[] = {
		0, BASE + FRAMED + 1,
		0, SP + 6 * 8, 0, 0,
		0, BASE + START + 1, 0,
	};

	start_x86();
	regs[X86_IP] = BASE + ODD;
	regs[R12] = SP + 16;
	UNWIND(stack, X86_MASK);
	EXPECT(PD_UNWIND_COMPLETE, BASE + ODD, BASE + FRAMED + 1,
	    BASE + START + 1);
	stop();
}

static void
a_handler_returns_to_where_it_was_interrupted(void)
{
	const uint64_t stack[] = {
		BASE + TRAMPOLINE,
		SP + 5 * 8, BASE + FRAMED, SP + 6 * 8, 0,
		0, 0, BASE + START + 1, 0,
	};

	start_x86();
	regs[X86_IP] = BASE + LEAF;
	UNWIND(stack, X86_MASK);
	EXPECT(PD_UNWIND_COMPLETE, BASE + LEAF, BASE + TRAMPOLINE,
	    BASE + FRAMED, BASE + START + 1);
	CHECK(out[1].exact);
	CHECK(out[2].exact);
	CHECK(!out[3].exact);
	stop();
}

static void
stubs_of_the_linker_are_left(void)
{
	const uint64_t early[] = { BASE + START + 1, 0 };
	const uint64_t late[] = { 1, BASE + START + 1, 0 };

	start_x86();
	regs[X86_IP] = BASE + STUB + 0x16;
	UNWIND(early, X86_MASK);
	EXPECT(PD_UNWIND_COMPLETE, BASE + STUB + 0x16, BASE + START + 1);
	regs[X86_IP] = BASE + STUB + 0x1b;	/* has pushed its number */
	UNWIND(late, X86_MASK);
	EXPECT(PD_UNWIND_COMPLETE, BASE + STUB + 0x1b, BASE + START + 1);
	regs[X86_IP] = BASE + BARE_STUB + 4;
	UNWIND(early, X86_MASK);
	EXPECT(PD_UNWIND_COMPLETE, BASE + BARE_STUB + 4, BASE + START + 1);
	stop();
}

static void
frame_pointers_lead_through_unknown_code(void)
{
	const uint64_t stack[] = {
		0, SP + 4 * 8, LIB + 0x10,
		0, SP + 7 * 8, JIT + 0x20,
		0, SP + 9 * 8, BASE + FRAMED + 1,
		0, BASE + START + 1,
	};

	start_x86();
	regs[X86_IP] = JIT + 4;
	regs[BP] = SP + 8;
	UNWIND(stack, X86_MASK);
	EXPECT(PD_UNWIND_COMPLETE, JIT + 4, LIB + 0x10, JIT + 0x20,
	    BASE + FRAMED + 1, BASE + START + 1);
	stop();
}

static void
what_only_looks_like_a_frame_pointer_is_none(void)
{
	const uint64_t stack[] = { 0, SP, 0x1234, 0, 0, BASE + START + 1 };
	const uint64_t bad[] = { 0, SP - 8, SP + 1, SP + 8, 1, UINT64_MAX - 8 };

	start_x86();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		regs[X86_IP] = BASE + NOTHING;
		regs[BP] = bad[i];
		UNWIND(stack, X86_MASK);
		CHECK_EQ(len, 1);
		CHECK_EQ(end, PD_UNWIND_STOPPED);
	}
	regs[X86_IP] = 0x1234;			/* not mapped */
	regs[BP] = SP + 32;
	UNWIND(stack, X86_MASK);
	EXPECT(PD_UNWIND_STOPPED, 0x1234);
	stop();
}

static void
a_chain_that_ends_in_zero_is_complete(void)
{
	const uint64_t stack[] = { 0, 0, JIT + 0x10, 0, 0 };
	const uint64_t zero_ra[] = { 0, 0 };

	start_x86();
	regs[X86_IP] = JIT + 4;
	regs[BP] = SP + 8;
	UNWIND(stack, X86_MASK);
	EXPECT(PD_UNWIND_COMPLETE, JIT + 4, JIT + 0x10);
	regs[X86_IP] = BASE + LEAF;
	UNWIND(zero_ra, X86_MASK);
	EXPECT(PD_UNWIND_COMPLETE, BASE + LEAF);
	stop();
}

/* A frame pointer may be any number: what it leads to must be code. */
static void
a_chain_does_not_go_through_data(void)
{
	const uint64_t stack[] = { 0, 0, DATA + 0x10, 0, 0 };
	const uint64_t through[] = { 0, SP + 24, DATA + 0x11010, 0,
		DATA + 0x10010 };

	start_x86();
	regs[X86_IP] = JIT + 4;
	regs[BP] = SP + 8;
	UNWIND(stack, X86_MASK);
	EXPECT(PD_UNWIND_STOPPED, JIT + 4);
	regs[X86_IP] = DATA + 4;
	UNWIND(stack, X86_MASK);
	EXPECT(PD_UNWIND_STOPPED, DATA + 4);
	regs[X86_IP] = DATA + 0x11000;
	UNWIND(through, X86_MASK);
	EXPECT(PD_UNWIND_STOPPED, DATA + 0x11000, DATA + 0x11010);
	stop();
}

static void
loops_end(void)
{
	uint64_t stack[100];

	start_x86();
	for (size_t i = 0; i < 100; i++)
		stack[i] = BASE + STUCK + 1;
	regs[X86_IP] = BASE + LEAF;
	UNWIND(stack, X86_MASK);
	EXPECT(PD_UNWIND_STOPPED, BASE + LEAF, BASE + STUCK + 1);
	/* Trampolines may go anywhere, but only so often. */
	for (size_t i = 0; i < 100; i++)
		stack[i] = i % 2 ? BASE + TRAMPOLINE + 1 : SP;
	regs[X86_IP] = BASE + TRAMPOLINE;
	UNWIND(stack, X86_MASK);
	CHECK_EQ(len, MAX);
	CHECK_EQ(end, PD_UNWIND_FULL);
	stop();
}

static void
other_samples_have_no_chain(void)
{
	struct pd_error err;

	start_x86();
	plain_regs();
	UNWIND(plain, X86_MASK);
	sample.user_regs = NULL;		/* a kernel thread */
	CHECK(!pd_unwinder_can(event, &sample));
	pd_unwinder_run(unwinder, th, event, &sample, out, MAX, &len, &end,
	    &err);
	CHECK_EQ(len, 0);
	CHECK_EQ(end, PD_UNWIND_COMPLETE);
	sample.user_regs = (const uint8_t *)regs;
	sample.user_abi = 1;			/* 32-bit */
	pd_unwinder_run(unwinder, th, event, &sample, out, MAX, &len, &end,
	    &err);
	EXPECT(PD_UNWIND_STOPPED, BASE + LEAF);
	stop();
}

static void
a_new_map_is_another_file(void)
{
	struct pd_space *sp;
	struct pd_map map = { .start = BASE, .end = BASE + 0xa000 };
	struct pd_error err;
	uint64_t versions = 1000;

	start_x86();
	plain_regs();
	UNWIND(plain, X86_MASK);
	UNWIND(plain, X86_MASK);
	CHECK_EQ(reads, 1);
	sp = pd_thread_space(th);
	map.dso = pd_space_find(sp, LIB)->dso;
	CHECK(pd_space_map(sp, &map, &versions, &err) == 0);
	regs[BP] = 0;
	UNWIND(plain, X86_MASK);
	EXPECT(PD_UNWIND_STOPPED, BASE + LEAF);
	CHECK_EQ(reads, 2);
	stop();
}

static void
files_of_another_processor_tell_nothing(void)
{
	start_x86();
	plain_regs();
	machine = EM_AARCH64;
	regs[BP] = 0;
	UNWIND(plain, X86_MASK);
	EXPECT(PD_UNWIND_STOPPED, BASE + LEAF);
	stop();
}

/* ---- arm64 --------------------------------------------------------------------- */

static void
start_arm64(const char *arch)
{
	machine = EM_AARCH64;
	cfi.n = 0;
	cb_cie(&cfi, 30, false);
	CB_END(&cfi, "\x0c\x1f\x00");
	cb_fde(&cfi, LEAF, 0x100);
	CB_END(&cfi, "");
	cb_fde(&cfi, PUSHED, 0x100);	/* signed; x29, x30, x19 saved */
	CB_END(&cfi, "\x2d\x0e\x20\x9d\x04\x9e\x03\x93\x02");
	cb_fde(&cfi, FRAMED, 0x100);
	CB_END(&cfi, "\x0c\x1d\x10\x9d\x02\x9e\x01");
	cb_fde(&cfi, START, 0x100);
	CB_END(&cfi, "\x07\x1e");
	cb_cie(&cfi, 30, true);
	CB_END(&cfi, "\x0c\x1d\x00\x11\x1d\x00\x11\x1e\x7f");
	cb_fde(&cfi, TRAMPOLINE - 4, 0x10);	/* as the vdso has it */
	CB_END(&cfi, "");
	start(arch);
	regs[ARM_SP] = SP;
}

#define SIGNED	(UINT64_C(0x2a) << 48)	/* a signature on a 48-bit address */

static void
arm64_returns_by_its_link_register(void)
{
	const uint64_t stack[] = {
		SP + 5 * 8, SIGNED | (BASE + FRAMED + 4), 0, 0,
		0, 0, BASE + START + 4, 0,
	};

	start_arm64("aarch64");
	regs[PC] = BASE + LEAF + 8;
	regs[LR] = BASE + PUSHED + 8;
	UNWIND(stack, ARM_MASK);
	EXPECT(PD_UNWIND_COMPLETE, BASE + LEAF + 8, BASE + PUSHED + 8,
	    BASE + FRAMED + 4, BASE + START + 4);
	CHECK(out[0].exact && !out[1].exact);
	stop();
	start_arm64(NULL);
	regs[PC] = BASE + PUSHED;
	UNWIND(stack, ARM_MASK);
	CHECK_EQ(len, 3);
	stop();
}

/* Whoever has called no longer has its own return address there. */
static void
arm64_uses_its_link_register_once(void)
{
	const uint64_t stack[] = { 0, 0 };

	start_arm64("aarch64");
	regs[PC] = BASE + LEAF;
	regs[LR] = BASE + LEAF + 8;
	UNWIND(stack, ARM_MASK);
	EXPECT(PD_UNWIND_STOPPED, BASE + LEAF, BASE + LEAF + 8);
	stop();
}

static void
arm64_stubs_and_frame_records_are_left(void)
{
	const uint64_t stack[] = {
		SP + 4 * 8, SIGNED | (JIT + 8), 0, 0,
		0, BASE + START + 4,
	};

	start_arm64("aarch64");
	regs[PC] = BASE + BARE_STUB;
	regs[LR] = BASE + NOTHING + 8;
	regs[FP] = SP;
	UNWIND(stack, ARM_MASK);
	EXPECT(PD_UNWIND_COMPLETE, BASE + BARE_STUB, BASE + NOTHING + 8,
	    JIT + 8, BASE + START + 4);
	stop();
}

static void
arm64_handlers_return_by_the_context_of_the_signal(void)
{
	uint64_t stack[80] = { SP + 72 * 8, BASE + PUSHED };
	uint64_t *context = stack + 312 / 8;

	start_arm64("aarch64");
	context[29] = SP + 76 * 8;
	context[30] = BASE + PUSHED + 8;	/* of an earlier call */
	context[31] = SP + 74 * 8;
	context[32] = BASE + FRAMED;		/* interrupted here */
	stack[77] = BASE + START + 4;
	regs[PC] = BASE + LEAF;
	regs[LR] = BASE + TRAMPOLINE;
	UNWIND(stack, ARM_MASK);
	EXPECT(PD_UNWIND_COMPLETE, BASE + LEAF, BASE + TRAMPOLINE,
	    BASE + FRAMED, BASE + START + 4);
	CHECK(out[1].exact && out[2].exact && !out[3].exact);
	for (size_t n = 0; n < 72 * 8; n++) {
		unwind_max(stack, n, ARM_MASK, MAX);
		CHECK_EQ(len, 2);
		CHECK_EQ(end, PD_UNWIND_TRUNCATED);
	}
	stop();
}

/* With fewer bits in an address the signature begins lower. */
static void
arm64_address_spaces_may_be_small(void)
{
	const uint64_t stack[] = {
		0, UINT64_C(0x7f) << 39 | (BASE + START + 4), 0, 0,
	};

	start_arm64("aarch64");
	regs[PC] = BASE + PUSHED;
	regs[ARM_SP] = 0x7fc0001000;
	UNWIND(stack, ARM_MASK);
	EXPECT(PD_UNWIND_COMPLETE, BASE + PUSHED, BASE + START + 4);
	stop();
}

int
main(void)
{
	RUN(calls_are_followed_to_the_start);
	RUN(the_architecture_is_seen_from_the_registers);
	RUN(a_cut_stack_is_truncated);
	RUN(missing_registers_end_it);
	RUN(saved_registers_carry_the_cfa);
	RUN(registers_may_be_anywhere);
	RUN(a_handler_returns_to_where_it_was_interrupted);
	RUN(stubs_of_the_linker_are_left);
	RUN(frame_pointers_lead_through_unknown_code);
	RUN(what_only_looks_like_a_frame_pointer_is_none);
	RUN(a_chain_that_ends_in_zero_is_complete);
	RUN(a_chain_does_not_go_through_data);
	RUN(loops_end);
	RUN(other_samples_have_no_chain);
	RUN(a_new_map_is_another_file);
	RUN(files_of_another_processor_tell_nothing);
	RUN(arm64_returns_by_its_link_register);
	RUN(arm64_uses_its_link_register_once);
	RUN(arm64_stubs_and_frame_records_are_left);
	RUN(arm64_handlers_return_by_the_context_of_the_signal);
	RUN(arm64_address_spaces_may_be_small);
	return tap_done();
}
