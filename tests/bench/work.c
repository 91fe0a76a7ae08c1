/*
 * A CPU workload for recordings: four threads wander through 64 functions,
 * up to 48 calls deep, mostly along the same paths, with excursions into libc
 * and the kernel.
 *
 *	work SECONDS
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NTHREADS	4
#define NFUNCS		64

struct state {
	uint64_t	random;
	char		text[512];
	double		stop;
	int		index;
};

typedef uint64_t step(struct state *s, int depth);

static step *const table[NFUNCS];

static uint64_t
next(struct state *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random;
}

static int
by_byte(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

static __attribute__((noinline)) uint64_t
leaf(struct state *s, unsigned kind)
{
	uint64_t sum = 0;

	switch (kind & 255) {
	case 0:
		qsort(s->text, sizeof(s->text), 1, by_byte);
		break;
	case 1:
		snprintf(s->text, sizeof(s->text), "%f", s->random / 3.0);
		break;
	case 2:
		sum = getppid();
		break;
	default:
		for (int i = 0; i < 200; i++)
			sum = (sum ^ s->text[i]) * 1099511628211u;
	}
	return sum;
}

/* Each function has one usual callee and, now and then, two others. */
static __attribute__((always_inline)) inline uint64_t
go(struct state *s, int depth, unsigned self)
{
	uint64_t r = next(s), sum = 0;
	unsigned callee = (self * 5 + 1) % NFUNCS;

	if ((r & 127) == 0)
		callee = (self + (r >> 8 & 1 ? 17 : 30)) % NFUNCS;
	for (unsigned i = 0; i < 20 + self; i++)
		sum += (r >> (i & 31)) * i;
	s->text[self] = sum;
	if (depth > 0)
		sum += table[callee](s, depth - 1);
	if (depth == 0 || (r & 7) == 7)
		sum += leaf(s, r >> 16);
	return sum;
}

#define F(n) static __attribute__((noinline)) uint64_t \
	step_##n(struct state *s, int depth) { return go(s, depth, n) + n; }
#define ROW(X, a) X(a##0) X(a##1) X(a##2) X(a##3) X(a##4) X(a##5) X(a##6) X(a##7)
#define ALL(X) ROW(X, 0) ROW(X, 01) ROW(X, 02) ROW(X, 03) ROW(X, 04) \
	ROW(X, 05) ROW(X, 06) ROW(X, 07)

ALL(F)

#define NAME(n) step_##n,
static step *const table[NFUNCS] = { ALL(NAME) };

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void *
run(void *arg)
{
	struct state *s = arg;
	volatile uint64_t sum = 0;

	while (now() < s->stop)
		for (int i = 0; i < 1000; i++)
			sum += table[s->index](s, 8 + next(s) % 5 * 10);
	return NULL;
}

int
main(int argc, char **argv)
{
	static struct state states[NTHREADS];
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	pthread_t threads[NTHREADS];
	cpu_set_t cpus;
	char name[16];

	/* All CPUs, also when perf itself was pinned to one. */
	memset(&cpus, 0xff, sizeof(cpus));
	sched_setaffinity(0, sizeof(cpus), &cpus);
	for (int i = 0; i < NTHREADS; i++) {
		states[i].random = 88172645463325252 + i;
		states[i].stop = now() + seconds;
		states[i].index = i * 11;
		if (pthread_create(&threads[i], NULL, run, &states[i]) != 0)
			return 1;
		snprintf(name, sizeof(name), "work-%d", i);
		pthread_setname_np(threads[i], name);
	}
	for (int i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
