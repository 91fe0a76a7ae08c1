#!/usr/bin/env python3
"""LBR call stacks are stitched as perf report --stitch-lbr does.

The recording is a real one whose stacks fit into the 16 registers of its
processor.  To see stitching, they are cut here to what 4 and 6 registers would
hold, which is also what it then says it had.  Frames of user space are compared
by address, in each sample.
"""
import collections
import gzip
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

TOP = os.path.abspath(__file__ + "/../../..")
BIN = os.environ.get("PD_BIN", TOP + "/build/gcc/bin")
DATA = os.environ.get("TESTDATA", TOP + "/testdata")
SAMPLE, ATTR = 9, 128


def with_registers(data, m):
    """The recording as of a processor with m registers, for perf 6.1."""
    b = bytearray(data)
    header = struct.unpack_from("<13Q", b)
    size, (attrs, length), (start, used) = header[2], header[3:5], header[5:7]
    new = b""
    for at in range(attrs, attrs + length, size):
        # perf 6.1 refuses longer attributes.
        new += b[at:at + 4] + struct.pack("<I", ATTR) + b[at + 8:at + ATTR]
        new += b[at + size - 16:at + size]
    b[attrs:attrs + len(new)] = new
    struct.pack_into("<Q", b, 16, ATTR + 16)
    struct.pack_into("<Q", b, 32, len(new))
    at = start
    while at < start + used:
        kind, _, n = struct.unpack_from("<IHH", b, at)
        if kind == SAMPLE:
            cut(b, at, m)
        at += n
    i = b.index(b"branches\0")
    i = b.index(b"16\0", i)
    b[i:i + 3] = b"%d\0\0" % m
    return bytes(b)


def cut(b, at, m):
    """IP, TID, TIME, PERIOD, CALLCHAIN, BRANCH_STACK with its index."""
    n, = struct.unpack_from("<Q", b, at + 40)
    at += 48 + 8 * n
    n, index = struct.unpack_from("<QQ", b, at)
    if n > 0:
        base = (index - (n - 1)) % 16
        struct.pack_into("<QQ", b, at, min(n, m), (base + n - 1) % m)


def user(ips):
    return tuple(ip for ip in ips if not ip.startswith("ffffffff"))


def perf_stacks(path, *options):
    out = subprocess.run(["perf", "script", "-f", "-i", path, "-F",
                          "comm,ip,sym,dso", *options], capture_output=True,
                         text=True, check=True).stdout
    stacks = collections.Counter()
    for sample in out.split("\n\n"):
        if sample.strip():
            ips = re.findall(r"^\s+([0-9a-f]+) .*\)$", sample, re.M)
            stacks[user(reversed(ips))] += 1
    return stacks


def our_stacks(path, *options):
    out = subprocess.run([BIN + "/pd-fold", "-q", "--addrs", "--symfs", "/none",
                          "--buildid-dir", "/none", "--kallsyms", "/dev/null",
                          "--weight", "samples", "--root", "none", *options,
                          path], capture_output=True, text=True,
                         check=True).stdout
    stacks = collections.Counter()
    for line in out.splitlines():
        stack, count = line.rsplit(" ", 1)
        stacks[user(re.findall(r"<(\w+)>", stack))] += int(count)
    return stacks


def frames(stacks):
    return sum(len(s) * n for s, n in stacks.items())


def main():
    if shutil.which("perf") is None:
        print("1..0 # SKIP no perf")
        return 0
    with gzip.open(DATA + "/recordings/lbr-call-stack-perf-6.12.data.gz") as f:
        data = f.read()
    failed = n = 0
    with tempfile.TemporaryDirectory() as tmp:
        path = tmp + "/lbr.data"
        whole = None                    # what they were before
        for m in 16, 6, 4:
            with open(path, "wb") as f:
                f.write(with_registers(data, m))
            cut_off = our_stacks(path)
            for name, options in (("as perf", ["--compat", "perl"]),
                                  ("better", [])):
                ours = our_stacks(path, "--stitch-lbr", *options)
                theirs = perf_stacks(path, "--stitch-lbr")
                apart = sum(((ours - theirs) + (theirs - ours)).values())
                print(f"# {m} registers: {frames(cut_off)} frames, "
                      f"{frames(ours)} stitched, perf {frames(theirs)}, "
                      f"{apart} stacks differ")
                if whole is None:
                    whole = ours
                # perf gives up where the stack has become shorter.
                good = apart == 0 if options else (
                    frames(ours) >= frames(theirs) and
                    all(any(w[len(w) - len(s):] == s for w in whole)
                        for s in ours))
                n += 1
                failed += not good
                print(f"{'' if good else 'not '}ok {n} - {m} registers, "
                      f"{name}")
    print(f"1..{n}")
    return failed != 0


sys.exit(main())
