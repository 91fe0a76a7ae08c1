/* Finds the kallsyms of the recording's kernel, once. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"

#include "symbol/sources.h"

struct pd_symsources *
pd_symsources_new(const struct pd_symopts *o, struct pd_error *err)
{
	struct pd_symsources *src = pd_calloc(1, sizeof(*src), err);

	if (src != NULL) {
		src->opts = *o;
	}
	return src;
}

void
pd_symsources_free(struct pd_symsources *src)
{
	if (src == NULL)
		return;
	pd_kallsyms_close(&src->text.k);
	pd_kallsyms_close(&src->all.k);
	free(src->text.path);
	free(src->all.path);
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

/* It may become known late: in a pipe build-ids come as records. */
static const struct pd_buildid *
kernel_id(const struct pd_symsources *src)
{
	if (src->kernel.size == 0 && src->opts.kernel != NULL)
		return src->opts.kernel;
	return &src->kernel;
}

bool
pd_symsources_is_running(const struct pd_symsources *src)
{
	const struct pd_info *info = src->opts.info;
	struct pd_buildid id;
	struct utsname u;

	if (kernel_id(src)->size > 0 && running_buildid(&id))
		return pd_buildid_equal(kernel_id(src), &id);
	return info != NULL && info->osrelease != NULL && uname(&u) == 0 &&
	    strcmp(info->osrelease, u.release) == 0;
}

/* Try one file; owns path.  1 when it has symbols, 0, -1 without memory. */
static int
try_kallsyms(struct pd_kallsyms_of *of, char *path, const char **why,
    struct pd_error *err)
{
	if (path == NULL)
		return err->code == PD_OK ? 0 : -1;
	pd_kallsyms_close(&of->k);
	if (pd_kallsyms_open(&of->k, path, err) == -1) {
		free(path);
		return -1;
	}
	if (of->k.why == NULL) {
		of->path = path;
		return 1;
	}
	*why = of->k.why;
	free(path);
	return 0;
}

static int
try_running(struct pd_symsources *src, struct pd_kallsyms_of *of,
    const char **why, struct pd_error *err)
{
	if (pd_symfs(&src->opts)[0] != '\0' || !pd_symsources_is_running(src))
		return 0;
	return try_kallsyms(of, pd_strdup("/proc/kallsyms", err), why, err);
}

static int
try_cached(struct pd_symsources *src, struct pd_kallsyms_of *of,
    struct pd_error *err)
{
	/* perf before 4.14 kept a file where there is a directory now. */
	static const char *const names[] = { "kallsyms", "" };
	const char *unused;
	int ret = 0;
	size_t i;

	for (i = 0; i < 2 && ret == 0; i++)
		ret = try_kallsyms(of, pd_buildid_cache_path(&src->opts,
		    kernel_id(src), names[i], err), &unused, err);
	return ret;
}

static int
look(struct pd_symsources *src, bool modules, struct pd_kallsyms_of *of,
    const char **why, struct pd_error *err)
{
	const struct pd_symopts *o = &src->opts;
	int ret;

	if (o->kallsyms != NULL)
		return try_kallsyms(of, pd_strdup(o->kallsyms, err), why, err);
	*why = kernel_id(src)->size == 0 &&
	    (o->info == NULL || o->info->osrelease == NULL) ?
	    "the recording does not say which kernel it was (see --kallsyms)" :
	    "recorded under another kernel (see --kallsyms)";
	ret = modules ? try_running(src, of, why, err) :
	    try_cached(src, of, err);
	if (ret != 0)
		return ret;
	return modules ? try_cached(src, of, err) :
	    try_running(src, of, why, err);
}

const struct pd_kallsyms_of *
pd_symsources_kallsyms(struct pd_symsources *src, bool modules,
    const char **why, struct pd_error *err)
{
	struct pd_kallsyms_of *of = modules ? &src->all : &src->text;
	int ret;

	if (!of->looked) {
		ret = look(src, modules, of, why, err);
		if (ret == -1) {
			*why = NULL;
			return NULL;
		}
		of->looked = true;
		if (ret == 0)
			of->k.why = *why;
	}
	*why = of->k.why;
	return *why == NULL ? of : NULL;
}
