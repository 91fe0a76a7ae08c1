#!/usr/bin/env python3
"""Inlined functions and lines are those that addr2line and llvm-addr2line find.

Programs are compiled here with each kind of debug information that there are
tools for, and addresses all over their code are looked up.  With arguments,
these files are compared instead, at more addresses.

What may differ:
  - Where the DWARF has no linkage name (GCC writes none for what has a lambda
    in its type) addr2line prints the last part of the name, ours is qualified.
  - For the innermost function, if it has no linkage name, GNU addr2line prints
    the name of the ELF symbol at the address, which is another function's.
  - The outermost function is not compared: there the others prefer symbols.
  - After link-time optimisation GNU addr2line has some lines of the file
    "<artificial>" that llvm-addr2line has of the real one.
In the debug file of glibc GNU addr2line names the file of the unit instead of
the one that it includes, so pass it no such file: llvm-addr2line agrees.
GNU addr2line 2.40 finds nothing in .dwo, behind the type units of DWARF 5, or
in ranges by index (clang, DWARF 5), and not all in what dwz(1) shared:
llvm-addr2line 14 is the judge there.  It does not follow .gnu_debugaltlink.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.abspath(__file__ + "/../../..")
BIN = os.environ.get("PD_BIN", TOP + "/build/gcc/bin")
TESTS = os.environ.get("PD_TESTS", os.path.dirname(BIN) + "/tests")
CC = os.environ.get("CC", "gcc")

CXX_SOURCE = r"""
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>
namespace { namespace in {
struct Point { long x, y; long dot(const Point &o) const { return x * o.x + y * o.y; } };
} }
namespace app {
template <class F> long each(const std::vector<long> &v, F f)
{ long s = 0; for (long x : v) s += f(x); return s; }
struct Base { virtual ~Base() {} virtual long area(long) const = 0; };
template <int N> struct Shape : Base {
	long area(long x) const override {
		in::Point p{x, N}, q{N, x};
		std::vector<long> v(N + 3, x);
		return p.dot(q) + each(v, [&](long e) { return e * p.x; });
	}
};
struct Cache {
	std::map<std::string, long> m;
	long get(const std::string &k) {
		auto it = m.find(k);
		return it != m.end() ? it->second : (m[k] = (long)k.size());
	}
};
}
int main(int argc, char **)
{
	std::vector<std::unique_ptr<app::Base>> v;
	v.emplace_back(new app::Shape<1>); v.emplace_back(new app::Shape<9>);
	app::Cache c; long s = 0;
	for (int i = 0; i < argc * 10; i++)
		for (auto &p : v) s += p->area(i) + c.get(std::to_string(i % 7));
	std::vector<std::string> w;
	for (int i = 0; i < 100; i++) w.push_back(std::to_string(i * s));
	std::sort(w.begin(), w.end(), [](const auto &a, const auto &b) { return a.size() < b.size(); });
	printf("%ld %s\n", s, w[0].c_str());
}
"""
C_SOURCE = r"""
static inline int three(int x) { return x * 3 + (x >> 2); }
static inline int two(int x) { int s = 0; for (int i = 0; i < x; i++) s += three(i ^ x); return s; }
__attribute__((noinline)) int one(int x) { return two(x) + three(x); }
int main(int argc, char **argv) { (void)argv; return one(argc) + two(argc + 1); }
"""
RUST_SOURCE = r"""
use std::collections::HashMap;
fn main() {
    let mut m: HashMap<String, Vec<u64>> = HashMap::new();
    for i in 0..1000u64 { m.entry(format!("k{}", i % 17)).or_default().push(i * i); }
    let s: u64 = m.values().flat_map(|v| v.iter().filter(|x| **x % 3 == 0)).sum();
    let mut k: Vec<_> = m.keys().collect();
    k.sort_by_key(|s| s.len());
    println!("{} {}", s, k[0]);
}
"""
HAVE = shutil.which


def run(*argv, **kw):
    return subprocess.run(argv, capture_output=True, text=True, check=True,
                          errors="surrogateescape", **kw).stdout


def addresses(path, count):
    """Of the code of a file, as many as count."""
    for line in run("readelf", "-SW", path).splitlines():
        m = re.search(r"\] \.text +\w+ +(\w+) \w+ (\w+)", line)
        if m:
            start, size = int(m[1], 16), int(m[2], 16)
            rnd = random.Random(1)
            return sorted(rnd.sample(range(start, start + size),
                                     min(count, size)))
    raise ValueError(path + ": no .text")


def chains(argv, addrs):
    """{address: [(name, place)]} that a program prints."""
    out, now = {}, None
    text = run(*argv, input="".join(f"0x{a:x}\n" for a in addrs))
    for line in text.splitlines():
        if re.fullmatch("0x[0-9a-f]+", line):
            now = out.setdefault(int(line, 16), [])
        else:
            now.append(line)
    return {a: list(zip(v[::2], v[1::2])) for a, v in out.items()}


def same_name(ours, theirs, innermost, gnu):
    if not ours.startswith("-"):
        return ours == theirs
    return (ours[1:] == theirs or ours.endswith("::" + theirs) or
            (innermost and gnu))


def same_place(ours, theirs):
    """Where there is no line, the others name the file of the symbol."""
    theirs = re.sub(r" \(discriminator \d+\)", "", theirs).replace(":?", ":0")
    return (os.path.normpath(ours) == os.path.normpath(theirs) or
            ours.endswith(":0") and theirs.endswith(":0") or
            "/<artificial>:" in theirs and
            ours.rpartition(":")[2] == theirs.rpartition(":")[2])


def same(ours, theirs, gnu):
    if len(ours) != len(theirs):
        return False
    for i, frame in enumerate(ours):
        if (i < len(ours) - 1 and
                not same_name(frame[0], theirs[i][0], i == 0, gnu)) or \
                not same_place(frame[1], theirs[i][1]):
            return False
    return True


def compare(path, tool, count=2000):
    addrs = addresses(path, count)
    ours = chains([TESTS + "/inlines", path], addrs)
    theirs = chains([tool, "-a", "-f", "-i", "-e", path] +
                    (["-j", ".text"] if path.endswith(".ko") else []), addrs)
    bad = [a for a in addrs if not same(ours[a], theirs[a],
                                        not tool.startswith("llvm"))]
    frames = sum(len(c) - 1 for c in ours.values())
    print(f"# {path}: {len(addrs)} addresses, {frames} inlined frames, "
          f"{len(bad)} differ from {tool}")
    for a in bad[:3]:
        print(f"# 0x{a:x}\n#   ours:   {ours[a]}\n#   theirs: {theirs[a]}")
    return not bad and frames > len(addrs) // 8


def variants():
    """(name, commands, file, with GNU addr2line, programs that it needs)"""
    cxx, split = "g++ -O2 -o", "-gsplit-dwarf -c -o split.o a.cc"
    for v in "2345":
        yield (f"C++, DWARF {v}", [f"{cxx} d{v} -gdwarf-{v} a.cc"], f"d{v}",
               True, ["g++"])
    yield "C", ["gcc -O2 -g -o c a.c"], "c", True, ["gcc"]
    for v in "45":
        yield (f"object like a module of the kernel, DWARF {v}",
               [f"gcc -O2 -gdwarf-{v} -fno-pic -mcmodel=kernel -c -o o{v}.ko a.c"],
               f"o{v}.ko", True, ["gcc"])
        yield (f"the same, compressed, DWARF {v}", [f"gcc -O2 -gdwarf-{v} "
               f"-gz -fno-pic -mcmodel=kernel -c -o z{v}.ko a.c"], f"z{v}.ko", True,
               ["gcc"])
    yield ("C++, link-time optimisation", [f"{cxx} lto -g -flto a.cc"],
           "lto", True, ["g++"])
    yield ("C++, type units",
           [f"{cxx} types -g -fdebug-types-section a.cc"], "types", False,
           ["g++"])
    yield "compressed", [f"{cxx} z -g -gz a.cc"], "z", True, ["g++"]
    yield ("compressed, old", ["objcopy --compress-debug-sections=zlib-gnu "
           "d4 zdebug"], "zdebug", True, ["objcopy"])
    yield ("only its debug file", ["objcopy --only-keep-debug d5 d5.debug"],
           "d5.debug", False, ["objcopy"])
    yield "dwz", ["cp d4 dwz", "dwz dwz"], "dwz", False, ["dwz"]
    yield ("dwz of several files", ["cp d4 m1", "cp d5 m2",
           "dwz -m common m1 m2"], "m1", True, ["dwz"])
    for v in "45":
        yield (f"split DWARF {v}", [f"g++ -O2 -gdwarf-{v} {split}",
               f"g++ -o split{v} split.o"], f"split{v}", False, ["g++"])
    yield ("split DWARF 5 in a .dwp", ["llvm-dwp -e split5 -o split5.dwp",
           "rm split.dwo"], "split5", False, ["llvm-dwp"])
    for v in "45":
        yield (f"clang, DWARF {v}", [f"clang++ -O2 -gdwarf-{v} -o clang{v} "
               "a.cc"], f"clang{v}", v == "4", ["clang++"])
    for v in "legacy", "v0":
        yield (f"Rust, {v} names", [f"rustc -O -g -o {v} a.rs" + (
               " -C symbol-mangling-version=v0" if v == "v0" else "")], v,
               True, ["rustc"])


def variant(commands, path, gnu, needs):
    """None or the reason to skip, and whether it is good."""
    tool = "addr2line" if gnu else "llvm-addr2line"
    for p in needs + [tool, "readelf"]:
        if not HAVE(p):
            return "no " + p, True
    for c in commands:
        done = subprocess.run(c.split(), capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            return f"{c.split()[0]} cannot: {done.stderr[:60]!r}", True
    return None, compare(path, tool)


def main():
    if os.environ.get("PD_SAN"):
        print("1..0 # SKIP compared in the build without sanitizers")
        return 0
    if len(sys.argv) > 1:
        return not all([compare(p, tool, 20000) for p in sys.argv[1:]
                        for tool in ("addr2line", "llvm-addr2line")
                        if HAVE(tool)])
    n = failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        for name, text in (("a.cc", CXX_SOURCE), ("a.c", C_SOURCE),
                           ("a.rs", RUST_SOURCE)):
            with open(name, "w") as f:
                f.write(text)
        for name, *rest in variants():
            n += 1
            skip, good = variant(*rest)
            failed += not good
            print(f"{'' if good else 'not '}ok {n} - {name}" +
                  (f" # SKIP {skip}" if skip else ""), flush=True)
    print(f"1..{n}")
    return failed != 0


sys.exit(main())
