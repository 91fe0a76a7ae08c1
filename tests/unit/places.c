/* What a fold tells of each sample: its place, its event; and forgetting. */
#include "folding.h"

#define MAX	8

static struct told {
	uint32_t	node;
	uint64_t	time, weight, duration, place;
	struct pd_mapping map;		/* all 0: none */
	bool		first;
} told[MAX];

static size_t ntold;
static char dir[] = "/tmp/places-XXXXXX";

static int
tell(void *ctx, const struct pd_fold_sample *s, struct pd_error *err)
{
	const struct pd_frame *f = pd_tree_leaf(s->tree, s->node);
	const struct pd_mapping *m = pd_tree_map(s->tree, f->map);

	(void)ctx;
	(void)err;
	if (ntold < MAX)
		told[ntold++] = (struct told){ s->node, s->time, s->weight,
			s->duration, f->place,
			m ? *m : (struct pd_mapping){ 0 }, s->first };
	return 0;
}

/* Folds b, which it frees; forgets after each sample, if asked to. */
static void
fold(struct pdb *b, bool places, bool forget)
{
	struct pd_fold_opts opts = { .sample = tell, .stack = {
		.places = places, .symfs = dir, .kallsyms = "/dev/null",
		.buildid_dir = "/nonexistent" } };
	struct pd_error err;
	struct pd_reader *rd;
	struct pd_fold *f;
	char path[32];
	int fd = pdb_file(b, path), r;

	ntold = 0;
	rd = pd_reader_open(path, PD_TIME_ORDER, &err);
	f = pd_fold_new(rd, &opts, &err);
	while ((r = pd_fold_next(f, &err)) == 1) {
		if (!forget)
			continue;
		CHECK(pd_fold_forget(f, &err) == 0);
		CHECK_EQ(pd_profile_samples(pd_fold_profile(f)), 0);
	}
	CHECK_EQ(r, 0);
	pd_fold_free(f);
	pd_reader_close(rd);
	close(fd);
}

static void
map_and_sample(struct pdb *b, unsigned ev, uint32_t pid, uint64_t start,
    uint64_t len, uint64_t ip)
{
	struct pdb_id id = { .pid = pid, .tid = pid, .time = 100 * pid };

	pdb_mmap2(b, ev, &id, &(struct pdb_map){ .start = start, .len = len,
	    .pgoff = 0x1000, .path = "/p" });
	id.time++;
	pdb_sample(b, ev, &(struct pdb_sample){ .id = id, .ip = ip });
}

/* Two processes have a program at two places, and one of them all of it. */
static struct pdb *
two_processes(void)
{
	static const char *const names[] = { "one", "two" };
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned ev = pdb_event(b, &(struct pdb_event){ .name = "cpu-clock",
	    .type = 1, .period = 100, .sample_type = FLAT });

	write_program(dir, "p", names, 2);
	map_and_sample(b, ev, 1, 0x10000, 0x1000, 0x10010);
	map_and_sample(b, ev, 2, 0x50000, 0x2000, 0x50010);
	map_and_sample(b, ev, 3, 0x50000, 0x2000, 0x51020);
	return b;
}

static void
processes_share_a_mapping(void)
{
	fold(two_processes(), true, false);
	if (!CHECK_EQ(ntold, 3))
		return;
	CHECK_EQ(told[0].place, 0x10010);
	CHECK_EQ(told[1].place, 0x10010);
	CHECK_EQ(told[2].place, 0x11020);
	CHECK_EQ(told[2].map.start, 0x10000);
	CHECK_EQ(told[2].map.end, 0x12000);
	CHECK_EQ(told[2].map.pgoff, 0x1000);
}

static void
places_are_kept_only_if_asked_for(void)
{
	fold(two_processes(), false, false);
	for (size_t i = 0; i < ntold; i++) {
		CHECK_EQ(told[i].place, 0);
		CHECK_EQ(told[i].map.end, 0);
	}
}

static void
forgotten_stacks_begin_anew(void)
{
	fold(two_processes(), false, true);
	if (!CHECK_EQ(ntold, 3))
		return;
	CHECK_EQ(told[0].node, told[1].node);	/* each the first of all */
	CHECK_EQ(told[0].node, told[2].node);
	CHECK(told[0].first && !told[1].first && !told[2].first);
}

/* The first sample of an event that is chosen anew says so. */
static void
what_was_told_of_another_event_is_void(void)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	unsigned late = pdb_event(b, &(struct pdb_event){ .name = "faults",
	    .type = 1, .config = 2, .period = 1, .sample_type = FLAT });
	unsigned early = pdb_event(b, &(struct pdb_event){ .name = "cpu-clock",
	    .type = 1, .period = 100, .sample_type = FLAT });

	for (uint64_t t = 1; t <= 4; t++)
		pdb_sample(b, t < 3 ? early : late, &(struct pdb_sample){
		    .id = { .pid = 1, .tid = 1, .time = t }, .ip = 0x10 });
	fold(b, false, false);
	if (!CHECK_EQ(ntold, 4))
		return;
	CHECK(told[0].first && !told[1].first && told[2].first &&
	    !told[3].first);
	CHECK_EQ(told[0].duration, 100);
	CHECK_EQ(told[2].duration, PD_NOTIME);	/* faults measure no time */
	CHECK_EQ(told[2].weight, 1);
}

static void
walls_have_their_clock(void)
{
	struct pd_info info = { .clock_wall = 1000000, .clock_mono = 500 };

	CHECK_EQ(pd_info_wall(&info, 700), 1000200);
	CHECK_EQ(pd_info_wall(&info, 300), 999800);
	CHECK_EQ(pd_info_wall(&info, PD_NOTIME), 0);
	info.clock_wall = 0;
	CHECK_EQ(pd_info_wall(&info, 700), 0);
}

int
main(void)
{
	char path[64];

	if (mkdtemp(dir) == NULL)
		printf("Bail out! cannot make %s\n", dir);
	RUN(processes_share_a_mapping);
	RUN(places_are_kept_only_if_asked_for);
	RUN(forgotten_stacks_begin_anew);
	RUN(what_was_told_of_another_event_is_void);
	RUN(walls_have_their_clock);
	snprintf(path, sizeof(path), "%s/p", dir);
	unlink(path);
	rmdir(dir);
	return tap_done();
}
