/* Records: their table, and the bodies that change threads and maps. */
#ifndef PD_RECORD_RECORD_H
#define PD_RECORD_RECORD_H

#include "base/cursor.h"
#include "base/text.h"
#include "perfdata.h"

/* PD_REC_SAMPLE = 9, ...: all types that are known. */
enum {
#define RECORD(number, name, class, shape) PD_REC_##name = number,
#include "record/record.def"
#undef RECORD
};

/* Bits of misc: include/uapi/linux/perf_event.h. */
#define PD_MISC_CPUMODE		7
#define PD_MISC_COMM_EXEC	(1 << 13)
#define PD_MISC_FORK_EXEC	(1 << 13)	/* synthesised: maps follow */
#define PD_MISC_MMAP_DATA	(1 << 13)
#define PD_MISC_MMAP_BUILD_ID	(1 << 14)
#define PD_MISC_BUILD_ID_SIZE	(1 << 15)	/* tools/perf/util/build-id.c */

#define PD_HEADER_SIZE	8	/* struct perf_event_header */

/* The bodies, by type.  Strings are in the record, with their NUL. */
struct pd_mmap {
	uint32_t		pid, tid, prot, flags;
	uint64_t		start, len, pgoff;
	bool			has_prot;	/* MMAP2 */
	struct pd_buildid	buildid;
	const char		*name;
};

struct pd_task {			/* FORK and EXIT */
	uint32_t	pid, ppid, tid, ptid;
};

struct pd_comm {
	uint32_t	pid, tid;
	const char	*comm;
};

struct pd_ksymbol {
	uint64_t	addr;
	uint32_t	len;
	uint16_t	type, flags;	/* PERF_RECORD_KSYMBOL_* */
	const char	*name;
};

union pd_body {
	struct pd_mmap		mmap;
	struct pd_task		task;
	struct pd_comm		comm;
	struct pd_ksymbol	ksymbol;
	uint64_t		lost;		/* LOST, LOST_SAMPLES */
};

/* The body, without the sample_id that the kernel puts behind it. */
struct pd_cursor pd_record_body(const struct pd_record *rec);

/* Whether the body has the layout of its type; unknown types always do. */
bool pd_record_valid(const struct pd_record *rec);

/*
 * Decode MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL, LOST or LOST_SAMPLES: 1, 0
 * for another type, or -1 for a damaged body.
 */
int pd_record_decode(const struct pd_record *rec, union pd_body *body,
    struct pd_error *err);

/*
 * The build_id_event of tools/perf/util/event.h: pid, build-id and file name,
 * in a HEADER_BUILD_ID record and in the BUILD_ID feature.
 */
struct pd_buildid_entry {
	uint32_t		pid;
	uint16_t		misc;
	struct pd_buildid	buildid;
	const char		*name;
};

/* Takes the whole entry, header included, from c. */
int pd_buildid_decode(struct pd_cursor *c, struct pd_buildid_entry *e);

#endif
