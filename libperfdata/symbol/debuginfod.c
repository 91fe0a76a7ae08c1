/*
 * Asks debuginfod servers for files by their build-id.
 *
 * libdebuginfod is loaded when it is needed: it brings libcurl and its TLS,
 * which would cost 3 ms at every start.  It takes its servers and limits from
 * the environment, see debuginfod_find_debuginfo(3).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "symbol/plugin.h"

#include "symbol/debuginfod.h"

#define LIBRARY	"libdebuginfod.so.1"
/*
 * How long to wait for the first byte.  Servers may have to unpack a package
 * first; libdebuginfod itself waits 90 s, and for each build-id again.
 */
#define PATIENCE	30

typedef int progress_fn(void *client, long a, long b);
typedef int find_fn(void *client, const unsigned char *id, int len,
    char **path);

struct pd_debuginfod {
	void			(*downloading)(void *, uint64_t, uint64_t);
	void			*ctx;
	struct pd_notes		*notes;
	bool			looked;		/* for the library */
	bool			given_up;
	bool			late;		/* no answer in time */
	time_t			start;		/* of this request */
	long			patience;	/* s */
	void			*client;	/* NULL: not to be used */
	void			(*end)(void *);
	find_fn			*find_program, *find_debug;
};

struct pd_debuginfod *
pd_debuginfod_new(const struct pd_stack_opts *opts, struct pd_notes *notes,
    struct pd_error *err)
{
	struct pd_debuginfod *d = pd_calloc(1, sizeof(*d), err);
	const char *timeout = getenv("DEBUGINFOD_TIMEOUT");

	if (d == NULL)
		return NULL;
	d->downloading = opts->downloading;
	d->ctx = opts->downloading_ctx;
	d->notes = notes;
	d->patience = timeout ? atol(timeout) : 0;
	if (d->patience <= 0)
		d->patience = PATIENCE;
	return d;
}

void
pd_debuginfod_free(struct pd_debuginfod *d)
{
	if (d == NULL)
		return;
	if (d->client != NULL)
		d->end(d->client);
	free(d);
}

static time_t
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

/* Whose request this thread waits for: the callback is not told. */
static _Thread_local struct pd_debuginfod *asking;

/*
 * Of b bytes a are there; not 0 ends the request.  b is 0 before the answer,
 * when a counts calls, a few a second, and if the answer does not tell.
 */
static int
progress(void *client, long a, long b)
{
	struct pd_debuginfod *d = asking;

	(void)client;
	if (b <= 0 && a < 4096 && now() - d->start >= d->patience)
		d->late = true;
	if (b > 0 && a >= 0 && d->downloading != NULL)
		d->downloading(d->ctx, (uint64_t)a, (uint64_t)b);
	return d->late;
}

static void
give_up(struct pd_debuginfod *d, const char *why)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	d->given_up = true;
	if (d->notes != NULL)
		pd_note_add(d->notes, false, PD_NOWHERE, "no file is taken "
		    "from debuginfod: %.200s: %s",
		    urls && urls[0] ? urls : "no server", why);
}

static bool
load(struct pd_debuginfod *d)
{
	void *(*begin)(void);
	void (*on_progress)(void *, progress_fn *);
	const struct pd_plugin_fn fns[] = {
		{ "debuginfod_begin", &begin },
		{ "debuginfod_end", &d->end },
		{ "debuginfod_set_progressfn", &on_progress },
		{ "debuginfod_find_debuginfo", &d->find_debug },
		{ "debuginfod_find_executable", &d->find_program },
	};

	if (!pd_plugin_load(LIBRARY, fns, sizeof(fns) / sizeof(*fns)) ||
	    (d->client = begin()) == NULL)
		return false;
	on_progress(d->client, progress);
	return true;
}

/* Can somebody be asked? */
static bool
ready(struct pd_debuginfod *d)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (d->looked)
		return !d->given_up;
	d->looked = true;
	if (urls == NULL || urls[strspn(urls, " ")] == '\0')
		give_up(d, "DEBUGINFOD_URLS is not set");
	else if (!load(d))
		give_up(d, "cannot load " LIBRARY " (Debian: libdebuginfod1)");
	return !d->given_up;
}

char *
pd_debuginfod_find(struct pd_debuginfod *d, const struct pd_buildid *id,
    bool program, struct pd_error *err)
{
	char *path = NULL;
	int fd;

	err->code = PD_OK;
	if (id->size == 0 || !ready(d))
		return NULL;
	d->start = now();
	asking = d;
	fd = (program ? d->find_program : d->find_debug)(d->client, id->bytes,
	    id->size, &path);
	asking = NULL;
	if (fd >= 0) {
		close(fd);
		return path;
	}
	if (fd == -ENOMEM)
		pd_fail_nomem(err);
	else if (d->late)
		give_up(d, "no answer");
	else if (fd != -ENOENT)
		give_up(d, strerror(-fd));
	return NULL;
}
