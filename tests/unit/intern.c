/* Interned strings: equal text is one id and one pointer. */
#include "base/intern.h"
#include "tap.h"

static struct pd_error err;

static void
equal_text_is_one_id(void)
{
	struct pd_strtab t = { 0 };
	uint32_t a = pd_strtab_add(&t, "alphabet", 5, &err);

	CHECK_STR(pd_strtab_get(&t, a), "alpha");
	CHECK_EQ(pd_strtab_add(&t, "alpha", 5, &err), a);
	CHECK(pd_strtab_add(&t, "alph", 4, &err) != a);
	CHECK(pd_strtab_str(&t, "alpha", &err) == pd_strtab_get(&t, a));
	CHECK_STR(pd_strtab_str(&t, "", &err), "");
	pd_strtab_free(&t);
}

static void
ids_are_dense_and_text_stays_where_it_is(void)
{
	struct pd_strtab t = { 0 };
	const char *first = pd_strtab_str(&t, "0", &err);
	char text[16];

	for (uint32_t i = 0; i < 10000; i++) {
		snprintf(text, sizeof(text), "%u", i);
		if (!CHECK(pd_strtab_add(&t, text, strlen(text), &err) == i))
			break;
	}
	CHECK(pd_strtab_get(&t, 0) == first);
	CHECK_STR(pd_strtab_get(&t, 9999), "9999");
	pd_strtab_free(&t);
}

int
main(void)
{
	RUN(equal_text_is_one_id);
	RUN(ids_are_dense_and_text_stays_where_it_is);
	return tap_done();
}
