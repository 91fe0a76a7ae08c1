/*
 * Prints the samples of a recording in time order, one a line: tid, time,
 * event.  Uses the public header only.  Exit 2 when the input cannot be read.
 */
#include <inttypes.h>
#include <stdio.h>

#include "perfdata.h"

static int
fail(const char *path, const struct pd_error *err)
{
	fflush(stdout);
	fprintf(stderr, "pd-dump: %s: %s", path, err->msg);
	if (err->offset != PD_NOWHERE)
		fprintf(stderr, " (at 0x%" PRIx64 ")", err->offset);
	fputc('\n', stderr);
	return 2;
}

static void
print_notes(const char *path, const struct pd_reader *rd)
{
	const struct pd_note *n;

	for (size_t i = 0; (n = pd_reader_note(rd, i)) != NULL; i++) {
		fprintf(stderr, "pd-dump: %s: %s", path, n->msg);
		if (n->offset != PD_NOWHERE)
			fprintf(stderr, " (at 0x%" PRIx64 ")", n->offset);
		fprintf(stderr, " (%" PRIu64 " times)\n", n->count);
	}
}

int
main(int argc, char **argv)
{
	struct pd_error err = { 0 };
	struct pd_record rec;
	struct pd_sample s;
	struct pd_reader *rd;
	int got;

	if (argc != 2) {
		fprintf(stderr, "usage: pd-dump FILE\n");
		return 2;
	}
	if ((rd = pd_reader_open(argv[1], PD_TIME_ORDER, &err)) == NULL)
		return fail(argv[1], &err);
	while ((got = pd_reader_next(rd, &rec, &err)) == 1) {
		if (rec.type != PD_RECORD_SAMPLE)
			continue;
		if (pd_sample_decode(&rec, &s, &err) < 0) {
			fprintf(stderr,
			    "pd-dump: %s: sample left out: %s (at 0x%" PRIx64 ")\n",
			    argv[1], err.msg, rec.offset);
			continue;
		}
		printf("%" PRIu32 "\t%" PRIu64 "\t%s\n", s.tid, s.time,
		    rec.event != NULL ? rec.event->name : "-");
	}
	print_notes(argv[1], rd);
	if (got < 0)
		got = fail(argv[1], &err);
	pd_reader_close(rd);
	return got;
}
