#!/usr/bin/env python3
"""measure.py [--feed] LABEL COMMAND [| COMMAND]...

Runs a pipeline (given as one argument each, "|" between commands) with its
output thrown away, up to three times when that takes but seconds, and prints
LABEL, CPU seconds, wall seconds, peak MiB of the run that took least CPU.
CPU is the sum of all commands and their children, memory the largest of them.
Children count that outlive their parent, as addr2line does its perf.
With --feed the first command only feeds the others and is not counted.
"""
import ctypes
import os
import subprocess
import sys
import time


def run(commands, feed):
    """CPU seconds, wall seconds, peak KiB, exit status."""
    begin = time.monotonic()
    procs, source = [], subprocess.DEVNULL
    for argv in commands:
        last = argv is commands[-1]
        proc = subprocess.Popen(
            argv, stdin=source, stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if last else subprocess.PIPE)
        if source != subprocess.DEVNULL:
            source.close()
        source = proc.stdout
        procs.append(proc)

    cpu, rss, status = 0, 0, 0
    for i, proc in enumerate(procs):
        _, wait_status, usage = os.wait4(proc.pid, 0)
        proc.returncode = os.waitstatus_to_exitcode(wait_status)
        status = status or proc.returncode
        if not (feed and i == 0):
            cpu += usage.ru_utime + usage.ru_stime
            rss = max(rss, usage.ru_maxrss)
    wall = time.monotonic() - begin
    while True:                         # what came to us: see main()
        try:
            usage = os.wait4(-1, 0)[2]
        except ChildProcessError:
            return cpu, wall, rss, status
        cpu += usage.ru_utime + usage.ru_stime


def main():
    ctypes.CDLL(None).prctl(36, 1)      # PR_SET_CHILD_SUBREAPER
    args = sys.argv[1:]
    feed = args[0] == "--feed"
    label, *words = args[feed:]
    commands = [[]]
    for word in words:
        if word == "|":
            commands.append([])
        else:
            commands[-1].append(word)

    runs = [run(commands, feed)]
    while len(runs) < 3 and runs[0][1] < 4:
        runs.append(run(commands, feed))
    cpu, wall, rss, status = min(runs)
    print(f"{label}\t{cpu:.3f}\t{wall:.2f}\t{rss / 1024:.0f}"
          + (f"\texit {status}" if status else ""))


main()
