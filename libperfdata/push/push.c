/*
 * Sends profiles: from the batch that is being filled, through the spool, if
 * there is one, into the queue, and from there over HTTP.
 *
 * The lock is for what both threads use: batch, closed requests, counts.  Spool,
 * queue and HTTP belong to the thread that sends.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "push/push.h"
#include "push/queue.h"
#include "push/spool.h"

#define MAX_HELD	(64u << 20)	/* bytes that wait in memory */
#define LINGER		1000000000	/* ns that a batch waits for the spool */
#define SAID		5		/* rejected requests that are told of */

struct pd_push {
	struct pd_push_opts	opts;
	pthread_t		thread;
	bool			started;

	pthread_mutex_t		lock;
	pthread_cond_t		room;	/* less is held; or stopped */
	struct pd_batch		*batch;
	uint64_t		batch_born;
	struct pd_entry		*closed, **closed_last;
	uint64_t		held;	/* bytes of requests in memory */
	bool			ending, stopped, ended;
	struct pd_error		error;	/* why it stopped */
	struct pd_push_counts	counts;

	struct pd_http		*http;
	struct pd_spool		*spool;
	struct pd_queue		queue;
	bool			down;	/* and it was said */
	bool			full;
	uint64_t		rejects;
};

static uint64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec + 1;
}

static uint64_t
any_number(void)
{
	uint64_t v;

	if (getrandom(&v, sizeof(v), GRND_NONBLOCK) != sizeof(v))
		v = now_ns() * 0x9e3779b97f4a7c15u;
	return v;
}

static void say(struct pd_push *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void
say(struct pd_push *p, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (p->opts.say == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	p->opts.say(p->opts.say_ctx, pd_http_server(p->http), text);
}

/* ---- entries ---------------------------------------------------------------------- */

static void
add_to(struct pd_push *p, struct pd_push_sum *sum, const struct pd_request *r)
{
	pthread_mutex_lock(&p->lock);
	sum->profiles += r->profiles;
	sum->samples += r->samples;
	pthread_mutex_unlock(&p->lock);
}

/* It is no longer in memory, and there is room for another. */
static void
drop_request(struct pd_push *p, struct pd_entry *e)
{
	if (e->request == NULL)
		return;
	pthread_mutex_lock(&p->lock);
	p->held -= e->request->size;
	pthread_cond_signal(&p->room);
	pthread_mutex_unlock(&p->lock);
	pd_request_free(e->request);
	e->request = NULL;
}

static void
hold_request(struct pd_push *p, struct pd_entry *e, struct pd_request *r)
{
	pthread_mutex_lock(&p->lock);
	p->held += r->size;
	pthread_mutex_unlock(&p->lock);
	e->request = r;
}

static void
entry_free(struct pd_push *p, struct pd_entry *e)
{
	drop_request(p, e);
	free(e);
}

/* The batch becomes a request; the lock is held. */
static int
close_batch(struct pd_push *p, struct pd_error *err)
{
	struct pd_entry *e = pd_calloc(1, sizeof(*e), err);

	if (e == NULL)
		return -1;
	if ((e->request = pd_batch_take(p->batch, err)) == NULL) {
		free(e);
		return -1;
	}
	p->held += e->request->size;
	*p->closed_last = e;
	p->closed_last = &e->next;
	return 0;
}

/* ---- the spool ---------------------------------------------------------------------- */

/* Make a request survive us.  If that fails, it goes on in memory. */
static void
keep(struct pd_push *p, struct pd_entry *e)
{
	struct pd_error err;
	int r;

	if (p->spool == NULL)
		return;
	r = pd_spool_put(p->spool, e->request, &e->spooled, &err);
	if (r != 1 && !p->full)
		say(p, "%s: what comes now is not kept there",
		    r == 0 ? "the spool is full" : err.msg);
	p->full = r != 1;
	/* The first ones are about to be sent. */
	if (r == 1 && p->queue.len >= p->queue.parallel)
		drop_request(p, e);
}

static int
load(struct pd_push *p, struct pd_entry *e, struct pd_error *err)
{
	struct pd_request *r;

	if (e->request != NULL)
		return 0;
	r = pd_spool_get(p->spool, e->spooled, err);
	if (r == NULL)
		return -1;
	hold_request(p, e, r);
	return 0;
}

/* What the last one could not deliver goes first. */
static int
take_in_old(struct pd_push *p, struct pd_error *err)
{
	struct pd_entry *e;
	size_t len, i;
	const uint64_t *old;

	if (p->spool == NULL)
		return 0;
	old = pd_spool_old(p->spool, &len);
	for (i = 0; i < len; i++) {
		if ((e = pd_calloc(1, sizeof(*e), err)) == NULL)
			return -1;
		e->spooled = old[i];
		e->old = true;
		pd_queue_put(&p->queue, e, now_ns());
	}
	return 0;
}

static void
forget(struct pd_push *p, struct pd_entry *e)
{
	struct pd_error err;

	if (e->spooled && pd_spool_remove(p->spool, e->spooled, &err) == -1)
		say(p, "%s", err.msg);
	pd_queue_take_out(&p->queue, e);
	entry_free(p, e);
}

/* ---- answers ------------------------------------------------------------------------- */

static void
remember_why(struct pd_push *p, const struct pd_answer *a)
{
	pthread_mutex_lock(&p->lock);
	if (a->unreached)
		snprintf(p->counts.why, sizeof(p->counts.why), "%.250s",
		    a->text);
	else
		snprintf(p->counts.why, sizeof(p->counts.why), "%u%s%.200s",
		    a->status, a->text[0] ? ": " : "", a->text);
	pthread_mutex_unlock(&p->lock);
}

/* Leave it in the spool for the next time, or for ever. */
static void
give_up(struct pd_push *p, struct pd_entry *e)
{
	struct pd_error err;

	/* To know how much it is. */
	if (load(p, e, &err) == 0)
		add_to(p, e->spooled ? &p->counts.kept : &p->counts.lost,
		    e->request);
	pd_queue_take_out(&p->queue, e);
	entry_free(p, e);
}

static void
give_up_hopeless(struct pd_push *p, bool all)
{
	struct pd_push_sum before = p->counts.lost;
	struct pd_entry *e, *next;

	for (e = p->queue.first; e != NULL; e = next) {
		next = e->next;
		if (!e->sending && (all || pd_queue_hopeless(&p->queue, e,
		    now_ns())))
			give_up(p, e);
	}
	if (p->counts.lost.profiles > before.profiles)
		say(p, "%" PRIu64 " profiles with %" PRIu64 " samples are lost: "
		    "%s", p->counts.lost.profiles - before.profiles,
		    p->counts.lost.samples - before.samples, p->counts.why);
}

static int
halve(struct pd_push *p, struct pd_entry *e, struct pd_error *err)
{
	struct pd_request *half[2];
	struct pd_entry *at = e, *new;
	int i;

	if (pd_request_split(e->request, half, err) == -1)
		return -1;
	for (i = 0; i < 2; i++) {
		if ((new = pd_calloc(1, sizeof(*new), err)) == NULL) {
			pd_request_free(half[i]);
			if (i == 0)
				pd_request_free(half[1]);
			return -1;
		}
		new->old = e->old;
		hold_request(p, new, half[i]);
		if (e->spooled)
			keep(p, new);
		pd_queue_put_behind(&p->queue, at, new);
		at = new;
	}
	forget(p, e);
	return 0;
}

static void
reject(struct pd_push *p, const struct pd_entry *e)
{
	add_to(p, &p->counts.rejected, e->request);
	pthread_mutex_lock(&p->lock);
	memcpy(p->counts.rejected_why, p->counts.why, sizeof(p->counts.why));
	pthread_mutex_unlock(&p->lock);
	if (++p->rejects <= SAID)
		say(p, "rejected: %s", p->counts.why);
}

static void
refuse(struct pd_push *p, const struct pd_answer *a)
{
	pthread_mutex_lock(&p->lock);
	p->counts.refused = !a->unreached;
	p->stopped = true;
	pd_fail(&p->error, PD_EARG, PD_NOWHERE, "%s%s",
	    a->status >= 300 && a->status < 400 ? "redirects are not followed: " :
	    a->html ? "there is no profile server at this URL: " : "",
	    p->counts.why);
	pthread_cond_signal(&p->room);
	pthread_mutex_unlock(&p->lock);
}

static void
say_whether_down(struct pd_push *p, enum pd_verdict v)
{
	if (v == PD_RETRY && !p->down && p->queue.failures > 1) {
		say(p, "the server does not take anything: %s; trying on",
		    p->counts.why);
		p->down = true;
	} else if (v != PD_RETRY && p->down) {
		say(p, "the server is back");
		p->down = false;
	}
}

static int
answered(struct pd_push *p, struct pd_entry *e, const struct pd_answer *a,
    struct pd_error *err)
{
	enum pd_verdict v = pd_answer_judge(a, p->opts.ident.api,
	    e->request->profiles, e->tries);
	enum pd_queue_outcome outcome;

	if (v != PD_STORED)
		remember_why(p, a);
	outcome = pd_queue_answered(&p->queue, e, v, a->retry_after, now_ns(),
	    any_number());
	say_whether_down(p, v);
	switch (outcome) {
	case PD_AGAIN:
		return 0;
	case PD_HALVE:
		return halve(p, e, err);
	case PD_GONE:
		break;
	}
	if (v == PD_REFUSED) {
		refuse(p, a);		/* and it stays in the queue */
		return 0;
	}
	if (v == PD_REJECTED) {
		reject(p, e);
	} else {
		add_to(p, &p->counts.stored, e->request);
		if (e->old)
			add_to(p, &p->counts.replayed, e->request);
	}
	forget(p, e);
	return 0;
}

/* ---- the thread ------------------------------------------------------------------------ */

/* Take over what was put since; *wait is until there is more to take. */
static int
collect(struct pd_push *p, uint64_t *wait, struct pd_error *err)
{
	struct pd_entry *e, *closed;
	uint64_t now = now_ns(), due;
	bool idle;
	int r = 0;

	*wait = PD_NOTIME;
	pthread_mutex_lock(&p->lock);
	if (pd_batch_profiles(p->batch) > 0) {
		due = p->batch_born + LINGER;
		idle = p->closed == NULL && p->queue.len <
		    (p->queue.failing_since ? 1 : p->queue.parallel);
		if (p->ending || idle || (p->spool != NULL && now >= due))
			r = close_batch(p, err);
		else if (p->spool != NULL)
			*wait = due - now;
	}
	if (p->ending)
		pd_queue_end(&p->queue, now);
	closed = p->closed;
	p->closed = NULL;
	p->closed_last = &p->closed;
	pthread_mutex_unlock(&p->lock);
	while ((e = closed) != NULL) {
		closed = e->next;
		pd_queue_put(&p->queue, e, now);
		keep(p, e);
	}
	return r;
}

/* Send what may be sent; *wait is until something else may. */
static int
send_next(struct pd_push *p, uint64_t *wait, struct pd_error *err)
{
	struct pd_entry *e;
	uint64_t pause;

	while ((e = pd_queue_next(&p->queue, now_ns(), wait)) != NULL) {
		if (load(p, e, err) == -1) {
			if (err->code == PD_ENOMEM)
				return -1;
			say(p, "%s", err->msg);
			pd_queue_take_out(&p->queue, e);
			entry_free(p, e);
			continue;
		}
		pause = pd_queue_pace(&p->queue, e->request->raw, now_ns());
		if (pause > 0) {
			*wait = pause;
			return 0;
		}
		if (pd_http_send(p->http, e->request, e, err) == -1)
			return -1;
		pd_queue_sent(&p->queue, e, e->request->raw, now_ns());
	}
	return 0;
}

static void
stop(struct pd_push *p, const struct pd_error *err)
{
	pthread_mutex_lock(&p->lock);
	if (!p->stopped)
		p->error = *err;
	p->stopped = true;
	pthread_cond_signal(&p->room);
	pthread_mutex_unlock(&p->lock);
}

/* Once around: 1, 0 when all is done, -1. */
static int
step(struct pd_push *p, struct pd_error *err)
{
	uint64_t wait, batch_wait;
	struct pd_answer answer;
	struct pd_entry *e;
	bool stopped;

	if (collect(p, &batch_wait, err) == -1 ||
	    send_next(p, &wait, err) == -1)
		return -1;
	pthread_mutex_lock(&p->lock);
	p->counts.waiting = p->queue.len;
	stopped = p->stopped;
	pthread_mutex_unlock(&p->lock);
	if (stopped || (p->queue.ending_since != 0 && p->queue.len == 0))
		return 0;
	if (batch_wait < wait)
		wait = batch_wait;
	if (p->queue.failing_since != 0) {
		give_up_hopeless(p, false);
		if (wait > LINGER)
			wait = LINGER;
	}
	if (pd_http_wait(p->http, wait, err) == -1)
		return -1;
	while ((e = pd_http_done(p->http, &answer)) != NULL)
		if (answered(p, e, &answer, err) == -1)
			return -1;
	return 1;
}

static void *
run(void *arg)
{
	struct pd_push *p = arg;
	struct pd_error err;
	int r;

	while ((r = step(p, &err)) == 1)
		;
	if (r == -1)
		stop(p, &err);
	pthread_mutex_lock(&p->lock);
	p->ended = true;
	pthread_cond_signal(&p->room);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* ---- the other thread -------------------------------------------------------------------- */

/* Signals are for the thread that reads. */
static int
start(struct pd_push *p, struct pd_error *err)
{
	sigset_t all, old;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&p->thread, NULL, run, p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = r;
	if (r != 0)
		return pd_fail(err, PD_EIO, PD_NOWHERE, "cannot start a thread");
	p->started = true;
	return 0;
}

static char *
make_target(const struct pd_push *p, struct pd_error *err)
{
	const char *tenant = p->opts.http.tenant;
	char *target;

	if (asprintf(&target, "%s %s", pd_http_server(p->http),
	    tenant ? tenant : "") == -1) {
		pd_fail_nomem(err);
		return NULL;
	}
	return target;
}

static int
open_spool(struct pd_push *p, struct pd_error *err)
{
	char *target;

	if (p->opts.spool == NULL)
		return 0;
	if ((target = make_target(p, err)) == NULL)
		return -1;
	p->spool = pd_spool_open(p->opts.spool, target, p->opts.spool_max, err);
	free(target);
	return p->spool == NULL ? -1 : 0;
}

struct pd_push *
pd_push_new(const struct pd_push_opts *opts, struct pd_error *err)
{
	struct pd_push *p = pd_calloc(1, sizeof(*p), err);

	if (p == NULL)
		return NULL;
	p->opts = *opts;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->room, NULL);
	p->closed_last = &p->closed;
	pd_queue_init(&p->queue);
	p->queue.parallel = opts->http.parallel;
	p->queue.budget = opts->budget;
	p->queue.rate = opts->rate;
	p->queue.burst = PD_SERVER_SIZE / 2;	/* see request.c */
	if (pd_push_ident_check(&opts->ident, err) == -1 ||
	    (p->batch = pd_batch_new(&p->opts.ident, err)) == NULL ||
	    (p->http = pd_http_new(&opts->http, err)) == NULL ||
	    open_spool(p, err) == -1 || take_in_old(p, err) == -1 ||
	    start(p, err) == -1) {
		pd_push_free(p);
		return NULL;
	}
	return p;
}

const char *
pd_push_server(const struct pd_push *p)
{
	return pd_http_server(p->http);
}

bool
pd_push_exposed(const struct pd_push *p)
{
	return pd_http_exposed(p->http);
}

int
pd_push_put(struct pd_push *p, const struct pd_push_part *part,
    struct pd_error *err)
{
	int r = 0;

	pthread_mutex_lock(&p->lock);
	while (!p->stopped && p->held > 0 && p->held + part->size > MAX_HELD)
		pthread_cond_wait(&p->room, &p->lock);
	if (p->stopped) {
		*err = p->error;
		r = -1;
	}
	if (r == 0 && pd_batch_full(p->batch, part->raw))
		r = close_batch(p, err);
	if (r == 0 && pd_batch_profiles(p->batch) == 0)
		p->batch_born = now_ns();
	if (r == 0)
		r = pd_batch_add(p->batch, part, err);
	pthread_mutex_unlock(&p->lock);
	pd_http_wake(p->http);
	return r;
}

struct pd_push_counts
pd_push_counts(struct pd_push *p)
{
	struct pd_push_counts c;

	pthread_mutex_lock(&p->lock);
	c = p->counts;
	pthread_mutex_unlock(&p->lock);
	return c;
}

/* What was put after the thread stopped, or just before. */
static void
settle_rest(struct pd_push *p)
{
	struct pd_error err;
	uint64_t wait;

	for (struct pd_entry *e = p->queue.first; e != NULL; e = e->next)
		e->sending = false;
	p->ending = true;
	collect(p, &wait, &err);
	give_up_hopeless(p, true);
}

bool
pd_push_wait(struct pd_push *p, uint64_t timeout)
{
	uint64_t until = now_ns() + timeout;
	struct timespec ts = { (time_t)(until / 1000000000),
		(long)(until % 1000000000) };
	bool done;

	pthread_mutex_lock(&p->lock);
	p->ending = true;
	pthread_mutex_unlock(&p->lock);
	pd_http_wake(p->http);
	pthread_mutex_lock(&p->lock);
	while (!p->ended && pthread_cond_clockwait(&p->room, &p->lock,
	    CLOCK_MONOTONIC, &ts) == 0)
		;
	done = p->ended;
	pthread_mutex_unlock(&p->lock);
	return done;
}

int
pd_push_finish(struct pd_push *p, struct pd_error *err)
{
	pd_push_wait(p, 0);
	pthread_join(p->thread, NULL);
	p->started = false;
	settle_rest(p);
	if (!p->stopped)
		return 0;
	*err = p->error;
	return -1;
}

void
pd_push_free(struct pd_push *p)
{
	struct pd_entry *e;

	if (p == NULL)
		return;
	if (p->started) {
		pthread_mutex_lock(&p->lock);
		p->stopped = true;
		pthread_mutex_unlock(&p->lock);
		pd_http_wake(p->http);
		pthread_join(p->thread, NULL);
	}
	while ((e = p->closed) != NULL) {
		p->closed = e->next;
		entry_free(p, e);
	}
	while ((e = p->queue.first) != NULL) {
		pd_queue_take_out(&p->queue, e);
		entry_free(p, e);
	}
	pd_http_free(p->http);
	pd_spool_close(p->spool);
	pd_batch_free(p->batch);
	pthread_cond_destroy(&p->room);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
