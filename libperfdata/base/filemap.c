/* Maps files, and lives on when they shrink. */
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/filemap.h"

/*
 * A signal handler reads the list, in the thread that touched a mapping: that
 * one is not in here, so that waiting for the lock ends.
 */
static atomic_flag lock = ATOMIC_FLAG_INIT;
static struct pd_filemap *filemaps;
static struct sigaction before;

static void
take_lock(void)
{
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		;
}

static void
give_lock(void)
{
	atomic_flag_clear_explicit(&lock, memory_order_release);
}

static size_t
whole_pages(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}

/* Put zeros where the file has ended, which is where addr is: 0, or -1. */
static int
mend(struct pd_filemap *m, const uint8_t *addr)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t at = (size_t)(addr - m->data) / page * page;

	*m->shrunk = 1;
	return mmap(m->data + at, whole_pages(m->size) - at,
	    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
	    -1, 0) == MAP_FAILED ? -1 : 0;
}

static void
on_sigbus(int sig, siginfo_t *info, void *context)
{
	const uint8_t *addr = info->si_addr;
	struct pd_filemap *m;
	int saved = errno, r = -1;

	(void)context;
	take_lock();
	for (m = filemaps; m != NULL; m = m->next)
		if (addr >= m->data && addr < m->data + whole_pages(m->size)) {
			r = mend(m, addr);
			break;
		}
	give_lock();
	/* It happens again, and then it is the other's. */
	if (r == -1)
		sigaction(sig, &before, NULL);
	errno = saved;
}

void
pd_catch_sigbus(void)
{
	struct sigaction sa = { .sa_sigaction = on_sigbus,
		.sa_flags = SA_SIGINFO };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGBUS, &sa, &before);
}

int
pd_filemap_open(struct pd_filemap *m, int fd, size_t size, bool writable,
    volatile sig_atomic_t *shrunk)
{
	size_t pages = whole_pages(size);
	uint8_t *p;

	*m = (struct pd_filemap){ .size = size, .shrunk = shrunk };
	if (size == 0 || pages < size)
		return -1;
	p = mmap(NULL, pages + 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	    0);
	if (p == MAP_FAILED)
		return -1;
	if (mmap(p, size, PROT_READ | (writable ? PROT_WRITE : 0),
	    MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
		munmap(p, pages + 1);
		return -1;
	}
	m->data = p;
	take_lock();
	m->next = filemaps;
	if (m->next != NULL)
		m->next->prev = m;
	filemaps = m;
	give_lock();
	return 0;
}

void
pd_filemap_close(struct pd_filemap *m)
{
	if (m->data == NULL)
		return;
	take_lock();
	*(m->prev != NULL ? &m->prev->next : &filemaps) = m->next;
	if (m->next != NULL)
		m->next->prev = m->prev;
	give_lock();
	munmap(m->data, whole_pages(m->size) + 1);
	m->data = NULL;
}
