/* What is done after an answer, and when: no clock and no network here. */
#include <stdlib.h>
#include <string.h>

#include "push/queue.h"
#include "tap.h"

#define SEC	1000000000ull

static enum pd_verdict
judge(unsigned status, const char *text, enum pd_push_api api,
    size_t profiles, unsigned tries)
{
	struct pd_answer a = { .status = status };

	snprintf(a.text, sizeof(a.text), "%s", text);
	return pd_answer_judge(&a, api, profiles, tries);
}

static void
what_may_pass_is_tried_again(void)
{
	static const unsigned again[] = { 408, 409, 425, 429, 499, 500, 502, 503,
		504, 520 };
	struct pd_answer a = { .unreached = true };

	for (size_t i = 0; i < sizeof(again) / sizeof(again[0]); i++)
		if (judge(again[i], "", PD_PUSH_CONNECT, 1, 9) != PD_RETRY)
			CHECK_EQ(again[i], 0);
	CHECK_EQ(pd_answer_judge(&a, PD_PUSH_CONNECT, 1, 1), PD_RETRY);
}

static void
what_is_for_ever_is_not(void)
{
	static const unsigned refused[] = { 301, 302, 307, 401, 403, 404, 405, 415,
		501 };
	struct pd_answer a = { .unreached = true, .hopeless = true };

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (judge(refused[i], "", PD_PUSH_CONNECT, 1, 1) != PD_REFUSED)
			CHECK_EQ(refused[i], 0);
	CHECK_EQ(judge(400, "", PD_PUSH_CONNECT, 1, 1), PD_REJECTED);
	CHECK_EQ(judge(413, "", PD_PUSH_CONNECT, 1, 1), PD_REJECTED);
	CHECK_EQ(judge(500, "invalid_argument: x", PD_PUSH_CONNECT, 1, 1),
	    PD_REJECTED);
	CHECK_EQ(pd_answer_judge(&a, PD_PUSH_CONNECT, 1, 1), PD_REFUSED);
}

static void
a_page_of_html_is_no_success(void)
{
	struct pd_answer a = { .status = 200 };

	CHECK_EQ(pd_answer_judge(&a, PD_PUSH_CONNECT, 1, 1), PD_STORED);
	a.html = true;
	CHECK_EQ(pd_answer_judge(&a, PD_PUSH_CONNECT, 1, 1), PD_REFUSED);
}

/* One of them may be bad, and the others are not stored twice by that. */
static void
several_profiles_are_tried_apart(void)
{
	CHECK_EQ(judge(400, "", PD_PUSH_CONNECT, 2, 1), PD_SPLIT);
	CHECK_EQ(judge(413, "", PD_PUSH_CONNECT, 2, 1), PD_SPLIT);
	CHECK_EQ(judge(429, "message size 9 is larger than configured max 8",
	    PD_PUSH_CONNECT, 2, 1), PD_SPLIT);
	CHECK_EQ(judge(429, "message size 9 is larger than configured max 8",
	    PD_PUSH_CONNECT, 1, 1), PD_REJECTED);
	CHECK_EQ(judge(429, "push rate limit", PD_PUSH_CONNECT, 2, 1), PD_RETRY);
	CHECK_EQ(judge(429, "push rate limit", PD_PUSH_CONNECT, 2, 2), PD_SPLIT);
}

static void
ingest_says_422_for_everything(void)
{
	CHECK_EQ(judge(422, "unavailable: x", PD_PUSH_INGEST, 1, 1), PD_RETRY);
	CHECK_EQ(judge(422, "deadline_exceeded", PD_PUSH_INGEST, 1, 1), PD_RETRY);
	CHECK_EQ(judge(422, "resource_exhausted", PD_PUSH_INGEST, 1, 1), PD_RETRY);
	CHECK_EQ(judge(422, "unknown profile type", PD_PUSH_INGEST, 1, 1),
	    PD_REJECTED);
	CHECK_EQ(judge(422, "unavailable", PD_PUSH_CONNECT, 1, 1), PD_REJECTED);
}

static void
delays_double_up_to_a_minute_with_full_jitter(void)
{
	static const uint64_t most[] = { SEC / 2, SEC, 2 * SEC, 4 * SEC, 8 * SEC,
		16 * SEC, 32 * SEC, 60 * SEC, 60 * SEC };

	for (unsigned n = 0; n < 9; n++) {
		CHECK_EQ(pd_retry_delay(n + 1, 0, most[n]), most[n]);
		CHECK_EQ(pd_retry_delay(n + 1, 0, most[n] + 1), 0);
		CHECK_EQ(pd_retry_delay(n + 1, 0, 7), 7);
	}
	CHECK_EQ(pd_retry_delay(4000000000u, 0, 60 * SEC), 60 * SEC);
	CHECK_EQ(pd_retry_delay(1, 90 * SEC, 5), 90 * SEC);
	CHECK_EQ(pd_retry_delay(1, 1, 5), 5);
}

/* ---- the queue ------------------------------------------------------------ */

static struct pd_queue q;
static struct pd_entry e[5];

static void
queue_of(size_t n)
{
	pd_queue_init(&q);
	q.parallel = 2;
	q.budget = 100 * SEC;
	memset(e, 0, sizeof(e));
	for (size_t i = 0; i < n; i++)
		pd_queue_put(&q, &e[i], SEC);
}

static struct pd_entry *
next(uint64_t now)
{
	uint64_t wait;

	return pd_queue_next(&q, now, &wait);
}

static void
the_oldest_go_first_and_only_so_many(void)
{
	queue_of(3);
	CHECK(next(SEC) == &e[0]);
	pd_queue_sent(&q, &e[0], 1, SEC);
	CHECK(next(SEC) == &e[1]);
	pd_queue_sent(&q, &e[1], 1, SEC);
	CHECK(next(SEC) == NULL);
	CHECK_EQ(pd_queue_answered(&q, &e[1], PD_STORED, 0, SEC, 0), PD_GONE);
	pd_queue_take_out(&q, &e[1]);
	CHECK(next(SEC) == &e[2]);
	CHECK_EQ(q.len, 2);
}

static void
while_the_server_fails_one_asks(void)
{
	uint64_t wait;

	queue_of(3);
	pd_queue_sent(&q, &e[0], 1, SEC);
	pd_queue_sent(&q, &e[1], 1, SEC);
	CHECK_EQ(pd_queue_answered(&q, &e[0], PD_RETRY, 9 * SEC, SEC, 0),
	    PD_AGAIN);
	CHECK(next(5 * SEC) == NULL);	/* e[1] is still under way */
	pd_queue_answered(&q, &e[1], PD_RETRY, 0, SEC, 0);
	CHECK_EQ(q.failures, 2);
	CHECK(pd_queue_next(&q, SEC, &wait) == &e[1]);
	pd_queue_sent(&q, &e[1], 1, SEC);
	CHECK(next(99 * SEC) == NULL);
	pd_queue_answered(&q, &e[1], PD_STORED, 0, SEC, 0);
	pd_queue_take_out(&q, &e[1]);
	CHECK(next(SEC) == &e[2]);	/* e[0] was asked to wait longer */
	CHECK(next(10 * SEC) == &e[0]);
}

static void
it_says_how_long_nothing_can_be_done(void)
{
	uint64_t wait;

	queue_of(0);
	CHECK(pd_queue_next(&q, SEC, &wait) == NULL);
	CHECK_EQ(wait, PD_NOTIME);
	queue_of(1);
	pd_queue_sent(&q, &e[0], 1, SEC);
	pd_queue_answered(&q, &e[0], PD_RETRY, 4 * SEC, SEC, 0);
	CHECK(pd_queue_next(&q, 2 * SEC, &wait) == NULL);
	CHECK_EQ(wait, 3 * SEC);
	CHECK(next(5 * SEC) == &e[0]);
}

static void
what_was_tried_for_too_long_is_given_up(void)
{
	queue_of(2);
	pd_queue_sent(&q, &e[0], 1, SEC);
	pd_queue_answered(&q, &e[0], PD_RETRY, 0, 2 * SEC, 0);
	CHECK(!pd_queue_hopeless(&q, &e[0], 100 * SEC));
	CHECK(pd_queue_hopeless(&q, &e[0], 101 * SEC));
	CHECK(!pd_queue_hopeless(&q, &e[1], 101 * SEC));	/* not failing yet */
	CHECK(pd_queue_hopeless(&q, &e[1], 102 * SEC));
}

static void
one_that_fails_alone_does_not_take_the_others_with_it(void)
{
	queue_of(2);
	pd_queue_sent(&q, &e[0], 1, SEC);
	pd_queue_answered(&q, &e[0], PD_RETRY, 0, 2 * SEC, 0);
	pd_queue_sent(&q, &e[1], 1, 90 * SEC);
	pd_queue_answered(&q, &e[1], PD_STORED, 0, 90 * SEC, 0);
	pd_queue_take_out(&q, &e[1]);
	pd_queue_put(&q, &e[2], 90 * SEC);
	CHECK(pd_queue_hopeless(&q, &e[0], 150 * SEC));
	CHECK(!pd_queue_hopeless(&q, &e[2], 500 * SEC));
}

static void
what_is_on_the_disk_waits_until_we_end(void)
{
	queue_of(1);
	e[0].spooled = 7;
	pd_queue_sent(&q, &e[0], 1, SEC);
	pd_queue_answered(&q, &e[0], PD_RETRY, 0, 2 * SEC, 0);
	CHECK(!pd_queue_hopeless(&q, &e[0], 100000 * SEC));
	pd_queue_end(&q, 100000 * SEC);
	CHECK(!pd_queue_hopeless(&q, &e[0], 100099 * SEC));
	CHECK(pd_queue_hopeless(&q, &e[0], 100100 * SEC));
}

static void
halves_take_the_place_of_the_whole(void)
{
	queue_of(2);
	pd_queue_sent(&q, &e[0], 1, SEC);
	CHECK_EQ(pd_queue_answered(&q, &e[0], PD_SPLIT, 0, SEC, 0), PD_HALVE);
	pd_queue_put_behind(&q, &e[0], &e[2]);
	pd_queue_put_behind(&q, &e[2], &e[3]);
	pd_queue_take_out(&q, &e[0]);
	CHECK(q.first == &e[2] && e[2].next == &e[3] && e[3].next == &e[1]);
	CHECK_EQ(q.len, 3);
	/* also at the end */
	pd_queue_put_behind(&q, &e[1], &e[4]);
	pd_queue_take_out(&q, &e[1]);
	pd_queue_put(&q, &e[0], SEC);
	CHECK(e[3].next == &e[4] && e[4].next == &e[0]);
}

static void
no_more_is_sent_than_the_rate_allows(void)
{
	queue_of(1);
	q.rate = 1000;
	q.burst = 500;
	CHECK_EQ(pd_queue_pace(&q, 500, SEC), 0);
	pd_queue_sent(&q, &e[0], 500, SEC);
	CHECK_EQ(pd_queue_pace(&q, 100, SEC), SEC / 10 + 1);
	CHECK_EQ(pd_queue_pace(&q, 100, SEC + SEC / 10), 0);
	CHECK_EQ(pd_queue_pace(&q, 500, SEC + SEC / 10), 4 * SEC / 10 + 1);
	/* What is more than the bucket holds waits until it is full. */
	CHECK_EQ(pd_queue_pace(&q, 100000, 50 * SEC), 0);
	q.rate = 0;
	CHECK_EQ(pd_queue_pace(&q, UINT64_MAX, SEC), 0);
}

int
main(void)
{
	RUN(what_may_pass_is_tried_again);
	RUN(what_is_for_ever_is_not);
	RUN(a_page_of_html_is_no_success);
	RUN(several_profiles_are_tried_apart);
	RUN(ingest_says_422_for_everything);
	RUN(delays_double_up_to_a_minute_with_full_jitter);
	RUN(the_oldest_go_first_and_only_so_many);
	RUN(while_the_server_fails_one_asks);
	RUN(it_says_how_long_nothing_can_be_done);
	RUN(what_was_tried_for_too_long_is_given_up);
	RUN(one_that_fails_alone_does_not_take_the_others_with_it);
	RUN(what_is_on_the_disk_waits_until_we_end);
	RUN(halves_take_the_place_of_the_whole);
	RUN(no_more_is_sent_than_the_rate_allows);
	return tap_done();
}
