/* Decompresses parts of files and whole ones: xz, gzip, zstd. */
#include <elf.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/file.h"

#include "symbol/decompress.h"

/*
 * A few bytes can hold gigabytes.  What is decompressed has no debug
 * information, so even large modules are tens of megabytes.
 */
#define MAX_SIZE	(1u << 28)
/*
 * xz names the size of its dictionary, up to 4 GiB, and the decoder allocates
 * it.  `xz -9` needs 65 MiB; zstd has the same limit for windows by itself
 * (ZSTD_WINDOWLOG_LIMIT_DEFAULT).
 */
#define MAX_XZ_MEMORY	(1u << 27)

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD	2		/* since glibc 2.38 */
#endif
/* Deflate makes at most 258 bytes of two bits (zlib's technical details). */
#define MAX_DEFLATE		1040

static const char damaged[] = "compressed file is damaged";
static const char too_large[] = "compressed file is too large";

/* What was decompressed so far, with room behind it. */
struct out {
	uint8_t		*p;
	size_t		len, cap;
};

enum step { MORE, END, DAMAGED, TOO_LARGE, NO_MEMORY };

/* Room for more bytes; false: *step says why not. */
static bool
make_room(struct out *out, enum step *step, struct pd_error *err)
{
	size_t want = out->cap == 0 ? 1u << 16 : out->cap * 2;

	if (out->len < out->cap)
		return true;
	if (out->cap >= MAX_SIZE) {
		*step = TOO_LARGE;
		return false;
	}
	if (pd_grow(&out->p, &out->cap, want, 1, err) == -1) {
		*step = NO_MEMORY;
		return false;
	}
	return true;
}

static enum step
run_xz(const uint8_t *p, size_t size, struct out *out, struct pd_error *err)
{
	lzma_stream s = LZMA_STREAM_INIT;
	enum step step = MORE;
	lzma_ret ret;

	ret = lzma_stream_decoder(&s, MAX_XZ_MEMORY, LZMA_CONCATENATED);
	s.next_in = p;
	s.avail_in = size;
	while (ret == LZMA_OK && make_room(out, &step, err)) {
		s.next_out = out->p + out->len;
		s.avail_out = out->cap - out->len;
		ret = lzma_code(&s, LZMA_FINISH);
		out->len = out->cap - s.avail_out;
	}
	lzma_end(&s);
	switch (ret) {
	case LZMA_OK: return step;
	case LZMA_STREAM_END: return END;
	case LZMA_MEMLIMIT_ERROR: return TOO_LARGE;
	case LZMA_MEM_ERROR: pd_fail_nomem(err); return NO_MEMORY;
	default: return DAMAGED;
	}
}

static enum step
run_gzip(const uint8_t *p, size_t size, struct out *out, struct pd_error *err)
{
	/* zlib has it const only with ZLIB_CONST; it does not write there. */
	z_stream s = { .next_in = (Bytef *)p, .avail_in = (uInt)size };
	enum step step = MORE;
	int ret;

	/* 15: the largest window, 32 KiB; 16: with the header of gzip. */
	ret = inflateInit2(&s, 15 + 16);
	while (ret == Z_OK && make_room(out, &step, err)) {
		s.next_out = out->p + out->len;
		s.avail_out = (uInt)(out->cap - out->len);
		ret = inflate(&s, Z_NO_FLUSH);
		out->len = out->cap - s.avail_out;
	}
	inflateEnd(&s);
	switch (ret) {
	case Z_OK: return step;
	case Z_STREAM_END: return END;
	case Z_MEM_ERROR: pd_fail_nomem(err); return NO_MEMORY;
	default: return DAMAGED;
	}
}

static enum step
run_zstd(const uint8_t *p, size_t size, struct out *out, struct pd_error *err)
{
	ZSTD_DCtx *s = ZSTD_createDCtx();
	ZSTD_inBuffer in = { p, size, 0 };
	ZSTD_outBuffer to;
	enum step step = MORE;
	size_t ret = 1;

	if (s == NULL) {
		pd_fail_nomem(err);
		return NO_MEMORY;
	}
	while (step == MORE && make_room(out, &step, err)) {
		to = (ZSTD_outBuffer){ out->p, out->cap, out->len };
		ret = ZSTD_decompressStream(s, &to, &in);
		out->len = to.pos;
		if (ZSTD_getErrorCode(ret) == ZSTD_error_memory_allocation) {
			pd_fail_nomem(err);
			step = NO_MEMORY;
		} else if (ret == 0 && in.pos == size)
			step = END;
		else if (ZSTD_isError(ret) ||
		    (in.pos == size && to.pos < to.size))
			step = DAMAGED;
	}
	ZSTD_freeDCtx(s);
	return step;
}

static enum step
run(const uint8_t *p, size_t size, struct out *out, struct pd_error *err)
{
	if (size >= 6 && memcmp(p, "\375" "7zXZ", 6) == 0)
		return run_xz(p, size, out, err);
	if (size >= 2 && memcmp(p, "\037\213", 2) == 0)
		return run_gzip(p, size, out, err);
	if (size >= 4 && memcmp(p, "\050\265\057\375", 4) == 0)
		return run_zstd(p, size, out, err);
	return DAMAGED;
}

uint8_t *
pd_decompress(const uint8_t *p, size_t size, size_t *len, const char **why,
    struct pd_error *err)
{
	struct out out = { 0 };
	enum step step;

	err->code = PD_OK;
	step = size <= MAX_SIZE ? run(p, size, &out, err) : TOO_LARGE;
	if (step == END) {
		*len = out.len;
		return out.p;
	}
	*why = step == TOO_LARGE ? too_large : damaged;
	free(out.p);
	return NULL;
}

/* An image in memory; owns *mem unless it returns 0. */
static int
open_mem(struct pd_elf *e, uint8_t **mem, size_t len, const char **why,
    struct pd_error *err)
{
	int ret = pd_elf_open_mem(e, *mem, len, why, err);

	if (ret != 0) {
		pd_elf_close(e);
		free(*mem);
		*mem = NULL;
	}
	return ret;
}

int
pd_elf_open_section(struct pd_elf *e, uint8_t **mem, const struct pd_elf *of,
    const char *section, struct pd_error *err)
{
	const struct pd_elf_section *s = pd_elf_section(of, section);
	const char *why;
	uint8_t *p;
	size_t len;
	int ret;

	if (s == NULL)
		return 0;
	p = pd_elf_read(of, s, MAX_SIZE, err);
	if (p == NULL)
		return err->code == PD_OK ? 0 : -1;
	*mem = pd_decompress(p, s->size, &len, &why, err);
	free(p);
	if (*mem == NULL)
		return err->code == PD_OK ? 0 : -1;
	ret = open_mem(e, mem, len, &why, err);
	return ret == -1 ? -1 : ret == 0;
}

int
pd_elf_open_compressed(struct pd_elf *e, uint8_t **mem, const char *path,
    const char **why, struct pd_error *err)
{
	struct stat st;
	char *p;
	size_t size, len;
	int fd;

	memset(e, 0, sizeof(*e));
	e->fd = -1;
	*mem = NULL;
	fd = pd_file_open(path, true, &st, why);
	if (fd == -1)
		return 1;
	p = pd_file_slurp(fd, MAX_SIZE, &size, err);
	close(fd);
	*why = too_large;
	if (p != NULL) {
		*mem = pd_decompress((uint8_t *)p, size, &len, why, err);
		free(p);
	}
	if (*mem == NULL)
		return err->code == PD_OK ? 1 : -1;
	return open_mem(e, mem, len, why, err);
}

/* ---- sections ------------------------------------------------------------ */

static bool
is_zdebug(const struct pd_elf_section *s)
{
	return strncmp(s->name, ".zdebug_", 8) == 0;
}

bool
pd_elf_is_packed(const struct pd_elf_section *s)
{
	return (s->flags & SHF_COMPRESSED) || is_zdebug(s);
}

static bool
read_chdr(struct pd_packed *z, bool is64, bool swapped)
{
	struct pd_cursor c = pd_cursor(z->p, z->size, swapped);

	z->type = pd_get_u32(&c);
	if (is64)
		pd_get_u32(&c);
	z->full = is64 ? pd_get_u64(&c) : pd_get_u32(&c);
	pd_get_bytes(&c, is64 ? 8 : 4);		/* alignment */
	z->p = c.p;
	z->size = pd_left(&c);
	return !c.bad;
}

/* "ZLIB" and the size, always in big endian. */
static bool
read_zdebug(struct pd_packed *z)
{
	if (z->size < 12 || memcmp(z->p, "ZLIB", 4) != 0)
		return false;
	z->full = pd_load_u64(z->p + 4,
	    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	z->type = ELFCOMPRESS_ZLIB;
	z->p += 12;
	z->size -= 12;
	return true;
}

bool
pd_packed_open(struct pd_packed *z, const struct pd_elf *e,
    const struct pd_elf_section *s, const uint8_t *bytes)
{
	z->p = bytes;
	z->size = s->size;
	if (!(s->flags & SHF_COMPRESSED ? read_chdr(z, e->is64, e->swapped) :
	    read_zdebug(z)) || z->full == 0)
		return false;
	return z->type == ELFCOMPRESS_ZSTD || (z->type == ELFCOMPRESS_ZLIB &&
	    z->full / MAX_DEFLATE <= z->size);
}

bool
pd_packed_inflate(const struct pd_packed *z, uint8_t *to)
{
	uLongf n = z->full;

	if (z->type == ELFCOMPRESS_ZSTD)
		return ZSTD_decompress(to, z->full, z->p, z->size) == z->full;
	return uncompress(to, &n, z->p, z->size) == Z_OK && n == z->full;
}
