/*
 * A test program in TAP: each RUN(function) is one test, named after the
 * promise that the function checks; a failed CHECK fails it and goes on.
 *
 *	int main(void) { RUN(empty_list_has_no_first); return tap_done(); }
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_tests, tap_failed;
static bool tap_bad;

#define CHECK(cond) \
	tap_check((cond), "%s:%d: %s\n", __FILE__, __LINE__, #cond)

/* Compares text; NULL equals only NULL. */
#define CHECK_STR(got, want) tap_str((got), (want), __FILE__, __LINE__)

/* Compares numbers and shows both. */
#define CHECK_EQ(got, want) \
	tap_eq((unsigned long long)(got), (unsigned long long)(want), #got, \
	    __FILE__, __LINE__)

#define RUN(test) tap_run(test, #test)

static inline bool
tap_check(bool ok, const char *fmt, const char *file, int line, const char *what)
{
	if (ok)
		return true;
	tap_bad = true;
	printf("# ");
	printf(fmt, file, line, what);
	return false;
}

static inline bool
tap_str(const char *got, const char *want, const char *file, int line)
{
	if (got == want || (got && want && strcmp(got, want) == 0))
		return true;
	tap_bad = true;
	printf("# %s:%d: got \"%s\", want \"%s\"\n", file, line,
	    got ? got : "(null)", want ? want : "(null)");
	return false;
}

static inline bool
tap_eq(unsigned long long got, unsigned long long want, const char *what,
    const char *file, int line)
{
	if (got == want)
		return true;
	tap_bad = true;
	printf("# %s:%d: %s is %llu (0x%llx), want %llu (0x%llx)\n", file, line,
	    what, got, got, want, want);
	return false;
}

static inline void
tap_run(void (*test)(void), const char *name)
{
	tap_bad = false;
	test();
	tap_failed += tap_bad;
	printf("%sok %d - ", tap_bad ? "not " : "", ++tap_tests);
	for (; *name; name++)
		putchar(*name == '_' ? ' ' : *name);
	putchar('\n');
	fflush(stdout);
}

static inline int
tap_done(void)
{
	printf("1..%d\n", tap_tests);
	return tap_failed != 0;
}

#endif
