/*
 * jitwork DIR SECONDS: a small JIT compiler that describes its code in
 * DIR/jit-PID.dump and DIR/perf-PID.map.  It puts two functions at one
 * address, in turns, and names the thread after the one that is there: so each
 * sample tells which name is right.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define TURNS	20

static const char *const names[] = { "first", "second" };
static FILE *dump, *map;
static uint64_t loads;

static uint64_t
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void
begin_dump(const char *dir)
{
	uint32_t head[6] = { 0x4a695444, 1, 40, 62, 0, (uint32_t)getpid() };
	uint64_t rest[2] = { now(), 0 };
	char path[4096];

	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, (int)getpid());
	dump = fopen(path, "w+");
	/* Executable: for the record of it, see perf's jit_detect(). */
	if (dump == NULL || mmap(NULL, 4096, PROT_READ | PROT_EXEC,
	    MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		err(2, "%s", path);
	snprintf(path, sizeof(path), "%s/perf-%d.map", dir, (int)getpid());
	if ((map = fopen(path, "w")) == NULL)
		err(2, "%s", path);
	fwrite(head, sizeof(head), 1, dump);
	fwrite(rest, sizeof(rest), 1, dump);
}

static void
describe(const char *name, const uint8_t *code, size_t size)
{
	uint32_t pid = (uint32_t)getpid(), n = (uint32_t)strlen(name) + 1;
	uint32_t id[2] = { 0, (uint32_t)(56 + n + size) }, who[2] = { pid, pid };
	uint64_t time = now(), what[4] = { (uintptr_t)code, (uintptr_t)code,
	    size, ++loads };

	fwrite(id, sizeof(id), 1, dump);
	fwrite(&time, sizeof(time), 1, dump);
	fwrite(who, sizeof(who), 1, dump);
	fwrite(what, sizeof(what), 1, dump);
	fwrite(name, n, 1, dump);
	fwrite(code, size, 1, dump);
	fflush(dump);
	fprintf(map, "%lx %zx %s\n", (unsigned long)(uintptr_t)code, size,
	    name);
	fflush(map);
}

/* push rbp; mov rbp, rsp; mov ecx, N; 1: dec ecx; jnz 1b; pop rbp; ret */
static const uint8_t loop[] = {
	0x55, 0x48, 0x89, 0xe5, 0xb9, 0x40, 0x0d, 0x03, 0x00,
	0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3,
};

static __attribute__((noinline)) void
run(void (*f)(void), uint64_t until)
{
	while (now() < until)
		f();
}

int
main(int argc, char **argv)
{
	double seconds = argc == 3 ? atof(argv[2]) : 0;
	void (*f)(void);
	uint8_t *code;

	if (seconds <= 0)
		errx(2, "usage: jitwork DIR SECONDS");
	begin_dump(argv[1]);
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		err(2, "mmap");
	for (int i = 0; i < TURNS; i++) {
		memcpy(code, loop, sizeof(loop));
		prctl(PR_SET_NAME, names[i % 2]);
		describe(names[i % 2], code, sizeof(loop));
		memcpy(&f, &code, sizeof(f));
		run(f, now() + (uint64_t)(seconds * 1e9) / TURNS);
	}
	return 0;
}
