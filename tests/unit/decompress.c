/* What compressed files may do: be whole, be damaged, and grow. */
#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "symbol/decompress.h"
#include "tap.h"

static const char damaged[] = "compressed file is damaged";
static const char too_large[] = "compressed file is too large";

enum format { XZ, GZIP, ZSTD };

/* All of a buffer, compressed; free(3). */
static uint8_t *
pack(enum format how, const void *p, size_t size, size_t *len)
{
	size_t cap = size + size / 2 + 1024;
	uint8_t *buf = malloc(cap);
	z_stream z = { .next_in = (Bytef *)p, .avail_in = (uInt)size,
		.next_out = buf, .avail_out = (uInt)cap };

	*len = 0;
	switch (how) {
	case XZ:
		CHECK(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, p,
		    size, buf, len, cap) == LZMA_OK);
		break;
	case GZIP:
		deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8,
		    Z_DEFAULT_STRATEGY);
		CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
		*len = z.total_out;
		deflateEnd(&z);
		break;
	case ZSTD:
		*len = ZSTD_compress(buf, cap, p, size, 1);
		CHECK(!ZSTD_isError(*len));
		break;
	}
	return buf;
}

static uint8_t *
unpack(const uint8_t *p, size_t size, size_t *len, const char **why)
{
	struct pd_error err;
	uint8_t *out;

	*why = NULL;
	out = pd_decompress(p, size, len, why, &err);
	CHECK(out != NULL || err.code == PD_OK);
	return out;
}

/* At the sizes where the buffer is exactly full, and around them. */
static void
what_was_compressed_comes_back(void)
{
	static const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 131071,
		131072, 131073, 1 << 20 };
	uint8_t *in = malloc(1 << 20), *packed, *out;
	const char *why;
	size_t len, size, i, k;

	for (i = 0; i < 1 << 20; i++)
		in[i] = (uint8_t)(i * i >> 7);
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (k = XZ; k <= ZSTD; k++) {
			packed = pack(k, in, sizes[i], &len);
			out = unpack(packed, len, &size, &why);
			CHECK_STR(why, NULL);
			CHECK(out != NULL && size == sizes[i] &&
			    memcmp(out, in, size) == 0);
			free(out);
			free(packed);
		}
	free(in);
}

static void
a_cut_or_changed_file_is_damaged(void)
{
	uint8_t in[3000], *packed, *cut, *out;
	const char *why;
	size_t len, size, n, k;

	for (n = 0; n < sizeof(in); n++)
		in[n] = (uint8_t)(n * n >> 5);
	for (k = XZ; k <= ZSTD; k++) {
		packed = pack(k, in, sizeof(in), &len);
		for (n = 0; n < len; n++) {
			cut = malloc(n + !n);	/* for AddressSanitizer */
			memcpy(cut, packed, n);
			CHECK(unpack(cut, n, &size, &why) == NULL);
			CHECK_STR(why, damaged);
			free(cut);
		}
		for (n = 0; n < len; n++) {
			packed[n] ^= 0x10;
			out = unpack(packed, len, &size, &why);
			CHECK(out != NULL || why != NULL);
			free(out);
			packed[n] ^= 0x10;
		}
		free(packed);
	}
}

/* 300 MB of zeros become less than 2 MB. */
static void
what_grows_without_end_is_refused(void)
{
	size_t size = 300u << 20, len, k;
	uint8_t *zeros = calloc(size, 1), *packed;
	const char *why;

	for (k = XZ; k <= ZSTD; k++) {
		packed = pack(k, zeros, size, &len);
		CHECK(len < 2u << 20);
		CHECK(unpack(packed, len, &size, &why) == NULL);
		CHECK_STR(why, too_large);
		free(packed);
		size = 300u << 20;
	}
	free(zeros);
}

/* A dictionary of 1 GiB would be allocated before the first byte. */
static void
a_large_dictionary_is_refused(void)
{
	lzma_options_lzma opt;
	lzma_filter filters[] = { { LZMA_FILTER_LZMA2, &opt },
		{ LZMA_VLI_UNKNOWN, NULL } };
	uint8_t buf[1024], *out;
	const char *why;
	size_t len = 0, size, at, end;
	uint32_t crc;

	lzma_lzma_preset(&opt, 0);
	opt.dict_size = 1u << 20;
	CHECK(lzma_stream_buffer_encode(filters, LZMA_CHECK_NONE, NULL,
	    (const uint8_t *)"hello", 5, buf, &len, sizeof(buf)) == LZMA_OK);
	out = unpack(buf, len, &size, &why);
	CHECK(out != NULL && size == 5);
	free(out);
	/* The header of the block, see 3.1 and 5.3.1 of the xz file format. */
	for (at = 14; buf[at] != 0x21 && at < 32; at++)
		;
	buf[at + 2] = 36;			/* 1 GiB */
	end = 12 + buf[12] * 4;
	crc = lzma_crc32(buf + 12, end - 12, 0);
	memcpy(buf + end, &crc, 4);
	CHECK(unpack(buf, len, &size, &why) == NULL);
	CHECK_STR(why, too_large);
}

static void
other_bytes_are_damaged(void)
{
	static const char *const bytes[] = { "", "\037", "\037\213", "BZh9",
		"\175ELF", ("\375" "7zXZ"), "\050\265\057\375" };
	const char *why;
	size_t size, i;

	for (i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
		CHECK(unpack((const uint8_t *)bytes[i], strlen(bytes[i]),
		    &size, &why) == NULL);
		CHECK_STR(why, damaged);
	}
}

int
main(void)
{
	RUN(what_was_compressed_comes_back);
	RUN(a_cut_or_changed_file_is_damaged);
	RUN(what_grows_without_end_is_refused);
	RUN(a_large_dictionary_is_refused);
	RUN(other_bytes_are_damaged);
	return tap_done();
}
