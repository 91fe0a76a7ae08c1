/*
 * Sends profiles to a server.  A thread of its own does the sending, so that
 * waiting for answers and for input go together; all functions are for one
 * other thread.  Not part of the shared library, which needs no libcurl.
 */
#ifndef PD_PUSH_PUSH_H
#define PD_PUSH_PUSH_H

#include "push/http.h"
#include "push/parts.h"
#include "push/request.h"
#include "push/secret.h"
#include "push/window.h"

struct pd_push;

struct pd_push_opts {
	struct pd_push_ident	ident;
	struct pd_http_opts	http;
	uint64_t	budget;		/* ns to try a request in vain */
	uint64_t	rate;		/* bytes a second, uncompressed; 0: any */
	const char	*spool;		/* directory; NULL: none */
	uint64_t	spool_max;	/* bytes */
	/* Told of what happens, from the thread that sends. */
	void		(*say)(void *ctx, const char *server, const char *text);
	void		*say_ctx;
};

/* Profiles, and samples in them. */
struct pd_push_sum {
	uint64_t	profiles, samples;
};

struct pd_push_counts {
	struct pd_push_sum	stored;		/* by the server */
	struct pd_push_sum	replayed;	/* of them, from the spool */
	struct pd_push_sum	rejected;	/* will never be taken */
	struct pd_push_sum	kept;		/* in the spool, for the next time */
	struct pd_push_sum	lost;		/* given up */
	uint64_t		waiting;	/* requests */
	bool			refused;	/* the server does not want us */
	char			why[256];	/* of the last that was not stored */
	char			rejected_why[256];
};

/* What opts points to must outlive it, but for opts.http. */
struct pd_push *pd_push_new(const struct pd_push_opts *opts,
    struct pd_error *err);
const char *pd_push_server(const struct pd_push *p);
bool pd_push_exposed(const struct pd_push *p);

/*
 * Send a profile, which is copied, some time.  Waits while too much is
 * waiting already.  -1 when no more can be sent: *err says why.
 */
int pd_push_put(struct pd_push *p, const struct pd_push_part *part,
    struct pd_error *err);

struct pd_push_counts pd_push_counts(struct pd_push *p);

/*
 * No more will be put: wait until all is delivered or given up, at most this
 * long (ns): whether it is.
 */
bool pd_push_wait(struct pd_push *p, uint64_t timeout);
/* Wait for that as long as it takes, and see what is left. */
int pd_push_finish(struct pd_push *p, struct pd_error *err);
void pd_push_free(struct pd_push *p);

#endif
