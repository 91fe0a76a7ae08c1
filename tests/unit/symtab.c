/* Tables of symbols: ends, aliases, nesting. */
#include "symbol/symtab.h"
#include "tap.h"

struct row {
	uint64_t	start, size;
	const char	*name, *module;
	uint8_t		flags;
};

/* A finished table of rows, the last of which has no name. */
static struct pd_symtab *
table(enum pd_symtab_kind kind, const struct row *r)
{
	struct pd_error err;
	struct pd_symtab *t = pd_symtab_new(kind, &err);

	for (; r->name != NULL; r++)
		if (!CHECK(pd_symtab_add(t, r->start, r->size, r->name,
		    r->module, r->flags, &err) == 0))
			break;
	pd_symtab_finish(t);
	return t;
}

static const char *
name_at(const struct pd_symtab *t, uint64_t addr)
{
	const struct pd_symbol *s = pd_symtab_find(t, addr);

	return s ? s->name : NULL;
}

static void
start_is_inside_and_end_is_not(void)
{
	static const struct row rows[] = {
		{ 0x2000, 0x10, "b", NULL, 0 }, { 0x1000, 0x20, "a", NULL, 0 },
		{ 0 },
	};
	struct pd_symtab *t = table(PD_SYMTAB_ELF, rows);

	CHECK_EQ(pd_symtab_len(t), 2);
	CHECK_STR(pd_symtab_get(t, 0)->name, "a");
	CHECK_STR(name_at(t, 0xfff), NULL);
	CHECK_STR(name_at(t, 0x1000), "a");
	CHECK_STR(name_at(t, 0x101f), "a");
	CHECK_STR(name_at(t, 0x1020), NULL);
	CHECK_STR(name_at(t, 0x200f), "b");
	CHECK_STR(name_at(t, UINT64_MAX), NULL);
	pd_symtab_free(t);
}

static void
an_empty_table_has_nothing(void)
{
	static const struct row none[] = { { 0 } };
	struct pd_symtab *t = table(PD_SYMTAB_ELF, none);

	CHECK_EQ(pd_symtab_len(t), 0);
	CHECK(pd_symtab_find(t, 0) == NULL);
	pd_symtab_free(t);
	pd_symtab_free(NULL);
}

/* Rows of two names for one address; the second one is to win. */
static void
the_better_alias_wins(void)
{
	static const struct row pairs[][3] = {
		{ { 1, 0, "empty", NULL, 2 }, { 1, 9, "s", NULL, 0 } },
		{ { 1, 9, "weak_long", NULL, 1 }, { 1, 9, "l", NULL, 0 } },
		{ { 1, 9, "local_long", NULL, 0 }, { 1, 9, "g", NULL, 2 } },
		{ { 1, 9, "__libc_read", NULL, 2 }, { 1, 9, "read", NULL, 2 } },
		{ { 1, 9, "read", NULL, 2 }, { 1, 9, "read64", NULL, 2 } },
		{ { 1, 9, "SyS_read", NULL, 2 }, { 1, 9, "sys_read", NULL, 2 } },
	};
	struct row turned[3] = { { 0 } };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct pd_symtab *t = table(PD_SYMTAB_ELF, pairs[i]);

		CHECK_EQ(pd_symtab_len(t), 1);
		CHECK_STR(name_at(t, 5), pairs[i][1].name);
		pd_symtab_free(t);
		turned[0] = pairs[i][1];
		turned[1] = pairs[i][0];
		if (i == 0)		/* the last one gets the gap */
			turned[1].size = turned[0].size = 9;
		t = table(PD_SYMTAB_ELF, turned);
		CHECK_EQ(pd_symtab_len(t), 1);
		if (i != 0)
			CHECK_STR(name_at(t, 5), pairs[i][1].name);
		pd_symtab_free(t);
	}
}

static void
perf_compares_readable_names(void)
{
	static const struct row rows[] = {
		{ 1, 9, "_RNvXsa_NtCsgEmfK2I1SDS_4core3fmtyNtB5_5Debug3fmt",
		  NULL, 2 },
		{ 1, 9, "_RNvXsb_NtCsgEmfK2I1SDS_4core3fmtjNtB5_5Debug3fmt",
		  NULL, 2 },
		{ 0 },
	};
	struct pd_symtab *t = table(PD_SYMTAB_ELF, rows);

	CHECK_STR(name_at(t, 1), rows[0].name);
	pd_symtab_free(t);
	/* "<usize as ..." is longer than "<u64 as ...". */
	t = table(PD_SYMTAB_ELF_PERF, rows);
	CHECK_STR(name_at(t, 1), rows[1].name);
	pd_symtab_free(t);
}

static void
a_symbol_without_size_ends_at_the_next(void)
{
	static const struct row rows[] = {
		{ 0x1000, 0, "a", NULL, 0 }, { 0x1234, 0, "b", NULL, 0 },
		{ 0 },
	};
	struct pd_symtab *t = table(PD_SYMTAB_ELF, rows);

	CHECK_EQ(pd_symtab_get(t, 0)->end, 0x1234);
	CHECK_EQ(pd_symtab_get(t, 1)->end, 0x3000);
	pd_symtab_free(t);
}

static void
a_symbol_without_size_ends_with_its_section(void)
{
	struct pd_error err;
	struct pd_symtab *t = pd_symtab_new(PD_SYMTAB_ELF, &err);

	pd_symtab_bound(t, 0x1017, &err);
	pd_symtab_bound(t, 0x3000, &err);
	pd_symtab_add(t, 0x1000, 0, "_init", NULL, 0, &err);
	pd_symtab_add(t, 0x2000, 0, "main", NULL, 0, &err);
	pd_symtab_finish(t);
	CHECK_EQ(pd_symtab_len(t), 2);
	CHECK_STR(name_at(t, 0x1016), "_init");
	CHECK_STR(name_at(t, 0x1017), NULL);
	CHECK_STR(name_at(t, 0x2fff), "main");
	pd_symtab_free(t);
}

static void
kernel_and_modules_end_with_their_page(void)
{
	static const struct row rows[] = {
		{ 0xffffffff81000000, 0, "k1", NULL, 0 },
		{ 0xffffffff81000100, 0, "k2", NULL, 0 },
		{ 0xffffffffc0000000, 0, "m1", "[one]", 0 },
		{ 0xffffffffc0000010, 0, "m2", "[one]", 0 },
		{ 0xffffffffc0100000, 0, "m3", "[two]", 0 },
		{ 0xfffffffffffff800, 0, "top", "[two]", 0 },
		{ 0 },
	};
	struct pd_symtab *t = table(PD_SYMTAB_KALLSYMS, rows);
	const struct pd_symbol *s;

	CHECK_EQ(pd_symtab_get(t, 0)->end, 0xffffffff81000100);
	CHECK_EQ(pd_symtab_get(t, 1)->end, 0xffffffff81002000);
	CHECK_EQ(pd_symtab_get(t, 2)->end, 0xffffffffc0000010);
	CHECK_EQ(pd_symtab_get(t, 3)->end, 0xffffffffc0002000);
	CHECK_STR(name_at(t, 0xfffffffffffffffe), "top");
	s = pd_symtab_find(t, 0xffffffffc0000011);
	CHECK_STR(pd_symtab_module(t, s), "[one]");
	s = pd_symtab_find(t, 0xffffffff81000101);
	CHECK_STR(pd_symtab_module(t, s), NULL);
	pd_symtab_free(t);
}

static void
around_a_nested_symbol_is_the_outer_one(void)
{
	static const struct row rows[] = {
		{ 100, 100, "outer", NULL, 0 }, { 110, 50, "middle", NULL, 0 },
		{ 120, 10, "inner", NULL, 0 }, { 140, 5, "second", NULL, 0 },
		{ 0 },
	};
	static const struct {
		uint64_t	addr;
		const char	*name;
	} want[] = {
		{ 99, NULL }, { 100, "outer" }, { 110, "middle" },
		{ 125, "inner" }, { 130, "middle" }, { 144, "second" },
		{ 145, "middle" }, { 160, "outer" }, { 199, "outer" },
		{ 200, NULL },
	};
	struct pd_symtab *t = table(PD_SYMTAB_ELF, rows);

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
		CHECK_STR(name_at(t, want[i].addr), want[i].name);
	CHECK(pd_symtab_cut(t, 150, 155));
	CHECK_STR(name_at(t, 156), "outer");
	CHECK(!pd_symtab_cut(t, 500, 600));
	pd_symtab_free(t);
}

static void
more_can_be_added_after_finish(void)
{
	static const struct row rows[] = {
		{ 0x1000, 0x10, "a", NULL, 2 }, { 0 },
	};
	struct pd_symtab *t = table(PD_SYMTAB_ELF, rows);
	struct pd_error err;

	pd_symtab_add(t, 0x500, 0x10, "b", NULL, 2, &err);
	pd_symtab_add(t, 0x1000, 0x10, "a_alias", NULL, 0, &err);
	CHECK_EQ(pd_symtab_pending(t), 2);
	CHECK_STR(name_at(t, 0x500), NULL);
	CHECK_STR(name_at(t, 0x1000), "a");
	pd_symtab_finish(t);
	CHECK_EQ(pd_symtab_pending(t), 0);
	CHECK_STR(name_at(t, 0x500), "b");
	CHECK_STR(name_at(t, 0x1000), "a");
	pd_symtab_free(t);
}

static void
the_reference_of_relocation_survives_its_alias(void)
{
	static const struct row rows[] = {
		{ 0x81000000, 0, "_text", NULL, 2 },
		{ 0x81000000, 0, "startup_64_and_longer", NULL, 2 },
		{ 0 },
	};
	struct pd_symtab *t = table(PD_SYMTAB_KALLSYMS, rows);
	uint64_t addr;

	CHECK_STR(name_at(t, 0x81000000), "startup_64_and_longer");
	CHECK(pd_symtab_ref(t, "_text", &addr));
	CHECK_EQ(addr, 0x81000000);
	CHECK(!pd_symtab_ref(t, "_stext", &addr));
	CHECK(!pd_symtab_ref(t, "other", &addr));
	pd_symtab_free(t);
}

/* Against a search from one end to the other, with ranges that overlap. */
static void
sorting_keeps_every_address(void)
{
	enum { N = 3000 };
	struct pd_error err;
	struct pd_symtab *t = pd_symtab_new(PD_SYMTAB_ELF, &err);
	uint64_t x = 1, addr, start;
	const struct pd_symbol *s, *best;

	for (int i = 0; i < N; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		start = i % 7 == 0 ? x : x >> 40;
		pd_symtab_add(t, start, 1 + (x >> 20) % 5000, "n", NULL, 0,
		    &err);
	}
	pd_symtab_finish(t);
	for (size_t i = 1; i < pd_symtab_len(t); i++)
		CHECK(pd_symtab_get(t, i - 1)->start <
		    pd_symtab_get(t, i)->start);
	for (int i = 0; i < 2000; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		addr = x >> 40;
		best = NULL;
		for (size_t j = 0; j < pd_symtab_len(t); j++) {
			s = pd_symtab_get(t, j);
			if (s->start <= addr && addr < s->end)
				best = s;
		}
		if (!CHECK(pd_symtab_find(t, addr) == best))
			break;
	}
	pd_symtab_free(t);
}

static void
a_range_that_wraps_ends_at_the_top(void)
{
	static const struct row rows[] = {
		{ UINT64_MAX - 10, 100, "a", NULL, 0 }, { 0 },
	};
	struct pd_symtab *t = table(PD_SYMTAB_ELF, rows);

	CHECK_STR(name_at(t, UINT64_MAX - 5), "a");
	CHECK_STR(name_at(t, 5), NULL);
	pd_symtab_free(t);
}

int
main(void)
{
	RUN(start_is_inside_and_end_is_not);
	RUN(an_empty_table_has_nothing);
	RUN(the_better_alias_wins);
	RUN(perf_compares_readable_names);
	RUN(a_symbol_without_size_ends_at_the_next);
	RUN(a_symbol_without_size_ends_with_its_section);
	RUN(kernel_and_modules_end_with_their_page);
	RUN(around_a_nested_symbol_is_the_outer_one);
	RUN(more_can_be_added_after_finish);
	RUN(the_reference_of_relocation_survives_its_alias);
	RUN(sorting_keeps_every_address);
	RUN(a_range_that_wraps_ends_at_the_top);
	return tap_done();
}
