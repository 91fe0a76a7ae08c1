/* Finds the kallsyms of the recording's kernel, once. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "symbol/file.h"

#include "symbol/sources.h"

struct pd_symsources *
pd_symsources_new(const struct pd_symopts *o, struct pd_error *err)
{
	struct pd_symsources *src = pd_calloc(1, sizeof(*src), err);

	if (src != NULL) {
		src->opts = *o;
		if (o->kernel != NULL)
			src->kernel = *o->kernel;
	}
	return src;
}

void
pd_symsources_free(struct pd_symsources *src)
{
	if (src == NULL)
		return;
	pd_kallsyms_close(&src->kallsyms);
	free(src->kallsyms_path);
	free(src);
}

/* The build-id of this kernel, which it shows as an ELF note. */
static bool
running_buildid(struct pd_buildid *id)
{
	const char *why;
	uint8_t buf[16384];
	struct stat st;
	ssize_t n;
	int fd;

	fd = pd_file_open("/sys/kernel/notes", true, &st, &why);
	if (fd == -1)
		return false;
	n = read(fd, buf, sizeof(buf));
	close(fd);
	return n > 0 && pd_buildid_in_notes(buf, (size_t)n, false, id);
}

bool
pd_symsources_is_running(const struct pd_symsources *src)
{
	const struct pd_info *info = src->opts.info;
	struct pd_buildid id;
	struct utsname u;

	if (src->kernel.size > 0 && running_buildid(&id))
		return pd_buildid_equal(&src->kernel, &id);
	return info != NULL && info->osrelease != NULL && uname(&u) == 0 &&
	    strcmp(info->osrelease, u.release) == 0;
}

/* Try one file; owns path.  1 when it has symbols, 0, -1 without memory. */
static int
try_kallsyms(struct pd_symsources *src, char *path, const char **why,
    struct pd_error *err)
{
	if (path == NULL)
		return err->code == PD_OK ? 0 : -1;
	pd_kallsyms_close(&src->kallsyms);
	if (pd_kallsyms_open(&src->kallsyms, path, err) == -1) {
		free(path);
		return -1;
	}
	if (src->kallsyms.why == NULL) {
		src->kallsyms_path = path;
		return 1;
	}
	*why = src->kallsyms.why;
	free(path);
	return 0;
}

static int
look(struct pd_symsources *src, const char **why, struct pd_error *err)
{
	static const char *const names[] = { "kallsyms", "" };
	const struct pd_symopts *o = &src->opts;
	const char *unused;
	int ret = 0;
	size_t i;

	if (o->kallsyms != NULL)
		return try_kallsyms(src, pd_strdup(o->kallsyms, err), why, err);
	*why = "kernel is not the recording's (kallsyms)";
	if (pd_symfs(o)[0] == '\0' && pd_symsources_is_running(src))
		ret = try_kallsyms(src, pd_strdup("/proc/kallsyms", err), why,
		    err);
	/* perf before 4.14 kept a file where there is a directory now. */
	for (i = 0; i < 2 && ret == 0; i++)
		ret = try_kallsyms(src, pd_buildid_cache_path(o, &src->kernel,
		    names[i], err), &unused, err);
	return ret;
}

const struct pd_kallsyms *
pd_symsources_kallsyms(struct pd_symsources *src, const char **why,
    struct pd_error *err)
{
	int ret;

	if (!src->looked) {
		ret = look(src, why, err);
		if (ret == -1) {
			*why = NULL;
			return NULL;
		}
		src->looked = true;
		if (ret == 0)
			src->kallsyms.why = *why;
	}
	*why = src->kallsyms.why;
	return *why == NULL ? &src->kallsyms : NULL;
}
