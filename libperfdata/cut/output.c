/* Puts records into an output, with marks for who sorts them again. */
#include "cut/output.h"

/*
 * What comes in order may have a FINISHED_ROUND anywhere; who reads it holds
 * as much back as there is between two of them.
 */
#define ROUND_BYTES	(1 << 20)

int
pd_output_open(struct pd_output *o, int fd,
    const struct pd_writer_opts *opts, struct pd_describe *d,
    const struct pd_session *s, const struct pd_past *past, bool ordered,
    struct pd_error *err)
{
	o->fd = fd;
	o->ordered = ordered;
	o->first = o->last = PD_NOTIME;
	o->stop = UINT64_MAX;
	if ((o->to.writer = pd_writer_new(fd, opts, err)) == NULL)
		return -1;
	o->teller = (struct pd_teller){ s, pd_reader_events(d->rd), past,
		o->to.writer, &o->told, opts->swapped };
	return pd_describe_begin(d, &o->to, err);
}

void
pd_output_free(struct pd_output *o)
{
	pd_writer_free(o->to.writer);
	pd_told_free(&o->told);
	pd_reads_free(&o->reads);
	pd_map64_free(&o->waiting);
}

static int
mark(struct pd_output *o, struct pd_error *err)
{
	uint8_t rec[PD_HEADER_SIZE] = { 0 };

	pd_store_u32(rec, PD_REC_FINISHED_ROUND, o->teller.swapped);
	pd_store_u16(rec + 6, sizeof(rec), o->teller.swapped);
	if (pd_writer_put(o->to.writer, rec, sizeof(rec), err) == -1)
		return -1;
	o->round = pd_writer_size(o->to.writer);
	return 0;
}

int
pd_output_put(struct pd_output *o, const uint8_t *data, size_t size,
    struct pd_error *err)
{
	if (pd_writer_put(o->to.writer, data, size, err) == -1)
		return -1;
	if (!o->ordered ||
	    pd_writer_size(o->to.writer) - o->round < ROUND_BYTES)
		return 0;
	return mark(o, err);
}

void
pd_output_count(struct pd_output *o, uint64_t time)
{
	o->samples++;
	if (time == PD_NOTIME)
		return;
	if (time < o->first)
		o->first = time;
	if (o->last == PD_NOTIME || time > o->last)
		o->last = time;
}

/* What comes before a mark is complete at the next one. */
int
pd_output_flush(struct pd_output *o, struct pd_error *err)
{
	if (o->ordered && pd_writer_size(o->to.writer) > o->round &&
	    (mark(o, err) == -1 || mark(o, err) == -1))
		return -1;
	return pd_writer_flush(o->to.writer, err);
}

int
pd_output_finish(struct pd_output *o, struct pd_describe *d,
    struct pd_error *err)
{
	return pd_describe_end(d, &o->to, o->first, o->last, err) == -1 ||
	    pd_writer_finish(o->to.writer, err) == -1 ? -1 : 0;
}
