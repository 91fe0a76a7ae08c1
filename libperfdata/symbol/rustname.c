/*
 * Reads the names of Rust functions: here the legacy form, which is a C++
 * nested name whose last part is a hash (symbol_mangling/legacy.rs in rustc),
 * and what the compiler puts around a name.
 */
#include "symbol/rustreader.h"

/* ---- legacy -------------------------------------------------------------- */

static bool
is_lower_hex(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!((s[i] >= '0' && s[i] <= '9') ||
		    (s[i] >= 'a' && s[i] <= 'f')))
			return false;
	return true;
}

/*
 * "h" and 16 digits, many of them different: a C++ name that looks like this
 * by chance is not known (libiberty asks for the same).
 */
static bool
is_hash(const char *s, size_t len)
{
	unsigned seen = 0;
	size_t i;

	if (len != 17 || s[0] != 'h' || !is_lower_hex(s + 1, 16))
		return false;
	for (i = 1; i < len; i++)
		seen |= 1u << digit62(s[i]);
	return __builtin_popcount(seen) >= 5;
}

/* What stands between two '$': false when it means nothing. */
static bool
put_escape(struct reader *r, const char *s, size_t len)
{
	static const char names[][4] = { "SP@", "BP*", "RF&", "LT<", "GT>",
	    "LP(", "RP)" };
	uint64_t c;
	size_t i;

	for (i = 0; len == 2 && i < sizeof(names) / sizeof(names[0]); i++) {
		if (memcmp(s, names[i], 2) == 0) {
			put_mem(r, names[i] + 2, 1);
			return true;
		}
	}
	if (len == 1 && s[0] == 'C') {
		put(r, ",");
		return true;
	}
	if (len < 2 || len > 9 || s[0] != 'u' || !is_lower_hex(s + 1, len - 1))
		return false;
	c = nibbles_value(s + 1, len - 1);
	if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) || c < 0x20 ||
	    (c >= 0x7f && c < 0xa0))
		return false;
	put_utf8(r, (uint32_t)c);
	return true;
}

static void
put_legacy_part(struct reader *r, const char *s, size_t len)
{
	const char *end = s + len, *p;
	size_t n;

	if (len >= 2 && s[0] == '_' && s[1] == '$')
		s++;
	while (s < end) {
		if (*s == '.') {
			n = end - s > 1 && s[1] == '.' ? 2 : 1;
			put(r, n == 2 ? "::" : ".");
			s += n;
		} else if (*s == '$') {
			p = memchr(s + 1, '$', (size_t)(end - s - 1));
			if (p == NULL ||
			    !put_escape(r, s + 1, (size_t)(p - s - 1)))
				break;
			s = p + 1;
		} else {
			for (p = s; p < end && *p != '.' && *p != '$'; p++)
				;
			put_mem(r, s, (size_t)(p - s));
			s = p;
		}
	}
	put_mem(r, s, (size_t)(end - s));
}

/* A length and as much text: unlike in v0, a '_' between them is text. */
static struct ident
read_legacy_part(struct reader *r)
{
	struct ident id = { 0 };

	while (peek(r) >= '0' && peek(r) <= '9' && id.ascii_len <= r->end)
		id.ascii_len = id.ascii_len * 10 + (size_t)(next(r) - '0');
	if (id.ascii_len == 0 || id.ascii_len > r->end - r->pos) {
		r->bad = true;
		return (struct ident){ 0 };
	}
	id.ascii = r->sym + r->pos;
	r->pos += id.ascii_len;
	return id;
}

/* Parts up to E; the last one is a hash. */
static void
read_legacy(struct reader *r)
{
	struct ident id = read_legacy_part(r);
	size_t n;

	for (n = 0; !r->bad && !eat(r, 'E'); n++) {
		put(r, n > 0 ? "::" : "");
		put_legacy_part(r, id.ascii, id.ascii_len);
		id = read_legacy_part(r);
	}
	if (r->bad || n == 0 || !is_hash(id.ascii, id.ascii_len)) {
		r->bad = true;
		return;
	}
	if (r->hashes) {
		put(r, "::");
		put_mem(r, id.ascii, id.ascii_len);
	}
}

/* ---- suffix and interface ------------------------------------------------ */

/* ThinLTO renames what it imports: ".llvm." and a number that says nothing. */
static size_t
cut_llvm(const char *s, size_t len)
{
	static const char llvm[] = ".llvm.";
	const char *p = memmem(s, len, llvm, strlen(llvm)), *q;

	if (p == NULL)
		return len;
	for (q = p + strlen(llvm); q < s + len; q++)
		if (!((*q >= '0' && *q <= '9') || (*q >= 'A' && *q <= 'F') ||
		    *q == '@'))
			return len;
	return (size_t)(p - s);
}

static bool
is_ascii(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (s[i] <= 0x20 || s[i] >= 0x7f)
			return false;
	return true;
}

/* The length of "_ZN" or "_R", 0 when absent; macOS puts one more '_'. */
static size_t
prefix(const char *s, size_t len, const char *mark)
{
	size_t n = strlen(mark), u = strspn(s, "_");

	if ((u != 1 && u != 2) || len <= u + n || memcmp(s + u, mark, n) != 0)
		return 0;
	return u + n;
}

bool
pd_rustname_read(const char *s, size_t len, bool hashes, bool suffix,
    pd_rustname_put *put_text, void *arg)
{
	struct reader r = { .hashes = hashes, .put = put_text, .arg = arg };
	size_t legacy = prefix(s, len, "ZN"), v0 = prefix(s, len, "R");

	if ((legacy == 0 && v0 == 0) || !is_ascii(s, len))
		return false;
	len = cut_llvm(s, len);
	if (len <= (legacy ? legacy : v0))
		return false;
	r.sym = s + (legacy ? legacy : v0);
	r.end = len - (legacy ? legacy : v0);
	if (legacy)
		read_legacy(&r);
	else
		pd_rustv0_read(&r);
	if (!r.bad && r.pos < r.end && r.sym[r.pos] != '.')
		r.bad = true;
	if (suffix)
		put_mem(&r, r.sym + r.pos, r.end - r.pos);
	return !r.bad;
}
