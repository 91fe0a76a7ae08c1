/* Finds the vdso of a recording. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "symbol/vdso.h"

/* The size of the image of this process: the section headers end it. */
static uint64_t
image_size(const void *image)
{
#if __SIZEOF_POINTER__ == 8
	const Elf64_Ehdr *h = image;
#else
	const Elf32_Ehdr *h = image;
#endif

	return h->e_shoff + (uint64_t)h->e_shnum * h->e_shentsize;
}

/* Could the vdso of this process be the recording's? */
static bool
is_ours(const struct pd_dso *dso, const struct pd_elf *e,
    const struct pd_symsources *src)
{
	const struct pd_info *info = src->opts.info;
	struct utsname u;

	if (strcmp(dso->name, "[vdso]") != 0)
		return false;			/* 32-bit */
	if (dso->buildid.size > 0 && e->buildid.size > 0)
		return pd_buildid_equal(&dso->buildid, &e->buildid);
	if (info == NULL || uname(&u) == -1)
		return false;
	return (info->arch == NULL || strcmp(info->arch, u.machine) == 0) &&
	    pd_symsources_is_running(src);
}

int
pd_vdso_open(struct pd_elf *e, char **path, const struct pd_dso *dso,
    const struct pd_symsources *src, struct pd_error *err)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	const char *why;
	int ret;

	*path = pd_buildid_cache_path(&src->opts, &dso->buildid, "vdso", err);
	if (*path == NULL && err->code != PD_OK)
		return -1;
	if (*path != NULL) {
		ret = pd_elf_open(e, *path, &why, err);
		if (ret == 0)
			return 1;
		pd_elf_close(e);
		free(*path);
		*path = NULL;
		if (ret == -1)
			return -1;
	}
	if (image == NULL)
		return 0;
	ret = pd_elf_open_mem(e, image, image_size(image), &why, err);
	if (ret == 0 && is_ours(dso, e, src))
		return 1;
	pd_elf_close(e);
	return ret == -1 ? -1 : 0;
}
