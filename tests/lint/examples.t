#!/usr/bin/env python3
"""The commands under EXAMPLES in the manual pages work.

Each runs with sh in a directory that holds a small perf.data; one that needs a
program that is not installed, or perf where it may not record, is skipped.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.abspath(__file__ + "/../../..")
BIN = os.environ.get("PD_BIN", TOP + "/build/gcc/bin")
KEYWORDS = {"for", "do", "done", "if", "then", "fi", "while", "!", "{", "}"}


def commands(path):
    """The .Dl lines and literal displays of the EXAMPLES section."""
    section = display = False
    pending = ""
    with open(path) as f:
        for line in f:
            line = line.rstrip("\n")
            if line.startswith(".Sh "):
                section = line == ".Sh EXAMPLES"
            if not section:
                continue
            if line.startswith((".Bd -literal", ".Bd -unfilled")):
                display = True
            elif line.startswith(".Ed"):
                display = False
            elif line.startswith(".Dl ") or display:
                text = line.removeprefix(".Dl ").removeprefix("$ ")
                for roff, char in (("\\-", "-"), ("\\(aq", "'"), ("\\&", ""),
                                   ("\\(dq", '"'), ("\\*(Gt", ">"),
                                   ("\\*(Lt", "<"), ("\\(ti", "~"),
                                   ("\\(ha", "^"), ("\\e", "\\")):
                    text = text.replace(roff, char)
                if text.endswith("\\"):
                    pending += text[:-1]
                    continue
                if pending + text:
                    yield pending + text
                pending = ""


def missing(command, path):
    """A program that the command needs and the machine has not."""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", command)
    bare = re.sub(r"\bfor \w+ in [^;]*", "", bare)
    for part in re.split(r"\|\||&&|[|;&]|\$\(", bare):
        words = [w for w in part.split()
                 if w not in KEYWORDS and not re.match(r"\w+=", w)]
        if words and words[0] == "sudo":
            return "no sudo in tests"
        if words and not shutil.which(words[0], path=path):
            return f"no {words[0]}"
    if "perf record" in command and subprocess.run(
            ["perf", "record", "-o", "-", "true"], capture_output=True,
            check=False).returncode != 0:
        return "perf may not record"
    return None


def main():
    env = dict(os.environ, LC_ALL="C", PATH=BIN + ":" + os.environ["PATH"])
    n = failed = 0
    for page in sorted(glob.glob(TOP + "/man/*.[137]")):
        with tempfile.TemporaryDirectory() as cwd:
            shutil.copy(TOP + "/testdata/demo/demo.data", cwd + "/perf.data")
            for command in commands(page):
                n += 1
                name = f"{os.path.basename(page)}: {command}".replace("#", "")
                reason = missing(command, env["PATH"])
                if reason:
                    print(f"ok {n} - {name} # SKIP {reason}")
                    continue
                done = subprocess.run(
                    ["sh", "-c", command], cwd=cwd, env=env, timeout=120,
                    stdin=subprocess.DEVNULL, capture_output=True, check=False)
                if done.returncode != 0:
                    failed += 1
                    print(f"# exit {done.returncode}: {done.stderr[:500]!r}")
                print(f"{'not ' if done.returncode else ''}ok {n} - {name}",
                      flush=True)
    print(f"1..{n}" if n else "1..0 # SKIP no examples")
    return failed != 0


sys.exit(main())
