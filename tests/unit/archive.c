/* Which members of an archive are files of a build-id, and what damage does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/archive.h"
#include "tap.h"

#define HEX	"0522000000000000000000000000000000000001"

static char path[] = "/tmp/pd-archive-XXXXXX";
static uint8_t tar[1 << 20];
static size_t len;

/* A member as in ustar (tar(5)), of some blocks of 512 bytes. */
static void
add(const char *name, char type, size_t blocks, const char *text)
{
	uint8_t *h = tar + len;
	unsigned sum = 0;
	size_t i;

	memset(h, 0, 512 * (1 + blocks));
	snprintf((char *)h, 100, "%s", name);
	memcpy(h + 100, "0000644\0" "0000000\0" "0000000\0", 24);
	snprintf((char *)h + 124, 12, "%011zo", blocks * 512);
	memcpy(h + 136, "00000000000\0" "        ", 20);
	h[156] = (uint8_t)type;
	memcpy(h + 257, "ustar\0" "00", 8);
	for (i = 0; i < 512; i++)
		sum += h[i];
	snprintf((char *)h + 148, 8, "%06o", sum);
	if (blocks > 0)
		snprintf((char *)h + 512, 512, "%s", text);
	len += 512 * (1 + blocks);
}

/* With the two empty blocks at the end. */
static void
write_tar(size_t size)
{
	FILE *f = fopen(path, "w");

	CHECK(f != NULL && fwrite(tar, 1, size, f) == size);
	fclose(f);
}

static void
finish(void)
{
	memset(tar + len, 0, 1024);
	len += 1024;
	write_tar(len);
}

/* What a file of the build-id HEX begins with, or NULL; free(3). */
static char *
text_of(const char *what, struct pd_notes *notes)
{
	struct pd_buildid id = { .size = 20, .bytes = { 5, 0x22, [19] = 1 } };
	struct pd_error err;
	struct pd_archive *a = pd_archive_new(path, notes, &err);
	char *file = pd_archive_find(a, &id, what, &err), *text = NULL;
	FILE *f;

	CHECK(file != NULL || err.code == PD_OK);
	if (file != NULL) {
		text = calloc(1, 64);
		f = fopen(file, "r");
		CHECK(f != NULL && fgets(text, 64, f) != NULL);
		fclose(f);
		free(file);
	}
	pd_archive_free(a);
	return text;
}

static void
expect(const char *what, const char *want)
{
	struct pd_notes notes = { 0 };
	char *text = text_of(what, &notes);

	CHECK_STR(text, want);
	CHECK_STR(pd_notes_get(&notes, 0) ? pd_notes_get(&notes, 0)->msg :
	    NULL, NULL);
	free(text);
	pd_notes_free(&notes);
}

static void
files_are_found_by_build_id(void)
{
	len = 0;
	add(".build-id/05/" , '2', 0, NULL);
	add("usr/bin/x/" HEX "/", '5', 0, NULL);
	add("usr/bin/x/" HEX "/probes", '0', 1, "probes");
	add("usr/bin/x/" HEX "/elf", '0', 3, "program");
	add("./usr/bin/x/" HEX "/debug", '0', 1, "debug");
	add("[vdso]/" HEX "/vdso", '0', 1, "vdso");
	add("usr/bin/y/0000000000000000000000000000000000000001/kallsyms",
	    '0', 1, "another");
	finish();
	expect("elf", "program");
	expect("debug", "debug");
	expect("vdso", "vdso");
	expect("kallsyms", NULL);
	expect("", NULL);
	/* Before Linux 4.14 the file had the place of the directory. */
	len = 0;
	add("usr/bin/x/" HEX, '0', 1, "old");
	finish();
	expect("", "old");
	expect("elf", NULL);
}

static void
other_names_and_types_are_passed_over(void)
{
	static const char *const names[] = { "elf", "/elf", "x/elf",
		"x/05/elf", HEX "0/elf", HEX "00/elf", "x/" HEX "/elf/y",
		"052200000000000000000000000000000000000g/elf" };

	len = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		add(names[i], '0', 1, "wrong");
	add("a/" HEX "/elf", '2', 0, NULL);	/* links, a device, a FIFO */
	add("b/" HEX "/elf", '4', 0, NULL);
	add("c/" HEX "/elf", '6', 0, NULL);
	finish();
	expect("elf", NULL);
	add("d/" HEX "/elf", '0', 1, "behind the end");
	finish();
	expect("elf", NULL);
}

static void
damage_is_a_note(void)
{
	struct pd_notes notes = { 0 };
	size_t n;

	len = 0;
	add("x/" HEX "/elf", '0', 2, "program");
	for (n = 1; n < len; n += 101) {
		write_tar(n);
		free(text_of("elf", &notes));
		CHECK(pd_notes_get(&notes, 0) != NULL);
		pd_notes_free(&notes);
		memset(&notes, 0, sizeof(notes));
	}
	for (n = 0; n < 512; n++) {
		tar[n] ^= 0x55;
		write_tar(len);
		free(text_of("elf", NULL));
		tar[n] ^= 0x55;
	}
}

static void
there_is_an_end_to_many_files(void)
{
	struct pd_notes notes = { 0 };
	char *text;

	len = 0;
	add("x/" HEX "/elf", '0', 1, "first");
	for (int i = 0; i < 900; i++)
		add("x/1122000000000000000000000000000000000000/elf", '0', 1,
		    "another");
	finish();
	text = text_of("elf", &notes);
	CHECK_STR(text, "first");
	if (CHECK(pd_notes_get(&notes, 0) != NULL))
		CHECK(strstr(pd_notes_get(&notes, 0)->msg, "too many files"));
	free(text);
	pd_notes_free(&notes);
}

/* It is loaded when it is needed, and need not be there. */
static bool
has_library(void)
{
	struct pd_notes notes = { 0 };
	bool has;

	len = 0;
	finish();
	free(text_of("elf", &notes));
	has = pd_notes_get(&notes, 0) == NULL ||
	    strstr(pd_notes_get(&notes, 0)->msg, "cannot load") == NULL;
	pd_notes_free(&notes);
	return has;
}

int
main(void)
{
	int fd = mkstemp(path);

	if (fd == -1)
		return 1;
	close(fd);
	if (!has_library()) {
		unlink(path);
		puts("1..0 # SKIP no libarchive");
		return 0;
	}
	RUN(files_are_found_by_build_id);
	RUN(other_names_and_types_are_passed_over);
	RUN(damage_is_a_note);
	RUN(there_is_an_end_to_many_files);
	unlink(path);
	return tap_done();
}
