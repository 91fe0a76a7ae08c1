/* What unwinding reads of the file that a DSO was. */
#ifndef PD_UNWIND_IMAGE_H
#define PD_UNWIND_IMAGE_H

#include "perfdata.h"

struct pd_image_range {
	uint64_t	addr, size;
	uint64_t	offset;		/* of the first byte in the file */
};

struct pd_image_section {
	uint8_t		*bytes;		/* free(3); NULL: there is none */
	size_t		size;
	uint64_t	addr;
};

#define PD_IMAGE_PLTS	4

/* Zero is the image of a DSO whose file is not there. */
struct pd_image {
	uint16_t		machine;	/* e_machine */
	bool			is64, swapped;
	struct pd_image_range	*code;		/* executable segments; free(3) */
	size_t			ncode;
	/* Stubs of the linker; some linkers (lld) give them no CFI. */
	struct pd_image_range	plts[PD_IMAGE_PLTS];
	size_t			nplts;
	struct pd_image_section	eh_frame, debug_frame;
};

void pd_image_free(struct pd_image *img);

/* The address that the file gives to the code at an offset: true if any. */
bool pd_image_addr(const struct pd_image *img, uint64_t offset,
    uint64_t *addr);

/* Is addr in a stub of the linker? */
bool pd_image_is_plt(const struct pd_image *img, uint64_t addr);

#endif
