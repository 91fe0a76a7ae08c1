/*
 * Requests over HTTP, several at once, by libcurl.  Of an answer only the
 * beginning is read; redirects are not followed; what is secret is in no text
 * that comes out of here.
 */
#ifndef PD_PUSH_HTTP_H
#define PD_PUSH_HTTP_H

#include "push/request.h"

struct pd_http;

struct pd_http_opts {
	const char	*server;	/* URL; its user and password are used */
	const char	*tenant;	/* NULL: none */
	const char	*token;		/* Bearer; NULL: none */
	const char	*user;		/* "name:password"; NULL: none */
	const char	*const *headers;	/* "Name: value" */
	size_t		nheaders;
	const char	*ca;		/* a file of certificates; NULL: the system's */
	uint64_t	timeout;	/* ns, for all of one request */
	size_t		parallel;	/* connections at most */
};

/* opts is copied.  PD_EARG for what cannot be part of a request. */
struct pd_http *pd_http_new(const struct pd_http_opts *opts,
    struct pd_error *err);
void pd_http_free(struct pd_http *h);

/* The server as it may be shown: without user, password and query. */
const char *pd_http_server(const struct pd_http *h);
/* Whether secrets go there in the clear, and not only to this machine. */
bool pd_http_exposed(const struct pd_http *h);

/* Begin to send r, which must live until pd_http_done() gives ctx. */
int pd_http_send(struct pd_http *h, const struct pd_request *r, void *ctx,
    struct pd_error *err);

/* What has ended: its ctx, NULL when nothing has. */
void *pd_http_done(struct pd_http *h, struct pd_answer *answer);

/* Work, and wait for something to end, at most this long (ns). */
int pd_http_wait(struct pd_http *h, uint64_t timeout, struct pd_error *err);
/* Make pd_http_wait() return; may be called from any thread. */
void pd_http_wake(struct pd_http *h);

#endif
