/* What is in the spool is whole, and stays what it was. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "push/spool.h"
#include "tap.h"

static char dir[] = "/tmp/perfdata-test-XXXXXX";
static char spool_dir[64];

static struct pd_request
request(const char *body)
{
	return (struct pd_request){ .path = "/push?x=1", .type = "a/b",
		.body = (uint8_t *)(uintptr_t)body, .size = strlen(body),
		.profiles = 3, .samples = 44, .raw = 555 };
}

static struct pd_spool *
spool_open(uint64_t max)
{
	struct pd_error err;
	struct pd_spool *s = pd_spool_open(spool_dir, "http://a team", max, &err);

	if (s == NULL)
		printf("# %s\n", err.msg);
	return s;
}

static void
empty_spool(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", spool_dir);
	if (system(command) != 0)
		printf("Bail out! cannot remove %s\n", spool_dir);
}

static bool
put(struct pd_spool *s, const char *body, uint64_t *number)
{
	struct pd_request r = request(body);
	struct pd_error err;

	return pd_spool_put(s, &r, number, &err) == 1;
}

static void
what_was_put_is_there_for_the_next_one(void)
{
	struct pd_spool *s = spool_open(1 << 20);
	struct pd_error err;
	struct pd_request *r;
	const uint64_t *old;
	uint64_t a, b;
	size_t len;

	if (!CHECK(s != NULL) || !CHECK(put(s, "one", &a)) ||
	    !CHECK(put(s, "two\n\ntarget x\n\n", &b)))
		return;
	pd_spool_close(s);
	s = spool_open(1 << 20);
	old = pd_spool_old(s, &len);
	if (CHECK_EQ(len, 2)) {
		CHECK_EQ(old[0], a);
		CHECK_EQ(old[1], b);
	}
	r = pd_spool_get(s, b, &err);
	if (CHECK(r != NULL)) {
		CHECK_STR(r->path, "/push?x=1");
		CHECK_STR(r->type, "a/b");
		CHECK_EQ(r->size, 15);
		CHECK(memcmp(r->body, "two\n\ntarget x\n\n", 15) == 0);
		CHECK_EQ(r->profiles, 3);
		CHECK_EQ(r->samples, 44);
		CHECK_EQ(r->raw, 555);
		pd_request_free(r);
	}
	CHECK(pd_spool_remove(s, a, &err) == 0);
	CHECK(pd_spool_get(s, a, &err) == NULL);
	CHECK_EQ(err.code, PD_EIO);
	CHECK(put(s, "three", &a));
	CHECK(a > b);
	pd_spool_close(s);
}

static void
it_belongs_to_one_process_and_one_target(void)
{
	struct pd_spool *s = spool_open(1 << 20);
	struct pd_error err;
	uint64_t n;

	CHECK(s != NULL && put(s, "x", &n));
	CHECK(pd_spool_open(spool_dir, "http://a team", 9, &err) == NULL);
	CHECK(strstr(err.msg, "another process") != NULL);
	pd_spool_close(s);
	CHECK(pd_spool_open(spool_dir, "http://b team", 9, &err) == NULL);
	CHECK(strstr(err.msg, "another server: http://a team") != NULL);
}

static void
it_takes_no_more_than_its_bound(void)
{
	char body[1001];
	struct pd_spool *s = spool_open(3000);
	struct pd_error err;
	uint64_t first, n;

	memset(body, 'x', sizeof(body) - 1);
	body[1000] = '\0';
	CHECK(put(s, body, &first));
	CHECK(put(s, body, &n));
	CHECK(!put(s, body, &n));
	CHECK(pd_spool_remove(s, first, &err) == 0);
	CHECK(put(s, body, &n));
	pd_spool_close(s);
	s = spool_open(3000);		/* it knows what is there */
	CHECK(!put(s, body, &n));
	pd_spool_close(s);
}

/* As after a power cut in the middle of a write that was not yet synced. */
static void
what_is_damaged_is_put_aside(void)
{
	struct pd_spool *s = spool_open(1 << 20);
	char path[128];
	struct pd_error err;
	struct stat st;
	uint64_t n;
	size_t size;
	int fd;

	CHECK(put(s, "body", &n));
	snprintf(path, sizeof(path), "%s/%016llx.push", spool_dir,
	    (unsigned long long)n);
	CHECK(stat(path, &st) == 0);
	for (size = 0; size < (size_t)st.st_size; size++) {
		CHECK(put(s, "body", &n));
		snprintf(path, sizeof(path), "%s/%016llx.push", spool_dir,
		    (unsigned long long)n);
		CHECK(truncate(path, (off_t)size) == 0);
		CHECK(pd_spool_get(s, n, &err) == NULL);
		CHECK_EQ(err.code, PD_EFORMAT);
		CHECK(access(path, F_OK) == -1);
	}
	for (size = 0; size < (size_t)st.st_size; size++) {
		CHECK(put(s, "body", &n));
		snprintf(path, sizeof(path), "%s/%016llx.push", spool_dir,
		    (unsigned long long)n);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		CHECK(pwrite(fd, "\1", 1, (off_t)size) == 1);
		close(fd);
		if (!CHECK(pd_spool_get(s, n, &err) == NULL))
			printf("# byte %zu\n", size);
	}
	pd_spool_close(s);
}

static void
what_was_half_written_is_gone(void)
{
	struct pd_spool *s = spool_open(1 << 20);
	char path[128];
	size_t len;

	pd_spool_close(s);
	snprintf(path, sizeof(path), "%s/0000000000000005.new", spool_dir);
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	s = spool_open(1 << 20);
	pd_spool_old(s, &len);
	CHECK_EQ(len, 0);
	CHECK(access(path, F_OK) == -1);
	pd_spool_close(s);
}

static void
other_files_are_left_alone(void)
{
	struct pd_spool *s = spool_open(1 << 20);
	char path[128];
	size_t len;

	pd_spool_close(s);
	snprintf(path, sizeof(path), "%s/notes.push", spool_dir);
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	s = spool_open(1 << 20);
	pd_spool_old(s, &len);
	CHECK_EQ(len, 0);
	CHECK(access(path, F_OK) == 0);
	pd_spool_close(s);
}

static void
nobody_else_can_read_it(void)
{
	struct pd_spool *s = spool_open(1 << 20);
	char path[128];
	struct stat st;
	uint64_t n;

	CHECK(put(s, "body", &n));
	CHECK(stat(spool_dir, &st) == 0 && (st.st_mode & 077) == 0);
	snprintf(path, sizeof(path), "%s/%016llx.push", spool_dir,
	    (unsigned long long)n);
	CHECK(stat(path, &st) == 0 && (st.st_mode & 077) == 0);
	pd_spool_close(s);
}

int
main(void)
{
	if (mkdtemp(dir) == NULL)
		return 1;
	snprintf(spool_dir, sizeof(spool_dir), "%s/spool", dir);
	RUN(what_was_put_is_there_for_the_next_one);
	empty_spool();
	RUN(it_belongs_to_one_process_and_one_target);
	empty_spool();
	RUN(it_takes_no_more_than_its_bound);
	empty_spool();
	RUN(what_is_damaged_is_put_aside);
	empty_spool();
	RUN(what_was_half_written_is_gone);
	empty_spool();
	RUN(other_files_are_left_alone);
	empty_spool();
	RUN(nobody_else_can_read_it);
	empty_spool();
	rmdir(dir);
	return tap_done();
}
