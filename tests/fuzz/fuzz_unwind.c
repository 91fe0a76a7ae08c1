/*
 * Fuzz target: any bytes as call frame information.  A stack is made up whose
 * words are addresses that the bytes may describe, and is unwound.
 */
#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cursor.h"
#include "record/event.h"
#include "unwind/unwind.h"

#define SECTION	0x100000u	/* where the bytes are in memory */
#define SP	0x7f0000000000u
#define WORDS	128
#define MAX	256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t	*bytes;
	size_t		size;
	uint8_t		flags;
};

static int
read_image(void *ctx, const struct pd_dso *dso, struct pd_image *img,
    struct pd_error *err)
{
	const struct input *in = ctx;
	struct pd_image_section *s = in->flags & 1 ? &img->debug_frame :
	    &img->eh_frame;

	(void)dso;
	(void)err;
	img->machine = in->flags & 2 ? EM_AARCH64 : EM_X86_64;
	img->is64 = true;
	img->code = calloc(1, sizeof(*img->code));
	if (img->code != NULL)
		img->code[img->ncode++] = (struct pd_image_range){ 0,
			UINT64_MAX, 0 };
	s->bytes = malloc(in->size + !in->size);
	if (s->bytes == NULL)
		return 0;
	if (in->size > 0)
		memcpy(s->bytes, in->bytes, in->size);
	s->size = in->size;
	s->addr = SECTION;
	return 0;
}

/* What an address at this offset of the section may be. */
static uint64_t
address_at(const struct input *in, size_t offset)
{
	int32_t delta;

	if (offset + 8 > in->size)
		return SECTION;
	if (in->flags & 4)
		return pd_load_u64(in->bytes + offset, false);
	delta = (int32_t)pd_load_u32(in->bytes + offset, false);
	return SECTION + offset + (uint64_t)(int64_t)delta;
}

static void
make_stack(const struct input *in, uint64_t *stack)
{
	size_t step = (in->size / WORDS + 4) & ~(size_t)3, i;

	for (i = 0; i < WORDS; i++) {
		stack[i] = address_at(in, i * step) + in->flags / 8;
		if (i % 5 == 2)
			stack[i] = SP + 8 * (i + 3);
	}
}

/* A session with one thread; everything is mapped. */
static const struct pd_thread *
make_thread(struct pd_session *s, struct pd_error *err)
{
	static struct pd_dso dso = { .kind = PD_DSO_FILE, .name = "/p" };
	struct pd_map map = { .end = SP, .dso = &dso };
	const struct pd_thread *th = pd_session_thread(s, 1, 1, err);
	uint64_t versions = 1;

	if (th == NULL ||
	    pd_space_map(pd_thread_space(th), &map, &versions, err) == -1)
		return NULL;
	return th;
}

static void
unwind_all(struct pd_session *s, const struct input *in, struct pd_error *err)
{
	struct pd_unwind_files files = { .read = read_image,
		.ctx = (void *)in };
	struct pd_event ev = { .sample_type = PD_SAMPLE_STACK_USER |
	    PD_SAMPLE_REGS_USER };
	static struct pd_chain_entry out[MAX];
	uint64_t stack[WORDS], regs[33];
	const struct pd_thread *th = make_thread(s, err);
	struct pd_unwinder *u = pd_unwinder_new(s, &files, err);
	enum pd_unwind_end end;
	struct pd_sample smp = { .user_abi = 2,
		.user_stack = (uint8_t *)stack, .user_regs = (uint8_t *)regs };
	size_t len, i;

	ev.regs_user = in->flags & 2 ? 0x1ffffffff : 0xffffff;
	make_stack(in, stack);
	for (i = 0; i < 33; i++)
		regs[i] = SP + 8 * i;
	for (i = 0; i < 64 && th != NULL && u != NULL; i++) {
		regs[in->flags & 2 ? 31 : 7] = SP;
		regs[in->flags & 2 ? 32 : 8] = address_at(in, i * 4) + i / 8;
		smp.user_stack_size = sizeof(stack) - i;
		pd_unwinder_run(u, th, &ev, &smp, out, MAX, &len, &end, err);
	}
	pd_unwinder_free(u);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pd_reader *rd;
	struct pd_error err;
	struct pd_session *s;
	struct input in = { data, size, 0 };
	int fds[2];

	if (size > 0) {
		in = (struct input){ data + 1, size - 1, data[0] };
	}
	if (rd == NULL) {		/* an empty recording, from a pipe */
		if (pipe(fds) == -1 || write(fds[1],
		    "PERFILE2\20\0\0\0\0\0\0\0", 16) != 16)
			return -1;
		close(fds[1]);
		if (dup2(fds[0], STDIN_FILENO) == -1)
			return -1;
		rd = pd_reader_open("-", PD_FILE_ORDER, &err);
		if (rd == NULL)
			return -1;
	}
	if ((s = pd_session_new(rd, &err)) == NULL)
		return -1;
	unwind_all(s, &in, &err);
	pd_session_free(s);
	return 0;
}
