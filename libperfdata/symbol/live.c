/* Asks /proc for a process of the recording that still runs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "symbol/live.h"

#define MAX_SIZE	(64u << 20)

bool
pd_live_is_here(const struct pd_info *info)
{
	char here[256] = "";

	gethostname(here, sizeof(here) - 1);
	return info == NULL || info->hostname == NULL ||
	    strcmp(info->hostname, here) == 0;
}

/* A file of the process: NULL with PD_OK when it cannot be read. */
static char *
slurp(uint32_t pid, const char *name, struct pd_error *err)
{
	char path[48], *text;
	const char *why;
	struct stat st;
	size_t len;
	int fd;

	err->code = PD_OK;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", pid, name);
	fd = pd_file_open(path, true, &st, &why);
	if (fd == -1)
		return NULL;
	text = pd_file_slurp(fd, MAX_SIZE, &len, err);
	close(fd);
	return text;
}

/* The inode of a mount namespace, 0 when there is none to be seen. */
static uint64_t
mount_namespace(const char *pid)
{
	char path[48];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", pid);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

/* Whether one of /proc/PID/maps covers an address, and may run. */
static bool
has_code(const char *maps, uint64_t addr)
{
	const char *line;
	uint64_t lo, hi;
	char x;

	for (line = maps; line != NULL && *line != '\0';) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*c%*c%c", &lo, &hi,
		    &x) == 3 && x == 'x' && lo <= addr && addr < hi)
			return true;
		line = strchr(line, '\n');
		line += line != NULL;
	}
	return false;
}

/* The number in the innermost namespace: the last of the line. */
static uint32_t
inner_pid(const char *status, uint32_t pid)
{
	const char *p = strstr(status, "\nNStgid:");
	size_t n;

	if (p == NULL)
		return pid;
	p += strlen("\nNStgid:");
	n = strcspn(p, "\n");
	while (n > 0 && p[n - 1] >= '0' && p[n - 1] <= '9')
		n--;
	return (uint32_t)strtoul(p + n, NULL, 10);
}

int
pd_live_find(struct pd_live *l, uint32_t pid, uint64_t mnt_ns, uint64_t addr,
    struct pd_error *err)
{
	char number[16], *text;
	uint64_t theirs;
	bool found = true;

	snprintf(number, sizeof(number), "%" PRIu32, pid);
	theirs = mount_namespace(number);
	if (theirs == 0 || (mnt_ns != 0 && theirs != mnt_ns))
		return 0;
	if (mnt_ns == 0) {
		text = slurp(pid, "maps", err);
		found = text != NULL && has_code(text, addr);
		free(text);
		if (!found)
			return err->code == PD_OK ? 0 : -1;
	}
	text = slurp(pid, "status", err);
	if (text == NULL)
		return err->code == PD_OK ? 0 : -1;
	l->pid = inner_pid(text, pid);
	free(text);
	l->root[0] = '\0';
	if (theirs != mount_namespace("self"))
		snprintf(l->root, sizeof(l->root), "/proc/%" PRIu32 "/root",
		    pid);
	return 1;
}

bool
pd_live_file(const struct pd_dso *dso, char path[PD_LIVE_PATH])
{
	const struct pd_dso_use *u = &dso->use;
	char target[PD_PATH_MAX + 16];
	ssize_t n;
	size_t len;

	snprintf(path, PD_LIVE_PATH, "/proc/%" PRIu32 "/map_files/%" PRIx64
	    "-%" PRIx64, u->pid, u->start, u->end);
	n = u->pid == 0 ? -1 : readlink(path, target, sizeof(target) - 1);
	if (n == -1)
		return false;
	target[n] = '\0';
	len = pd_dso_path_len(target);
	return len == pd_dso_path_len(dso->name) &&
	    memcmp(target, dso->name, len) == 0;
}
