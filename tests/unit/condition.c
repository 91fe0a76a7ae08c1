/* Conditions on events: names, fields of tracepoints, comparisons. */
#include <stdlib.h>
#include <unistd.h>

#include "cut/condition.h"
#include "pdbuild.h"
#include "record/reader.h"
#include "record/tracing.h"
#include "tap.h"

static struct pd_error err;

static const char *const format =
    "name: start\nID: 77\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
    "\n"
    "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
    "\tfield:s8 tiny;\toffset:16;\tsize:1;\tsigned:1;\n"
    "\tfield:u16 port;\toffset:18;\tsize:2;\tsigned:0;\n"
    "\tfield:int delta;\toffset:20;\tsize:4;\tsigned:1;\n"
    "\tfield:u64 height;\toffset:24;\tsize:8;\tsigned:0;\n"
    "\tfield:char comm[8];\toffset:32;\tsize:8;\tsigned:0;\n"
    "\tfield:__data_loc char[] author;\toffset:40;\tsize:4;\tsigned:1;\n"
    "\tfield:__rel_loc char[] peer;\toffset:44;\tsize:4;\tsigned:1;\n"
    "\tfield:u8 hash[4];\toffset:48;\tsize:4;\tsigned:0;\n"
    "\tfield:const char * name;\toffset:56;\tsize:8;\tsigned:0;\n"
    "\tfield:char * argv[2];\toffset:48;\tsize:16;\tsigned:0;\n"
    "\nprint fmt: \"(%lx) field:x\", REC->__probe_ip\n";

/* The raw data of a sample; raw + 4 bytes is a multiple of 8. */
enum { RAW = 84 };

static void
make_raw(uint8_t raw[RAW], bool swapped)
{
	struct pdb *t = pdb_new(PDB_PIPE, swapped);
	size_t head = pdb_size(t), size;
	uint8_t *all;

	pdb_u16(t, 77);
	pdb_u16(t, 0);
	pdb_u32(t, 1234);			/* common_pid */
	pdb_u64(t, 0xfffffffff0001000);		/* __probe_ip */
	pdb_u8(t, 0xff);			/* tiny: -1 */
	pdb_u8(t, 0);
	pdb_u16(t, 0xfffe);			/* port */
	pdb_u32(t, (uint32_t)-5);		/* delta */
	pdb_u64(t, 42);				/* height */
	pdb_bytes(t, "work-er8", 8);		/* comm, no NUL */
	pdb_u32(t, 8 << 16 | 64);		/* author: 8 bytes at 64 */
	pdb_u32(t, 12 << 16 | 24);		/* peer: at 48 + 24 */
	pdb_u32(t, 0x01020304);			/* hash */
	pdb_u32(t, 0);
	pdb_u64(t, 4096);			/* name */
	pdb_bytes(t, "alice\0xx", 8);
	pdb_bytes(t, "bob,x&&y\0\0\0\0", 12);
	all = pdb_finish(t, &size);
	memcpy(raw, all + head, RAW);
	free(all);
}

static struct pd_reader *
open_recording(bool swapped, size_t raw_size)
{
	struct pdb *b = pdb_new(PDB_FILE, swapped);
	unsigned start = pdb_event(b, &(struct pdb_event){ .type = 2,
	    .config = 77, .name = "probe:start", .sample_type =
	    PDB_IDENTIFIER | PDB_TID | PDB_TIME | PDB_RAW,
	    .ids = (uint64_t[]){ 1 }, .nids = 1 });
	unsigned clock = pdb_event(b, &(struct pdb_event){ .name = "clock",
	    .sample_type = PDB_IDENTIFIER | PDB_TID | PDB_TIME,
	    .ids = (uint64_t[]){ 2 }, .nids = 1 });
	struct pdb_id id = { .pid = 1, .tid = 1, .time = 100 };
	uint8_t raw[RAW];
	struct pd_reader *rd;
	char path[32];
	int fd;

	make_raw(raw, swapped);
	pdb_tracing(b, "probe", &format, 1);
	pdb_sample(b, start, &(struct pdb_sample){ .id = id, .raw = raw,
	    .raw_size = (uint32_t)raw_size });
	pdb_sample(b, clock, &(struct pdb_sample){ .id = id });
	fd = pdb_file(b, path);
	rd = pd_reader_open(path, PD_TIME_ORDER, &err);
	close(fd);
	return rd;
}

/* How often the condition holds: for both samples; -1: an error. */
static int
holds_in(const char *text, bool swapped, size_t raw_size)
{
	struct pd_condition *c = pd_condition_parse(text, "--between", &err);
	struct pd_reader *rd = open_recording(swapped, raw_size);
	struct pd_record rec;
	int n = 0, r;

	if (c == NULL || !CHECK(rd != NULL))
		n = -2;
	while (n >= 0 && pd_reader_next(rd, &rec, &err) == 1) {
		if (rec.type != PD_RECORD_SAMPLE)
			continue;
		r = pd_condition_match(c, rd, &rec, &err);
		n = r == -1 ? -1 : n + r;
	}
	pd_reader_close(rd);
	pd_condition_free(c);
	return n;
}

static void
check_holds(int line, const char *text, int want)
{
	for (int swapped = 0; swapped < 2; swapped++)
		if (!tap_check(holds_in(text, swapped, RAW) == want,
		    "%s:%d: %s\n", __FILE__, line, text))
			printf("# swapped %d; %s\n", swapped,
			    want < 0 ? "" : err.msg);
}

#define YES(text)	check_holds(__LINE__, text, 1)
#define NO(text)	check_holds(__LINE__, text, 0)

static void
without_fields_the_name_of_the_event_counts(void)
{
	YES("probe:start");
	YES("probe:*");
	YES("probe:[!x]*");
	YES("clock");
	NO("start");
	NO("probe:star");
	check_holds(__LINE__, "*", 2);
	NO("cpu/event=0x3c,umask=1/");
}

static void
numbers_compare_with_their_sign(void)
{
	YES("probe:start:height==42");
	YES("probe:*:height == 0x2a");
	NO("probe:start:height==43");
	NO("probe:start:height!=42");
	YES("probe:start:height<43");
	NO("probe:start:height<42");
	YES("probe:start:height<=42");
	YES("probe:start:height>41");
	YES("probe:start:height>=42");
	NO("probe:start:height>42");
	YES("probe:start:height&2");
	NO("probe:start:height & 0x15");
	YES("probe:start:tiny==-1");
	YES("probe:start:tiny<0");
	YES("probe:start:port==65534");
	YES("probe:start:delta==-5");
	YES("probe:start:delta>-6");
	NO("probe:start:delta>0");
	YES("probe:start:__probe_ip>0x7fffffffffffffff");
	YES("probe:start:__probe_ip>-1");
	YES("probe:start:common_pid==1234");
	YES("probe:start:name==4096");
}

static void
text_compares_whole_or_as_a_glob(void)
{
	YES("probe:start:comm==work-er8");
	NO("probe:start:comm==work-er");
	NO("probe:start:comm!=work-er8");
	YES("probe:start:comm~work*");
	NO("probe:start:comm~wor?");
	YES("probe:start:author==alice");
	YES("probe:start:author==\"alice\"");
	YES("probe:start:author!='bob'");
	YES("probe:start:author~a*e");
	NO("probe:start:author==a*e");
	YES("probe:start:peer=='bob,x&&y'");
	YES("probe:start:peer~bob*");
	NO("probe:start:author==4");
}

static void
several_must_all_hold(void)
{
	YES("probe:start:height==42&&author==alice");
	YES("probe:start: height==42 && author==alice , delta<0");
	NO("probe:start:height==42&&author==bob");
	NO("probe:start:height==41,author==alice");
}

static void
what_makes_no_sense_is_refused(void)
{
	static const char *const bad[] = { "", ":height==1", "e:height==",
	    "e:height==1&&", "e:height==1 &&&& b==1", "e:height==1,",
	    "e:height=1", "e:height=>1", "e:height<x", "e:height&x",
	    "e:height>'1'", "e:a==\"x", "e:a=='x'y", "e:a==1 b==2,c",
	    "e:h>99999999999999999999", "e:a<>1", "e:a==1&&b" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pd_condition *c = pd_condition_parse(bad[i], "--between",
		    &err);

		if (!CHECK(c == NULL))
			printf("# accepted: '%s'\n", bad[i]);
		else
			CHECK(err.code == PD_EARG &&
			    strstr(err.msg, "--between") != NULL);
		pd_condition_free(c);
	}
}

static void
check_error(int line, const char *text, const char *want)
{
	check_holds(line, text, -1);
	if (!tap_check(strstr(err.msg, want) != NULL, "%s:%d: %s\n", __FILE__,
	    line, text))
		printf("# %s\n", err.msg);
}

static void
a_field_that_is_not_there_is_an_error_that_names_the_others(void)
{
	check_error(__LINE__, "probe:start:hight==1", "no field 'hight', but "
	    "__probe_ip, tiny, port, delta, height, comm, author, peer, hash, "
	    "name, argv");
	check_error(__LINE__, "clock:height==1", "it is no tracepoint");
}

static void
fields_are_compared_as_what_they_are(void)
{
	check_error(__LINE__, "probe:start:height==abc", "is a number");
	check_error(__LINE__, "probe:start:height~4*", "is a number");
	check_error(__LINE__, "probe:start:comm>3", "is text");
	check_error(__LINE__, "probe:start:hash==1", "is an array");
	check_error(__LINE__, "probe:start:argv==a", "is an array");
}

/* Whatever is missing of the raw data, nothing behind it is read. */
static void
a_sample_too_short_for_the_field_does_not_match(void)
{
	for (size_t n = 4; n <= RAW; n += 8) {
		CHECK_EQ(holds_in("probe:start:height==42", false, n), n >= 32);
		CHECK_EQ(holds_in("probe:start:comm~*", false, n), n >= 40);
		CHECK_EQ(holds_in("probe:start:author==alice", false, n),
		    n >= 72);
		CHECK_EQ(holds_in("probe:start:peer~*", false, n), n >= RAW);
	}
}

/* Each look at the fields goes through them. */
static void
more_fields_than_kernels_have_are_noted(void)
{
	char *format = malloc(1 << 17), path[32];
	struct pdb *b = pdb_new(PDB_FILE, false);
	const char *formats[] = { format };
	struct pd_reader *rd;
	bool noted = false;
	size_t n = 0, fields = 0, at = 0;
	struct pd_field f;
	int fd;

	n += (size_t)sprintf(format, "name: start\nID: 77\nformat:\n");
	while (n < 100000)
		n += (size_t)sprintf(format + n,
		    "\tfield:int f;\toffset:0;\tsize:4;\tsigned:1;\n");
	pdb_event(b, &(struct pdb_event){ .type = 2, .config = 77 });
	pdb_tracing(b, "probe", formats, 1);
	free(format);
	pdb_comm(b, 0, &(struct pdb_id){ .pid = 1, .tid = 1 }, "x", false);
	fd = pdb_file(b, path);
	rd = pd_reader_open(path, PD_TIME_ORDER, &err);
	close(fd);
	if (!CHECK(rd != NULL))
		return;
	for (size_t i = 0; pd_reader_note(rd, i) != NULL; i++)
		noted |= strstr(pd_reader_note(rd, i)->msg, "too many fields") !=
		    NULL;
	CHECK(noted);
	while (pd_tracepoints_field(pd_reader_features(rd)->tracepoints, 77,
	    &at, &f))
		fields++;
	CHECK(fields > 1000 && fields < 2000);
	pd_reader_close(rd);
}

int
main(void)
{
	RUN(without_fields_the_name_of_the_event_counts);
	RUN(numbers_compare_with_their_sign);
	RUN(text_compares_whole_or_as_a_glob);
	RUN(several_must_all_hold);
	RUN(what_makes_no_sense_is_refused);
	RUN(a_field_that_is_not_there_is_an_error_that_names_the_others);
	RUN(fields_are_compared_as_what_they_are);
	RUN(a_sample_too_short_for_the_field_does_not_match);
	RUN(more_fields_than_kernels_have_are_noted);
	return tap_done();
}
