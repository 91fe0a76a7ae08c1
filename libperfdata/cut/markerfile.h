/* Occurrences of critical sections that a file lists: see pd-time(7). */
#ifndef PD_CUT_MARKERFILE_H
#define PD_CUT_MARKERFILE_H

#include "base/intern.h"
#include "base/notes.h"
#include "cut/occurrence.h"
#include "cut/window.h"

/* A line of a file of windows, whose times wait for the recording's. */
struct pd_window_line {
	struct pd_window_spec	spec;
	const char		*path, *text;	/* of the window; interned */
	size_t			line;
	struct pd_occurrence	occ;		/* all but the times */
};

struct pd_window_lines {
	struct pd_window_line	*list;
	size_t			len, cap;
};

/*
 * Read "START END NAME" lines of nanoseconds.  A file named marker-PID.txt or
 * marker-PID-TID.txt is of that process or thread.
 */
int pd_markerfile_read(const char *path, struct pd_occurrences *os,
    struct pd_strtab *names, struct pd_error *err);

/*
 * The same of a file that process pid of the recording mapped.  It may be
 * anything: what is wrong with it is noted.
 */
int pd_markerfile_read_mapped(const char *path, uint32_t pid,
    struct pd_occurrences *os, struct pd_strtab *names,
    struct pd_notes *notes, struct pd_error *err);

/* Is this what such a file is called?  Any directory. */
bool pd_markerfile_named(const char *path, uint32_t *pid, uint32_t *tid);

/* Read "WINDOW [pid=N] [tid=N] [cpu=N] [NAME]" lines, then give them times. */
int pd_windowfile_read(const char *path, struct pd_window_lines *lines,
    struct pd_strtab *names, struct pd_error *err);
int pd_windowfile_resolve(const struct pd_window_lines *lines,
    const struct pd_timebase *base, struct pd_occurrences *os,
    struct pd_error *err);

#endif
