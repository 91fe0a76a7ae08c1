#!/usr/bin/env python3
"""study.py [--short] DIR: what pd-diff says of runs whose truth is known.

DIR holds NAME_NN.folded and manifest.tsv.  Runs are put into groups again and
again, in ways that follow from a fixed seed, and what pd-diff claims is held
against what is true.  Prints a table; exits 1 when a promise is broken.
--short makes fewer comparisons, of what is promised only.
"""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

SLOWED = ["sig_verify", "trie_insert", "sort_keys", "mem_copy", "timer_tick"]
QUIET, ALL = range(1, 7), range(1, 21)
BOTH = ["base_a", "base_b"]


class Study:
    def __init__(self, source, short):
        self.source, self.short = source, short
        self.rng = random.Random(20)
        self.failed = False
        with open(os.path.join(source, "manifest.tsv")) as f:
            self.manifest = {r["name"]: r
                             for r in csv.DictReader(f, delimiter="\t")}
        self.timed = tempfile.TemporaryDirectory()
        for name, row in self.manifest.items():
            self.stamp(name, row)

    def stamp(self, name, row):
        """A copy that tells when it was made, as pd-fold --meta would."""
        with open(self.path(name)) as f:
            text = f.read()
        freq = 1000 if name.startswith("xfreq1k") else 10000
        with open(self.path(name, True), "w") as f:
            f.write(f"# pd-fold: v=1 unit=samples freq={freq} start=@"
                    f"{row['start']} work={row['units']}\n{text}")

    def path(self, name, timed=False):
        return os.path.join(self.timed.name if timed else self.source,
                            name + ".folded")

    def compare(self, base, new, *options, timed=False):
        """Exit status and JSON of one comparison."""
        files = [self.path(n, timed) for n in base], \
                [self.path(n, timed) for n in new]
        if "--pairs" in options:
            operands = [f for pair in zip(*files) for f in pair]
        else:
            operands = [*files[0], "--vs", *files[1]]
        r = subprocess.run(["pd-diff", "-q", "--format=json", *options,
                            *operands], capture_output=True, text=True)
        if r.returncode not in (0, 1):
            sys.exit(f"pd-diff: exit {r.returncode}: {r.stderr}")
        return r.returncode, json.loads(r.stdout)

    # ---- ways to choose runs ----

    def interleaved(self, n, rounds=ALL):
        """One run of each side from each of n rounds."""
        base, new = [], []
        for r in self.rng.sample(list(rounds), n):
            pair = [f"base_a_{r:02d}", f"base_b_{r:02d}"]
            self.rng.shuffle(pair)
            base.append(pair[0])
            new.append(pair[1])
        return base, new

    def any_runs(self, n):
        runs = self.rng.sample([f"{b}_{r:02d}" for b in BOTH for r in ALL],
                               2 * n)
        return runs[:n], runs[n:]

    def separate(self, n):
        """n runs that followed each other, and n later ones."""
        runs = sorted((f"{b}_{r:02d}" for b in BOTH for r in ALL),
                      key=lambda x: float(self.manifest[x]["start"]))
        i = self.rng.randint(0, len(runs) - 2 * n)
        j = self.rng.randint(i + n, len(runs) - n)
        sides = [runs[i:i + n], runs[j:j + n]]
        self.rng.shuffle(sides)
        return sides

    def slowed(self, what, n, rounds):
        chosen = self.rng.sample(list(rounds), n)
        return ([f"{self.rng.choice(BOTH)}_{r:02d}" for r in chosen],
                [f"{what}_{r:02d}" for r in chosen])

    # ---- tables ----

    def row(self, name, choose, count, *options, timed=False, **limits):
        """Compare count choices; limits are percent, see check()."""
        if self.short and not limits:
            return
        if self.short:
            count = min(count, 40)
        chosen = [choose() for _ in range(count)]
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(
                lambda c: self.compare(*c, *options, timed=timed), chosen))
        n = {"exit1": 0, "any": 0, "same": 0, "innocent": 0,
             "verdict": 0, **{f: 0 for f in SLOWED}}
        for status, j in results:
            verdicts = {f["name"]: f["self"]["verdict"]
                        for f in j["functions"]}
            verdicts["[total]"] = j["total"]["verdict"]
            bad = {f for f, v in verdicts.items() if v == "regression"}
            n["exit1"] += status == 1
            n["any"] += any(v in ("regression", "improvement", "suspect")
                            for v in verdicts.values())
            n["same"] += "same" in verdicts.values()
            n["verdict"] += any(v not in ("not enough data", "ignored")
                                for v in verdicts.values())
            n["innocent"] += bool(bad - set(SLOWED))
            for f in SLOWED:
                n[f] += f in bad
        rate = {k: 100 * v / count for k, v in n.items()}
        broken = self.check(rate, limits)
        found = " ".join(f"{rate[f]:4.0f}" for f in SLOWED)
        print(f"{name:40} {count:5} {rate['exit1']:6.1f} {rate['any']:6.1f} "
              f"{rate['same']:6.1f} {rate['innocent']:6.1f}   {found}   "
              f"{broken or ('ok' if limits else '')}", flush=True)
        self.failed |= bool(broken)

    @staticmethod
    def check(rate, limits):
        """max_X and min_X of the rates, as words; "" when all hold."""
        broken = []
        for key, limit in limits.items():
            bound, what = key.split("_", 1)
            if bound == "max" and rate[what] > limit:
                broken.append(f"{what} > {limit}%")
            if bound == "min" and rate[what] < limit:
                broken.append(f"{what} < {limit}%")
        return ", ".join(broken)

    def all_rows(self):
        fixed = "--fixed-work"
        print(f"{'percent of comparisons':40} {'of':>5} {'exit 1':>6} "
              f"{'any':>6} {'same':>6} {'innoc.':>6}   "
              + " ".join(f[:4] for f in SLOWED))
        aa = {"max_exit1": 2.5, "max_any": 5}
        for n in (5, 10):
            self.row(f"A/A n={n}, pairs", lambda: self.interleaved(n), 400,
                     fixed, "--pairs", **aa)
            self.row(f"A/A n={n}, interleaved, times unknown",
                     lambda: self.interleaved(n), 400, fixed, **aa)
            self.row(f"A/A n={n}, interleaved, times known",
                     lambda: self.interleaved(n), 400, timed=True, **aa)
            self.row(f"A/A n={n}, any runs, times unknown",
                     lambda: self.any_runs(n), 400, fixed, **aa)
        self.row("A/A n=5, quiet rounds, pairs",
                 lambda: self.interleaved(5, QUIET), 100, fixed, "--pairs",
                 **aa)
        for n in (5, 10):
            for timed in (False, True):
                self.row(f"A/A n={n}, separate sessions, times "
                         f"{'' if timed else 'un'}known",
                         lambda: self.separate(n), 400,
                         *([] if timed else [fixed]), timed=timed,
                         max_exit1=5)
        for timed, options in ((False, [fixed]), (False, [fixed, "--pairs"]),
                               (True, [])):
            self.row("+5% n=6, quiet rounds, "
                     + ("pairs" if "--pairs" in options else "times known"
                        if timed else "times unknown"),
                     lambda: self.slowed("slow5", 6, QUIET), 64, *options,
                     timed=timed, min_sig_verify=95)
        self.row("+10% n=10, pairs", lambda: self.slowed("slow10", 10, ALL),
                 200, fixed, "--pairs", min_sig_verify=100)
        self.row("+10% n=10, times known",
                 lambda: self.slowed("slow10", 10, ALL), 200, timed=True,
                 min_sig_verify=100)
        for what, n, rounds in (("slow5", 10, ALL), ("slow10", 5, ALL),
                                ("slow10", 6, QUIET), ("slow20", 5, ALL),
                                ("slow20", 10, ALL)):
            for options in ([fixed, "--pairs"], [fixed]):
                self.row(f"+{what[4:]}% n={n}"
                         + (", quiet rounds" if rounds is QUIET else "")
                         + (", pairs" if "--pairs" in options else
                            ", times unknown"),
                         lambda: self.slowed(what, n, rounds), 100, *options)
        self.moved_rows(fixed)
        self.short_rows(fixed)

    def runs(self, name, n=5):
        return [f"{name}_{i:02d}" for i in
                sorted(self.rng.sample(range(1, 6), n))]

    def moved_rows(self, fixed):
        for what in ("xinlined", "xrenamed"):
            for n in (5, 4):
                self.row(f"{what} n={n}, times unknown",
                         lambda: (self.runs("xbase", n), self.runs(what, n)),
                         25, fixed, max_exit1=0)
            self.row(f"{what} n=5, times known",
                     lambda: (self.runs("xbase"), self.runs(what)), 1,
                     timed=True, max_exit1=0)
            self.row(f"{what} n=5, pairs",
                     lambda: (self.runs("xbase"), self.runs(what)), 1,
                     fixed, "--pairs", max_exit1=0)

    # What xshort does once, at its start, is more of its little work: there
    # are true regressions.
    def short_rows(self, fixed):
        def halves():
            runs = self.runs("xshort")
            self.rng.shuffle(runs)
            return runs[:3], runs[3:]

        self.row("xshort against xbase, n=5",
                 lambda: (self.runs("xbase"), self.runs("xshort")), 1,
                 timed=True, max_same=0)
        self.row("xshort against itself, n=3+2", halves, 10, fixed,
                 max_same=0, max_exit1=0)
        self.row("xfreq1k against xbase, n=5",
                 lambda: (self.runs("xbase"), self.runs("xfreq1k")), 1,
                 timed=True, max_exit1=0)
        self.row("one against one",
                 lambda: self.slowed("slow20", 1, ALL), 40, fixed,
                 max_exit1=0, max_verdict=0)


def main():
    args = sys.argv[1:]
    short = args[:1] == ["--short"]
    study = Study(args[-1], short)
    study.all_rows()
    return study.failed


sys.exit(main())
