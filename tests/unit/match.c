/* Names of one function in two builds become one; other functions stay two. */
#include "profile/match.h"
#include "tap.h"

static void
check(unsigned rules, const char *name, const char *want)
{
	char buf[256];

	snprintf(buf, sizeof(buf), "%s", name);
	pd_match_name(buf, rules);
	CHECK_STR(buf, want);
}

#define NORM(name, want)	check(PD_MATCH_NORM, name, want)
#define KEPT(name)		check(PD_MATCH_NORM, name, name)

static void
hashes_of_rust_go(void)
{
	NORM("app::m::work::h3a810ec202ef5dd4", "app::m::work");
	NORM("app::m::work::h89a5dba09f6d8c67.llvm.1234", "app::m::work");
	KEPT("app::m::work::hash");
	KEPT("app::m::work::h3a810ec202ef5ddX");
	NORM("std[f6c6b8ea5b4a7e62]::rt::lang_start",
	    "std::rt::lang_start");
	NORM("<alloc[1234567890abcdef]::vec::Vec<u8> as core[fedcba0987654321]"
	    "::ops::Drop>::drop",
	    "<alloc::vec::Vec<u8> as core::ops::Drop>::drop");
	NORM("_RNvCs1234abCD_7mycrate3foo", "_RNvC7mycrate3foo");
	KEPT("sum(int const [16])");
	check(PD_MATCH_NORM & ~PD_MATCH_RUSTHASH,
	    "app::m::work::h3a810ec202ef5dd4",
	    "app::m::work::h3a810ec202ef5dd4");
}

static void
suffixes_of_compilers_go(void)
{
	NORM("f.constprop.0", "f");
	NORM("f.isra.0.part.1.cold", "f");
	NORM("f.part.0.cold.7", "f");
	NORM("f.lto_priv.12.localalias", "f");
	NORM("f.llvm.12345678901234567890", "f");
	NORM("f.__uniq.123.llvm.4", "f");
	NORM("f.1234", "f");
	NORM("ns::f(int) [clone .isra.0] [clone .cold]", "ns::f(int)");
	KEPT("f.cold_path");
	KEPT("f.partial");
	KEPT(".cold");
	KEPT(".0");
	check(PD_MATCH_NORM & ~PD_MATCH_CLONE, "f.isra.0", "f.isra.0");
}

static void
versions_of_symbols_go(void)
{
	NORM("clock_nanosleep@GLIBC_2.2.5", "clock_nanosleep");
	NORM("memcpy@@GLIBC_2.14", "memcpy");
	KEPT("memcpy@plt");
	KEPT("render@app.js");
	KEPT("@GLIBC");
	check(PD_MATCH_NORM & ~PD_MATCH_VERSION, "f@V_1", "f@V_1");
}

static void
closures_lose_their_number(void)
{
	NORM("app::main::{closure#0}", "app::main::{closure}");
	NORM("app::main::{{closure}}", "app::main::{{closure}}");
	NORM("f()::{lambda(int)#2}::operator()(int) const",
	    "f()::{lambda(int)}::operator()(int) const");
	NORM("f()::'lambda0'(int)", "f()::'lambda'(int)");
	NORM("f()::$_0::operator()", "f()::$_::operator()");
	NORM("main.main.func1", "main.main.func");
	NORM("main.(*T).run.func12.3.1", "main.(*T).run.func");
	NORM("main.main.func1.deep", "main.main.func.deep");
	KEPT("main.function1");
	check(PD_MATCH_NORM & ~PD_MATCH_CLOSURE, "a::{closure#3}",
	    "a::{closure#3}");
}

static void
addresses_are_unknown(void)
{
	NORM("0x7f12ab", "[unknown]");
	NORM("[0x1]", "[unknown]");
	NORM("7f1234567890", "[unknown]");
	NORM("[libc.so.6 <7f12ab>]", "[libc.so.6]");
	NORM("[unknown <7f12ab>]", "[unknown]");
	KEPT("[libc.so.6]");
	KEPT("[kernel.kallsyms]");
	KEPT("deadbeef");
	KEPT("0x");
	KEPT("1234");
	check(PD_MATCH_NORM & ~PD_MATCH_ADDR, "0x7f12ab", "0x7f12ab");
}

static void
marks_stay(void)
{
	NORM("f.isra.0_[k]", "f_[k]");
	NORM("a::b::h0123456789abcdef_[i]", "a::b_[i]");
	NORM("0x12_[j]", "[unknown]_[j]");
	KEPT("_[k]");
}

static void
loose_matching_drops_arguments(void)
{
	check(PD_MATCH_LOOSE, "a<b<c>>::f", "a<>::f");
	check(PD_MATCH_LOOSE, "operator<<", "operator<<");
	check(PD_MATCH_LOOSE, "std::operator<< <char>(std::ostream&)",
	    "std::operator<< <char>");
	check(PD_MATCH_LOOSE, "v::operator()(int) const", "v::operator()");
	check(PD_MATCH_LOOSE, "p<T>::operator->() const", "p<>::operator->");
	check(PD_MATCH_LOOSE, "f(int, g<h>(i))", "f");
	check(PD_MATCH_LOOSE, "(anonymous namespace)::f(int)",
	    "(anonymous namespace)::f");
	check(PD_MATCH_LOOSE, "net/http.(*conn).serve",
	    "net/http.(*conn).serve");
	check(PD_MATCH_LOOSE, "<Vec<u8> as Drop>::drop",
	    "<Vec<> as Drop>::drop");
	check(PD_MATCH_LOOSE, "Foo$$Lambda$733/0x0000000840066840.run",
	    "Foo$$Lambda.run");
	check(PD_MATCH_LOOSE, "f<a", "f<a");
	check(PD_MATCH_LOOSE, "f(a", "f(a");
	KEPT("a<b<c>>::f(int)");
}

static void
exact_matching_leaves_all(void)
{
	check(0, "f.isra.0", "f.isra.0");
	check(0, "0x12", "0x12");
	check(PD_MATCH_LOOSE, "", "");
}

int
main(void)
{
	RUN(hashes_of_rust_go);
	RUN(suffixes_of_compilers_go);
	RUN(versions_of_symbols_go);
	RUN(closures_lose_their_number);
	RUN(addresses_are_unknown);
	RUN(marks_stay);
	RUN(loose_matching_drops_arguments);
	RUN(exact_matching_leaves_all);
	return tap_done();
}
