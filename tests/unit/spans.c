/* Which of many ranges owns an address. */
#include "symbol/spans.h"
#include "tap.h"

static void
spans_are_settled_by_rank(void)
{
	struct pd_spans s = { .len = 0 };
	struct pd_spanmap m = { .len = 0 };
	struct pd_error err;
	uint64_t x = 1, a;

	for (uint32_t i = 0; i < 300; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		a = x >> 54;
		CHECK(pd_spans_add(&s, a, a + 1 + (x >> 20) % 100, i, i,
		    &err) == 0);
	}
	CHECK(pd_spanmap_make(&m, &s, &err) == 0);
	CHECK(m.len <= 601);
	for (a = 0; a < 1300; a++) {
		uint32_t want = PD_NOID;

		for (size_t i = 0; i < s.len; i++)
			if (s.v[i].lo <= a && a < s.v[i].hi &&
			    (want == PD_NOID || s.v[i].rank > want))
				want = s.v[i].owner;
		CHECK_EQ(pd_spanmap_find(&m, a), want);
	}
	pd_spans_free(&s);
	pd_spanmap_free(&m);
}

int
main(void)
{
	RUN(spans_are_settled_by_rank);
	return tap_done();
}
