/* Text that people write, and text that reaches a terminal. */
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "tap.h"

static void
lists_hold_numbers_and_ranges(void)
{
	struct pd_range *r = NULL;
	struct pd_error err;
	size_t len = 0, cap = 0;

	CHECK(pd_text_ranges("1,4-7", "--pid", &r, &len, &cap, &err) == 0);
	CHECK(pd_text_ranges("4294967295", "--pid", &r, &len, &cap, &err) == 0);
	if (CHECK_EQ(len, 3)) {
		CHECK_EQ(r[0].first, 1);
		CHECK_EQ(r[0].last, 1);
		CHECK_EQ(r[1].first, 4);
		CHECK_EQ(r[1].last, 7);
		CHECK_EQ(r[2].last, 4294967295);
	}
	free(r);
}

static void
other_lists_are_refused_by_name(void)
{
	static const char *const bad[] = { "", ",", "1,", "1,,2", "-1", "7-4", "1-",
		"1-2-3", "x", "1x", " 1", "4294967296", "99999999999999999999" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pd_range *r = NULL;
		struct pd_error err;
		size_t len = 0, cap = 0;

		if (!CHECK(pd_text_ranges(bad[i], "--pid", &r, &len, &cap,
		    &err) == -1))
			printf("# accepted: '%s'\n", bad[i]);
		else
			CHECK(strstr(err.msg, "--pid") != NULL);
		free(r);
	}
}

static void
durations_have_a_unit_and_every_nanosecond(void)
{
	static const struct { const char *text; uint64_t ns; } good[] = {
		{ "0ns", 0 }, { "7ns", 7 }, { "100us", 100000 }, { "3ms", 3000000 },
		{ "1.5s", 1500000000 }, { "0.000000001s", 1 }, { "0.5ns", 0 },
		{ "2m", 120000000000 }, { "1.000000001h", 3600000003600 },
		{ "0.33333333333333333333333h", 1199999999999 },
		{ "8760h", 31536000000000000 }, { "007s", 7000000000 },
		{ "18446744073709551615ns", UINT64_MAX },
	};
	static const char *const bad[] = { "", "1", "s", "1 s", " 1s", "-1s",
		"+1s", "1.s", ".5s", "1.5", "1e3s", "1S", "1sec", "0x1s", "1.2.3s",
		"18446744073709551616ns", "18446744073709551615us",
		"18446744073.8s", "5124095577h" };
	struct pd_error err;
	uint64_t ns;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		CHECK(pd_duration_parse(good[i].text, "--window", &ns, &err) == 0);
		CHECK_EQ(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (!CHECK(pd_duration_parse(bad[i], "--window", &ns, &err) == -1))
			printf("# accepted: '%s'\n", bad[i]);
		else
			CHECK(strstr(err.msg, "--window") != NULL);
	}
}

static void
messages_hold_no_control_bytes(void)
{
	struct pd_error err;

	CHECK(pd_fail(&err, PD_EFORMAT, 16, "a\033[31mb\n%s", "\x7f\t") == -1);
	CHECK_STR(err.msg, "a?[31mb???");
	CHECK_EQ(err.offset, 16);
	CHECK_EQ(err.code, PD_EFORMAT);
}

static void
long_messages_are_cut(void)
{
	struct pd_error err;

	pd_fail(&err, PD_EFORMAT, PD_NOWHERE, "%1000d", 1);
	CHECK_EQ(strlen(err.msg), sizeof(err.msg) - 1);
}

int
main(void)
{
	RUN(lists_hold_numbers_and_ranges);
	RUN(other_lists_are_refused_by_name);
	RUN(durations_have_a_unit_and_every_nanosecond);
	RUN(messages_hold_no_control_bytes);
	RUN(long_messages_are_cut);
	return tap_done();
}
