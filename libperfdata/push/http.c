/* HTTP by libcurl's multi interface. */
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "push/http.h"

#define MAX_ANSWER	65536		/* bytes; the rest is not waited for */
#define MAX_SECRETS	64

struct transfer {
	struct pd_http	*http;
	CURL		*easy;
	struct curl_slist *headers;
	char		error[CURL_ERROR_SIZE];
	char		text[sizeof(((struct pd_answer *)0)->text)];
	size_t		len, total;
	void		*ctx;
	struct transfer	*next;		/* of those that are free */
	struct transfer	*older;		/* of all */
};

struct pd_http {
	CURLM			*multi;
	char			*server;	/* without credentials */
	char			*user, *token, *ca;
	struct curl_slist	*headers;
	char			*secrets[MAX_SECRETS];
	size_t			nsecrets;
	struct transfer		*free, *all;
	int			active;
	long			timeout_ms;
	bool			clear;
};

/* ---- secrets ------------------------------------------------------------------ */

/* What must not be shown.  Too short a text would make any message unreadable. */
static int
add_secret(struct pd_http *h, const char *s, struct pd_error *err)
{
	if (s == NULL || strlen(s) < 4)
		return 0;
	if (h->nsecrets == MAX_SECRETS)
		return pd_fail(err, PD_EARG, PD_NOWHERE, "too many headers");
	if ((h->secrets[h->nsecrets] = pd_strdup(s, err)) == NULL)
		return -1;
	h->nsecrets++;
	return 0;
}

/* As it goes over the wire (RFC 7617). */
static int
add_basic_secret(struct pd_http *h, const char *user, struct pd_error *err)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t len = strlen(user), i;
	char *text = pd_calloc(len / 3 + 1, 4 + 1, err), *p = text;
	uint32_t v;
	int r;

	if (text == NULL)
		return -1;
	/* The last, padded group is left out. */
	for (i = 0; i + 3 <= len; i += 3) {
		v = (uint32_t)(uint8_t)user[i] << 16 |
		    (uint32_t)(uint8_t)user[i + 1] << 8 | (uint8_t)user[i + 2];
		*p++ = digits[v >> 18];
		*p++ = digits[v >> 12 & 63];
		*p++ = digits[v >> 6 & 63];
		*p++ = digits[v & 63];
	}
	r = add_secret(h, text, err);
	explicit_bzero(text, strlen(text));
	free(text);
	return r;
}

/* At the end of a text that was cut there may be the beginning of one. */
static void
redact_end(char *text, const char *secret)
{
	size_t len = strlen(text), n = strlen(secret);

	for (n = n < len ? n : len; n > 0; n--)
		if (memcmp(text + len - n, secret, n) == 0) {
			text[len - n] = '\0';
			return;
		}
}

/* A server may repeat what it was sent. */
static void
redact(const struct pd_http *h, char *text, bool cut)
{
	char *p;
	size_t i, n;

	for (i = 0; i < h->nsecrets; i++) {
		n = strlen(h->secrets[i]);
		while ((p = strstr(text, h->secrets[i])) != NULL) {
			memmove(p + 3, p + n, strlen(p + n) + 1);
			memcpy(p, "***", 3);
		}
		if (cut)
			redact_end(text, h->secrets[i]);
	}
}

/* ---- setting up ----------------------------------------------------------------- */

static int
add_header(struct curl_slist **list, const char *line, struct pd_error *err)
{
	struct curl_slist *new = curl_slist_append(*list, line);

	if (new == NULL)
		return pd_fail_nomem(err);
	*list = new;
	return 0;
}

static int
add_header_of(struct curl_slist **list, const char *name, const char *value,
    struct pd_error *err)
{
	char *line;
	int r;

	if (asprintf(&line, "%s: %s", name, value) == -1)
		return pd_fail_nomem(err);
	r = add_header(list, line, err);
	explicit_bzero(line, strlen(line));
	free(line);
	return r;
}

/* A line break would begin another header. */
static int
check_value(const char *s, const char *what, struct pd_error *err)
{
	for (; *s != '\0'; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			return pd_fail(err, PD_EARG, PD_NOWHERE,
			    "%s has a control character in it", what);
	return 0;
}

static int
add_own_header(struct pd_http *h, const char *line, struct pd_error *err)
{
	const char *colon = strchr(line, ':');
	size_t name = colon == NULL ? 0 : (size_t)(colon - line);

	if (check_value(line, "a header", err) == -1)
		return -1;
	if (name == 0 || strcspn(line, " \t") < name)
		return pd_fail(err, PD_EARG, PD_NOWHERE,
		    "a header is not of the form 'Name: value'");
	/* All of it, and what is behind "Bearer". */
	if (add_secret(h, colon + 1 + strspn(colon + 1, " "), err) == -1 ||
	    add_secret(h, strrchr(line, ' ') ? strrchr(line, ' ') + 1 : NULL,
	    err) == -1)
		return -1;
	return add_header(&h->headers, line, err);
}

static int
get_part(CURLU *u, CURLUPart what, char **out)
{
	return curl_url_get(u, what, out, CURLU_URLDECODE) == CURLUE_OK;
}

/* user:password of the URL, unless they were given apart. */
static int
take_user(struct pd_http *h, CURLU *u, struct pd_error *err)
{
	char *name = NULL, *password = NULL;
	int r = 0;

	if (get_part(u, CURLUPART_USER, &name)) {
		get_part(u, CURLUPART_PASSWORD, &password);
		if (h->user == NULL && asprintf(&h->user, "%s:%s", name,
		    password ? password : "") == -1) {
			h->user = NULL;
			r = pd_fail_nomem(err);
		}
	}
	curl_free(name);
	curl_free(password);
	return r;
}

static int
take_server(struct pd_http *h, const char *url, struct pd_error *err)
{
	CURLU *u = curl_url();
	char *scheme = NULL, *host = NULL, *whole = NULL;
	int r = -1;
	size_t n;

	if (u == NULL)
		return pd_fail_nomem(err);
	if (curl_url_set(u, CURLUPART_URL, url, 0) != CURLUE_OK ||
	    !get_part(u, CURLUPART_SCHEME, &scheme) ||
	    !get_part(u, CURLUPART_HOST, &host) ||
	    (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)) {
		pd_fail(err, PD_EARG, PD_NOWHERE, "the server is no URL of the "
		    "form http[s]://HOST[:PORT][/PATH]");
		goto out;
	}
	if (take_user(h, u, err) == -1)
		goto out;
	curl_url_set(u, CURLUPART_USER, NULL, 0);
	curl_url_set(u, CURLUPART_PASSWORD, NULL, 0);
	curl_url_set(u, CURLUPART_OPTIONS, NULL, 0);
	curl_url_set(u, CURLUPART_QUERY, NULL, 0);
	curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0);
	if (curl_url_get(u, CURLUPART_URL, &whole, 0) != CURLUE_OK) {
		pd_fail_nomem(err);
		goto out;
	}
	for (n = strlen(whole); n > 0 && whole[n - 1] == '/'; n--)
		whole[n - 1] = '\0';
	if ((h->server = pd_strdup(whole, err)) == NULL)
		goto out;
	h->clear = strcmp(scheme, "http") == 0 &&
	    strcmp(host, "localhost") != 0 && strcmp(host, "[::1]") != 0 &&
	    !pd_starts(host, "127.");
	r = 0;

out:
	curl_free(scheme);
	curl_free(host);
	curl_free(whole);
	curl_url_cleanup(u);
	return r;
}

static int
copy_opts(struct pd_http *h, const struct pd_http_opts *o,
    struct pd_error *err)
{
	const char *colon;
	size_t i;

	if ((o->token != NULL && (check_value(o->token, "the token", err) ||
	    (h->token = pd_strdup(o->token, err)) == NULL)) ||
	    (o->user != NULL && (check_value(o->user, "the user", err) ||
	    (h->user = pd_strdup(o->user, err)) == NULL)) ||
	    (o->ca != NULL && (h->ca = pd_strdup(o->ca, err)) == NULL) ||
	    take_server(h, o->server, err) == -1 ||
	    add_secret(h, h->token, err) == -1)
		return -1;
	if (h->user != NULL) {
		colon = strchr(h->user, ':');
		if (add_secret(h, colon ? colon + 1 : h->user, err) == -1 ||
		    add_basic_secret(h, h->user, err) == -1)
			return -1;
	}
	if (o->tenant != NULL && (check_value(o->tenant, "the tenant", err) ||
	    add_header_of(&h->headers, "X-Scope-OrgID", o->tenant, err) == -1))
		return -1;
	for (i = 0; i < o->nheaders; i++)
		if (add_own_header(h, o->headers[i], err) == -1)
			return -1;
	/* A body of a megabyte needs no permission. */
	return add_header(&h->headers, "Expect:", err);
}

struct pd_http *
pd_http_new(const struct pd_http_opts *opts, struct pd_error *err)
{
	struct pd_http *h = pd_calloc(1, sizeof(*h), err);

	if (h == NULL)
		return NULL;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0 ||
	    (h->multi = curl_multi_init()) == NULL) {
		pd_fail_nomem(err);
		goto fail;
	}
	if (copy_opts(h, opts, err) == -1)
		goto fail;
	curl_multi_setopt(h->multi, CURLMOPT_MAX_HOST_CONNECTIONS,
	    (long)opts->parallel);
	h->timeout_ms = (long)(opts->timeout / 1000000);
	return h;

fail:
	pd_http_free(h);
	return NULL;
}

static void
wipe(char *s)
{
	if (s != NULL)
		explicit_bzero(s, strlen(s));
	free(s);
}

void
pd_http_free(struct pd_http *h)
{
	struct transfer *t;
	size_t i;

	if (h == NULL)
		return;
	while ((t = h->all) != NULL) {
		h->all = t->older;
		curl_multi_remove_handle(h->multi, t->easy);
		curl_slist_free_all(t->headers);
		curl_easy_cleanup(t->easy);
		free(t);
	}
	curl_multi_cleanup(h->multi);
	curl_slist_free_all(h->headers);
	for (i = 0; i < h->nsecrets; i++)
		wipe(h->secrets[i]);
	wipe(h->user);
	wipe(h->token);
	free(h->ca);
	free(h->server);
	free(h);
}

const char *
pd_http_server(const struct pd_http *h)
{
	return h->server;
}

bool
pd_http_exposed(const struct pd_http *h)
{
	return h->clear && (h->user != NULL || h->token != NULL);
}

/* ---- transfers ------------------------------------------------------------------- */

static size_t
take_answer(char *data, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	size_t room = sizeof(t->text) - 1 - t->len;

	n *= size;
	if (room > n)
		room = n;
	memcpy(t->text + t->len, data, room);
	t->len += room;
	t->total += n;
	return t->total > MAX_ANSWER ? 0 : n;	/* 0 ends the transfer */
}

static struct transfer *
transfer_new(struct pd_http *h, struct pd_error *err)
{
	struct transfer *t = h->free;

	if (t != NULL) {
		h->free = t->next;
		curl_easy_reset(t->easy);
	} else {
		if ((t = pd_calloc(1, sizeof(*t), err)) == NULL)
			return NULL;
		if ((t->easy = curl_easy_init()) == NULL) {
			pd_fail_nomem(err);
			free(t);
			return NULL;
		}
		t->older = h->all;
		h->all = t;
	}
	t->http = h;
	t->headers = NULL;
	t->len = t->total = 0;
	t->error[0] = '\0';
	return t;
}

static void
transfer_put_back(struct transfer *t)
{
	curl_slist_free_all(t->headers);
	t->headers = NULL;
	t->next = t->http->free;
	t->http->free = t;
}

static int
set_up(struct transfer *t, const struct pd_request *r, struct pd_error *err)
{
	const struct pd_http *h = t->http;
	struct curl_slist *l;
	CURL *e = t->easy;
	char *url;
	int bad = 0;

	for (l = h->headers; l != NULL; l = l->next)
		if (add_header(&t->headers, l->data, err) == -1)
			return -1;
	if (add_header_of(&t->headers, "Content-Type", r->type, err) == -1 ||
	    add_header(&t->headers, "Connect-Protocol-Version: 1", err) == -1)
		return -1;
	if (asprintf(&url, "%s%s", h->server, r->path) == -1)
		return pd_fail_nomem(err);
	bad |= curl_easy_setopt(e, CURLOPT_URL, url);
	free(url);
	bad |= curl_easy_setopt(e, CURLOPT_HTTPHEADER, t->headers);
	bad |= curl_easy_setopt(e, CURLOPT_POST, 1L);
	bad |= curl_easy_setopt(e, CURLOPT_POSTFIELDS, (char *)r->body);
	bad |= curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
	    (curl_off_t)r->size);
	bad |= curl_easy_setopt(e, CURLOPT_USERAGENT, "pd-push/" PD_VERSION);
	bad |= curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
	bad |= curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
	bad |= curl_easy_setopt(e, CURLOPT_HTTP_VERSION,
	    (long)CURL_HTTP_VERSION_1_1);
	bad |= curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	bad |= curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, h->timeout_ms);
	bad |= curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->error);
	bad |= curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, take_answer);
	bad |= curl_easy_setopt(e, CURLOPT_WRITEDATA, t);
	bad |= curl_easy_setopt(e, CURLOPT_PRIVATE, t);
	if (h->ca != NULL)
		bad |= curl_easy_setopt(e, CURLOPT_CAINFO, h->ca);
	if (h->token != NULL) {
		bad |= curl_easy_setopt(e, CURLOPT_HTTPAUTH,
		    (long)CURLAUTH_BEARER);
		bad |= curl_easy_setopt(e, CURLOPT_XOAUTH2_BEARER, h->token);
	} else if (h->user != NULL) {
		bad |= curl_easy_setopt(e, CURLOPT_HTTPAUTH,
		    (long)CURLAUTH_BASIC);
		bad |= curl_easy_setopt(e, CURLOPT_USERPWD, h->user);
	}
	return bad ? pd_fail_nomem(err) : 0;
}

int
pd_http_send(struct pd_http *h, const struct pd_request *r, void *ctx,
    struct pd_error *err)
{
	struct transfer *t = transfer_new(h, err);

	if (t == NULL)
		return -1;
	t->ctx = ctx;
	if (set_up(t, r, err) == -1) {
		transfer_put_back(t);
		return -1;
	}
	if (curl_multi_add_handle(h->multi, t->easy) != CURLM_OK) {
		transfer_put_back(t);
		return pd_fail_nomem(err);
	}
	h->active++;
	return 0;
}

/* What another try would not change: whom we talk to, and how. */
static bool
is_hopeless(CURLcode code)
{
	switch (code) {
	case CURLE_URL_MALFORMAT:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
		return true;
	default:
		return false;
	}
}

static void
read_answer(struct transfer *t, CURLcode code, struct pd_answer *a)
{
	const char *type = NULL;
	curl_off_t wait = 0;
	long status = 0;

	*a = (struct pd_answer){ 0 };
	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &type);
	curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &wait);
	a->status = (unsigned)status;
	a->html = type != NULL && strncasecmp(type, "text/html", 9) == 0;
	if (wait > 0)
		a->retry_after = (uint64_t)(wait < 86400 ? wait : 86400) *
		    1000000000;
	t->text[t->len] = '\0';
	if (code == CURLE_OK) {
		snprintf(a->text, sizeof(a->text), "%s", t->text);
	} else {
		a->unreached = true;
		a->hopeless = is_hopeless(code);
		snprintf(a->text, sizeof(a->text), "%s",
		    t->total > MAX_ANSWER ? "its answer does not end" :
		    t->error[0] ? t->error : curl_easy_strerror(code));
	}
	pd_printable(a->text);
	redact(t->http, a->text, t->total > t->len);
}

void *
pd_http_done(struct pd_http *h, struct pd_answer *answer)
{
	struct transfer *t;
	CURLMsg *m;
	int left;

	do {
		m = curl_multi_info_read(h->multi, &left);
		if (m == NULL)
			return NULL;
	} while (m->msg != CURLMSG_DONE);
	curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&t);
	read_answer(t, m->data.result, answer);
	curl_multi_remove_handle(h->multi, t->easy);
	h->active--;
	transfer_put_back(t);
	return t->ctx;
}

int
pd_http_wait(struct pd_http *h, uint64_t timeout, struct pd_error *err)
{
	uint64_t ms = timeout / 1000000 + (timeout > 0);
	int running, n;

	if (curl_multi_perform(h->multi, &running) != CURLM_OK)
		return pd_fail_nomem(err);
	if (running < h->active)
		return 0;		/* one has ended */
	if (curl_multi_poll(h->multi, NULL, 0, ms < 60000 ? (int)ms : 60000,
	    &n) != CURLM_OK ||
	    curl_multi_perform(h->multi, &running) != CURLM_OK)
		return pd_fail_nomem(err);
	return 0;
}

void
pd_http_wake(struct pd_http *h)
{
	curl_multi_wakeup(h->multi);
}
