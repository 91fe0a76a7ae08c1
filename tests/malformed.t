#!/usr/bin/env python3
"""Damaged and hostile recordings: what the tools must still deliver.

One test a row of expected.tsv in the shared material, for pd-dump (the
samples) and pd-fold (the text).  Needs root for some of the files that
recordings point at; see the README there for the meaning of the columns.
"""
import collections
import fcntl
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BIN = os.environ.get("PD_BIN", TOP + "/build/gcc/bin")
TESTS = os.environ.get("PD_TESTS", os.path.dirname(BIN) + "/tests")
DIR = os.environ.get("PD_SHARED", TOP + "/../shared") + "/malformed"
SAN = os.environ.get("PD_SAN", "")
MAX_SECONDS = 10 if SAN else 1
MAX_RSS = 64 << 20      # plus four times the file

# Rows whose expectation we deviate from, and why:
#   "no-warning"  nothing is lost, so there is nothing to warn about
#   "no-offset"   what is lost has no place in the input
#   "extra"       samples beyond the listed ones that are really in the file
#   an expectation word replaces the listed one
EXCEPTIONS = {
    # Size 0 is what the first kernels wrote: read as that, nothing is lost.
    "attr__attr_inner_size_0.data": "no-warning",
    "pipe__attr_size_0.data": "no-warning",
    # What is new to us and lies behind what we read is passed over.
    "attr__attr_unknown_sample_bits.data": "no-warning",
    "pipe__feature_id_255.data": "no-warning",
    # The feature is not needed to read what it announces.
    "zstd__feature_missing.data": "no-warning",
    "container__dir_format_bit_on_file.data": "no-warning",
    # Not used for anything that the tools print.
    "user__auxtrace_info_cs_huge.data": "no-warning",
    # Reported in the summary; the recording itself is sound.
    "lost__lost_100.data": "no-warning",
    # Two records of many are late: a number, not a place.
    "order__late_sample_after_rounds.data": "no-offset",
}

Run = collections.namedtuple("Run", "status out err seconds rss")


def run(argv):
    """Run argv with a standard input that never ends and never delivers."""
    rfd, wfd = os.pipe()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.monotonic()
        proc = subprocess.Popen(argv, stdin=rfd, stdout=out, stderr=err)
        watchdog = threading.Timer(3 * MAX_SECONDS, proc.kill)
        watchdog.start()
        _, status, usage = os.wait4(proc.pid, 0)
        proc.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
        watchdog.cancel()
        os.close(rfd)
        os.close(wfd)
        out.seek(0)
        err.seek(0)
        return Run(proc.returncode, out.read(), err.read(), seconds,
                   usage.ru_maxrss << 10)


def samples(text):
    return collections.Counter(
        tuple(line.split(b"\t")[:2]) for line in text.splitlines())


def common(tool, r, path, expect):
    """What holds for every row and both tools; yields complaints."""
    if r.status < 0:
        yield f"{tool}: killed by signal {-r.status}"
    want = {"ok": {0}, "recover": {0}, "clean-error": {2}}.get(expect, {0, 1, 2})
    if tool == "pd-dump" and expect == "clean-error":
        want = {0, 2}           # it shows what there is: nothing, and notes
    if r.status >= 0 and r.status not in want:
        yield f"{tool}: exit {r.status}"
    if b"Sanitizer" in r.err or b"runtime error" in r.err:
        yield f"{tool}: sanitizer report"
    if r.seconds > MAX_SECONDS:
        yield f"{tool}: took {r.seconds:.1f} s"
    if not SAN and r.rss > MAX_RSS + 4 * os.path.getsize(path):
        yield f"{tool}: took {r.rss >> 20} MiB"
    if expect == "clean-error" and os.path.basename(path).encode() not in r.err:
        yield f"{tool}: message does not name the file"
    if re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", r.err):
        yield f"{tool}: control bytes in messages"


def check(row, seeds):
    name, _, expect, _, _, needs = row[:6]
    exceptions = EXCEPTIONS.get(name, "").split()
    path = f"{DIR}/data/{name}"
    with open(f"{DIR}/good/{name.removesuffix('.data')}.tsv", "rb") as f:
        good = samples(f.read())
    for e in exceptions:
        expect = e if e in ("ok", "recover", "clean-error", "survive") else expect

    dump = run([TESTS + "/pd-dump", path])
    fold = run([BIN + "/pd-fold", path])
    yield from common("pd-dump", dump, path, expect)
    yield from common("pd-fold", fold, path, expect)

    got = samples(dump.out)
    missing, extra = good - got, got - good
    if expect in ("ok", "recover") and missing:
        yield f"pd-dump: {missing.total()} of {good.total()} samples missing"
    if expect == "ok" and extra:
        yield f"pd-dump: {extra.total()} samples too many"
    if expect == "recover" and extra - seeds and "extra" not in exceptions:
        yield f"pd-dump: {(extra - seeds).total()} samples invented"
    if expect == "recover" and "no-warning" not in exceptions:
        if os.path.basename(path).encode() not in fold.err:
            yield "pd-fold: no warning that names the file"
        elif "no-offset" not in exceptions and not re.search(
                rb"0x[0-9a-f]+", fold.err):
            yield "pd-fold: warning without an offset"
    if expect == "clean-error" and (got - seeds or (got and dump.status == 0)):
        yield f"pd-dump: {got.total()} samples in spite of the damage"

    if re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", fold.out):
        yield "pd-fold: control bytes in the output"
    for line in fold.out.splitlines():
        if not re.fullmatch(rb".* \d+", line):
            yield f"pd-fold: forged line {line[:60]!r}"
    for need in needs.split(";"):
        word, _, symbol = need.partition(":")
        found = re.search(rb"(^|;)" + re.escape(symbol.encode()) + rb"(;| \d+$)",
                          fold.out, re.M)
        if word == "require" and not found:
            yield f"pd-fold: no {symbol} in the output"
        if word == "forbid" and found:
            yield f"pd-fold: {symbol} in the output"
    if sys.stderr.isatty():
        return
    for tool, r in ("pd-dump", dump), ("pd-fold", fold):
        if r.err:
            print(f"#  {tool}: {r.err[:300].decode(errors='replace').rstrip()!r}")


def main():
    if not os.path.exists(DIR + "/expected.tsv"):
        print(f"1..0 # SKIP no recordings in {DIR}")
        return 0
    with open(DIR + "/expected.tsv") as f:
        rows = [line.rstrip("\n").split("\t") for line in f][1:]
    seeds = collections.Counter()
    for row in rows:
        with open(f"{DIR}/good/{row[0].removesuffix('.data')}.tsv", "rb") as f:
            seeds |= samples(f.read())

    if len(sys.argv) > 1:
        rows = [row for row in rows if re.search(sys.argv[1], row[0])]
    lock = open("/tmp/pd-malformed.lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    subprocess.run([DIR + "/prepare.sh"], check=True, stdout=sys.stderr)
    failed = 0
    try:
        for n, row in enumerate(rows, 1):
            complaints = list(check(row, seeds))
            for complaint in complaints:
                print("#", complaint)
            failed += bool(complaints)
            print(f"{'not ' if complaints else ''}ok {n} - "
                  f"{row[0]}: {row[2]} ({row[6]})", flush=True)
    finally:
        subprocess.run([DIR + "/prepare.sh", "clean"], check=True)
    print(f"1..{len(rows)}")
    return failed != 0


sys.exit(main())
