/* Windows: from text to spans of nanoseconds. */
#include <stdlib.h>

#include "perfdata.h"
#include "tap.h"

#define S	UINT64_C(1000000000)
#define END	UINT64_MAX

static struct pd_error err;

/* The wall clock was 1700000000.5 s when the recording's was at 50 s. */
static const struct pd_info clocked = { .clock_wall = 1700000000 * S + S / 2,
	.clock_mono = 50 * S };

static const struct pd_info unclocked = { .clock_wall = 0 };

/* The span of the one window in a recording from 10 s to 20 s. */
static struct pd_window
span_of(const char *text)
{
	struct pd_windows *ws = pd_windows_new(&err);
	struct pd_window w = { 1, 0 };
	size_t len = 0;

	if (pd_windows_add(ws, text, &err) == 0 && pd_windows_resolve(ws,
	    &clocked, 10 * S, 20 * S, &err) == 0) {
		const struct pd_window *spans = pd_windows_spans(ws, &len);

		w = len == 1 ? spans[0] : (struct pd_window){ 0, 0 };
	} else
		printf("# %s\n", err.msg);
	pd_windows_free(ws);
	return w;
}

static void
check_spans(const char *file, int line, const char *text, uint64_t start,
    uint64_t stop)
{
	struct pd_window w = span_of(text);

	if (!tap_check(w.start == start && w.stop == stop, "%s:%d: '%s'\n",
	    file, line, text))
		printf("# got [%llu, %llu), want [%llu, %llu)\n",
		    (unsigned long long)w.start, (unsigned long long)w.stop,
		    (unsigned long long)start, (unsigned long long)stop);
}

#define SPAN(text, start, stop) \
	check_spans(__FILE__, __LINE__, text, start, stop)

static void
times_are_exact_to_the_nanosecond(void)
{
	SPAN("12.000000001,13", 12 * S + 1, 13 * S);
	SPAN("12.5,12.500000001", 12 * S + S / 2, 12 * S + S / 2 + 1);
	SPAN("9007199.254740993,9007199.254740995", 9007199254740993,
	    9007199254740995);
	SPAN("0,18446744073.709551615", 0, UINT64_MAX);
	SPAN("1.0000000019,2", S + 1, 2 * S);
	SPAN("007,8", 7 * S, 8 * S);
}

static void
open_ends_reach_to_the_ends(void)
{
	SPAN("12,", 12 * S, END);
	SPAN(",12", 0, 12 * S);
	SPAN(",", 0, END);
	SPAN(",+1s", 0, 11 * S);
}

static void
times_count_from_the_first_and_the_last_sample(void)
{
	SPAN("+1s,-1s", 11 * S, 19 * S);
	SPAN("-1s,", 19 * S, END);
	SPAN("+0ns,-0ns", 10 * S, 20 * S);
	SPAN("-1h,", 0, END);
	SPAN("+600000h,", 2160000010 * S, END);
}

static void
behind_a_start_a_length_counts_from_there(void)
{
	SPAN("12,+1.5ms", 12 * S, 12 * S + 1500000);
	SPAN("+1s,+1s", 11 * S, 12 * S);
	SPAN("-2s,+1s", 18 * S, 19 * S);
	SPAN("18446744073,+1h", 18446744073 * S, END);
	SPAN("50%,+1ns", 15 * S, 15 * S + 1);
}

static void
a_tilde_puts_a_time_in_the_middle(void)
{
	SPAN("12~1s", 11 * S + S / 2, 12 * S + S / 2);
	SPAN("12~3ns", 12 * S - 1, 12 * S + 2);
	SPAN("1~1m", 0, 31 * S);
	SPAN("-0s~2s", 19 * S, 21 * S);
}

static void
percent_are_of_the_samples_the_last_one_included(void)
{
	SPAN("0%,100%", 10 * S, 20 * S + 1);
	SPAN("50%,100%", 15 * S, 20 * S + 1);
	SPAN("12.5%,25%", 11 * S + S / 4, 12 * S + S / 2);
	SPAN("0%-10%", 10 * S, 11 * S);
	SPAN("10%/1", 10 * S, 11 * S);
	SPAN("10%/10", 19 * S, 20 * S + 1);
	SPAN("30%/4", 19 * S, 20 * S + 1);
	SPAN("100%/1", 10 * S, 20 * S + 1);
}

/* Whatever the share and the length, no sample is in two pieces or none. */
static void
pieces_are_a_partition(void)
{
	static const struct { const char *n; unsigned pieces; } cut[] = {
		{ "10%", 10 }, { "33.3%", 4 }, { "7%", 15 }, { "0.7%", 143 },
		{ "100%", 1 }, { "99.99999999999999%", 2 } };

	for (size_t i = 0; i < sizeof(cut) / sizeof(*cut); i++)
		for (uint64_t length = 0; length < 40; length++) {
			uint64_t end = 1000;

			for (unsigned k = 1; k <= cut[i].pieces; k++) {
				struct pd_windows *ws = pd_windows_new(&err);
				char text[64];
				size_t len;

				snprintf(text, sizeof(text), "%s/%u", cut[i].n, k);
				CHECK(pd_windows_add(ws, text, &err) == 0);
				CHECK(pd_windows_resolve(ws, &unclocked, 1000,
				    1000 + length, &err) == 0);
				const struct pd_window *w = pd_windows_spans(ws, &len);
				if (len > 0) {
					CHECK_EQ(w->start, end);
					end = w->stop;
				}
				pd_windows_free(ws);
			}
			CHECK_EQ(end, 1000 + length + 1);
		}
}

static void
the_wall_clock_counts_from_where_both_clocks_are_known(void)
{
	SPAN("@1700000001.5,@1700000002", 51 * S, 51 * S + S / 2);
	SPAN("2023-11-14T22:13:21.500Z,", 51 * S, END);
	SPAN("2023-11-14t22:13:20z~1s", 49 * S, 50 * S);
	SPAN("2023-11-14 23:43:20.5+01:30,+1ns", 50 * S, 50 * S + 1);
	SPAN("2023-11-14_16:13:20.500000001-06:00,+1ns", 50 * S + 1, 50 * S + 2);
	SPAN("1970-01-01T00:00:00Z,2023-11-14T22:13:20Z", 0, 49 * S + S / 2);
	SPAN("2023-11-14T22:13:60Z,+1s", 90 * S - S / 2, 91 * S - S / 2);
	SPAN("2554-01-01T00:00:00Z,", 16729292849 * S + S / 2, END);
	SPAN("2024-02-29T00:00:00Z,2024-03-01T00:00:00Z",
	    50 * S + (1709164800 - 1700000000) * S - S / 2,
	    50 * S + (1709251200 - 1700000000) * S - S / 2);
}

static void
without_its_wall_clock_the_way_out_is_named(void)
{
	struct pd_windows *ws = pd_windows_new(&err);

	CHECK(pd_windows_add(ws, "@1700000001,", &err) == 0);
	CHECK_EQ(pd_windows_needs(ws), PD_WINDOWS_CLOCK);
	CHECK(pd_windows_resolve(ws, &unclocked, 1, 2, &err) == -1);
	CHECK_EQ(err.code, PD_EARG);
	CHECK(strstr(err.msg, "perf record -k CLOCK_MONOTONIC") != NULL);
	CHECK(strstr(err.msg, "'@1700000001,'") != NULL);
	pd_windows_free(ws);
}

static void
what_is_no_window_is_refused(void)
{
	static const char *const bad[] = { "", "1", "10%", "+1s", "-1s", "x,y",
	    "1,2,3", "1~", "~1s", "1~2~3", "1~-1s", "1,1s", "1s,", "-1,",
	    "+1,", "1, 2", " 1,2", "1.,2", ".5,2", "1e3,", "0x1,", "101%,",
	    "1%/0", "0%/1", "10%/11", "10%/-1", "10%/1.5", "10%/", "/2",
	    "10/2", "100%/2", "10%/99999999999999999999", "50%/3",
	    "99999999999999999999,", "18446744073.709551616,", "@,", "@-1,",
	    "@1%,", "@1700000000123,", "1%%,", "--1s,", "++1s,",
	    "2023-11-14T22:13:20,", "2023-11-14T22:13:20.Z,",
	    "2023-11-14T22:13:20+0100,", "2023-11-14T22:13:20+24:00,",
	    "2023-11-14T22:13:20+01:60,", "2023-11-14T22:13:61Z,",
	    "2023-11-14T22:60:00Z,", "2023-11-14T24:00:00Z,",
	    "2023-02-29T00:00:00Z,", "2023-13-01T00:00:00Z,",
	    "2023-00-01T00:00:00Z,", "2023-01-00T00:00:00Z,",
	    "1969-12-31T23:59:59Z,", "1970-01-01T00:00:00+00:01,",
	    "2555-01-01T00:00:00Z,", "2023-11-14,", "22:13:20,",
	    "2023-11-14T22:13:20ZZ," };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pd_windows *ws = pd_windows_new(&err);

		if (!CHECK_EQ(pd_windows_add(ws, bad[i], &err), -1))
			printf("# accepted: '%s'\n", bad[i]);
		else if (!CHECK(err.code == PD_EARG && strstr(err.msg, "--time")))
			printf("# %s\n", err.msg);
		CHECK_EQ(pd_windows_needs(ws), 0);
		pd_windows_free(ws);
	}
}

static void
windows_that_end_before_they_begin_are_refused(void)
{
	static const char *const bad[] = { "2,1", "+6s,-6s", "20%,10%", "21,-1s" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pd_windows *ws = pd_windows_new(&err);

		CHECK(pd_windows_add(ws, bad[i], &err) == 0);
		if (!CHECK(pd_windows_resolve(ws, &unclocked, 10 * S, 20 * S,
		    &err) == -1))
			printf("# accepted: '%s'\n", bad[i]);
		pd_windows_free(ws);
	}
}

static struct pd_windows *
of(const char *const *texts, uint64_t first, uint64_t last)
{
	struct pd_windows *ws = pd_windows_new(&err);

	for (; *texts != NULL; texts++)
		CHECK(pd_windows_add(ws, *texts, &err) == 0);
	CHECK(pd_windows_resolve(ws, &unclocked, first, last, &err) == 0);
	return ws;
}

static void
windows_include_their_start_but_not_their_end(void)
{
	struct pd_windows *ws = of((const char *const[]){ "4,5", "1,2", "2,3",
	    "4.5,4.6", "7,7", NULL }, 0, 0);
	size_t len;

	CHECK(!pd_windows_match(ws, 0));
	CHECK(!pd_windows_match(ws, S - 1));
	CHECK(pd_windows_match(ws, S));
	CHECK(pd_windows_match(ws, 2 * S));
	CHECK(pd_windows_match(ws, 3 * S - 1));
	CHECK(!pd_windows_match(ws, 3 * S));
	CHECK(pd_windows_match(ws, 4 * S));
	CHECK(pd_windows_match(ws, 5 * S - 1));
	CHECK(!pd_windows_match(ws, 5 * S));
	CHECK(!pd_windows_match(ws, 7 * S));
	CHECK(!pd_windows_match(ws, PD_NOTIME));
	CHECK(!pd_windows_over(ws, 5 * S - 1));
	CHECK(pd_windows_over(ws, 5 * S));
	CHECK(!pd_windows_over(ws, PD_NOTIME));
	CHECK_EQ(pd_windows_spans(ws, &len)[0].stop, 3 * S);
	CHECK_EQ(len, 2);
	pd_windows_free(ws);
}

static void
without_windows_every_time_matches(void)
{
	struct pd_windows *ws = of((const char *const[]){ NULL }, 0, 0);

	CHECK(pd_windows_match(ws, 0));
	CHECK(pd_windows_match(ws, PD_NOTIME));
	CHECK(!pd_windows_over(ws, END - 1));
	pd_windows_free(ws);
}

static void
an_open_window_is_never_over(void)
{
	struct pd_windows *ws = of((const char *const[]){ "3,", NULL }, 0, 0);

	CHECK(pd_windows_match(ws, END - 1));
	CHECK(!pd_windows_match(ws, PD_NOTIME));
	CHECK(!pd_windows_over(ws, END - 1));
	pd_windows_free(ws);
}

static void
windows_of_a_recording_without_samples_are_empty(void)
{
	struct pd_windows *ws = of((const char *const[]){ "10%/2", "-1s,",
	    "+1s,-1s", NULL }, PD_NOTIME, PD_NOTIME);

	CHECK(!pd_windows_match(ws, 0));
	CHECK(pd_windows_over(ws, 0));
	pd_windows_free(ws);
}

static void
windows_say_what_they_need(void)
{
	static const struct { const char *text; unsigned needs; } t[] = {
		{ "1,2", 0 }, { ",", 0 }, { "1~1s", 0 }, { "1,+1s", 0 },
		{ "+1s,", PD_WINDOWS_FIRST }, { ",+1s", PD_WINDOWS_FIRST },
		{ "+1s,+1s", PD_WINDOWS_FIRST }, { "-1s,+1s", PD_WINDOWS_LAST },
		{ "+1s,-1s", PD_WINDOWS_FIRST | PD_WINDOWS_LAST },
		{ "10%/2", PD_WINDOWS_FIRST | PD_WINDOWS_LAST },
		{ "1,@2", PD_WINDOWS_CLOCK },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct pd_windows *ws = pd_windows_new(&err);

		CHECK(pd_windows_add(ws, t[i].text, &err) == 0);
		if (!CHECK_EQ(pd_windows_needs(ws), t[i].needs))
			printf("# '%s'\n", t[i].text);
		pd_windows_free(ws);
	}
}

int
main(void)
{
	RUN(times_are_exact_to_the_nanosecond);
	RUN(open_ends_reach_to_the_ends);
	RUN(times_count_from_the_first_and_the_last_sample);
	RUN(behind_a_start_a_length_counts_from_there);
	RUN(a_tilde_puts_a_time_in_the_middle);
	RUN(percent_are_of_the_samples_the_last_one_included);
	RUN(pieces_are_a_partition);
	RUN(the_wall_clock_counts_from_where_both_clocks_are_known);
	RUN(without_its_wall_clock_the_way_out_is_named);
	RUN(what_is_no_window_is_refused);
	RUN(windows_that_end_before_they_begin_are_refused);
	RUN(windows_include_their_start_but_not_their_end);
	RUN(without_windows_every_time_matches);
	RUN(an_open_window_is_never_over);
	RUN(windows_of_a_recording_without_samples_are_empty);
	RUN(windows_say_what_they_need);
	return tap_done();
}
