/* Time order: what waits, what is complete, and in which order it goes. */
#include <stdlib.h>

#include "record/order.h"
#include "tap.h"

static struct pd_error err;
static struct pd_blocks pool;
static struct pd_block *block;

/* A record of 16 bytes: the queue looks at its size only. */
static const uint8_t record[16] = { [6] = 16 };

static uint32_t seed;

static uint32_t
below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* The offset tells records of one time apart. */
static void
put_sized(struct pd_order_queue *oq, uint64_t time, uint64_t offset,
    uint32_t size)
{
	struct pd_waiting w = { time, offset, record, block, NULL };

	CHECK_EQ(pd_order_put(oq, &w, size, &err), 0);
}

static void
put(struct pd_order_queue *oq, uint64_t time, uint64_t offset)
{
	put_sized(oq, time, offset, sizeof(record));
}

/* The time of the next one, or 0 for none now. */
static uint64_t
take(struct pd_order_queue *oq)
{
	struct pd_waiting w;

	if (pd_order_take(oq, &w, &err) != 1)
		return 0;
	pd_block_unref(w.block);
	return w.time;
}

struct key {
	uint64_t	time, offset;
};

static int
by_time(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->offset < y->offset ? -1 : 1;
}

/* A run of a ring buffer; it falls where a buffer is written backwards. */
static size_t
put_run(struct pd_order_queue *oq, struct key *keys, size_t n, size_t len,
    bool falls)
{
	uint64_t time = 1 + below(1000);

	if (falls)
		time += 3 * len;
	for (size_t i = 0; i < len; i++, n++) {
		keys[n] = (struct key){ time, n };
		put(oq, time, n);
		if (falls)
			time -= 1 + below(3);
		else
			time += below(3);
	}
	return n;
}

static void
check_all_sorted(struct pd_order_queue *oq, struct key *keys, size_t n)
{
	struct pd_waiting w;
	size_t wrong = 0;

	qsort(keys, n, sizeof(*keys), by_time);
	pd_order_complete(oq, PD_NOTIME);
	for (size_t i = 0; i < n; i++) {
		if (pd_order_take(oq, &w, &err) != 1)
			break;
		wrong += w.time != keys[i].time || w.offset != keys[i].offset;
		pd_block_unref(w.block);
	}
	CHECK_EQ(wrong, 0);
	CHECK_EQ(take(oq), 0);
}

static void
runs_merge_and_equal_times_keep_the_order_of_the_file(void)
{
	static struct key keys[64 * 200];

	for (uint32_t k = 1; k <= 64; k++) {
		struct pd_order_queue oq = { 0 };
		size_t n = 0;

		seed = k;
		for (uint32_t i = 0; i < k; i++)
			n = put_run(&oq, keys, n, 1 + below(200),
			    below(4) == 0);
		check_all_sorted(&oq, keys, n);
		CHECK_EQ(oq.late, 0);
		pd_order_free(&oq);
	}
}

static void
order_holds_while_records_come_and_go(void)
{
	struct pd_order_queue oq = { 0 };
	uint64_t clock = 1000, last = 0, time;
	size_t in = 0, out = 0, wrong = 0;

	seed = 7;
	for (int round = 0; round < 500; round++) {
		for (uint32_t cpu = 0; cpu < 4; cpu++) {
			uint64_t t = clock + below(10);

			for (uint32_t i = below(20); i > 0; i--, in++)
				put(&oq, t += below(4), in);
		}
		clock += 100;
		pd_order_round(&oq);
		for (; (time = take(&oq)) != 0; out++, last = time)
			wrong += time < last;
	}
	CHECK(out > in / 2);		/* it does not just collect */
	pd_order_complete(&oq, PD_NOTIME);
	for (; (time = take(&oq)) != 0; out++, last = time)
		wrong += time < last;
	CHECK_EQ(wrong, 0);
	CHECK_EQ(in, out);
	CHECK_EQ(oq.bytes, 0);
	CHECK_EQ(oq.late, 0);
	pd_order_free(&oq);
}

/* FINISHED_ROUND: all that was there at the mark before it is complete. */
static void
a_round_delivers_up_to_the_newest_of_the_one_before(void)
{
	struct pd_order_queue oq = { 0 };

	put(&oq, 10, 0);
	put(&oq, 20, 1);
	CHECK_EQ(take(&oq), 0);
	pd_order_round(&oq);
	CHECK_EQ(take(&oq), 0);
	put(&oq, 15, 2);
	put(&oq, 30, 3);
	pd_order_round(&oq);
	CHECK_EQ(take(&oq), 10);
	CHECK_EQ(take(&oq), 15);
	CHECK_EQ(take(&oq), 20);
	CHECK_EQ(take(&oq), 0);
	pd_order_round(&oq);
	CHECK_EQ(take(&oq), 30);
	pd_order_free(&oq);
}

static void
what_is_complete_goes_and_no_more(void)
{
	struct pd_order_queue oq = { 0 };

	put(&oq, 5, 0);
	put(&oq, 7, 1);
	put(&oq, 6, 2);
	pd_order_complete(&oq, 6);
	CHECK_EQ(take(&oq), 5);
	CHECK_EQ(take(&oq), 6);
	CHECK_EQ(take(&oq), 0);
	pd_order_complete(&oq, 4);	/* it does not go back */
	CHECK_EQ(take(&oq), 0);
	put(&oq, 6, 3);
	CHECK_EQ(take(&oq), 6);
	pd_order_complete(&oq, PD_NOTIME);
	CHECK_EQ(take(&oq), 7);
	pd_order_free(&oq);
}

static void
late_records_are_delivered_at_once_and_counted(void)
{
	struct pd_order_queue oq = { 0 };

	put(&oq, 10, 0);
	put(&oq, 20, 1);
	pd_order_complete(&oq, 20);
	CHECK_EQ(take(&oq), 10);
	put(&oq, 15, 2);		/* in time */
	CHECK_EQ(oq.late, 0);
	put(&oq, 5, 3);
	CHECK_EQ(oq.late, 1);
	CHECK_EQ(take(&oq), 5);
	CHECK_EQ(take(&oq), 15);
	CHECK_EQ(take(&oq), 20);
	pd_order_free(&oq);
}

static void
references_to_blocks_are_given_back(void)
{
	struct pd_order_queue oq = { 0 };

	CHECK_EQ(block->refs, 1);
	for (uint64_t t = 1; t <= 100; t++)
		put(&oq, 101 - t, t);
	CHECK_EQ(block->refs, 101);
	pd_order_complete(&oq, 50);
	while (take(&oq) != 0)
		;
	CHECK_EQ(block->refs, 51);
	pd_order_free(&oq);
	CHECK_EQ(block->refs, 1);
}

/* As perf does: the earlier half goes when too much waits without a mark. */
static void
too_much_that_waits_gives_way(void)
{
	struct pd_order_queue oq = { 0 };

	for (uint64_t t = 1; t <= 4; t++)
		put_sized(&oq, t, t, (uint32_t)(PD_ORDER_MAX_BYTES / 5));
	CHECK_EQ(take(&oq), 0);
	CHECK_EQ(take(&oq), 0);
	put_sized(&oq, 5, 5, (uint32_t)(PD_ORDER_MAX_BYTES / 2));
	CHECK_EQ(take(&oq), 1);
	CHECK_EQ(oq.forced, 1);
	CHECK_EQ(take(&oq), 2);
	CHECK_EQ(take(&oq), 3);
	pd_order_free(&oq);
}

int
main(void)
{
	pd_blocks_init(&pool);
	block = pd_block_new(&pool, &err);
	RUN(runs_merge_and_equal_times_keep_the_order_of_the_file);
	RUN(order_holds_while_records_come_and_go);
	RUN(a_round_delivers_up_to_the_newest_of_the_one_before);
	RUN(what_is_complete_goes_and_no_more);
	RUN(late_records_are_delivered_at_once_and_counted);
	RUN(references_to_blocks_are_given_back);
	RUN(too_much_that_waits_gives_way);
	pd_block_unref(block);
	pd_blocks_free(&pool);
	return tap_done();
}
