/* Who waits for output gets it, whether the input pauses or not. */
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "input/source.h"
#include "tap.h"

static struct pd_error err;
static int calls;

static int
count(void *ctx, struct pd_error *e)
{
	(void)ctx, (void)e;
	calls++;
	return 0;
}

static void
waiting_is_told_and_so_is_time(void)
{
	struct timespec pause = { 0, 600000000 };
	struct pd_source s = { .wait = count };
	char buf[2];
	int fds[2];

	CHECK(pipe(fds) == 0);
	s.fd = fds[0];
	CHECK(write(fds[1], "abcd", 4) == 4);
	CHECK_EQ(pd_source_read(&s, buf, 2, &err), 2);
	CHECK_EQ(calls, 0);
	nanosleep(&pause, NULL);
	CHECK_EQ(pd_source_read(&s, buf, 1, &err), 1);
	CHECK_EQ(calls, 1);
	CHECK_EQ(pd_source_read(&s, buf, 1, &err), 1);
	CHECK_EQ(calls, 1);
	CHECK(fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0);
	CHECK_EQ(pd_source_read(&s, buf, 1, &err), -1);
	CHECK_EQ(calls, 2);
	close(fds[1]);
	CHECK_EQ(pd_source_read(&s, buf, 1, &err), 0);
	close(fds[0]);
}

int
main(void)
{
	RUN(waiting_is_told_and_so_is_time);
	return tap_done();
}
