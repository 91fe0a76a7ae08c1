/* Threads that work ahead of one who takes the results in order. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cli.h"
#include "jobs.h"

struct cli_jobs {
	void		(*work)(void *ctx, size_t i);
	void		*ctx;
	size_t		len, ahead;
	bool		started;
	size_t		threads;	/* 0: it is done when it is taken */
	pthread_t	*ids;
	pthread_mutex_t	lock;		/* of what follows */
	pthread_cond_t	changed;
	size_t		next;		/* the first that nobody works on */
	bool		*done;
	/* Read without the lock, too: what comes before was given back. */
	atomic_size_t	taken;
};

unsigned
cli_jobs_default(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ?
	    (unsigned)CPU_COUNT(&set) : 1;
}

static void *
work(void *arg)
{
	struct cli_jobs *j = arg;
	size_t i;

	pthread_mutex_lock(&j->lock);
	while (j->next < j->len) {
		if (j->next >= j->taken + j->ahead) {
			pthread_cond_wait(&j->changed, &j->lock);
			continue;
		}
		i = j->next++;
		pthread_mutex_unlock(&j->lock);
		j->work(j->ctx, i);
		pthread_mutex_lock(&j->lock);
		j->done[i] = true;
		pthread_cond_broadcast(&j->changed);
	}
	pthread_mutex_unlock(&j->lock);
	return NULL;
}

struct cli_jobs *
cli_jobs_new(const struct cli *c, unsigned n, size_t len,
    void (*fn)(void *ctx, size_t i), void *ctx)
{
	struct cli_jobs *j = calloc(1, sizeof(*j));

	if (n > len)
		n = (unsigned)len;
	if (j == NULL || (j->ids = calloc(n + 1, sizeof(*j->ids))) == NULL ||
	    (j->done = calloc(len + 1, sizeof(*j->done))) == NULL) {
		cli_say(c, NULL, "out of memory");
		exit(2);
	}
	j->work = fn;
	j->ctx = ctx;
	j->len = len;
	j->ahead = n;
	pthread_mutex_init(&j->lock, NULL);
	pthread_cond_init(&j->changed, NULL);
	return j;
}

/* With fewer threads than asked for, or none, it only takes longer. */
static void
start(struct cli_jobs *j)
{
	j->started = true;
	while (j->ahead > 1 && j->threads < j->ahead &&
	    pthread_create(&j->ids[j->threads], NULL, work, j) == 0)
		j->threads++;
}

void
cli_jobs_take(struct cli_jobs *j, size_t i)
{
	if (!j->started)
		start(j);
	if (j->threads == 0) {
		j->taken = i;
		j->work(j->ctx, i);
		return;
	}
	pthread_mutex_lock(&j->lock);
	j->taken = i;
	pthread_cond_broadcast(&j->changed);
	while (!j->done[i])
		pthread_cond_wait(&j->changed, &j->lock);
	pthread_mutex_unlock(&j->lock);
}

bool
cli_jobs_awaited(const struct cli_jobs *j, size_t i)
{
	return j->taken == i;
}

void
cli_jobs_free(struct cli_jobs *j)
{
	size_t i;

	for (i = 0; i < j->threads; i++)
		pthread_join(j->ids[i], NULL);
	pthread_cond_destroy(&j->changed);
	pthread_mutex_destroy(&j->lock);
	free(j->done);
	free(j->ids);
	free(j);
}
