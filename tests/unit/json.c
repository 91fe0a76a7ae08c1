/* JSON is valid, whatever goes in. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "tap.h"

static char *text;
static size_t size;

static struct pd_json
start(void)
{
	free(text);
	text = NULL;
	return (struct pd_json){ .out = open_memstream(&text, &size) };
}

static const char *
end(struct pd_json *j)
{
	fclose(j->out);
	return text;
}

/* What a string becomes, without its quotes. */
static const char *
escaped(const char *s)
{
	struct pd_json j = start();

	pd_json_string(&j, NULL, s);
	end(&j);
	if (!CHECK(size >= 2 && text[0] == '"' && text[size - 1] == '"'))
		return text;
	text[size - 1] = '\0';
	return text + 1;
}

static const char *
number(double v)
{
	struct pd_json j = start();

	pd_json_double(&j, NULL, v);
	return end(&j);
}

static void
commas_stand_between_values_only(void)
{
	struct pd_json j = start();

	pd_json_object(&j, NULL);
	pd_json_array(&j, "a");
	pd_json_array_end(&j);
	pd_json_array(&j, "b");
	pd_json_u64(&j, NULL, 1);
	pd_json_object(&j, NULL);
	pd_json_object_end(&j);
	pd_json_null(&j, NULL);
	pd_json_array_end(&j);
	pd_json_bool(&j, "c", true);
	pd_json_bool(&j, "d", false);
	pd_json_string(&j, "e", NULL);
	pd_json_object_end(&j);
	CHECK_STR(end(&j), "{\"a\":[],\"b\":[1,{},null],\"c\":true,"
	    "\"d\":false,\"e\":null}");
}

static void
lines_are_values_by_themselves(void)
{
	struct pd_json j = start();

	pd_json_u64(&j, NULL, 1);
	pd_json_newline(&j);
	pd_json_object(&j, NULL);
	pd_json_object_end(&j);
	pd_json_newline(&j);
	CHECK_STR(end(&j), "1\n{}\n");
}

static void
keys_are_escaped_as_strings_are(void)
{
	struct pd_json j = start();

	pd_json_object(&j, NULL);
	pd_json_u64(&j, "a\"\n", 1);
	pd_json_object_end(&j);
	CHECK_STR(end(&j), "{\"a\\\"\\n\":1}");
}

static void
control_characters_are_escaped(void)
{
	CHECK_STR(escaped("a\"b\\c/d"), "a\\\"b\\\\c/d");
	CHECK_STR(escaped("\b\f\n\r\t"), "\\b\\f\\n\\r\\t");
	CHECK_STR(escaped("\001\033[31m\177"), "\\u0001\\u001b[31m\\u007f");
	CHECK_STR(escaped("\xc2\x9b\xc2\xa0"), "\\u009b\xc2\xa0");
}

static void
scripts_and_comments_do_not_end_in_a_string(void)
{
	CHECK_STR(escaped("</script><!--<b>"),
	    "\\u003c/script>\\u003c!--<b>");
	CHECK_STR(escaped("vector<int, <"), "vector<int, <");
}

static void
bytes_that_are_no_utf8_are_replaced(void)
{
#define R "\xef\xbf\xbd"
	CHECK_STR(escaped("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
	    "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	CHECK_STR(escaped("a\xff" "b\xc3"), "a" R "b" R);
	CHECK_STR(escaped("\xc0\xaf"), R R);		/* overlong */
	CHECK_STR(escaped("\xed\xa0\x80"), R R R);	/* a surrogate */
	CHECK_STR(escaped("\xf4\x90\x80\x80"), R R R R);	/* past U+10FFFF */
	CHECK_STR(escaped("\xe2\x82"), R R);		/* cut short */
#undef R
}

/* As in folded text. */
static void
printable_strings_have_no_control_characters_at_all(void)
{
	struct pd_json j = start();

	j.printable = true;
	pd_json_string(&j, NULL, "\033]0;\a\n\177\xc2\x9b\xff\xe2\x82\"\\</a>"
	    "\xc3\xa4");
	CHECK_STR(end(&j), "\"?]0;???????\\\"\\\\\\u003c/a>\xc3\xa4\"");
}

/* No byte behind the end is looked at, also of a character that is cut. */
static void
text_ends_where_it_says(void)
{
	struct pd_json j = start();

	pd_json_text(&j, NULL, "a\0<\xe2\x82\xac", 5);
	CHECK_STR(end(&j), "\"a\\u0000<\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void
integers_are_whole(void)
{
	struct pd_json j = start();

	pd_json_array(&j, NULL);
	pd_json_u64(&j, NULL, 0);
	pd_json_u64(&j, NULL, UINT64_MAX);
	pd_json_i64(&j, NULL, INT64_MIN);
	pd_json_i64(&j, NULL, -7);
	pd_json_i64(&j, NULL, 7);
	pd_json_array_end(&j);
	CHECK_STR(end(&j), "[0,18446744073709551615,-9223372036854775808,"
	    "-7,7]");
}

static void
decimals_are_exact(void)
{
	struct pd_json j = start();

	pd_json_array(&j, NULL);
	pd_json_decimal(&j, NULL, 0, 6);
	pd_json_decimal(&j, NULL, 1, 6);
	pd_json_decimal(&j, NULL, 1500000, 6);
	pd_json_decimal(&j, NULL, 2000000, 6);
	pd_json_decimal(&j, NULL, UINT64_MAX, 9);
	pd_json_decimal(&j, NULL, 7, 0);
	pd_json_array_end(&j);
	CHECK_STR(end(&j), "[0,0.000001,1.5,2,18446744073.709551615,7]");
}

static void
doubles_are_short_and_read_back(void)
{
	static const double hard[] = { 0.1 + 0.2, 1.0 / 3, 5e-324, DBL_MAX,
		DBL_MIN, -1e300 / 7, 9007199254740993.0, 123456.789 };

	CHECK_STR(number(0), "0");
	CHECK_STR(number(0.1), "0.1");
	CHECK_STR(number(-2.5), "-2.5");
	CHECK_STR(number(1e21), "1e+21");
	CHECK_STR(number(0.1 + 0.2), "0.30000000000000004");
	for (size_t i = 0; i < sizeof(hard) / sizeof(*hard); i++)
		CHECK(strtod(number(hard[i]), NULL) == hard[i]);
	CHECK_STR(number(NAN), "null");
	CHECK_STR(number(-INFINITY), "null");
}

int
main(void)
{
	RUN(commas_stand_between_values_only);
	RUN(lines_are_values_by_themselves);
	RUN(keys_are_escaped_as_strings_are);
	RUN(control_characters_are_escaped);
	RUN(scripts_and_comments_do_not_end_in_a_string);
	RUN(bytes_that_are_no_utf8_are_replaced);
	RUN(printable_strings_have_no_control_characters_at_all);
	RUN(text_ends_where_it_says);
	RUN(integers_are_whole);
	RUN(decimals_are_exact);
	RUN(doubles_are_short_and_read_back);
	free(text);
	return tap_done();
}
