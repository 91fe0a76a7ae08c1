/* Address spaces: maps over maps, and what is found where. */
#include <stdlib.h>

#include "session/space.h"
#include "tap.h"

static struct pd_error err;
static uint64_t versions;
static struct pd_dso a = { .name = "a" }, b = { .name = "b" };

static void
map(struct pd_space *sp, uint64_t start, uint64_t end, uint64_t pgoff,
    struct pd_dso *dso)
{
	struct pd_map m = { .start = start, .end = end, .pgoff = pgoff,
	    .dso = dso };

	CHECK_EQ(pd_space_map(sp, &m, &versions, &err), 0);
}

/* "name+offset in the file", or "-". */
static const char *
at(struct pd_space *sp, uint64_t ip)
{
	static char text[4][64];
	static unsigned turn;
	const struct pd_map *m = pd_space_find(sp, ip);
	char *s = text[turn++ % 4];

	if (m == NULL)
		return "-";
	snprintf(s, 64, "%s+%llx", m->dso->name,
	    (unsigned long long)(ip - m->start + m->pgoff));
	return s;
}

static struct pd_space
new_space(void)
{
	struct pd_space sp;

	pd_space_init(&sp, &versions);
	return sp;
}

static void
a_map_holds_its_first_byte_and_not_the_one_behind_it(void)
{
	struct pd_space sp = new_space();

	map(&sp, 0x1000, 0x2000, 0x500, &a);
	CHECK_STR(at(&sp, 0xfff), "-");
	CHECK_STR(at(&sp, 0x1000), "a+500");
	CHECK_STR(at(&sp, 0x1fff), "a+14ff");
	CHECK_STR(at(&sp, 0x2000), "-");
	CHECK_STR(at(&sp, UINT64_MAX), "-");
	map(&sp, 0x3000, 0x3000, 0, &b);	/* empty */
	CHECK_EQ(sp.len, 1);
	pd_space_free(&sp);
}

static void
the_rests_of_a_map_keep_their_file_offsets(void)
{
	struct pd_space sp = new_space();

	map(&sp, 0x1000, 0x9000, 0x10000, &a);
	map(&sp, 0x3000, 0x5000, 0, &b);	/* in the middle: two rests */
	CHECK_EQ(sp.len, 3);
	CHECK_STR(at(&sp, 0x1000), "a+10000");
	CHECK_STR(at(&sp, 0x2fff), "a+11fff");
	CHECK_STR(at(&sp, 0x3000), "b+0");
	CHECK_STR(at(&sp, 0x4fff), "b+1fff");
	CHECK_STR(at(&sp, 0x5000), "a+14000");
	CHECK_STR(at(&sp, 0x8fff), "a+17fff");
	pd_space_free(&sp);
}

static void
a_map_takes_the_place_of_what_it_covers(void)
{
	struct pd_space sp = new_space();

	map(&sp, 0x1000, 0x2000, 0, &a);
	map(&sp, 0x2000, 0x3000, 0, &a);
	map(&sp, 0x4000, 0x5000, 0x100, &a);
	map(&sp, 0x1800, 0x4800, 0, &b);	/* half, all, a hole, half */
	CHECK_EQ(sp.len, 3);
	CHECK_STR(at(&sp, 0x17ff), "a+7ff");
	CHECK_STR(at(&sp, 0x1800), "b+0");
	CHECK_STR(at(&sp, 0x3800), "b+2000");
	CHECK_STR(at(&sp, 0x47ff), "b+2fff");
	CHECK_STR(at(&sp, 0x4800), "a+900");
	map(&sp, 0, UINT64_MAX, 0, &a);
	CHECK_EQ(sp.len, 1);
	pd_space_free(&sp);
}

static void
what_is_unmapped_is_not_found_and_the_rest_is(void)
{
	struct pd_space sp = new_space();

	map(&sp, 0x1000, 0x4000, 0, &a);
	CHECK_EQ(pd_space_unmap(&sp, 0x2000, 0x3000, &versions, &err), 0);
	CHECK_STR(at(&sp, 0x1fff), "a+fff");
	CHECK_STR(at(&sp, 0x2000), "-");
	CHECK_STR(at(&sp, 0x2fff), "-");
	CHECK_STR(at(&sp, 0x3000), "a+2000");
	CHECK_EQ(pd_space_unmap(&sp, 0x8000, 0x9000, &versions, &err), 0);
	CHECK_EQ(pd_space_unmap(&sp, 0x3000, 0x3000, &versions, &err), 0);
	CHECK_EQ(sp.len, 2);
	pd_space_free(&sp);
}

/* Against an array of what each page holds. */
static void
maps_are_what_painting_pages_gives(void)
{
	enum { PAGES = 64 };
	struct pd_space sp = new_space();
	struct { struct pd_dso *dso; uint64_t off; } pages[PAGES] = { 0 };
	uint32_t seed = 1;
	size_t wrong = 0;

	for (int round = 0; round < 20000; round++) {
		uint64_t from, to, off;

		seed = seed * 1664525 + 1013904223;
		from = seed >> 8 & 63;
		to = from + (seed >> 14 & 15);
		if (to > PAGES)
			to = PAGES;
		off = seed >> 20 & 7;
		if (seed >> 30 == 0) {
			pd_space_unmap(&sp, from, to, &versions, &err);
			for (uint64_t i = from; i < to; i++)
				pages[i].dso = NULL;
			continue;
		}
		map(&sp, from, to, off, seed >> 30 == 1 ? &a : &b);
		for (uint64_t i = from; i < to; i++) {
			pages[i].dso = seed >> 30 == 1 ? &a : &b;
			pages[i].off = off + i - from;
		}
		for (uint64_t i = 0; i < PAGES; i++) {
			const struct pd_map *m = pd_space_find(&sp, i);

			wrong += m == NULL ? pages[i].dso != NULL :
			    m->dso != pages[i].dso ||
			    m->pgoff + i - m->start != pages[i].off;
		}
	}
	CHECK_EQ(wrong, 0);
	pd_space_free(&sp);
}

static void
a_copy_is_its_own(void)
{
	struct pd_space sp = new_space(), copy = new_space();

	map(&sp, 0x1000, 0x2000, 0, &a);
	CHECK_EQ(pd_space_copy(&copy, &sp, &versions, &err), 0);
	map(&copy, 0x1000, 0x2000, 0, &b);
	CHECK_STR(at(&sp, 0x1000), "a+0");
	CHECK_STR(at(&copy, 0x1000), "b+0");
	pd_space_free(&sp);
	pd_space_free(&copy);
}

/* The stacker keeps what it found for as long as the version stays. */
static void
the_version_changes_when_an_address_may_mean_something_else(void)
{
	struct pd_space sp = new_space(), other = new_space();
	uint64_t v = sp.version;

	CHECK(v != other.version);
	map(&sp, 0x1000, 0x2000, 0, &a);
	CHECK_EQ(sp.version, v);		/* nobody had looked yet */
	CHECK_STR(at(&sp, 0x1000), "a+0");
	map(&sp, 0x3000, 0x4000, 0, &a);
	CHECK_EQ(sp.version, v);		/* found ones stay */
	map(&sp, 0x1000, 0x2000, 0, &a);
	CHECK_EQ(sp.version, v);		/* the same again */
	map(&sp, 0x1000, 0x2000, 0x1000, &a);
	CHECK(sp.version != v);			/* other bytes of the file */

	v = sp.version;
	CHECK_STR(at(&sp, 0x8000), "-");
	map(&sp, 0x8000, 0x9000, 0, &a);
	CHECK(sp.version != v);			/* it was not mapped before */
	v = sp.version;
	CHECK_EQ(pd_space_unmap(&sp, 0x8000, 0x9000, &versions, &err), 0);
	CHECK(sp.version != v);
	v = sp.version;
	pd_space_exec(&sp, &versions);
	CHECK(sp.version != v);
	v = sp.version;
	pd_space_settle(&sp, &versions);
	CHECK(sp.version != v);
	pd_space_free(&sp);
	pd_space_free(&other);
}

static void
exec_keeps_the_old_maps_until_the_new_program_runs(void)
{
	struct pd_space sp = new_space();

	map(&sp, 0x1000, 0x2000, 0, &a);
	map(&sp, 0x5000, 0x6000, 0, &a);
	pd_space_exec(&sp, &versions);
	CHECK_STR(at(&sp, 0x1000), "a+0");
	map(&sp, 0x1000, 0x2000, 0x700, &b);
	CHECK_STR(at(&sp, 0x1000), "b+700");	/* the new one hides it */
	CHECK_STR(at(&sp, 0x5000), "a+0");
	pd_space_settle(&sp, &versions);
	CHECK_STR(at(&sp, 0x1000), "b+700");
	CHECK_STR(at(&sp, 0x5000), "-");
	pd_space_free(&sp);
}

/* exec twice without a map between them: a shell's exec of a script. */
static void
exec_without_new_maps_keeps_the_oldest(void)
{
	struct pd_space sp = new_space();

	map(&sp, 0x1000, 0x2000, 0, &a);
	pd_space_exec(&sp, &versions);
	pd_space_exec(&sp, &versions);
	CHECK_STR(at(&sp, 0x1000), "a+0");
	map(&sp, 0x3000, 0x4000, 0, &b);
	pd_space_exec(&sp, &versions);
	CHECK_STR(at(&sp, 0x1000), "-");
	CHECK_STR(at(&sp, 0x3000), "b+0");
	pd_space_free(&sp);
}

int
main(void)
{
	RUN(a_map_holds_its_first_byte_and_not_the_one_behind_it);
	RUN(the_rests_of_a_map_keep_their_file_offsets);
	RUN(a_map_takes_the_place_of_what_it_covers);
	RUN(what_is_unmapped_is_not_found_and_the_rest_is);
	RUN(maps_are_what_painting_pages_gives);
	RUN(a_copy_is_its_own);
	RUN(the_version_changes_when_an_address_may_mean_something_else);
	RUN(exec_keeps_the_old_maps_until_the_new_program_runs);
	RUN(exec_without_new_maps_keeps_the_oldest);
	return tap_done();
}
