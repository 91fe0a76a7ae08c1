/* The u64 to u32 table, against a plain array. */
#include <stdlib.h>

#include "base/hash.h"
#include "tap.h"

#define KEYS	5000

static struct pd_error err;

/* Clustered and spread keys, 0 and the largest. */
static uint64_t
key(size_t i)
{
	return i % 2 ? i * UINT64_C(0x9e3779b97f4a7c15) : -(uint64_t)(i * 4096);
}

static void
an_empty_table_finds_nothing(void)
{
	struct pd_map64 m = { 0 };

	CHECK_EQ(pd_map64_find(&m, 0), PD_NOID);
	pd_map64_del(&m, 0);
	pd_map64_free(&m);
	pd_map64_free(&m);
}

static void
keys_come_go_and_change_independently(void)
{
	static uint32_t want[KEYS];
	struct pd_map64 m = { 0 };
	size_t wrong = 0;

	for (size_t i = 0; i < KEYS; i++)
		want[i] = PD_NOID;
	srand(1);
	for (int n = 0; n < 20 * KEYS; n++) {
		size_t i = rand() % KEYS;

		if (rand() % 3 == 0) {
			pd_map64_del(&m, key(i));
			want[i] = PD_NOID;
		} else {
			want[i] = n;
			if (!CHECK(pd_map64_put(&m, key(i), n, &err) == 0))
				break;
		}
	}
	for (size_t i = 0; i < KEYS; i++)
		wrong += pd_map64_find(&m, key(i)) != want[i];
	CHECK_EQ(wrong, 0);
	pd_map64_free(&m);
	CHECK_EQ(pd_map64_find(&m, key(1)), PD_NOID);
	CHECK(pd_map64_put(&m, 7, 8, &err) == 0);
	CHECK_EQ(pd_map64_find(&m, 7), 8);
	pd_map64_free(&m);
}

int
main(void)
{
	RUN(an_empty_table_finds_nothing);
	RUN(keys_come_go_and_change_independently);
	return tap_done();
}
