/*
 * A program worth profiling: two threads, one that sorts and one that counts
 * primes and hashes, for as many seconds as the first argument says.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

static volatile uint64_t sink;
static double seconds = 3;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static uint64_t NOINLINE
next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void NOINLINE
swap(uint64_t *a, uint64_t *b)
{
	uint64_t t = *a;

	*a = *b;
	*b = t;
}

static size_t NOINLINE
partition(uint64_t *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i + 1 < n; i++)
		if (v[i] < v[n - 1])
			swap(&v[i], &v[kept++]);
	swap(&v[kept], &v[n - 1]);
	return kept;
}

static void NOINLINE
quicksort(uint64_t *v, size_t n)
{
	if (n < 2)
		return;

	size_t middle = partition(v, n);

	quicksort(v, middle);
	quicksort(v + middle + 1, n - middle - 1);
	sink += v[0];
}

static void NOINLINE
fill(uint64_t *v, size_t n, uint64_t *state)
{
	for (size_t i = 0; i < n; i++)
		v[i] = next_random(state);
}

static void *
sorter(void *unused)
{
	static uint64_t v[4096];
	uint64_t state = 88172645463325252;

	(void)unused;
	for (double stop = now() + seconds; now() < stop;) {
		fill(v, 4096, &state);
		quicksort(v, 4096);
	}
	return NULL;
}

static uint64_t NOINLINE
hash_bytes(const unsigned char *p, size_t n)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 1099511628211;
	return h;
}

static int NOINLINE
is_prime(unsigned n)
{
	for (unsigned d = 3; d * d <= n; d += 2)
		if (n % d == 0)
			return 0;
	return n % 2 != 0;
}

static uint64_t NOINLINE
count_primes(unsigned from, unsigned to)
{
	uint64_t found = 0;

	for (unsigned n = from; n < to; n++)
		found += is_prime(n);
	return found;
}

static void *
counter(void *unused)
{
	static unsigned char text[16384];

	(void)unused;
	for (double stop = now() + seconds; now() < stop;) {
		sink += count_primes(100001, 101001);
		sink += hash_bytes(text, sizeof(text));
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t a, b;

	if (argc > 1)
		seconds = atof(argv[1]);
	if (pthread_create(&a, NULL, sorter, NULL) != 0 ||
	    pthread_create(&b, NULL, counter, NULL) != 0)
		return 1;
	pthread_setname_np(a, "sorter");
	pthread_setname_np(b, "counter");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
