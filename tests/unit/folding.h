/* Folds hand-made recordings, for the tests of the layers above the reader. */
#ifndef TESTS_FOLDING_H
#define TESTS_FOLDING_H

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "elfbuild.h"
#include "pdbuild.h"
#include "perfdata.h"
#include "tap.h"

/* enum perf_callchain_context. */
#define KERNEL_CHAIN	((uint64_t)-128)
#define USER_CHAIN	((uint64_t)-512)

/* What most samples have; and with a callchain. */
#define FLAT	(PDB_IDENTIFIER | PDB_IP | PDB_TID | PDB_TIME | PDB_CPU)
#define CHAINED	(FLAT | PDB_CALLCHAIN)

/*
 * The folded text of a recording, to be freed with free(3); instead of it the
 * message of an error.  NULL options are the defaults; where they name no
 * files, none of this machine are read.  then: called at the end, or NULL.
 */
static inline char *
fold_and(struct pdb *b, const struct pd_fold_opts *want,
    const struct pd_text_opts *text,
    void (*then)(struct pd_reader *, struct pd_fold *))
{
	static const struct pd_text_opts plain;
	struct pd_fold_opts opts = want ? *want : (struct pd_fold_opts){ 0 };
	struct pd_fold *f = NULL;
	struct pd_reader *rd;
	struct pd_error err;
	char path[32], *out = NULL;
	size_t size;
	FILE *mem;
	int fd = pdb_file(b, path), r = -1;

	if (opts.stack.symfs == NULL)
		opts.stack.symfs = "/nonexistent";
	if (opts.stack.buildid_dir == NULL)
		opts.stack.buildid_dir = "/nonexistent";
	if (opts.stack.kallsyms == NULL && opts.stack.vmlinux == NULL)
		opts.stack.kallsyms = "/dev/null";
	rd = pd_reader_open(path, PD_TIME_ORDER, &err);
	if (rd != NULL && (f = pd_fold_new(rd, &opts, &err)) != NULL)
		while ((r = pd_fold_next(f, &err)) == 1)
			;
	if (r == 0 && (mem = open_memstream(&out, &size)) != NULL) {
		r = pd_profile_write_folded(pd_fold_profile(f),
		    text ? text : &plain, mem, &err);
		fclose(mem);
	}
	if (r == -1) {
		free(out);
		out = strdup(err.msg);
	} else if (then != NULL) {
		then(rd, f);
	}
	pd_fold_free(f);
	pd_reader_close(rd);
	close(fd);
	return out;
}

/* Folds b, which it frees, and compares. */
#define CHECK_FOLD(b, opts, text, want) \
	check_fold(b, opts, text, want, __FILE__, __LINE__)

static inline bool
check_fold(struct pdb *b, const struct pd_fold_opts *opts,
    const struct pd_text_opts *text, const char *want, const char *file,
    int line)
{
	char *got = fold_and(b, opts, text, NULL);
	bool equal = got != NULL && strcmp(got, want) == 0;

	if (!equal) {
		tap_bad = true;
		printf("# %s:%d: got \"%s\", want \"%s\"\n", file, line, got,
		    want);
	}
	free(got);
	return equal;
}

/*
 * A program at path below dir with n functions of 4096 bytes: the i-th is at
 * file offset and address 0x1000 * (i + 1).  id: its build-id of 20 bytes, or
 * NULL.
 */
static inline void
write_program_with_id(const char *dir, const char *path,
    const char *const *names, size_t n, const uint8_t *id)
{
	struct eb e = eb_new(true, false, ET_DYN, EM_X86_64);
	size_t text = eb_section(&e, ".text", SHT_PROGBITS,
	    SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 0);
	size_t syms = eb_symtab(&e, SHT_SYMTAB);
	char full[512];
	int fd;

	eb_load(&e, 0, 0, 0x1000 * (n + 2), PF_R | PF_X);
	for (size_t i = 0; i < n; i++)
		eb_sym(&e, syms, names[i], 0x1000 * (i + 1), 0x1000,
		    STB_GLOBAL, STT_FUNC, 0, text);
	if (id != NULL)
		eb_buildid(&e, id, 20);
	eb_finish(&e);
	snprintf(full, sizeof(full), "%s/%s", dir, path);
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	if (fd < 0 || write(fd, e.out.p, e.out.len) != (ssize_t)e.out.len)
		printf("Bail out! cannot write %s\n", full);
	close(fd);
	eb_free(&e);
}

static inline void
write_program(const char *dir, const char *path, const char *const *names,
    size_t n)
{
	write_program_with_id(dir, path, names, n, NULL);
}

/* Text into a file. */
static inline void
write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	if (f == NULL || fputs(text, f) == EOF || fclose(f) == EOF)
		printf("Bail out! cannot write %s\n", path);
}

#endif
