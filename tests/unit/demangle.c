/* Readable names: real ones against other programs, and hostile ones. */
#include <stdlib.h>
#include <time.h>

#include "symbol/demangle.h"
#include "tap.h"

static struct pd_demangler d;

static const char *
shown(const char *name, enum pd_demangle mode)
{
	struct pd_error err;

	return pd_demangle(&d, name, mode, &err);
}

/*
 * testdata/symbol-names.tsv: a name, what perf (C++) or rustc-demangle's {:#}
 * (Rust) make of it, and what c++filt does.
 */
static void
real_names_read_as_elsewhere(void)
{
	const char *dir = getenv("TESTDATA");
	char path[4096], *line = NULL, *name, *brief, *full;
	size_t cap = 0, n = 0, bad = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/symbol-names.tsv",
	    dir ? dir : "testdata");
	f = fopen(path, "r");
	if (!CHECK(f != NULL))
		return;
	while (getline(&line, &cap, f) > 0) {
		name = strtok(line, "\t");
		brief = strtok(NULL, "\t");
		full = strtok(NULL, "\n");
		if (!CHECK(full != NULL))
			break;
		n++;
		if (strcmp(shown(name, PD_DEMANGLE_SHORT), brief) != 0 ||
		    strcmp(shown(name, PD_DEMANGLE_FULL), full) != 0) {
			if (bad++ < 5)
				printf("# %s\n#  %s\n", name, brief);
		}
	}
	CHECK(n > 1000);
	CHECK_EQ(bad, 0);
	free(line);
	fclose(f);
}

struct want {
	const char	*name, *brief, *full;
};

static void
check(const struct want *w, size_t n)
{
	for (; n > 0; n--, w++) {
		CHECK_STR(shown(w->name, PD_DEMANGLE_SHORT), w->brief);
		CHECK_STR(shown(w->name, PD_DEMANGLE_FULL), w->full);
		CHECK(shown(w->name, PD_DEMANGLE_NONE) == w->name);
	}
}

#define CHECK_NAMES(table) check(table, sizeof(table) / sizeof(*(table)))

static void
cxx_short_names_lose_parameters_only(void)
{
	static const struct want names[] = {
		{ "_ZN1N1VISt6vectorIPFiiESaIS3_EEE2goES5_S3_",
		  "N::V<std::vector<int (*)(int), "
		  "std::allocator<int (*)(int)> > >::go",
		  "N::V<std::vector<int (*)(int), std::allocator<int (*)(int)>"
		  " > >::go(std::vector<int (*)(int), std::allocator<int (*)"
		  "(int)> >, int (*)(int))" },
		{ "_ZN1N1TclEi", "N::T::operator()", "N::T::operator()(int)" },
		{ "_ZN12_GLOBAL__N_14anonEi", "(anonymous namespace)::anon",
		  "(anonymous namespace)::anon(int)" },
		{ "_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()",
		  "main::{lambda(int)#1}::operator()(int) const" },
	};

	CHECK_NAMES(names);
}

static void
suffixes_and_stubs(void)
{
	static const struct want names[] = {
		{ "_Z3fooi.cold", "foo", "foo(int) [clone .cold]" },
		{ "_Z3fooi.llvm.123", "foo", "foo(int) [clone .llvm.123]" },
		{ "_Z3fooi@plt", "foo@plt", "foo(int)@plt" },
		{ "foo.constprop.0", "foo.constprop.0", "foo.constprop.0" },
		{ "clock_gettime@plt", "clock_gettime@plt",
		  "clock_gettime@plt" },
		{ "_ZN3foo3bar17h05af221e174051e9E.llvm.1234ABCD", "foo::bar",
		  "foo::bar::h05af221e174051e9" },
		{ "_ZN3foo3bar17h05af221e174051e9E.cold", "foo::bar.cold",
		  "foo::bar::h05af221e174051e9" },
		{ "_RNvC1a1b.llvm.9D1C9369", "a::b", "a[0]::b" },
		{ "_RNvC1a1b.llvm.9D1C9369.cold", "a::b.cold", "a[0]::b" },
		{ "_RNvC1a1b.llvm.9D1C9369@@16", "a::b", "a[0]::b" },
		{ "_RNvC1a1b.cold.1", "a::b.cold.1", "a[0]::b" },
		{ "_RNvC1a1b@plt", "a::b@plt", "a[0]::b@plt" },
	};

	CHECK_NAMES(names);
	d.perf_compat = true;
	CHECK_STR(shown("_RNvC1a1b.cold.1", PD_DEMANGLE_SHORT), "a::b");
	d.perf_compat = false;
}

static void
rust_names_lose_hashes(void)
{
	static const struct want names[] = {
		{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar",
		  "mycrate[3c1c0]::foo::bar" },
		{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo.."
		  "Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
		  "<Test + 'static as foo::Bar<Test>>::bar",
		  "<Test + 'static as foo::Bar<Test>>::bar::h930b740aa94f1d3a" },
	};

	CHECK_NAMES(names);
}

/* From the documents of the v0 mangling. */
static void
rust_v0_grammar(void)
{
	static const struct want names[] = {
		{ "_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_",
		  "cc::spawn::{closure#0}::{closure#0}",
		  "cc[4d6468d6c9fd4bb3]::spawn::{closure#0}::{closure#0}" },
		{ "_RMCs4fqI2P2rA04_13const_genericINtB0_8UnsignedKhb_E",
		  "<const_generic::Unsigned<11>>",
		  "<const_generic[317d481089b8c8fe]::Unsigned<11: u8>>" },
		{ "_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh"
		  "9hlq6y", "utf8_idents::\u10e1\u10d0\u10ed\u10db\u10d4\u10da"
		  "\u10d0\u10d3_\u10d2\u10d4\u10db\u10e0\u10d8\u10d4\u10da"
		  "\u10d8_\u10e1\u10d0\u10d3\u10d8\u10da\u10d8",
		  "utf8_idents[317d481089b8c8fe]::\u10e1\u10d0\u10ed\u10db"
		  "\u10d4\u10da\u10d0\u10d3_\u10d2\u10d4\u10db\u10e0\u10d8"
		  "\u10d4\u10da\u10d8_\u10e1\u10d0\u10d3\u10d8\u10da\u10d8" },
	};

	CHECK_NAMES(names);
}

static void
other_names_stay_as_they_are(void)
{
	static const char *const names[] = { "", "_", "_Z", "_ZN", "_R", "main",
		"_init", "RAND_bytes", "R", "ZN3foo17hE", "@plt",
		"@", "_Zfoo", "$x", "_RAND" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		CHECK_STR(shown(names[i], PD_DEMANGLE_SHORT), names[i]);
		CHECK_STR(shown(names[i], PD_DEMANGLE_FULL), names[i]);
	}
}

/* A hash has many different digits. */
static void
a_cxx_name_like_a_rust_one_is_cxx(void)
{
	CHECK_STR(shown("_ZN3foo17h0000000000000000E", PD_DEMANGLE_SHORT),
	    "foo::h0000000000000000");
}

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* head, n times middle, tail; free(3) */
static char *
build(const char *head, const char *middle, size_t n, const char *tail)
{
	size_t m = strlen(middle), len = strlen(head);
	char *s = malloc(len + n * m + strlen(tail) + 1);

	strcpy(s, head);
	for (size_t i = 0; i < n; i++)
		memcpy(s + len + i * m, middle, m);
	strcpy(s + len + n * m, tail);
	return s;
}

static void
hostile_names_cost_little(void)
{
	static const struct {
		const char	*head, *middle, *tail;
		size_t		n;
	} bad[] = {
		{ "_Z3foo", "P", "i", 200000 },
		{ "_Z1f", "1a", "", 400 },
		{ "_ZN", "1a", "E", 500000 },
		{ "_ZN", "1a", "17h05af221e174051e9E", 500000 },
		{ "_RNvC1a", "1b", "", 1000000 },
		{ "_R", "Nv", "C1a1b", 500000 },
		{ "_RIC0", "T", "", 1000000 },
		{ "_RIC0", "FG_", "", 300000 },
		{ "_RIC0FGzzzzz_uE", "u", "E", 10 },
		/* Each pair repeats all before it twice. */
		{ "_RIC0TThhETB5_B5_ETBa_Ba_ETBg_Bg_ETBm_Bm_ETBs_Bs_ETBy_By_E"
		  "TBE_BE_ETBK_BK_ETBQ_BQ_ETBW_BW_ETB12_B12_ETB1a_B1a_E"
		  "TB1i_B1i_ETB1q_B1q_ETB1y_B1y_ETB1G_B1G_ETB1O_B1O_E", "",
		  "EE", 0 },
		{ "_ZSt3fooISt4pairI", "S0_S0_", "E", 150 },
		{ "_ZN1aI", "S_", "EE", 400 },
		{ "_Z", "St", "", 300000 },
		{ "_RNCC1a", "u", "", 1000 },
		{ "_RNvCu99999999999999999999_", "z", "1b", 1000 },
		{ "_RNvC1au200_abc_", "9", "1b", 195 },
	};
	double start = seconds();

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char *s = build(bad[i].head, bad[i].middle, bad[i].n,
		    bad[i].tail);

		CHECK(shown(s, PD_DEMANGLE_SHORT) != NULL);
		CHECK(shown(s, PD_DEMANGLE_FULL) != NULL);
		CHECK(d.cap <= 256 * 1024);
		free(s);
	}
	CHECK(seconds() - start < 30);	/* else years */
}

/* Every beginning of a name is a name or is not, but never a crash. */
static void
names_cut_anywhere(void)
{
	static const char *const names[] = {
		"_RINvNvMNtCs1234_3foo3barINtB4_3BazpE4quuxDG_INtC1a1bL0_EL_E",
		"_ZN71_$LT$Test$u20$as$u20$foo..Bar$GT$3bar17h930b740aa94f1d3aE",
		"_ZN1N1VISt6vectorIPFiiESaIS3_EEE2goES5_S3_",
		"_RIC0KVNtC3foo3BarS1xRe616263_1yc76_EE.cold",
		"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh",
	};
	char buf[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		for (size_t n = 0; n <= strlen(names[i]); n++) {
			memcpy(buf, names[i], n);
			buf[n] = '\0';
			CHECK(shown(buf, PD_DEMANGLE_SHORT) != NULL);
			CHECK(shown(buf, PD_DEMANGLE_FULL) != NULL);
		}
	}
}

int
main(void)
{
	RUN(real_names_read_as_elsewhere);
	RUN(cxx_short_names_lose_parameters_only);
	RUN(suffixes_and_stubs);
	RUN(rust_names_lose_hashes);
	RUN(rust_v0_grammar);
	RUN(other_names_stay_as_they_are);
	RUN(a_cxx_name_like_a_rust_one_is_cxx);
	RUN(hostile_names_cost_little);
	RUN(names_cut_anywhere);
	pd_demangler_free(&d);
	return tap_done();
}
