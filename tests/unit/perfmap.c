/* /tmp/perf-PID.map: what is read, what is left out, who may write one. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/perfmap.h"
#include "tap.h"

static char path[] = "/tmp/pd-perfmap-XXXXXX";

static struct pd_perfmap *
map_of(const char *text, size_t len)
{
	struct pd_error err;
	int fd = open(path, O_WRONLY | O_TRUNC);

	CHECK(write(fd, text, len) == (ssize_t)len);
	close(fd);
	return pd_perfmap_open_file(path, &err);
}

static const char *
name_at(const struct pd_perfmap *m, uint64_t ip)
{
	const struct pd_symbol *s = pd_perfmap_find(m, ip);

	return s ? s->name : NULL;
}

#define MAP(text) map_of(text, sizeof(text) - 1)

static void
names_may_have_blanks(void)
{
	struct pd_perfmap *m = MAP("1000 20 LazyCompile:~f /a b.js:1\n"
	    "0x2000 0x10 with_prefix\n");

	CHECK_STR(pd_perfmap_why(m), NULL);
	CHECK_STR(name_at(m, 0x1000), "LazyCompile:~f /a b.js:1");
	CHECK_STR(name_at(m, 0x101f), "LazyCompile:~f /a b.js:1");
	CHECK_STR(name_at(m, 0x1020), NULL);
	CHECK_STR(name_at(m, 0xfff), NULL);
	CHECK_STR(name_at(m, 0x200f), "with_prefix");
	pd_perfmap_free(m);
}

static void
malformed_lines_are_left_out(void)
{
	struct pd_perfmap *m = MAP("zz zz x\n\n \n1000\n1000 20\n1000 20 \n"
	    "-1 -1 y\n1000 0 empty\nffffffffffffffff 2 wraps\n"
	    "fffffffffffffffffff 1 huge\n1000 20 ok\n 1000 20 blank\n"
	    "1000 +5 plus\n1000  5 two blanks\n");

	CHECK_STR(name_at(m, 0x1000), "ok");
	CHECK_STR(name_at(m, 0), NULL);
	CHECK_STR(name_at(m, UINT64_MAX), NULL);
	pd_perfmap_free(m);
}

static void
a_last_line_needs_no_newline(void)
{
	struct pd_perfmap *m = MAP("1000 20 x");

	CHECK_STR(name_at(m, 0x1010), "x");
	pd_perfmap_free(m);
}

static void
a_nul_byte_ends_a_name_only(void)
{
	struct pd_perfmap *m = MAP("1000 20 a\0b\n\0\0\0\n2000 20 c\n");

	CHECK_STR(name_at(m, 0x1000), "a");
	CHECK_STR(name_at(m, 0x2000), "c");
	pd_perfmap_free(m);
}

static void
a_line_may_be_long(void)
{
	size_t n = 1 << 20;
	char *text = malloc(n + 32);
	struct pd_perfmap *m;

	memcpy(text, "1000 20 ", 8);
	memset(text + 8, 'Q', n);
	memcpy(text + 8 + n, "\n2000 1 b\n", 10);
	m = map_of(text, n + 18);
	CHECK_EQ(strlen(name_at(m, 0x1000)), n);
	CHECK_STR(name_at(m, 0x2000), "b");
	pd_perfmap_free(m);
	free(text);
}

static void
the_later_line_wins(void)
{
	struct pd_perfmap *m = MAP("1000 100 old\n1010 10 new\n1080 100 tail\n"
	    "1000 100 old2\n1018 4 newest\n");
	static const struct {
		uint64_t	ip;
		const char	*name;
	} want[] = {
		{ 0x1000, "old2" }, { 0x1010, "old2" }, { 0x1017, "old2" },
		{ 0x1018, "newest" }, { 0x101c, "old2" }, { 0x1080, "old2" },
		{ 0x10ff, "old2" }, { 0x1100, "tail" }, { 0x117f, "tail" },
		{ 0x1180, NULL },
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
		CHECK_STR(name_at(m, want[i].ip), want[i].name);
	pd_perfmap_free(m);
}

/* Many lines over one another, against painting byte by byte. */
static void
overlaps_are_as_painted(void)
{
	enum { SIZE = 2000, LINES = 500 };
	static int painted[SIZE];
	static char text[LINES * 64];
	unsigned x = 7, start, len;
	size_t n = 0;
	struct pd_perfmap *m;
	char want[16];

	memset(painted, -1, sizeof(painted));
	for (int i = 0; i < LINES; i++) {
		x = x * 1103515245 + 12345;
		start = (x >> 8) % SIZE;
		len = 1 + (x >> 3) % (i % 50 == 0 ? 900 : 40);
		n += (size_t)sprintf(text + n, "%x %x n%d\n", start, len, i);
		for (unsigned j = start; j < start + len && j < SIZE; j++)
			painted[j] = i;
	}
	m = map_of(text, n);
	for (int i = 0; i < SIZE; i++) {
		snprintf(want, sizeof(want), "n%d", painted[i]);
		CHECK_STR(name_at(m, (uint64_t)i),
		    painted[i] == -1 ? NULL : want);
	}
	pd_perfmap_free(m);
}

static void
the_top_of_memory_does_not_hang(void)
{
	struct pd_perfmap *m = MAP("fffffffffffffff0 f top\n0 1 zero\n"
	    "fffffffffffffff0 e over\n");

	CHECK_STR(name_at(m, 0xfffffffffffffff0), "over");
	CHECK_STR(name_at(m, 0xfffffffffffffffe), "top");
	CHECK_STR(name_at(m, 0), "zero");
	pd_perfmap_free(m);
}

static void
a_map_without_names_says_so(void)
{
	struct pd_perfmap *m = MAP("");

	CHECK_STR(pd_perfmap_why(m), "perf map has no names");
	CHECK(pd_perfmap_find(m, 0) == NULL);
	pd_perfmap_free(m);
	pd_perfmap_free(NULL);
}

/* A process id that no process of this machine can have. */
#define NO_PID	4199990u

static void
links_and_foreign_owners_are_refused(void)
{
	struct pd_error err;
	struct pd_perfmap *m;
	char map[64];

	snprintf(map, sizeof(map), "/tmp/perf-%u.map", NO_PID);
	unlink(map);
	m = pd_perfmap_open("", NO_PID, &err);
	CHECK_STR(pd_perfmap_why(m), "file not found");
	pd_perfmap_free(m);

	pd_perfmap_free(MAP("1000 20 x\n"));
	CHECK(symlink(path, map) == 0);
	m = pd_perfmap_open("", NO_PID, &err);
	CHECK_STR(pd_perfmap_why(m), "not a regular file");
	pd_perfmap_free(m);
	unlink(map);

	CHECK(mkfifo(map, 0600) == 0);
	m = pd_perfmap_open("", NO_PID, &err);
	CHECK_STR(pd_perfmap_why(m), "not a regular file");
	pd_perfmap_free(m);
	unlink(map);

	CHECK(link(path, map) == 0);
	m = pd_perfmap_open("", NO_PID, &err);
	CHECK_STR(name_at(m, 0x1000), "x");
	pd_perfmap_free(m);
	if (geteuid() == 0 && chown(map, 1, 1) == 0 && chmod(map, 0644) == 0 &&
	    seteuid(2) == 0) {
		m = pd_perfmap_open("", NO_PID, &err);
		CHECK_STR(pd_perfmap_why(m),
		    "perf map belongs to another user");
		pd_perfmap_free(m);
		CHECK(seteuid(0) == 0);
	}
	unlink(map);
}

int
main(void)
{
	close(mkstemp(path));
	RUN(names_may_have_blanks);
	RUN(malformed_lines_are_left_out);
	RUN(a_last_line_needs_no_newline);
	RUN(a_nul_byte_ends_a_name_only);
	RUN(a_line_may_be_long);
	RUN(the_later_line_wins);
	RUN(overlaps_are_as_painted);
	RUN(the_top_of_memory_does_not_hang);
	RUN(a_map_without_names_says_so);
	RUN(links_and_foreign_owners_are_refused);
	unlink(path);
	return tap_done();
}
