/* Keeps samples until the user part of their callchain is recorded. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"

#include "fold/deferred.h"

void
pd_deferred_init(struct pd_deferred *d)
{
	size_t i;

	*d = (struct pd_deferred){ 0 };
	TAILQ_INIT(&d->all);
	for (i = 0; i < PD_DEFERRED_BUCKETS; i++)
		TAILQ_INIT(&d->near[i]);
}

void
pd_deferred_free(struct pd_deferred *d)
{
	struct pd_deferred_sample *w;
	size_t i;

	while ((w = pd_deferred_take_oldest(d, 0)) != NULL)
		free(w);
	for (i = 0; i < PD_DEFERRED_CHAINS; i++)
		free(d->chains[i].ips);
	free(d->buf);
}

static struct pd_deferred_list *
near(struct pd_deferred *d, uint32_t tid)
{
	return &d->near[pd_hash_u64(tid) % PD_DEFERRED_BUCKETS];
}

static struct pd_deferred_chain *
chain_of(struct pd_deferred *d, uint32_t tid)
{
	return &d->chains[pd_hash_u64(tid) % PD_DEFERRED_CHAINS];
}

/* ---- samples ----------------------------------------------------------------- */

bool
pd_deferred_waits(const struct pd_sample *s)
{
	return s->callchain_len >= 2 &&
	    pd_sample_ip(s, s->callchain_len - 2) == PD_CONTEXT_USER_DEFERRED;
}

static uint64_t
cost_of(const struct pd_deferred_sample *w)
{
	return sizeof(*w) + w->rec.size;
}

int
pd_deferred_put(struct pd_deferred *d, const struct pd_record *rec,
    const struct pd_event *ev, uint64_t period, struct pd_error *err)
{
	struct pd_deferred_sample *w;

	w = pd_calloc(1, sizeof(*w) + rec->size, err);
	if (w == NULL)
		return -1;
	memcpy(w->data, rec->data, rec->size);
	w->rec = *rec;
	w->rec.data = w->data;
	w->ev = ev;
	w->period = period;
	TAILQ_INSERT_TAIL(&d->all, w, all);
	TAILQ_INSERT_TAIL(near(d, rec->tid), w, near);
	d->bytes += cost_of(w);
	return 0;
}

static struct pd_deferred_sample *
take(struct pd_deferred *d, struct pd_deferred_sample *w)
{
	TAILQ_REMOVE(&d->all, w, all);
	TAILQ_REMOVE(near(d, w->rec.tid), w, near);
	d->bytes -= cost_of(w);
	return w;
}

struct pd_deferred_sample *
pd_deferred_take(struct pd_deferred *d, uint32_t tid)
{
	struct pd_deferred_sample *w;

	TAILQ_FOREACH(w, near(d, tid), near)
		if (w->rec.tid == tid)
			return take(d, w);
	return NULL;
}

struct pd_deferred_sample *
pd_deferred_take_oldest(struct pd_deferred *d, uint64_t max)
{
	return d->bytes > max ? take(d, TAILQ_FIRST(&d->all)) : NULL;
}

/* ---- the user part --------------------------------------------------------------- */

int
pd_deferred_apply(struct pd_deferred *d, const struct pd_record *rec,
    struct pd_error *err)
{
	struct pd_deferred_chain *ch = chain_of(d, rec->tid);
	struct pd_cursor c = pd_cursor(rec->data, rec->size, rec->swapped);
	uint64_t cookie, len;

	pd_get_u64(&c);			/* header */
	cookie = pd_get_u64(&c);
	len = pd_get_u64(&c);
	if (c.bad || len > pd_left(&c) / 8)
		return 0;
	if (pd_grow(&ch->ips, &ch->cap, len, 8, err) == -1)
		return -1;
	if (len > 0)
		memcpy(ch->ips, c.p, len * 8);
	ch->tid = rec->tid;
	ch->cookie = cookie;
	ch->len = len;
	return 0;
}

int
pd_deferred_merge(struct pd_deferred *d, struct pd_sample *s,
    struct pd_error *err)
{
	const struct pd_deferred_chain *ch = chain_of(d, s->tid);
	size_t n = s->callchain_len - 2;	/* marker and cookie */
	uint64_t user = PD_CONTEXT_USER;

	/* All that were there have a cookie: it is never 0. */
	if (ch->cookie == 0 || ch->tid != s->tid ||
	    ch->cookie != pd_sample_ip(s, n + 1))
		return 0;
	if (pd_grow(&d->buf, &d->cap, (n + 1 + ch->len) * 8, 1, err) == -1)
		return -1;
	if (s->swapped)
		user = __builtin_bswap64(user);
	if (n > 0)
		memcpy(d->buf, s->callchain, n * 8);
	memcpy(d->buf + n * 8, &user, 8);
	if (ch->len > 0)
		memcpy(d->buf + (n + 1) * 8, ch->ips, ch->len * 8);
	s->callchain = d->buf;
	s->callchain_len = n + 1 + ch->len;
	return 1;
}
