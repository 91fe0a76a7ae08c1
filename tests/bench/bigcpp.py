#!/usr/bin/env python3
"""bigcpp.py DIR: writes C++ that becomes a program with 80 MB of debug information.

Each of its functions sorts and hashes records of a type of its own, so that
the standard library is there once for each, mostly inlined; they call each
other at random, as deep as an argument says.
"""
import sys

FILES, EACH = 12, 42
HEAD = """\
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
using Step = uint64_t (*)(uint64_t, int);
extern const Step steps[];
extern const unsigned nsteps;
"""
STEP = """\
namespace part%(n)d {
struct Record {
	uint64_t key; std::string text; std::vector<uint32_t> parts;
	bool operator<(const Record &o) const { return text < o.text || (text == o.text && key < o.key); }
};
__attribute__((noinline)) uint64_t step(uint64_t x, int depth)
{
	std::vector<Record> all;
	std::map<Record, std::unique_ptr<Record>> by;
	std::unordered_map<std::string, Record> of;
	for (uint64_t i = 0; i < %(size)d; i++) {
		Record r{(x ^ i * %(n)d) %% 97, std::to_string(x >> i), {uint32_t(i), uint32_t(x)}};
		of.emplace(r.text, r);
		by[r] = std::make_unique<Record>(r);
		all.push_back(std::move(r));
	}
	std::sort(all.begin(), all.end(), [x](const Record &a, const Record &b) { return (a.key ^ x) < (b.key ^ x); });
	std::function<uint64_t(const Record &)> weigh = [&](const Record &r) {
		uint64_t s = r.key;
		std::for_each(r.parts.begin(), r.parts.end(), [&](uint32_t p) { s = s * 31 + p; });
		return s;
	};
	uint64_t sum = x;
	for (const auto &r : all) sum = sum * 33 + weigh(r);
	for (const auto &[k, v] : by) sum ^= k.text.size() + v->key;
	for (const auto &[k, v] : of) sum += k.size() * v.parts.size();
	return depth > 0 ? steps[sum %% nsteps](sum, depth - 1) + 1 : sum;
}
}
"""
MAIN = """\
#include <chrono>
#include <cstdint>
#include <cstdlib>
%(declare)s
using Step = uint64_t (*)(uint64_t, int);
extern const Step steps[] = { %(list)s };
extern const unsigned nsteps = %(count)d;
volatile uint64_t sink;
int main(int, char **argv)
{
	auto end = std::chrono::steady_clock::now() + std::chrono::seconds(atoi(argv[1]));
	for (uint64_t s = 1; std::chrono::steady_clock::now() < end;)
		sink = s = steps[s %% nsteps](s * 6364136223846793005u + 1, int(s %% 24));
}
"""
count = FILES * EACH
for f in range(FILES):
    with open(f"{sys.argv[1]}/part{f}.cc", "w") as out:
        out.write(HEAD)
        for i in range(EACH):
            n = f * EACH + i
            out.write(STEP % {"n": n, "size": 3 + n % 7})
with open(f"{sys.argv[1]}/main.cc", "w") as out:
    out.write(MAIN % {
        "declare": "\n".join(f"namespace part{n} {{ uint64_t step(uint64_t, "
                             "int); }" for n in range(count)),
        "list": ", ".join(f"part{n}::step" for n in range(count)),
        "count": count})
