/*
 * A program with a critical section to find: one thread imports blocks, which
 * takes 1 to 9 ms each, and once, for block 42, 40 ms; another one gossips.
 * It tells of each import what it is to be found by, in CLOCK_MONOTONIC:
 *
 *	HEIGHT TID START END WALL	on standard output, WALL being the time
 *					of day of START (ns since 1970);
 *	START END import HEIGHT		in marker-PID.txt, which it maps so that
 *					perf records its name.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MS	1000000u

static atomic_bool done;

static uint64_t
now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* What is behind each call keeps it from being the last, which is a jump. */
#define KEEP()	__asm__ volatile("")

static __attribute__((noinline)) void
spin(uint64_t ns)
{
	uint64_t end = now(CLOCK_MONOTONIC) + ns;

	while (now(CLOCK_MONOTONIC) < end)
		for (int i = 0; i < 1000; i++)
			KEEP();
}

static __attribute__((noinline)) void
execute_block(uint64_t ns)
{
	spin(ns);
	KEEP();
}

static __attribute__((noinline)) void
wait_for_disk(uint64_t ns)
{
	spin(ns);
	KEEP();
}

__attribute__((noinline)) int import_block(uint64_t height, const char *peer);

int
import_block(uint64_t height, const char *peer)
{
	execute_block((1 + height * 5 % 9) * MS);
	if (height == 42)
		wait_for_disk(30 * MS);
	return peer[0];
}

static __attribute__((noinline)) void *
gossip(void *arg)
{
	while (!done) {
		spin(2 * MS);
		usleep(2000);
	}
	return arg;
}

/* A file that programs write their markers to: see pd-time(7). */
static FILE *
open_markers(void)
{
	char name[32];
	FILE *f;

	snprintf(name, sizeof(name), "marker-%d.txt", (int)getpid());
	f = fopen(name, "w+");
	if (f == NULL || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED,
	    fileno(f), 0) == MAP_FAILED) {
		perror(name);
		exit(1);
	}
	return f;
}

int
main(void)
{
	FILE *markers = open_markers();
	uint64_t height, wall, start, end;
	pthread_t other;

	pthread_create(&other, NULL, gossip, NULL);
	for (height = 36; height < 52; height++) {
		wall = now(CLOCK_REALTIME);
		start = now(CLOCK_MONOTONIC);
		import_block(height, height % 2 ? "alice" : "bob");
		end = now(CLOCK_MONOTONIC);
		printf("%ju %ld %ju %ju %ju\n", (uintmax_t)height,
		    (long)syscall(SYS_gettid), (uintmax_t)start,
		    (uintmax_t)end, (uintmax_t)wall);
		fprintf(markers, "%ju %ju import %ju\n", (uintmax_t)start,
		    (uintmax_t)end, (uintmax_t)height);
		spin(MS);
	}
	done = true;
	pthread_join(other, NULL);
	return fclose(markers);
}
