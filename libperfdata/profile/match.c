/*
 * Takes from names what differs from build to build: hashes, numbers of clones
 * and of closures, addresses.  Every rule only cuts, so it works in place.
 */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "profile/match.h"

static bool
is_hex(char c)
{
	return isdigit((unsigned char)c) || (c >= 'a' && c <= 'f');
}

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' ||
	    (unsigned char)c >= 0x80;
}

static size_t
digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* Take s[from..to) out. */
static void
cut(char *from, const char *to)
{
	memmove(from, to, strlen(to) + 1);
}

/* ---- addr ---------------------------------------------------------------- */

/* "0x7f12", "[0x7f12]" or "7f1234567890", as tools write what has no name. */
static bool
is_address(const char *s)
{
	size_t n, bracket = s[0] == '[';
	bool hex = pd_starts(s + bracket, "0x");

	s += bracket + 2 * hex;
	n = strspn(s, "0123456789abcdefABCDEF");
	if (n == 0 || (!hex && n < 8) || strcmp(s + n, bracket ? "]" : "") != 0)
		return false;
	/* "deadbeef" may be a name, what begins with a digit is none. */
	return hex || isdigit((unsigned char)*s);
}

/* "[libc.so.6 <7f12>]" is "[libc.so.6]". */
static void
drop_address(char *s)
{
	char *open = strrchr(s, '<');
	size_t n;

	if (is_address(s)) {
		strcpy(s, "[unknown]");
		return;
	}
	if (s[0] != '[' || open == NULL || open[-1] != ' ')
		return;
	n = strspn(open + 1, "0123456789abcdef");
	if (n > 0 && strcmp(open + 1 + n, ">]") == 0)
		cut(open - 1, open + 1 + n + 1);
}

/* ---- rusthash ------------------------------------------------------------ */

/* The legacy "::h0123456789abcdef" at the end. */
static void
drop_legacy_hash(char *s)
{
	size_t len = strlen(s), i;
	char *p = s + len - 19;

	if (len <= 19 || !pd_starts(p, "::h"))
		return;
	for (i = 3; i < 19; i++)
		if (!is_hex(p[i]))
			return;
	*p = '\0';
}

/* v0's "[0123456789abcdef]" behind the name of a crate. */
static void
drop_disambiguators(char *s)
{
	char *out = s, *in = s;
	size_t n;

	while (*in != '\0') {
		for (n = 1; *in == '[' && n < 18 && is_hex(in[n]); n++)
			;
		if (n > 8 && n <= 17 && in > s && is_word(in[-1]) &&
		    in[n] == ']')
			in += n + 1;
		else
			*out++ = *in++;
	}
	*out = '\0';
}

/* The same of a name that is not demangled: "_RNvCs1234_5crate". */
static void
drop_mangled_disambiguator(char *s)
{
	char *out = s, *in = s;
	size_t n;

	if (!pd_starts(s, "_R"))
		return;
	while (*in != '\0') {
		/* 's', a number of base 62, '_', and the length of a name */
		for (n = 1; *in == 's' && in[-1] == 'C' && n < 16 &&
		    isalnum((unsigned char)in[n]); n++)
			;
		if (n > 1 && in[n] == '_' && isdigit((unsigned char)in[n + 1]))
			in += n + 1;
		else
			*out++ = *in++;
	}
	*out = '\0';
}

/* ---- clone --------------------------------------------------------------- */

/* Whether ".what" is a suffix of a compiler, perhaps with a number. */
static bool
is_clone(const char *dot)
{
	static const char *const suffixes[] = { "constprop", "isra", "part",
		"cold", "lto_priv", "localalias", "llvm", "__uniq", "clone",
		"resolver", "" };
	const char *s = dot + 1;
	size_t i, n;

	for (i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		n = strlen(suffixes[i]);
		if (strncmp(s, suffixes[i], n) != 0)
			continue;
		if (n > 0 && s[n] == '\0')
			return true;
		if (n > 0 && s[n] != '.')
			continue;
		n += n > 0;
		if (digits(s + n) > 0 && s[n + digits(s + n)] == '\0')
			return true;
	}
	return false;
}

/* The last c of s[0..len), if it is near the end. */
static char *
last_of(char *s, size_t len, char c)
{
	size_t far = len < 64 ? len : 64;

	return memrchr(s + len - far, c, far);
}

/* ".isra.0" is one suffix of two dots: the longest that fits goes first. */
static char *
clone_suffix(char *s, size_t len)
{
	char *last = last_of(s, len, '.'), *before;

	if (last == NULL || last == s)
		return NULL;
	before = last_of(s, (size_t)(last - s), '.');
	if (before != NULL && before > s && is_clone(before))
		return before;
	return is_clone(last) ? last : NULL;
}

/* " [clone .isra.0]", as libiberty writes it */
static char *
clone_note(char *s, size_t len)
{
	char *open = s[len - 1] == ']' ? last_of(s, len, '[') : NULL;

	return open != NULL && open > s + 1 && open[-1] == ' ' &&
	    pd_starts(open, "[clone ") ? open - 1 : NULL;
}

static void
drop_clones(char *s)
{
	size_t len = strlen(s);
	char *end;

	/* Closures of Go are numbered with dots, too. */
	if (strstr(s, ".func") != NULL)
		return;
	while ((end = clone_note(s, len)) != NULL ||
	    (end = clone_suffix(s, len)) != NULL) {
		*end = '\0';
		len = (size_t)(end - s);
	}
}

/* ---- version ------------------------------------------------------------- */

/* "memcpy@@GLIBC_2.14"; "memcpy@plt" is other code. */
static void
drop_version(char *s)
{
	char *at = strchr(s + 1, '@');

	if (at != NULL && strchr(s, ' ') == NULL &&
	    (isupper((unsigned char)at[1]) || at[1] == '@'))
		*at = '\0';
}

/* ---- closure ------------------------------------------------------------- */

/* Drop the number behind each `before`, and its '#', when `after` follows. */
static void
drop_numbers(char *s, const char *before, const char *after)
{
	size_t len = strlen(before), n;
	char *out = s, *in = s;

	while (*in != '\0') {
		if (pd_starts(in, before) && (n = digits(in + len)) > 0 &&
		    pd_starts(in + len + n, after)) {
			memmove(out, in, len);
			out += len - (before[len - 1] == '#');
			in += len + n;
		} else {
			*out++ = *in++;
		}
	}
	*out = '\0';
}

/* "main.main.func1.2" is "main.main.func" */
static void
drop_go_numbers(char *s)
{
	static const char func[] = ".func";
	char *out = s, *in = s, *end;

	while (*in != '\0') {
		if (!pd_starts(in, func) || in == s) {
			*out++ = *in++;
			continue;
		}
		memmove(out, in, sizeof(func) - 1);
		out += sizeof(func) - 1;
		in += sizeof(func) - 1;
		for (end = in + digits(in); end > in && *end == '.' &&
		    digits(end + 1) > 0; end += 1 + digits(end + 1))
			;
		if (*end == '\0' || *end == '.')
			in = end;
	}
	*out = '\0';
}

static void
drop_closure_numbers(char *s)
{
	drop_numbers(s, "{closure#", "}");
	drop_numbers(s, "{closure_env#", "}");
	drop_numbers(s, "{async_fn_env#", "}");
	drop_numbers(s, "{impl#", "}");
	drop_numbers(s, "{shim:vtable#", "}");
	drop_numbers(s, "'lambda", "'");
	drop_numbers(s, "{lambda#", "}");
	drop_numbers(s, ")#", "}");		/* {lambda(int)#1} */
	drop_numbers(s, "{unnamed type#", "}");
	drop_numbers(s, "$_", "");
	drop_go_numbers(s);
}

/* ---- tmpl, jit: loose ---------------------------------------------------- */

/* "operator<<" and the like end behind the operator; 0: none is here. */
static size_t
operator_at(const char *s, const char *start)
{
	static const char *const ops[] = { "<=>", "<<=", ">>=", "->*", "<<",
		">>", "<=", ">=", "->", "<", ">", "()", "" };
	size_t i;

	if (!pd_starts(s, "operator") || (s > start && is_word(s[-1])))
		return 0;
	for (i = 0; *ops[i] != '\0'; i++)
		if (pd_starts(s + 8, ops[i]))
			return 8 + strlen(ops[i]);
	return 8;
}

/* What closes the bracket at s, or NULL. */
static char *
closing(char *s, char open, char close)
{
	int depth = 0;

	for (; *s != '\0'; s++) {
		if (*s == '-' && s[1] == '>')
			s++;
		else if (*s == open)
			depth++;
		else if (*s == close && --depth == 0)
			return s;
	}
	return NULL;
}

/*
 * Arguments follow a name; "<T as Trait>" begins one, and stays.  A bracket
 * that nothing closes ends the search.
 */
static void
drop_arguments(char *s)
{
	char *out = s, *in = s, *end;
	size_t n;

	while (*in != '\0') {
		if ((n = operator_at(in, s)) > 0) {
			memmove(out, in, n);
			out += n;
			in += n;
			continue;
		}
		if (*in == '<' && in > s && (is_word(in[-1]) ||
		    in[-1] == ':')) {
			if ((end = closing(in, '<', '>')) == NULL)
				break;
			*out++ = *in;
			in = end;
		}
		*out++ = *in++;
	}
	memmove(out, in, strlen(in) + 1);
}

/* "f(int) const" is "f"; "(anonymous namespace)" and "(*T)" are no lists. */
static void
drop_parameters(char *s)
{
	char *p = s, *end;
	size_t n;

	while (*p != '\0') {
		if ((n = operator_at(p, s)) > 0) {
			p += n;
			continue;
		}
		if (*p != '(') {
			p++;
			continue;
		}
		if ((end = closing(p, '(', ')')) == NULL)
			return;
		if (p > s && (is_word(p[-1]) ||
		    strchr(">)<=+-*/%&|^!~[]", p[-1]) != NULL) &&
		    (end[1] == '\0' || strcmp(end + 1, " const") == 0)) {
			*p = '\0';
			return;
		}
		p = end + 1;
	}
}

/* "$$Lambda$733/0x0000000840066840" */
static void
drop_jit_numbers(char *s)
{
	char *p = strstr(s, "$$Lambda"), *end;

	if (p == NULL)
		return;
	p += 8;
	end = p + strspn(p, "$0123456789");
	if (pd_starts(end, "/0x"))
		end += 3 + strspn(end + 3, "0123456789abcdef");
	cut(p, end);
}

/* ---- all ----------------------------------------------------------------- */

/* The mark of a kind of frame is no part of its name: "_[k]". */
static size_t
mark_len(const char *s, size_t len)
{
	return len > 4 && s[len - 4] == '_' && s[len - 3] == '[' &&
	    strchr("kij", s[len - 2]) != NULL && s[len - 1] == ']' ? 4 : 0;
}

void
pd_match_name(char *s, unsigned rules)
{
	size_t len = strlen(s), mark = mark_len(s, len);
	char saved[5] = "";

	if (rules == 0 || len == 0)
		return;
	memcpy(saved, s + len - mark, mark);
	s[len - mark] = '\0';
	if (rules & PD_MATCH_ADDR)
		drop_address(s);
	if (s[0] != '[') {
		if (rules & PD_MATCH_CLONE)
			drop_clones(s);
		if (rules & PD_MATCH_VERSION)
			drop_version(s);
		if (rules & PD_MATCH_RUSTHASH) {
			drop_legacy_hash(s);
			drop_disambiguators(s);
			drop_mangled_disambiguator(s);
		}
		if (rules & PD_MATCH_CLOSURE)
			drop_closure_numbers(s);
		if (rules & PD_MATCH_JIT)
			drop_jit_numbers(s);
		if (rules & PD_MATCH_TMPL) {
			drop_arguments(s);
			drop_parameters(s);
		}
	}
	strcat(s, saved);
}
