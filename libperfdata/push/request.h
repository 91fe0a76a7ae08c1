/* Requests: what is sent to the server at once, and kept in the spool. */
#ifndef PD_PUSH_REQUEST_H
#define PD_PUSH_REQUEST_H

#include "push/parts.h"
#include "push/retry.h"

struct pd_push_label {
	const char	*name, *value;
};

/* Who is profiled. */
struct pd_push_ident {
	enum pd_push_api api;
	const char	*app;
	const struct pd_push_label *labels;
	size_t		nlabels;
};

struct pd_request {
	char		*path;		/* behind the URL of the server */
	char		*type;		/* of the body, for HTTP */
	uint8_t		*body;
	size_t		size;
	size_t		profiles;
	uint64_t	samples;
	uint64_t	raw;		/* bytes as the rate limiter counts */
};

/* Names and values as the server takes them: 0, or PD_EARG. */
int pd_push_ident_check(const struct pd_push_ident *id, struct pd_error *err);

/* Profiles that wait to be sent together. */
struct pd_batch;

struct pd_batch *pd_batch_new(const struct pd_push_ident *id,
    struct pd_error *err);
void pd_batch_free(struct pd_batch *b);
int pd_batch_add(struct pd_batch *b, const struct pd_push_part *part,
    struct pd_error *err);
size_t pd_batch_profiles(const struct pd_batch *b);
/* Whether another profile can come into the same request. */
bool pd_batch_full(const struct pd_batch *b, uint64_t raw);

/* The request, and the batch is empty; free with pd_request_free(). */
struct pd_request *pd_batch_take(struct pd_batch *b, struct pd_error *err);
void pd_request_free(struct pd_request *r);

/*
 * Two requests with half of the profiles each, unchanged.  r has more than
 * one; it stays as it is.
 */
int pd_request_split(const struct pd_request *r, struct pd_request *half[2],
    struct pd_error *err);

#endif
