/*
 * Fuzz target: any bytes as a recording.  Every record is read, in both
 * orders, each sample is decoded, and the session follows.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perfdata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

static void
use_sample(const struct pd_record *rec)
{
	struct pd_error err;
	struct pd_sample s;

	if (pd_sample_decode(rec, &s, &err) < 0)
		return;
	/* What the sample points to must be there. */
	for (size_t i = 0; i < 8 * s.callchain_len; i++)
		sink += s.callchain[i];
	for (size_t i = 0; i < 24 * s.branches_len; i++)
		sink += s.branches[i];
	for (size_t i = 0; i < s.raw_size; i++)
		sink += s.raw[i];
	for (size_t i = 0; i < s.user_stack_size; i++)
		sink += s.user_stack[i];
}

static void
read_all(const char *path, enum pd_order order)
{
	struct pd_error err;
	struct pd_record rec;
	struct pd_session *session;
	struct pd_reader *rd = pd_reader_open(path, order, &err);

	if (rd == NULL)
		return;
	session = pd_session_new(rd, &err);
	while (session != NULL && pd_reader_next(rd, &rec, &err) == 1) {
		for (size_t i = 0; i < rec.size; i++)
			sink += rec.data[i];
		if (pd_session_apply(session, &rec, &err) < 0)
			break;
		if (rec.type == PD_RECORD_SAMPLE) {
			pd_session_thread(session, rec.pid, rec.tid, &err);
			use_sample(&rec);
		}
	}
	pd_session_free(session);
	pd_reader_close(rd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];
	int fd = memfd_create("fuzz", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_all(path, PD_FILE_ORDER);
	read_all(path, PD_TIME_ORDER);
	close(fd);
	return 0;
}
