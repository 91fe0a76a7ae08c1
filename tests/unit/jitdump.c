/* jit-PID.dump: names by address and time, and what damage does to them. */
#include <fcntl.h>
#include <sys/stat.h>

#include <elf.h>

#include "cfibuild.h"
#include "folding.h"
#include "symbol/jitdump.h"

static char dir[] = "/tmp/pd-jitdump-XXXXXX";
static char path[64];

/* ---- dumps ---------------------------------------------------------------- */

/* The dump that is being made. */
static uint8_t	bytes[1 << 16];
static size_t	len;
static bool	swapped;

static void
u32(uint32_t v)
{
	v = swapped ? __builtin_bswap32(v) : v;
	memcpy(bytes + len, &v, 4);
	len += 4;
}

static void
u64(uint64_t v)
{
	v = swapped ? __builtin_bswap64(v) : v;
	memcpy(bytes + len, &v, 8);
	len += 8;
}

static void
begin(bool other_order, uint32_t version, uint64_t flags)
{
	len = 0;
	swapped = other_order;
	u32(0x4a695444);
	u32(version);
	u32(40);
	u32(62);
	u32(0);
	u32(7);				/* pid */
	u64(1);
	u64(flags);
}

static void
load_of(uint32_t pid, uint64_t time, uint64_t addr, uint64_t size,
    uint64_t index, const char *name)
{
	u32(0);
	u32((uint32_t)(56 + strlen(name) + 1 + size));
	u64(time);
	u32(pid);
	u32(pid);
	u64(addr);
	u64(addr);
	u64(size);
	u64(index);
	memcpy(bytes + len, name, strlen(name) + 1);
	len += strlen(name) + 1;
	memset(bytes + len, 0x90, size);
	len += size;
}

static void
load(uint64_t time, uint64_t addr, uint64_t size, uint64_t index,
    const char *name)
{
	load_of(7, time, addr, size, index, name);
}

static void
move(uint64_t time, uint64_t from, uint64_t to, uint64_t size,
    uint64_t index)
{
	u32(1);
	u32(64);
	u64(time);
	u32(7);
	u32(7);
	u64(to);
	u64(from);
	u64(to);
	u64(size);
	u64(index);
}

/* A record whose body does not matter. */
static void
other(uint32_t id, uint32_t size)
{
	u32(id);
	u32(16 + size);
	u64(1);
	memset(bytes + len, 0xff, size);
	len += size;
}

/* Before a load: CFI, and behind it a header that nobody reads. */
static void
unwinding(const struct cb *c)
{
	u32(4);
	u32((uint32_t)(40 + c->n + 20));
	u64(1);
	u64(c->n + 20);
	u64(20);
	u64(0);
	memcpy(bytes + len, c->b, c->n);
	memset(bytes + len + c->n, 0xff, 20);
	len += c->n + 20;
}

/* Likewise, source lines: begin, entries, end. */
static size_t debug_at;

static void
debug_begin(uint64_t start)
{
	debug_at = len;
	u32(2);
	u32(0);
	u64(1);
	u64(start);
	u64(0);				/* how many, which is not believed */
}

static void
debug_entry(uint64_t addr, uint32_t line, const void *file, size_t n)
{
	u64(addr);
	u32(line);
	u32(0);
	memcpy(bytes + len, file, n);
	len += n;
}

static void
debug_end(void)
{
	size_t end = len;

	len = debug_at + 4;
	u32((uint32_t)(end - debug_at));
	len = end;
}

static void
write_bytes(const char *to, size_t n)
{
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(write(fd, bytes, n) == (ssize_t)n);
	close(fd);
}

static struct pd_jitdump *
open_bytes(size_t n)
{
	struct pd_error err;

	write_bytes(path, n);
	return pd_jitdump_open(path, false, &err);
}

/* The name of an address at a time. */
static const char *
at(const struct pd_jitdump *d, uint64_t time, uint64_t ip)
{
	const struct pd_symbol *sym;
	uint64_t since;

	sym = pd_jitdump_find(d, pd_jitdump_until(d, 0, time), ip, &since);
	if (sym == NULL)
		return NULL;
	CHECK(since <= time);
	CHECK(sym->start <= ip && ip < sym->end);
	return sym->name;
}

/* ---- what is read ------------------------------------------------------------ */

static void
code_has_its_name_from_its_load_on(void)
{
	for (int other_order = 0; other_order < 2; other_order++) {
		struct pd_jitdump *d;

		begin(other_order, 1, 0);
		load(10, 0x1000, 0x20, 1, "one");
		other(2, 40);		/* DEBUG_INFO */
		other(4, 40);		/* UNWINDING_INFO */
		load(20, 0x1020, 0x10, 2, "two (x)");
		other(3, 0);		/* CLOSE */
		d = open_bytes(len);
		CHECK_STR(pd_jitdump_why(d), NULL);
		CHECK_EQ(pd_jitdump_damaged(d), 0);
		CHECK(!pd_jitdump_counts(d));
		CHECK_STR(at(d, 9, 0x1000), NULL);
		CHECK_STR(at(d, 10, 0x1000), "one");
		CHECK_STR(at(d, 10, 0x101f), "one");
		CHECK_STR(at(d, 10, 0x1020), NULL);
		CHECK_STR(at(d, 20, 0x1020), "two (x)");
		CHECK_STR(at(d, 20, 0x102f), "two (x)");
		CHECK_STR(at(d, 20, 0x1030), NULL);
		CHECK_STR(at(d, 20, 0xfff), NULL);
		CHECK_STR(at(d, 20, 0), NULL);
		CHECK_STR(at(d, PD_NOTIME, UINT64_MAX), NULL);
		pd_jitdump_free(d);
	}
}

static void
later_code_covers_older_code_where_it_is(void)
{
	struct pd_jitdump *d;

	begin(false, 1, 0);
	load(10, 0x1000, 0x100, 1, "old");
	load(20, 0x1040, 0x40, 2, "mid");
	load(30, 0x1060, 0x100, 3, "new");
	load(30, 0x1060, 0x10, 4, "same time, later in the file");
	d = open_bytes(len);
	CHECK_STR(at(d, 10, 0x1040), "old");
	CHECK_STR(at(d, 20, 0x103f), "old");
	CHECK_STR(at(d, 20, 0x1040), "mid");
	CHECK_STR(at(d, 20, 0x107f), "mid");
	CHECK_STR(at(d, 20, 0x1080), "old");
	CHECK_STR(at(d, 30, 0x105f), "mid");
	CHECK_STR(at(d, 30, 0x1060), "same time, later in the file");
	CHECK_STR(at(d, 30, 0x1070), "new");
	CHECK_STR(at(d, 30, 0x115f), "new");
	CHECK_STR(at(d, 19, 0x1060), "old");	/* the past stays */
	pd_jitdump_free(d);
}

static void
moved_code_takes_its_name_along(void)
{
	struct pd_jitdump *d;

	begin(false, 1, 0);
	load(10, 0x1000, 0x20, 5, "f");
	move(20, 0x1000, 0x2000, 0x20, 5);
	move(30, 0x2000, 0x3000, 0x20, 6);	/* never loaded */
	d = open_bytes(len);
	CHECK_STR(at(d, 19, 0x2000), NULL);
	CHECK_STR(at(d, 20, 0x2010), "f");
	CHECK_STR(at(d, 30, 0x3000), NULL);
	CHECK_EQ(pd_jitdump_damaged(d), 1);
	pd_jitdump_free(d);
}

/* "FILE:LINE" of an address in the code that was last there. */
static const char *
line_at(struct pd_jitdump *d, uint64_t ip)
{
	size_t n = pd_jitdump_until(d, 0, PD_NOTIME);
	static char text[300];
	struct pd_error err;
	const char *file;
	uint64_t time;
	uint32_t line;

	CHECK(pd_jitdump_line(d, pd_jitdump_find(d, n, ip, &time), ip, &file,
	    &line, &err) == 0);
	snprintf(text, sizeof(text), "%s:%u", file ? file : "", line);
	return text;
}

static void
code_has_its_source_lines(void)
{
	for (int other_order = 0; other_order < 2; other_order++) {
		struct pd_jitdump *d;

		begin(other_order, 1, 0);
		debug_begin(0x1000);
		debug_entry(0x1008, 2, "b.x", 4);
		debug_entry(0x1000, 1, "/a.x", 5);
		debug_entry(0x1010, 3, "\xff", 2);
		debug_entry(0x1010, 4, "\xff", 2);	/* the last one counts */
		debug_end();
		load(10, 0x1000, 0x20, 1, "f");
		load(10, 0x1020, 0x20, 2, "without");
		debug_begin(0x9999);			/* of something else */
		debug_entry(0x1040, 1, "a.x", 4);
		debug_end();
		load(10, 0x1040, 0x20, 3, "other");
		move(20, 0x1000, 0x3000, 0x20, 1);
		debug_begin(0x1080);
		debug_entry(0x1090, 5, "a.x", 4);
		debug_entry(0x5090, 6, "a.x", 4);	/* not in it */
		debug_entry(0x1098, 7, "a.x", 4);
		debug_end();
		load(10, 0x1080, 0x20, 4, "ends");
		d = open_bytes(len);
		CHECK_STR(line_at(d, 0x1000), "/a.x:1");
		CHECK_STR(line_at(d, 0x1007), "/a.x:1");
		CHECK_STR(line_at(d, 0x1008), "b.x:2");
		CHECK_STR(line_at(d, 0x101f), "/a.x:4");
		CHECK_STR(line_at(d, 0x1020), ":0");
		CHECK_STR(line_at(d, 0x1040), ":0");
		CHECK_STR(line_at(d, 0x3008), "b.x:2");
		CHECK_STR(line_at(d, 0x1080), ":0");
		CHECK_STR(line_at(d, 0x109f), "a.x:5");
		pd_jitdump_free(d);
	}
}

/* It counts from elsewhere, and has rubbish of the right length for names. */
static void
scripts_of_v8_have_lines(void)
{
	struct pd_jitdump *d;

	begin(false, 1, 0);
	debug_begin(0x1000);
	debug_entry(0x1040, 1, "\x1\0\xffjs\0", 6);
	debug_entry(0x1048, 2, "node:util", 10);
	debug_entry(0x1050, 3, "\x1\0\xffjs\0", 6);
	u32(0);					/* padding */
	debug_end();
	load(10, 0x1000, 0x20, 1, "JS:*get x /a.js:1:13");
	d = open_bytes(len);
	CHECK_STR(line_at(d, 0x1000), "/a.js:1");
	CHECK_STR(line_at(d, 0x1008), "node:util:2");
	CHECK_STR(line_at(d, 0x1010), "/a.js:3");
	pd_jitdump_free(d);
}

/* Its addresses count from where perf inject would put it. */
static void
code_has_its_unwind_data(void)
{
	struct pd_cfi_row row;
	struct pd_jitdump *d;
	const struct pd_symbol *sym;
	struct pd_error err;
	struct pd_cfi *cfi;
	struct cb c = { .n = 0 };
	uint64_t time;

	cb_cie(&c, 16, false);
	c.b[c.n - 1] = 0x1b;			/* pcrel, sdata4 */
	CB_END(&c, "\x0c\x07\x08\x90\x01");
	c.entry = c.n;
	cb_num(&c, 0, 4);
	cb_num(&c, c.n - c.cie, 4);
	cb_num(&c, (uint64_t)-(int64_t)(0x28 + c.n), 4);
	cb_num(&c, 0x25, 4);
	cb_num(&c, 0, 1);
	CB_END(&c, "\x0e\x20");
	begin(false, 1, 0);
	unwinding(&c);
	load(10, 0x1000, 0x25, 1, "f");
	load(10, 0x2000, 0x25, 2, "without");
	move(20, 0x1000, 0x3000, 0x25, 1);
	d = open_bytes(len);
	for (uint64_t ip = 0x1004; ip < 0x4000; ip += 0x1000) {
		sym = pd_jitdump_find(d, 3, ip, &time);
		CHECK(pd_jitdump_cfi(d, sym, &cfi, &err) == 0);
		CHECK((cfi != NULL) == (ip != 0x2004));
		if (cfi == NULL)
			continue;
		CHECK(pd_cfi_find(cfi, ip, &row));
		CHECK_EQ(row.cfa.n, 7);
		CHECK_EQ(row.cfa.value, 32);
		CHECK(!pd_cfi_find(cfi, ip + 0x25, &row));
	}
	pd_jitdump_free(d);
}

static void
records_need_not_be_in_the_order_of_time(void)
{
	struct pd_jitdump *d;

	begin(false, 1, 0);
	load(30, 0x1000, 0x20, 1, "late");
	load(10, 0x1000, 0x20, 2, "early");
	d = open_bytes(len);
	CHECK_STR(at(d, 10, 0x1000), "early");
	CHECK_STR(at(d, 30, 0x1000), "late");
	pd_jitdump_free(d);
}

/* Every event is compared with what going through all of them finds. */
static void
any_address_at_any_time_is_the_last_that_covers_it(void)
{
	enum { N = 300, SPACE = 0x400 };
	struct { uint64_t start, end; } ev[N];
	uint32_t seed = 1, bad = 0;
	struct pd_jitdump *d;
	char name[16];

	begin(false, 1, 0);
	for (unsigned i = 0; i < N; i++) {
		seed = seed * 1664525 + 1013904223;
		ev[i].start = 0x1000 + (seed >> 8) % SPACE;
		ev[i].end = ev[i].start + 1 + (seed >> 20) % 64;
		snprintf(name, sizeof(name), "f%u", i);
		load(i + 1, ev[i].start, ev[i].end - ev[i].start, i, name);
	}
	d = open_bytes(len);
	for (unsigned t = 0; t <= N; t += 7) {
		for (uint64_t ip = 0xff0; ip < 0x1000 + SPACE + 80; ip++) {
			const char *got = at(d, t, ip);
			unsigned i = t;

			while (i > 0 && (ip < ev[i - 1].start ||
			    ip >= ev[i - 1].end))
				i--;
			snprintf(name, sizeof(name), "f%u", i - 1);
			bad += i == 0 ? got != NULL :
			    got == NULL || strcmp(got, name) != 0;
		}
	}
	CHECK_EQ(bad, 0);
	pd_jitdump_free(d);
}

static void
what_a_forked_child_adds_is_not_of_this_process(void)
{
	struct pd_jitdump *d;

	begin(false, 1, 0);
	load(10, 0x1000, 0x20, 1, "ours");
	load_of(8, 20, 0x1000, 0x20, 2, "the child's");
	d = open_bytes(len);
	CHECK_STR(at(d, 20, 0x1000), "ours");
	CHECK_EQ(pd_jitdump_damaged(d), 0);
	pd_jitdump_free(d);
}

/* ---- damage ---------------------------------------------------------------------- */

static void
every_prefix_is_an_end(void)
{
	size_t all, named = 0;

	begin(false, 1, 0);
	load(10, 0x1000, 0x20, 1, "one");
	move(20, 0x1000, 0x2000, 0x20, 1);
	other(2, 24);
	load(30, 0x3000, 0x20, 2, "two");
	all = len;
	for (size_t n = 0; n <= all; n++) {
		struct pd_jitdump *d = open_bytes(n);

		CHECK_EQ(pd_jitdump_damaged(d), 0);
		CHECK((pd_jitdump_why(d) == NULL) ==
		    (at(d, 99, 0x1000) != NULL));
		named += at(d, 99, 0x3000) != NULL;
		pd_jitdump_free(d);
	}
	CHECK_EQ(named, 1);
}

/* Read all that is read later. */
static void
ask_all(struct pd_jitdump *d)
{
	size_t n = pd_jitdump_until(d, 0, PD_NOTIME);
	const struct pd_symbol *sym;
	struct pd_cfi_row row;
	struct pd_error err;
	struct pd_cfi *cfi;
	const char *file;
	uint32_t line;
	uint64_t time;

	for (; n > 0; n--) {
		sym = pd_jitdump_find(d, n, 0x1008, &time);
		if (sym == NULL)
			continue;
		CHECK(pd_jitdump_line(d, sym, 0x1008, &file, &line, &err) == 0);
		CHECK(pd_jitdump_cfi(d, sym, &cfi, &err) == 0);
		if (cfi != NULL)
			pd_cfi_find(cfi, 0x1008, &row);
	}
}

static void
every_byte_may_be_anything(void)
{
	size_t all;

	struct cb c = { .n = 0 };

	cb_cie(&c, 16, false);
	CB_END(&c, "\x0c\x07\x08\x90\x01");
	cb_fde(&c, 0x1000, 0x20);
	CB_END(&c, "\x0e\x20");
	begin(false, 1, 0);
	unwinding(&c);
	debug_begin(0x1000);
	debug_entry(0x1040, 1, "/a.js", 6);
	debug_entry(0x1050, 1, "b", 2);
	debug_end();
	load(10, 0x1000, 0x20, 1, "JS:*f /a.js:1:1");
	move(20, 0x1000, 0x2000, 0x20, 1);
	load(30, 0x1010, 0x20, 2, "two");
	all = len;
	for (size_t i = 0; i < all; i++) {
		uint8_t was = bytes[i];

		for (unsigned v = 0; v < 4; v++) {
			struct pd_jitdump *d;

			bytes[i] = (uint8_t[]){ 0, 0xff, 0x7f,
			    (uint8_t)(was + 1) }[v];
			d = open_bytes(all);
			at(d, PD_NOTIME, 0x1010);
			ask_all(d);
			pd_jitdump_free(d);
		}
		bytes[i] = was;
	}
}

static void
a_damaged_record_is_left_out(void)
{
	struct pd_jitdump *d;
	size_t name;

	begin(false, 1, 0);
	load(10, 0x1000, 0x20, 1, "one");
	memset(bytes + 40 + 40, 0xff, 8);	/* the size of its code */
	load(20, UINT64_MAX - 8, 0x20, 2, "it wraps");
	load(30, 0x1000, 0x20, 3, "good");
	name = len + 56;
	load(40, 0x1000, 0, 4, "no end");
	bytes[name + 6] = 'x';
	load(50, 0x2000, 0x20, 5, "");
	d = open_bytes(len);
	CHECK_EQ(pd_jitdump_damaged(d), 3);
	CHECK_STR(at(d, 29, 0x1000), NULL);
	CHECK_STR(at(d, 99, 0x1000), "good");
	CHECK_STR(at(d, 99, 0x2000), "");
	pd_jitdump_free(d);

	begin(false, 1, 0);
	load(10, 0x1000, 0x20, 1, "one");
	u32(0);				/* shorter than any record */
	u32(15);
	u64(0);
	load(20, 0x1000, 0x20, 1, "two");
	d = open_bytes(len);
	CHECK_EQ(pd_jitdump_damaged(d), 1);
	CHECK_STR(at(d, 99, 0x1000), "one");
	pd_jitdump_free(d);
}

/* What a file of these n bytes says why it has no names. */
static const char *
why(size_t n)
{
	struct pd_jitdump *d = open_bytes(n);
	const char *reason = pd_jitdump_why(d);

	CHECK_STR(at(d, PD_NOTIME, 0x1000), NULL);
	pd_jitdump_free(d);
	return reason;
}

static void
a_dump_that_cannot_be_used_says_why(void)
{
	struct pd_error err;
	struct pd_jitdump *d;
	char link[80];

	begin(false, 1, 0);
	CHECK_STR(why(0), "not a jitdump file");
	CHECK_STR(why(3), "not a jitdump file");
	CHECK_STR(why(20), "the header of the jitdump is damaged");
	CHECK_STR(why(40), "jitdump has no names");
	begin(true, 2, 0);
	load(1, 0x1000, 1, 1, "f");
	CHECK_STR(why(len), "jitdump of an unknown version");
	begin(false, 1, 0);
	load(1, 0x1000, 1, 1, "f");
	memset(bytes + 8, 0xff, 4);
	CHECK_STR(why(len), "the header of the jitdump is damaged");
	memset(bytes + 8, 0, 4);
	CHECK_STR(why(len), "the header of the jitdump is damaged");

	snprintf(link, sizeof(link), "%s/link", dir);
	CHECK_EQ(symlink(path, link), 0);
	d = pd_jitdump_open(link, false, &err);
	CHECK_STR(pd_jitdump_why(d), "not a regular file");
	pd_jitdump_free(d);
	CHECK_EQ(unlink(link), 0);
	d = pd_jitdump_open(link, true, &err);
	CHECK_STR(pd_jitdump_why(d), "file not found");
	pd_jitdump_free(d);
	d = pd_jitdump_open("/dev/zero", true, &err);
	CHECK_STR(pd_jitdump_why(d), "not a regular file");
	pd_jitdump_free(d);
}

static void
times_may_be_of_another_clock(void)
{
	struct pd_jitdump *d;

	begin(false, 1, 1);
	load(1, 0x1000, 1, 1, "f");
	d = open_bytes(len);
	CHECK(pd_jitdump_counts(d));
	pd_jitdump_free(d);
}

/* ---- in a recording ------------------------------------------------------------------ */

#define MMAP(b, ev, when, who, from, n, what) \
	pdb_mmap2(b, ev, &(struct pdb_id){ .pid = who, .tid = who, \
	    .time = when }, &(struct pdb_map){ .start = from, .len = n, \
	    .path = what })

static void
sample_at(struct pdb *b, unsigned ev, uint32_t pid, uint64_t time,
    uint64_t ip)
{
	pdb_sample(b, ev, &(struct pdb_sample){ .id = { .pid = pid,
	    .tid = pid, .time = time }, .ip = ip });
}

/* Process 7 maps its dump; clocked: the times are of CLOCK_MONOTONIC. */
static struct pdb *
recording(unsigned *ev, bool clocked)
{
	struct pdb *b = pdb_new(PDB_FILE, false);
	uint32_t clock[6] = { 1, 1 };		/* version, id */

	*ev = pdb_event(b, &(struct pdb_event){ .sample_type = FLAT });
	if (clocked)
		pdb_feature(b, 29, clock, sizeof(clock));	/* CLOCK_DATA */
	MMAP(b, *ev, 1, 7, 0x1000, 0x1000, "//anon");
	MMAP(b, *ev, 1, 7, 0x10000, 0x1000, path);
	return b;
}

static struct pd_fold_opts
options(void)
{
	struct pd_fold_opts opts = { .weight = PD_WEIGHT_SAMPLES };

	opts.stack.symfs = "";
	return opts;
}

static void
two_loads(void)
{
	begin(false, 1, 0);
	load(10, 0x1000, 0x20, 1, "first");
	load(20, 0x1010, 0x20, 2, "second");
	write_bytes(path, len);
}

static void
check(struct pdb *b, const char *want)
{
	struct pd_fold_opts opts = options();
	struct pd_text_opts text = { .mark_jit = true };

	CHECK_FOLD(b, &opts, &text, want);
}

static void
an_address_has_the_name_of_its_time(void)
{
	unsigned ev;
	struct pdb *b = recording(&ev, true);

	two_loads();
	sample_at(b, ev, 7, 5, 0x1018);		/* not yet */
	sample_at(b, ev, 7, 15, 0x1018);
	sample_at(b, ev, 7, 16, 0x1018);
	sample_at(b, ev, 7, 20, 0x1018);	/* the same stack as before */
	sample_at(b, ev, 7, 25, 0x1008);
	sample_at(b, ev, 7, 25, 0x1028);
	sample_at(b, ev, 7, 25, 0x1030);	/* no code there */
	check(b, ":7;[perf-7.map]_[j] 2\n:7;first_[j] 3\n:7;second_[j] 2\n");
}

static void
without_the_right_clock_the_last_name_counts(void)
{
	struct pd_fold_opts opts = options();
	unsigned ev;
	struct pdb *b = recording(&ev, false);

	two_loads();
	sample_at(b, ev, 7, 5, 0x1018);
	sample_at(b, ev, 7, 5, 0x1008);
	check(b, ":7;first_[j] 1\n:7;second_[j] 1\n");
	b = recording(&ev, true);
	begin(false, 1, 1);			/* the clock of the processor */
	load(1 << 20, 0x1000, 0x20, 1, "counted");
	write_bytes(path, len);
	sample_at(b, ev, 7, 5, 0x1018);
	check(b, ":7;counted_[j] 1\n");
	/* perf 6.1 does not read dumps. */
	b = recording(&ev, false);
	sample_at(b, ev, 7, 5, 0x1018);
	opts.stack.perf_compat = true;
	CHECK_FOLD(b, &opts, NULL, ":7;[perf-7.map] 1\n");
}

static void
notes_say_what_is_missing(struct pd_reader *rd, struct pd_fold *f)
{
	char want[200];

	(void)rd;
	snprintf(want, sizeof(want), "no names of JIT code from %s: file not "
	    "found", path);
	CHECK(pd_fold_note(f, 0) != NULL);
	if (pd_fold_note(f, 0) != NULL)
		CHECK_STR(pd_fold_note(f, 0)->msg, want);
	CHECK(pd_fold_note(f, 1) == NULL);
}

static void
a_missing_dump_is_noted_once(void)
{
	struct pd_fold_opts opts = options();
	unsigned ev;
	struct pdb *b = recording(&ev, true);

	unlink(path);
	sample_at(b, ev, 7, 5, 0x1018);
	sample_at(b, ev, 7, 6, 0x1018);
	free(fold_and(b, &opts, NULL, notes_say_what_is_missing));
}

static void
code_in_a_file_is_named_by_the_file(void)
{
	unsigned ev;
	struct pdb *b = recording(&ev, true);

	two_loads();
	MMAP(b, ev, 30, 7, 0x1000, 0x1000, "/nonexistent/lib.so");
	sample_at(b, ev, 7, 15, 0x1008);
	sample_at(b, ev, 7, 40, 0x1800);	/* no JIT code */
	MMAP(b, ev, 50, 7, 0x1000, 0x1000, "/memfd:doublemapper (deleted)");
	sample_at(b, ev, 7, 60, 0x1008);
	check(b, ":7;[lib.so] 1\n:7;first_[j] 2\n");
}

static void
a_child_has_the_code_of_its_parent_up_to_the_fork(void)
{
	struct pdb_id child = { .pid = 8, .tid = 8, .time = 15 };
	unsigned ev;
	struct pdb *b = recording(&ev, true);

	two_loads();
	pdb_fork(b, ev, &child, 7, 7, 0);
	sample_at(b, ev, 7, 30, 0x1018);
	sample_at(b, ev, 8, 30, 0x1018);
	pdb_comm(b, ev, &(struct pdb_id){ .pid = 8, .tid = 8, .time = 40 },
	    "new", true);
	MMAP(b, ev, 41, 8, 0x1000, 0x1000, "//anon");
	sample_at(b, ev, 8, 42, 0x1018);	/* not after exec */
	check(b, ":7;second_[j] 1\n:8;first_[j] 1\n"
	    "new;[perf-8.map]_[j] 1\n");
}

static void
only_an_executable_map_of_that_name_counts(void)
{
	char copy[80];
	struct pdb *b = pdb_new(PDB_FILE, false);
	struct pdb_id id = { .pid = 7, .tid = 7, .time = 1 };
	unsigned ev = pdb_event(b, &(struct pdb_event){
	    .sample_type = FLAT });

	two_loads();
	snprintf(copy, sizeof(copy), "%s/jit-7.dumped", dir);
	write_bytes(copy, len);
	MMAP(b, ev, 1, 7, 0x1000, 0x1000, "//anon");
	MMAP(b, ev, 1, 7, 0x10000, 0x1000, copy);
	pdb_mmap2(b, ev, &id, &(struct pdb_map){ .start = 0x20000,
	    .len = 0x1000, .path = path, .prot = 1 });
	sample_at(b, ev, 7, 30, 0x1018);
	check(b, ":7;[perf-7.map]_[j] 1\n");
	unlink(copy);
}

/*
 * Two functions at one address, whose frames have another size, and their
 * caller, which has none.
 */
static void
stacks_are_unwound_by_the_code_of_their_time(void)
{
	uint64_t stack[8] = { 0x1108, 0, 0, 0x1109 }, regs[9] = { 0 };
	struct pdb *b = pdb_new(PDB_FILE, false);
	uint32_t clock[6] = { 1, 1 };
	struct pd_fold_opts opts = options();
	struct cb small = { .n = 0 }, large = { .n = 0 }, top = { .n = 0 };
	unsigned ev;

	cb_cie(&small, 16, false);
	CB_END(&small, "\x0c\x07\x08\x90\x01");
	top = large = small;
	cb_fde(&small, 0x1000, 0x20);
	CB_END(&small, "");
	cb_fde(&large, 0x1000, 0x20);
	CB_END(&large, "\x0e\x20");
	cb_fde(&top, 0x1100, 0x20);
	CB_END(&top, "\x07\x10");
	begin(false, 1, 0);
	unwinding(&top);
	debug_begin(0x1100);
	debug_entry(0x1100, 8, "a.x", 4);
	debug_entry(0x1108, 9, "a.x", 4);
	debug_end();
	load(5, 0x1100, 0x20, 1, "top");
	unwinding(&small);
	load(10, 0x1000, 0x20, 2, "small");
	unwinding(&large);
	load(20, 0x1000, 0x20, 3, "large");
	write_bytes(path, len);

	ev = pdb_event(b, &(struct pdb_event){ .sample_type = FLAT |
	    PDB_REGS_USER | PDB_STACK_USER, .regs_user = 0x1ff,
	    .stack_user = sizeof(stack) });
	pdb_feature(b, 29, clock, sizeof(clock));
	pdb_feature_str(b, 6, "x86_64");
	MMAP(b, ev, 1, 7, 0x1000, 0x1000, "//anon");
	MMAP(b, ev, 1, 7, 0x10000, 0x1000, path);
	regs[7] = 0x7fff1000;
	regs[8] = 0x1004;
	for (uint64_t time = 15; time < 40; time += 10)
		pdb_sample(b, ev, &(struct pdb_sample){ .id = { .pid = 7,
		    .tid = 7, .time = time }, .ip = 0x1004, .user_abi = 2,
		    .user_regs = regs, .stack = stack, .stack_size =
		    sizeof(stack), .stack_dyn = sizeof(stack) });
	opts.stack.lines = true;
	CHECK_FOLD(b, &opts, NULL, ":7;top:a.x:8;small 1\n"
	    ":7;top:a.x:9;large 2\n");
}

int
main(void)
{
	if (mkdtemp(dir) == NULL)
		return 1;
	snprintf(path, sizeof(path), "%s/jit-7.dump", dir);
	RUN(code_has_its_name_from_its_load_on);
	RUN(later_code_covers_older_code_where_it_is);
	RUN(moved_code_takes_its_name_along);
	RUN(code_has_its_source_lines);
	RUN(scripts_of_v8_have_lines);
	RUN(code_has_its_unwind_data);
	RUN(records_need_not_be_in_the_order_of_time);
	RUN(any_address_at_any_time_is_the_last_that_covers_it);
	RUN(what_a_forked_child_adds_is_not_of_this_process);
	RUN(every_prefix_is_an_end);
	RUN(every_byte_may_be_anything);
	RUN(a_damaged_record_is_left_out);
	RUN(a_dump_that_cannot_be_used_says_why);
	RUN(times_may_be_of_another_clock);
	RUN(an_address_has_the_name_of_its_time);
	RUN(without_the_right_clock_the_last_name_counts);
	RUN(a_missing_dump_is_noted_once);
	RUN(code_in_a_file_is_named_by_the_file);
	RUN(a_child_has_the_code_of_its_parent_up_to_the_fork);
	RUN(only_an_executable_map_of_that_name_counts);
	RUN(stacks_are_unwound_by_the_code_of_their_time);
	unlink(path);
	rmdir(dir);
	return tap_done();
}
