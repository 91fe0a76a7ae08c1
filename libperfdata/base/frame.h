/* The table of frames: each once, with a small id. */
#ifndef PD_BASE_FRAME_H
#define PD_BASE_FRAME_H

#include "base/intern.h"

/*
 * The id of a frame equal to *f, added when it is new; its strings are
 * copied.  PD_NOID without memory.
 */
uint32_t pd_frames_add(struct pd_frames *t, const struct pd_frame *f,
    struct pd_error *err);

#endif
