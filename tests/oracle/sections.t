#!/usr/bin/env python3
"""Critical sections are where perf and the program itself say they are.

A program that imports blocks is recorded with probes at begin and end of that,
and tells when each import began and ended; perf script tells which samples
there are.  Slices must have exactly those in between, on that thread.  Needs
perf, and root for the probes.
"""
import bisect
import collections
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.abspath(__file__ + "/../../..")
DATA = os.environ.get("TESTDATA", TOP + "/testdata") + "/sections"
BIN = os.environ.get("PD_BIN", TOP + "/build/gcc/bin")
ENV = {"PATH": BIN + ":" + os.environ["PATH"], "LC_ALL": "C"}
GROUP = f"pdtest{os.getpid()}"
SLOW = 42               # the block that waits

Sample = collections.namedtuple("Sample", "tid time event")
Import = collections.namedtuple("Import", "height tid start end wall")
count = failed = 0


def ok(name, passed, *why):
    global count, failed
    count += 1
    if not passed:
        failed += 1
        for line in why:
            print(f"# {line}")
    print(f"{'ok' if passed else 'not ok'} {count} - {name}", flush=True)


def skip(name, why):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP {why}", flush=True)


def run(*argv, **kwargs):
    return subprocess.run(argv, check=True, capture_output=True, env=ENV,
                          **kwargs).stdout


def script(path):
    """The samples of a recording, as perf prints them."""
    out = run("perf", "script", "--ns", "-F", "tid,time,event", "-G", "-i",
              path).decode()
    found = []
    for line in out.splitlines():
        m = re.match(r"\s*(\d+)\s+(\d+)\.(\d{9}):\s+(\S+?):?\s*$", line)
        if m:
            found.append(Sample(int(m[1]), int(m[2] + m[3]), m[4]))
    return sorted(found, key=lambda s: s.time)


def cut(*options):
    run("pd-slice", "-q", "-o", "slice.data", *options, "perf.data")
    return "slice.data"


def perf(*argv):
    """With a cache of its own, whose path must be absolute."""
    return run("perf", "--buildid-dir", os.path.abspath("cache"), *argv)


def probe(*definitions):
    for d in definitions:
        perf("probe", "-q", "-x", "./program", d)


def unprobe():
    subprocess.run(["perf", "probe", "-q", "-d", GROUP + ":*"],
                   capture_output=True, check=False)


def record(group):
    """What the program printed while it ran with its probes."""
    return run("perf", "record", "-q", "-k", "CLOCK_MONOTONIC", "-g",
               "--buildid-mmap", "-o", "perf.data", "-e",
               "cpu-clock/freq=2000/u", "-e", group + ":*", "./program")


def inside(samples, tid, begin, end):
    return [s for s in samples if s.tid == tid and begin <= s.time <= end]


def check_pairs(samples, begin, end, tid):
    """Each occurrence, and the slowest: by number, against perf script."""
    begins = [s.time for s in samples if s.event == begin]
    ends = [s.time for s in samples if s.event == end]
    ok(f"{begin}: all imports were recorded",
       len(begins) == len(ends) == 16, begins, ends)
    pairs = list(zip(begins, ends))
    wrong = [i for i, (b, e) in enumerate(pairs, 1)
             if script(cut("--between", begin, end, "--nth", str(i)))
             != inside(samples, tid, b, e)]
    ok(f"{begin}: each occurrence is cut out exactly", not wrong, wrong)
    slowest = max(pairs, key=lambda p: p[1] - p[0])
    ok(f"{begin}: the slowest is found",
       script(cut("--between", begin, end, "--slowest", "1"))
       == inside(samples, tid, *slowest))
    return pairs


def check_stacks(name, path, function, waits):
    lines = run("pd-fold", "-q", "-e", "cpu-clock*", path).decode().splitlines()
    other = [s for s in lines if function not in s and "[uprobes]" not in s]
    ok(f"{name}: its profile has what ran inside, and nothing else",
       lines and not other and any(waits in s for s in lines),
       *(other or lines))


def check_clock(imports, pairs):
    """The log was written just before the import began."""
    wrong = []
    for i, (begin, _) in zip(imports, pairs):
        at = f"@{i.wall // 10**9}.{i.wall % 10**9:09}"
        got = script(cut("--time", at + "~2ms"))
        if begin - i.start < 500000 and begin not in [s.time for s in got]:
            wrong.append((i, begin, got))
        if any(abs(s.time - i.start) > 1100000 for s in got):
            wrong.append((i, got))
    ok("the time of day of a log line leads to its millisecond", not wrong,
       *wrong)


def test_c():
    run(os.environ.get("CC", "gcc"), "-g", "-O1", "-fno-omit-frame-pointer",
        "-pthread", "-o", "program", DATA + "/sections.c")
    probe(GROUP + ":import_start=import_block height peer:string",
          GROUP + ":import_end=import_block%return")
    imports = [Import(*map(int, line.split()))
               for line in record(GROUP).splitlines()]
    unprobe()
    begin, end = GROUP + ":import_start", GROUP + ":import_end__return"
    samples = script("perf.data")
    tid = imports[0].tid
    pairs = check_pairs(samples, begin, end, tid)
    ok("the program agrees when they were",
       all(i.start <= b <= e <= i.end for i, (b, e) in zip(imports, pairs)),
       imports, pairs)
    wrong = [i.height for i, pair in zip(imports, pairs)
             if script(cut("--between", f"{begin}:height=={i.height}", end))
             != inside(samples, tid, *pair)]
    ok("a field chooses", not wrong, wrong)
    ok("text chooses",
       script(cut("--between", f"{begin}:peer_string==alice", end)) ==
       [s for s in samples if s.tid == tid and any(
           b <= s.time <= e for i, (b, e) in zip(imports, pairs)
           if i.height % 2)])
    check_stacks("C", cut("--between", f"{begin}:height=={SLOW}", end),
                 "import_block", "wait_for_disk")
    check_clock(imports, pairs)
    slow = next(i for i in imports if i.height == SLOW)
    want = [s for s in samples if slow.start <= s.time < slow.end]
    marker, = glob.glob("marker-*.txt")
    ok("a marker file that the program mapped is found",
       script(cut("--marker", f"import {SLOW}")) == want)
    ok("a marker file that is given is read", script(
        cut("--markers", marker, "--marker", f"import {SLOW}")) == want)
    with open("windows", "w", encoding="ascii") as f:
        for i in imports:
            f.write(f"{i.start // 10**9}.{i.start % 10**9:09},"
                    f"{i.end // 10**9}.{i.end % 10**9:09} tid={i.tid} "
                    f"block {i.height}\n")
    ok("a file of windows is read",
       script(cut("--windows", "windows", "--marker", f"block {SLOW}"))
       == [s for s in want if s.tid == tid])
    times = [s.time for s in samples]
    ok("around an event, all threads",
       script(cut("--around", f"{begin}:height=={SLOW}", "--before", "7ms",
                  "--after", "2ms", "--scope", "system")) == samples[
           bisect.bisect_left(times, pairs[6][0] - 7000000):
           bisect.bisect_right(times, pairs[6][0] + 2000000)])


def test_rust():
    """USDT probes, by a linker that puts code where perf expects it."""
    if not shutil.which("rustc"):
        return skip("Rust", "no rustc")
    subprocess.run(
        ["rustc", "-O", "-C", "debuginfo=1", "-C", "force-frame-pointers=yes",
         "-C", "link-arg=-fuse-ld=bfd", "-o", "program",
         DATA + "/sections.rs"], check=True, capture_output=True,
        env=dict(os.environ, PROVIDER=GROUP))
    perf("buildid-cache", "--add", "./program")
    try:
        probe(f"sdt_{GROUP}:*")
        record("sdt_" + GROUP)
    except subprocess.CalledProcessError as e:
        return skip("Rust", f"no USDT: {e}")
    finally:
        subprocess.run(["perf", "probe", "-q", "-d", f"sdt_{GROUP}:*"],
                       capture_output=True, check=False)
    begin, end = f"sdt_{GROUP}:import_start", f"sdt_{GROUP}:import_end"
    samples = script("perf.data")
    check_pairs(samples, begin, end, samples[0].tid)
    check_stacks("Rust", cut("--between", f"{begin}:arg1=={SLOW}", end),
                 "import_block", "wait_for_disk")


def main():
    if not shutil.which("perf"):
        print("1..0 # SKIP no perf")
        return 0
    if os.environ.get("PD_SAN"):
        print("1..0 # SKIP compared in the build without sanitizers")
        return 0
    with tempfile.TemporaryDirectory() as cwd:
        os.chdir(cwd)
        shutil.copy("/bin/true", "program")
        try:
            if not os.access("/sys/kernel/tracing/uprobe_events", os.W_OK):
                print("1..0 # SKIP perf may not add probes")
                return 0
            test_c()
            test_rust()
        finally:
            unprobe()
            os.chdir("/")
    print(f"1..{count}")
    return failed != 0


sys.exit(main())
