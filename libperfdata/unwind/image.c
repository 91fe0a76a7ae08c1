/* Finds addresses in the image of a DSO. */
#include <stdlib.h>
#include <string.h>

#include "unwind/image.h"

#define PAGE	4096u

void
pd_image_free(struct pd_image *img)
{
	free(img->code);
	free(img->eh_frame.bytes);
	free(img->debug_frame.bytes);
	memset(img, 0, sizeof(*img));
}

/* Is x in [start, start + size)? */
static bool
within(uint64_t x, uint64_t start, uint64_t size)
{
	return x >= start && x - start < size;
}

bool
pd_image_addr(const struct pd_image *img, uint64_t offset, uint64_t *addr)
{
	const struct pd_image_range *r, *best = NULL;
	size_t i;

	for (i = 0; i < img->ncode && best == NULL; i++)
		if (within(offset, img->code[i].offset, img->code[i].size))
			best = &img->code[i];
	/* Maps are whole pages, and reach beyond the segment. */
	for (i = 0; i < img->ncode && best == NULL; i++) {
		r = &img->code[i];
		if (within(offset, r->offset & ~(uint64_t)(PAGE - 1),
		    r->size + 2 * PAGE))
			best = r;
	}
	if (best == NULL)
		return false;
	*addr = offset - best->offset + best->addr;
	return true;
}

bool
pd_image_is_plt(const struct pd_image *img, uint64_t addr)
{
	size_t i;

	for (i = 0; i < img->nplts; i++)
		if (within(addr, img->plts[i].addr, img->plts[i].size))
			return true;
	return false;
}
