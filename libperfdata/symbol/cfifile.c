/* Reads the call frame information of ELF files for the unwinder. */
#include <elf.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "symbol/decompress.h"
#include "symbol/vdso.h"

#include "symbol/cfifile.h"

/* No .eh_frame that people use comes near it. */
#define MAX_SECTION	UINT32_MAX
/* The .debug_frame of Chromium has 100 MB. */
#define MAX_INFLATED	(1u << 28)

static int
add_code(struct pd_image *img, const struct pd_elf *e, struct pd_error *err)
{
	const struct pd_elf_load *l;
	size_t i;

	img->code = pd_calloc(e->nloads, sizeof(*img->code), err);
	if (img->code == NULL)
		return -1;
	for (i = 0; i < e->nloads; i++) {
		l = &e->loads[i];
		if (l->exec)
			img->code[img->ncode++] = (struct pd_image_range){
				l->vaddr, l->filesz, l->offset };
	}
	return 0;
}

static void
add_plts(struct pd_image *img, const struct pd_elf *e)
{
	static const char *const names[PD_IMAGE_PLTS] = {
		".plt", ".plt.sec", ".plt.got", ".iplt",
	};
	const struct pd_elf_section *s;
	size_t i;

	for (i = 0; i < PD_IMAGE_PLTS; i++) {
		s = pd_elf_section(e, names[i]);
		if (s != NULL && (s->flags & SHF_EXECINSTR))
			img->plts[img->nplts++] = (struct pd_image_range){
				s->addr, s->size, s->offset };
	}
}

/* A section that was compressed: NULL with PD_OK when it cannot be had. */
static uint8_t *
inflate(const struct pd_elf *e, const struct pd_elf_section *s,
    const uint8_t *bytes, uint64_t *size, struct pd_error *err)
{
	struct pd_packed z;
	uint8_t *out;

	err->code = PD_OK;
	if (!pd_packed_open(&z, e, s, bytes) || z.full > MAX_INFLATED)
		return NULL;
	if ((out = pd_calloc(z.full, 1, err)) == NULL)
		return NULL;
	*size = z.full;
	if (pd_packed_inflate(&z, out))
		return out;
	free(out);
	return NULL;
}

/* The bytes of a section, that is called `old` if not `name`; none is fine. */
static int
add_section(struct pd_image_section *to, const struct pd_elf *e,
    const char *name, const char *old, struct pd_error *err)
{
	const struct pd_elf_section *s = pd_elf_section(e, name);
	uint64_t size;
	uint8_t *p, *out;

	if (s == NULL && old != NULL)
		s = pd_elf_section(e, old);
	if (s == NULL || to->bytes != NULL)
		return 0;
	p = pd_elf_read(e, s, MAX_SECTION, err);
	if (p == NULL)
		return err->code == PD_OK ? 0 : -1;
	size = s->size;
	if (pd_elf_is_packed(s)) {
		out = inflate(e, s, p, &size, err);
		free(p);
		if (out == NULL)
			return err->code == PD_OK ? 0 : -1;
		p = out;
	}
	*to = (struct pd_image_section){ p, size, s->addr };
	return 0;
}

static int
add_debug_frame(struct pd_image *img, const struct pd_elf *e,
    struct pd_error *err)
{
	return add_section(&img->debug_frame, e, ".debug_frame",
	    ".zdebug_frame", err);
}

int
pd_cfifile_add(struct pd_image *img, const struct pd_elf *e,
    struct pd_error *err)
{
	img->machine = e->machine;
	img->is64 = e->is64;
	img->swapped = e->swapped;
	add_plts(img, e);
	if (add_code(img, e, err) == -1 ||
	    add_section(&img->eh_frame, e, ".eh_frame", NULL, err) == -1)
		return -1;
	return add_debug_frame(img, e, err);
}

static int
read_file(struct pd_symsources *src, const struct pd_dso *dso,
    struct pd_image *img, struct pd_error *err)
{
	struct pd_debugfile f;
	int ret = 0;

	if (pd_debugfile_find(&f, dso, &src->opts, err) == -1)
		return -1;
	if (f.run != NULL)
		ret = pd_cfifile_add(img, f.run, err);
	/* A debug file can have been made before prelink moved its program. */
	if (ret == 0 && f.run != NULL && f.syms != NULL && f.syms != f.run &&
	    f.run->nloads > 0 && f.syms->nloads > 0 &&
	    f.run->loads[0].vaddr == f.syms->loads[0].vaddr)
		ret = add_debug_frame(img, f.syms, err);
	pd_debugfile_close(&f);
	return ret;
}

static int
read_vdso(struct pd_symsources *src, const struct pd_dso *dso,
    struct pd_image *img, struct pd_error *err)
{
	struct pd_elf e;
	char *path;
	int ret = pd_vdso_open(&e, &path, dso, src, err);

	if (ret == 1) {
		ret = pd_cfifile_add(img, &e, err);
		pd_elf_close(&e);
		free(path);
	}
	return ret;
}

static int
read_image(void *ctx, const struct pd_dso *dso, struct pd_image *img,
    struct pd_error *err)
{
	switch (dso->kind) {
	case PD_DSO_FILE: return read_file(ctx, dso, img, err);
	case PD_DSO_VDSO: return read_vdso(ctx, dso, img, err);
	default: return 0;
	}
}

struct pd_unwind_files
pd_cfifiles(struct pd_symsources *src)
{
	return (struct pd_unwind_files){ .read = read_image, .ctx = src };
}
