/*
 * Reads the v0 names of Rust: RFC 2603, with constants as in the chapter
 * "Symbol mangling" of the rustc book.  The text is that of the crate
 * rustc-demangle, which rustc's own backtraces use.
 */
#include "symbol/punycode.h"

#include "symbol/rustreader.h"

#define MAX_DEPTH	300	/* nesting; rustc-demangle: 500 */
#define MAX_STEPS	32768	/* parts read, with repeats by back reference */
#define MAX_CHARS	128	/* of one name that is not ASCII */

static void read_path(struct reader *r, bool in_value);
static void read_type(struct reader *r);
static void read_const(struct reader *r, bool in_value);

/* ---- numbers and names --------------------------------------------------- */

/* "_" is 0, "0_" 1, and so on in base 62. */
static uint64_t
read_base62(struct reader *r)
{
	uint64_t v = 0;
	int d;

	if (eat(r, '_'))
		return 0;
	while (!r->bad && !eat(r, '_')) {
		d = digit62(next(r));
		if (d == -1 || __builtin_mul_overflow(v, 62, &v) ||
		    __builtin_add_overflow(v, (uint64_t)d, &v))
			r->bad = true;
	}
	if (v == UINT64_MAX)
		r->bad = true;
	return v + 1;
}

/* A number that may be absent, which is 0. */
static uint64_t
read_optional(struct reader *r, char tag)
{
	return eat(r, tag) ? read_base62(r) + 1 : 0;
}

/* ["u"] decimal-length ["_"] bytes; with u the bytes are Punycode. */
static struct ident
read_ident(struct reader *r)
{
	struct ident id = { 0 };
	bool puny = eat(r, 'u');
	size_t len = 0, i;
	char c = next(r);

	if (c < '0' || c > '9')
		r->bad = true;
	else
		len = (size_t)(c - '0');
	while (c != '0' && peek(r) >= '0' && peek(r) <= '9' && len <= r->end)
		len = len * 10 + (size_t)(next(r) - '0');
	eat(r, '_');
	if (r->bad || len > r->end - r->pos) {
		r->bad = true;
		return id;
	}
	id.ascii = r->sym + r->pos;
	id.ascii_len = len;
	r->pos += len;
	if (!puny)
		return id;
	for (i = len; i > 0 && id.ascii[i - 1] != '_'; i--)
		;
	id.puny = id.ascii + i;
	id.puny_len = len - i;
	id.ascii_len = i > 0 ? i - 1 : 0;
	if (id.puny_len == 0)
		r->bad = true;
	return id;
}

static void
put_ident(struct reader *r, const struct ident *id)
{
	uint32_t chars[MAX_CHARS];
	size_t n, i;

	if (r->bad || r->mute)
		return;
	if (id->puny_len == 0) {
		put_mem(r, id->ascii, id->ascii_len);
		return;
	}
	n = pd_punycode_decode(id->ascii, id->ascii_len, id->puny,
	    id->puny_len, chars, MAX_CHARS);
	for (i = 0; i < n; i++)
		put_utf8(r, chars[i]);
	if (n == 0) {
		put(r, "punycode{");
		if (id->ascii_len > 0) {
			put_mem(r, id->ascii, id->ascii_len);
			put(r, "-");
		}
		put_mem(r, id->puny, id->puny_len);
		put(r, "}");
	}
}

/* ---- pieces -------------------------------------------------------------- */

/* Into a nested part: false when there have been too many. */
static bool
enter(struct reader *r)
{
	if (++r->depth > MAX_DEPTH || ++r->steps > MAX_STEPS)
		r->bad = true;
	return !r->bad;
}

static void
leave(struct reader *r)
{
	r->depth--;
}

/*
 * Behind the letter B: read what stands further left once more.  Nothing is
 * followed while mute, so that reading alone takes linear time.
 */
static void
read_back(struct reader *r, void (*read)(struct reader *r, bool in_value),
    bool in_value)
{
	size_t here = r->pos - 1, after;
	uint64_t target = read_base62(r);

	if (target >= here)
		r->bad = true;
	if (r->bad || r->mute || !enter(r))
		return;
	after = r->pos;
	r->pos = (size_t)target;
	read(r, in_value);
	r->pos = after;
	leave(r);
}

static void
read_type_at(struct reader *r, bool in_value)
{
	(void)in_value;
	read_type(r);
}

/* De Bruijn index: 1 is the innermost lifetime that is bound here. */
static void
put_lifetime(struct reader *r, uint64_t index)
{
	uint64_t n;
	char name[2] = "a";

	if (r->mute)
		return;
	put(r, "'");
	if (index == 0) {
		put(r, "_");
		return;
	}
	if (index > r->lifetimes) {
		r->bad = true;
		return;
	}
	n = r->lifetimes - index;
	name[0] = (char)('a' + n % 26);
	if (n < 26)
		put(r, name);
	else
		put_number(r, "_%llu", n);
}

/* "for<'a, 'b> ", if there are any; returns how many. */
static uint64_t
read_binder(struct reader *r)
{
	uint64_t n = read_optional(r, 'G'), i;

	if (n == 0 || r->bad || r->mute)
		return 0;
	if (n > MAX_STEPS) {
		r->bad = true;
		return 0;
	}
	put(r, "for<");
	for (i = 0; i < n && !r->bad; i++) {
		if (i > 0)
			put(r, ", ");
		r->lifetimes++;
		put_lifetime(r, 1);
	}
	put(r, "> ");
	return i;
}

static void
read_generic_arg(struct reader *r)
{
	if (eat(r, 'L'))
		put_lifetime(r, read_base62(r));
	else if (eat(r, 'K'))
		read_const(r, false);
	else
		read_type(r);
}

static void
read_const_value(struct reader *r)
{
	read_const(r, true);
}

/* Up to the letter E; returns how many there were. */
static size_t
read_list(struct reader *r, void (*read)(struct reader *r), const char *between)
{
	size_t n = 0;

	while (!r->bad && !eat(r, 'E')) {
		if (n++ > 0)
			put(r, between);
		read(r);
	}
	return n;
}

/* ---- paths --------------------------------------------------------------- */

static void
read_crate(struct reader *r)
{
	uint64_t dis = read_optional(r, 's');
	struct ident id = read_ident(r);

	put_ident(r, &id);
	if (r->hashes && dis != 0)
		put_number(r, "[%llx]", dis);
}

/* In upper case namespaces are shown: {closure#0}, {shim:vtable#0}. */
static void
read_nested(struct reader *r, bool in_value)
{
	char ns = next(r), other[2] = { ns, '\0' };
	struct ident id;
	uint64_t dis;

	if (!((ns >= 'a' && ns <= 'z') || (ns >= 'A' && ns <= 'Z')))
		r->bad = true;
	read_path(r, in_value);
	dis = read_optional(r, 's');
	id = read_ident(r);
	if (ns >= 'a') {
		if (id.ascii_len + id.puny_len > 0) {
			put(r, "::");
			put_ident(r, &id);
		}
		return;
	}
	put(r, "::{");
	put(r, ns == 'C' ? "closure" : ns == 'S' ? "shim" : other);
	if (id.ascii_len + id.puny_len > 0) {
		put(r, ":");
		put_ident(r, &id);
	}
	put_number(r, "#%llu}", dis);
}

/* <T>, <T as Trait>; where the impl stands is read, not put. */
static void
read_impl(struct reader *r, char tag)
{
	bool mute = r->mute;

	if (tag != 'Y') {
		read_optional(r, 's');
		r->mute = true;
		read_path(r, false);
		r->mute = mute;
	}
	put(r, "<");
	read_type(r);
	if (tag != 'M') {
		put(r, " as ");
		read_path(r, false);
	}
	put(r, ">");
}

static void
read_path(struct reader *r, bool in_value)
{
	char tag = next(r);

	if (!enter(r))
		return;
	switch (tag) {
	case 'C':
		read_crate(r);
		break;
	case 'N':
		read_nested(r, in_value);
		break;
	case 'M':
	case 'X':
	case 'Y':
		read_impl(r, tag);
		break;
	case 'I':
		read_path(r, in_value);
		put(r, in_value ? "::<" : "<");
		read_list(r, read_generic_arg, ", ");
		put(r, ">");
		break;
	case 'B':
		read_back(r, read_path, in_value);
		break;
	default:
		r->bad = true;
	}
	leave(r);
}

/* ---- types --------------------------------------------------------------- */

static const char *
basic_type(char tag)
{
	static const char *const names[26] = {
		['a' - 'a'] = "i8", ['b' - 'a'] = "bool", ['c' - 'a'] = "char",
		['d' - 'a'] = "f64", ['e' - 'a'] = "str", ['f' - 'a'] = "f32",
		['h' - 'a'] = "u8", ['i' - 'a'] = "isize",
		['j' - 'a'] = "usize", ['l' - 'a'] = "i32",
		['m' - 'a'] = "u32", ['n' - 'a'] = "i128",
		['o' - 'a'] = "u128", ['p' - 'a'] = "_", ['s' - 'a'] = "i16",
		['t' - 'a'] = "u16", ['u' - 'a'] = "()", ['v' - 'a'] = "...",
		['x' - 'a'] = "i64", ['y' - 'a'] = "u64", ['z' - 'a'] = "!",
	};

	return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

static void
read_reference(struct reader *r, bool mutable)
{
	uint64_t lifetime;

	put(r, "&");
	if (eat(r, 'L') && (lifetime = read_base62(r)) != 0) {
		put_lifetime(r, lifetime);
		put(r, " ");
	}
	if (mutable)
		put(r, "mut ");
	read_type(r);
}

/* An ABI is an identifier in which '_' stands for '-'. */
static void
read_abi(struct reader *r)
{
	struct ident id = { .ascii = "C", .ascii_len = 1 };
	size_t i;

	if (!eat(r, 'C')) {
		id = read_ident(r);
		if (id.ascii_len == 0 || id.puny_len > 0)
			r->bad = true;
	}
	put(r, "extern \"");
	for (i = 0; i < id.ascii_len && !r->bad; i++)
		put_mem(r, id.ascii[i] == '_' ? "-" : &id.ascii[i], 1);
	put(r, "\" ");
}

static void
read_fn(struct reader *r)
{
	uint64_t bound = read_binder(r);

	if (eat(r, 'U'))
		put(r, "unsafe ");
	if (eat(r, 'K'))
		read_abi(r);
	put(r, "fn(");
	read_list(r, read_type, ", ");
	put(r, ")");
	if (!eat(r, 'u')) {		/* () */
		put(r, " -> ");
		read_type(r);
	}
	r->lifetimes -= bound;
}

/*
 * The path of a dyn trait, whose generics stay open for the associated types
 * that follow.
 */
static void
read_open_path(struct reader *r, bool *open)
{
	size_t here, after;
	uint64_t target;

	if (eat(r, 'I')) {
		read_path(r, false);
		put(r, "<");
		read_list(r, read_generic_arg, ", ");
		*open = true;
	} else if (eat(r, 'B')) {
		here = r->pos - 1;
		target = read_base62(r);
		if (target >= here)
			r->bad = true;
		if (r->bad || r->mute || !enter(r))
			return;
		after = r->pos;
		r->pos = (size_t)target;
		read_open_path(r, open);
		r->pos = after;
		leave(r);
	} else
		read_path(r, false);
}

static void
read_dyn_trait(struct reader *r)
{
	struct ident id;
	bool open = false;

	read_open_path(r, &open);
	while (eat(r, 'p')) {
		put(r, open ? ", " : "<");
		open = true;
		id = read_ident(r);
		put_ident(r, &id);
		put(r, " = ");
		if (eat(r, 'K'))
			read_const(r, false);
		else
			read_type(r);
	}
	if (open)
		put(r, ">");
}

static void
read_dyn(struct reader *r)
{
	uint64_t bound, lifetime;

	put(r, "dyn ");
	bound = read_binder(r);
	read_list(r, read_dyn_trait, " + ");
	r->lifetimes -= bound;
	if (!eat(r, 'L'))
		r->bad = true;
	lifetime = read_base62(r);
	if (lifetime != 0) {
		put(r, " + ");
		put_lifetime(r, lifetime);
	}
}

/* The pattern of a pattern type: "u32 is 1..=5 | 7..=9". */
static void
read_pattern(struct reader *r)
{
	if (!enter(r))
		return;
	switch (next(r)) {
	case 'R':
		read_const(r, false);
		put(r, "..=");
		read_const(r, false);
		break;
	case 'O':
		if (read_list(r, read_pattern, " | ") == 0)
			r->bad = true;
		break;
	case 'N':
		put(r, "!null");
		break;
	default:
		r->bad = true;
	}
	leave(r);
}

static void
read_compound(struct reader *r, char tag)
{
	switch (tag) {
	case 'R':
	case 'Q':
		read_reference(r, tag == 'Q');
		break;
	case 'P':
	case 'O':
		put(r, tag == 'P' ? "*const " : "*mut ");
		read_type(r);
		break;
	case 'A':
	case 'S':
		put(r, "[");
		read_type(r);
		if (tag == 'A') {
			put(r, "; ");
			read_const(r, true);
		}
		put(r, "]");
		break;
	case 'T':
		put(r, "(");
		put(r, read_list(r, read_type, ", ") == 1 ? ",)" : ")");
		break;
	case 'F':
		read_fn(r);
		break;
	case 'D':
		read_dyn(r);
		break;
	case 'W':
		read_type(r);
		put(r, " is ");
		read_pattern(r);
		break;
	case 'B':
		read_back(r, read_type_at, false);
		break;
	default:
		r->pos--;
		read_path(r, false);
	}
}

static void
read_type(struct reader *r)
{
	const char *basic;
	char tag;

	if (eat(r, 'w'))
		put(r, "#[splat] ");	/* unstable */
	tag = next(r);
	basic = basic_type(tag);
	if (!enter(r))
		return;
	if (basic != NULL)
		put(r, basic);
	else
		read_compound(r, tag);
	leave(r);
}

/* ---- constants ----------------------------------------------------------- */

/* Hexadecimal digits and "_"; returns them without zeros in front. */
static const char *
read_nibbles(struct reader *r, size_t *len, size_t *zeros)
{
	size_t start = r->pos;
	char c;

	while (!r->bad && !eat(r, '_')) {
		c = next(r);
		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			r->bad = true;
	}
	*len = *zeros = 0;
	if (r->bad)
		return "";
	*len = r->pos - 1 - start;
	while (*zeros < *len && r->sym[start + *zeros] == '0')
		(*zeros)++;
	*len -= *zeros;
	return r->sym + start + *zeros;
}

static void
read_integer(struct reader *r, char tag)
{
	size_t len, zeros;
	const char *s = read_nibbles(r, &len, &zeros);

	if (len > 16) {
		put(r, "0x");
		put_mem(r, s - zeros, len + zeros);
	} else
		put_number(r, "%llu", nibbles_value(s, len));
	if (r->hashes)
		put(r, basic_type(tag));
}

static void
put_escaped(struct reader *r, uint32_t c, char quote)
{
	static const char from[] = "\t\r\n\\", to[] = "trn\\";
	const char *p = c != 0 && c < 0x80 ? strchr(from, (int)c) : NULL;
	char e[2] = "\\";

	if (c == 0)
		put(r, "\\0");
	else if (p != NULL || c == (unsigned char)quote) {
		put(r, e);
		put_utf8(r, p ? (uint32_t)to[p - from] : c);
	} else if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		put_number(r, "\\u{%llx}", c);
	else
		put_utf8(r, c);
}

static void
read_char(struct reader *r)
{
	size_t len, zeros;
	const char *s = read_nibbles(r, &len, &zeros);
	uint64_t c = nibbles_value(s, len > 8 ? 0 : len);

	if (len > 8 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		r->bad = true;
	put(r, "'");
	put_escaped(r, (uint32_t)c, '\'');
	put(r, "'");
}

static void
read_bool(struct reader *r)
{
	size_t len, zeros;
	const char *s = read_nibbles(r, &len, &zeros);

	if (len > 1 || (len == 1 && *s != '1'))
		r->bad = true;
	put(r, len == 1 ? "true" : "false");
}

/* The next character of UTF-8 in hexadecimal; false when it is not UTF-8. */
static bool
hex_utf8(const char **s, const char *end, uint32_t *out)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	uint32_t b = (uint32_t)nibbles_value(*s, 2), c;
	int more, i;

	more = b < 0x80 ? 0 : b >> 5 == 6 ? 1 : b >> 4 == 14 ? 2 :
	    b >> 3 == 30 ? 3 : -1;
	*s += 2;
	if (more == -1 || end - *s < 2 * more)
		return false;
	c = more == 0 ? b : b & (0x3f >> more);
	for (i = 0; i < more; i++, *s += 2) {
		b = (uint32_t)nibbles_value(*s, 2);
		if (b >> 6 != 2)
			return false;
		c = c << 6 | (b & 0x3f);
	}
	*out = c;
	return c >= least[more] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
}

static void
read_string(struct reader *r)
{
	size_t len, zeros;
	const char *s = read_nibbles(r, &len, &zeros), *end = s + len;
	uint32_t c;

	s -= zeros;
	if ((end - s) % 2 != 0)
		r->bad = true;
	put(r, "\"");
	while (!r->bad && s < end) {
		if (hex_utf8(&s, end, &c))
			put_escaped(r, c, '"');
		else
			r->bad = true;
	}
	put(r, "\"");
}

static void
read_field(struct reader *r)
{
	struct ident id;

	read_optional(r, 's');
	id = read_ident(r);
	put_ident(r, &id);
	put(r, ": ");
	read_const(r, true);
}

/* A value of a struct or enum: unit, tuple-like or with named fields. */
static void
read_adt(struct reader *r)
{
	read_path(r, true);
	switch (next(r)) {
	case 'U':
		break;
	case 'T':
		put(r, "(");
		read_list(r, read_const_value, ", ");
		put(r, ")");
		break;
	case 'S':
		put(r, " { ");
		read_list(r, read_field, ", ");
		put(r, " }");
		break;
	default:
		r->bad = true;
	}
}

/* An expression, which is in braces where a generic argument is expected. */
static void
read_expression(struct reader *r, char tag)
{
	switch (tag) {
	case 'e':
		put(r, "*");
		read_string(r);
		break;
	case 'R':
	case 'Q':
		put(r, tag == 'R' ? "&" : "&mut ");
		read_const(r, true);
		break;
	case 'A':
		put(r, "[");
		read_list(r, read_const_value, ", ");
		put(r, "]");
		break;
	case 'T':
		put(r, "(");
		put(r, read_list(r, read_const_value, ", ") == 1 ? ",)" : ")");
		break;
	case 'V':
		read_adt(r);
		break;
	default:
		r->bad = true;
	}
}

static void
read_const(struct reader *r, bool in_value)
{
	char tag = next(r);

	if (!enter(r))
		return;
	if (tag == 'p')
		put(r, "_");
	else if (tag == 'b')
		read_bool(r);
	else if (tag == 'c')
		read_char(r);
	else if (strchr("htmyoj", tag) != NULL)
		read_integer(r, tag);
	else if (strchr("aslxni", tag) != NULL) {
		if (eat(r, 'n'))
			put(r, "-");
		read_integer(r, tag);
	} else if (tag == 'B')
		read_back(r, read_const, in_value);
	else if (tag == 'R' && eat(r, 'e'))
		read_string(r);
	else {
		put(r, in_value ? "" : "{");
		read_expression(r, tag);
		put(r, in_value ? "" : "}");
	}
	leave(r);
}

/* The crate that instantiated a generic function follows, and is not put. */
void
pd_rustv0_read(struct reader *r)
{
	if (peek(r) < 'A' || peek(r) > 'Z')
		r->bad = true;
	read_path(r, true);
	r->mute = true;
	if (peek(r) >= 'A' && peek(r) <= 'Z')
		read_path(r, false);
	r->mute = false;
}
