#!/usr/bin/env python3
"""pd-slice --list counts what perf script shows: samples by event and thread,
and the times of the first and the last, of every recording of the corpus."""
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys

TOP = os.path.abspath(__file__ + "/../../..")
BIN = os.environ.get("PD_BIN", TOP + "/build/gcc/bin")
CORPUS = os.environ.get("PD_SHARED", TOP + "/../shared") + "/corpus"
ENV = dict(os.environ, LC_ALL="C", PATH=BIN + ":" + os.environ["PATH"])
LINE = re.compile(r"^\s*.*?\s+(-?\d+)/(-?\d+)\s+(\d+)\.(\d{9}):\s+(.*?):?\s*$")

# Where perf shows something else, and why.
EXPLAINED = {
    "multi-group.data": "perf shows a group's sample once for each event",
    "platform_system_extras__perf_with_add_counter.data":
        "perf shows a group's sample once for each event",
    "perf_data_converter__perf.data.intel_pt-4.14":
        "perf makes samples out of a hardware trace",
    "developtools_hiperf__fp.uncompress.data":
        "perf reads no names behind a damaged feature",
    "developtools_hiperf__report_test.data":
        "perf reads no names behind a damaged feature",
}


def by_perf(path, pipe):
    with open(path if pipe else os.devnull, "rb") as stdin:
        r = subprocess.run(
            ["perf", "script", "-f", "-G", "--ns", "-F",
             "comm,pid,tid,time,event", "-i", "-" if pipe else path],
            stdin=stdin, env=ENV, capture_output=True, check=False)
    if r.returncode:
        return None
    threads, events, times = collections.Counter(), collections.Counter(), []
    for line in r.stdout.decode("utf-8", "replace").splitlines():
        m = LINE.match(line)
        if m:
            threads[int(m[1]), int(m[2])] += 1
            events[m[5].rstrip(": ")] += 1
            times.append(int(m[3] + m[4]))
    return threads, events, min(times, default=None), max(times, default=None)


def by_list(found):
    threads, events = collections.Counter(), collections.Counter()
    for t in found["threads"]:
        threads[tuple(-1 if t[k] is None else t[k]
                      for k in ("pid", "tid"))] += t["samples"]
    for e in found["events"]:
        if e["samples"]:
            events[e["name"]] += e["samples"]
    return threads, events, found["time"]["first_ns"], found["time"]["last_ns"]


def compare(path):
    """A reason to skip, or whether both say the same."""
    r = subprocess.run(["pd-slice", "-q", "--list=json", path], env=ENV,
                       capture_output=True, check=False)
    if r.returncode:
        return "it cannot be read"
    found = json.loads(r.stdout)
    theirs = by_perf(path, found["container"] == "pipe")
    if theirs is None:
        return "perf cannot read it"
    ours = by_list(found)
    if not theirs[0] and not ours[0]:
        return "no samples"
    for ours_, theirs_ in zip(ours, theirs):
        if ours_ != theirs_:
            print(f"# pd-slice: {ours_}\n# perf: {theirs_}"[:2000])
    return ours == theirs


def main():
    paths = sorted(glob.glob(CORPUS + "/generated/*") +
                   glob.glob(CORPUS + "/recordings/*"))
    if not shutil.which("perf") or not paths or os.environ.get("PD_SAN"):
        print("1..0 # SKIP no perf, no recordings, or with sanitizers")
        return 0
    failed = 0
    for n, path in enumerate(paths, 1):
        name = os.path.basename(path)
        same = EXPLAINED.get(name) or compare(path)
        failed += same is False
        print(f"{'ok' if same else 'not ok'} {n} - {name}" +
              ("" if isinstance(same, bool) else f" # SKIP {same}"),
              flush=True)
    print(f"1..{len(paths)}")
    return failed != 0


sys.exit(main())
