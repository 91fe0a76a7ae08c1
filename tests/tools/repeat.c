/*
 * repeat N FILE: writes a recording of this machine to stdout as a pipe, with
 * its samples N times, each time later by the recording's length.  Makes
 * inputs of any size for measurements.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata.h"

enum { IP = 1, TID = 2, TIME = 4, IDENTIFIER = 1 << 16 };
enum { HEADER_ATTR = 64, FINISHED_ROUND = 68 };

static struct pd_error error;

static void
put(const void *p, size_t n)
{
	if (fwrite(p, 1, n, stdout) != n)
		err(2, "stdout");
}

/* A pipe's events are records: 8 bytes of header, the attribute, one id. */
static void
put_event(const struct pd_event *ev)
{
	struct {
		uint32_t type;
		uint16_t misc, size;
		struct {
			uint32_t type, size;
			uint64_t config, period, sample_type, read_format, flags;
			uint64_t unused[10];
		} attr;
		uint64_t id;
	} r = { HEADER_ATTR, 0, sizeof(r), { 0 }, 1 };

	r.attr.type = ev->type;
	r.attr.size = sizeof(r.attr);
	r.attr.config = ev->config;
	r.attr.period = ev->period_or_freq;
	r.attr.sample_type = ev->sample_type;
	r.attr.read_format = ev->read_format;
	r.attr.flags = ev->flags;
	put(&r, sizeof(r));
}

static void
put_sample(const struct pd_record *rec, uint64_t later)
{
	uint64_t type = rec->event->sample_type, time = rec->time + later;
	size_t at = 8 + 8 * (!!(type & IDENTIFIER) + !!(type & IP) + !!(type & TID));

	put(rec->data, at);
	put(&time, 8);
	put(rec->data + at + 8, rec->size - at - 8);
}

int
main(int argc, char **argv)
{
	static char buffer[1 << 20];
	uint64_t first = PD_NOTIME, last = 0;
	struct pd_record rec;
	struct pd_reader *rd;
	int got;

	if (argc != 3)
		errx(2, "usage: repeat N FILE");
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	put("PERFILE2\20\0\0\0\0\0\0\0", 16);
	for (int i = 0; i < atoi(argv[1]); i++) {
		if ((rd = pd_reader_open(argv[2], PD_FILE_ORDER, &error)) == NULL)
			errx(2, "%s: %s", argv[2], error.msg);
		if (i == 0)
			put_event(pd_reader_event(rd, 0));
		while ((got = pd_reader_next(rd, &rec, &error)) == 1) {
			if (rec.type == PD_RECORD_SAMPLE) {
				if (first == PD_NOTIME)
					first = rec.time;
				if (i == 0 && rec.time > last)
					last = rec.time;
				put_sample(&rec, i * (last - first + 1000000000));
			} else if (rec.type == FINISHED_ROUND ||
			    (i == 0 && rec.type < PD_RECORD_USER_START)) {
				put(rec.data, rec.size);
			}
		}
		if (got < 0)
			errx(2, "%s: %s", argv[2], error.msg);
		pd_reader_close(rd);
	}
	if (fclose(stdout) != 0)
		err(2, "stdout");
	return 0;
}
