#!/usr/bin/env python3
"""Every export holds the stacks and weights of the folded output.

Each is read by what other people wrote, a protobuf library, a JSON parser and
`go tool pprof`, made into folded stacks again, and compared line by line.
With arguments, these recordings are compared instead of those made here.
"""
import collections
import functools
import gzip
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.abspath(__file__ + "/../../..")
BIN = os.environ.get("PD_BIN", TOP + "/build/gcc/bin")
DATA = os.environ.get("TESTDATA", TOP + "/testdata")
CC = os.environ.get("CC", "gcc")
tests = failed = 0


def ok(name, problems):
    global tests, failed
    tests += 1
    problems = list(problems)
    for p in problems[:5]:
        print("# %s" % p)
    failed += bool(problems)
    print("%sok %d - %s" % ("not " if problems else "", tests, name))


def skip(name, why):
    global tests
    tests += 1
    print("ok %d - %s # SKIP %s" % (tests, name, why))


def run(data, *options):
    return subprocess.run([BIN + "/pd-fold", "-q", *options, data], check=True,
                          stdout=subprocess.PIPE).stdout


@functools.lru_cache(maxsize=None)
def fold(data, *options):
    return run(data, *options)


def folded(data, *options):
    """The folded output, as a count for each stack."""
    stacks = collections.Counter()
    for line in fold(data, *options).decode().splitlines():
        stack, weight = line.rsplit(" ", 1)
        stacks[stack] += int(weight)
    return stacks


def differences(got, want):
    for stack in got.keys() | want.keys():
        if got[stack] != want[stack]:
            yield "%d, not %d: %s" % (got[stack], want[stack], stack[:200])


def root(comm, pid, tid):
    return "%s-%d/%d;" % (comm.replace(" ", "_").replace(";", ":"), pid, tid)


# ---- pprof -------------------------------------------------------------------

def protobuf(tmp):
    """The decoder, made by protoc of profile.proto; None without it."""
    try:
        subprocess.run(["protoc", "-I", TOP + "/tests/oracle", "--python_out",
                        tmp, "profile.proto"], check=True)
        sys.path.insert(0, tmp)
        return importlib.import_module("profile_pb2")
    except (ImportError, OSError):
        return None


def check_pprof(p):
    """What profile.proto asks for."""
    n = len(p.string_table)
    maps = {m.id: m for m in p.mapping}
    locs = {l.id: l for l in p.location}
    funcs = {f.id: f for f in p.function}
    named, inlined = set(), set()
    if n == 0 or p.string_table[0] != "":
        yield "string_table[0] is not empty"
    if len(set(p.string_table)) != n:
        yield "a string is there twice"
    for ids, table in (maps, p.mapping), (locs, p.location), (funcs, p.function):
        if len(ids) != len(table) or 0 in ids:
            yield "ids are not unique"
    for l in p.location:
        if l.mapping_id:
            m = maps[l.mapping_id]
            if m.memory_limit and not m.memory_start <= l.address < m.memory_limit:
                yield "%x is outside of its mapping" % l.address
        if not l.line or any(not 0 < x.function_id <= len(funcs) for x in l.line):
            yield "location %d has no functions" % l.id
        for x in l.line:
            if not p.string_table[funcs[x.function_id].name].startswith("["):
                named.add(l.mapping_id)
        if len(l.line) > 1:
            inlined.add(l.mapping_id)
    places = collections.Counter((l.mapping_id, l.address,
        tuple(x.function_id for x in l.line)) for l in p.location)
    if places and places.most_common(1)[0][1] > 1:
        yield "a location is there twice"
    for m in p.mapping:
        if m.has_functions != (m.id in named):
            yield "%s: has_functions is %s" % (p.string_table[m.filename],
                                               m.has_functions)
        if m.has_inline_frames != (m.id in inlined):
            yield "%s: has_inline_frames is %s" % (
                p.string_table[m.filename], m.has_inline_frames)
        if m.has_filenames or m.has_line_numbers:
            yield "files and lines are not known"
    keys = collections.Counter()
    for s in p.sample:
        if len(s.value) != len(p.sample_type):
            yield "a sample with %d values" % len(s.value)
        keys[tuple(s.location_id), s.SerializeToString()] += 1
    if keys and keys.most_common(1)[0][1] > 1:
        yield "a sample is there twice"


def thread_label(labels):
    return root(labels["thread"], labels["pid"], labels["tid"])


def cpu_label(labels):
    return "cpu-%03d;" % labels["cpu"] if "cpu" in labels else "cpu-unknown;"


def pprof_stacks(p, value, top=lambda labels: ""):
    strings = p.string_table
    funcs = {f.id: strings[f.name] for f in p.function}
    # Innermost first, also the lines of a location.
    lines = {l.id: [funcs[x.function_id] for x in l.line] for l in p.location}
    stacks = collections.Counter()
    for s in p.sample:
        names = [name for loc in s.location_id for name in lines[loc]]
        labels = {strings[x.key]: strings[x.str] or x.num for x in s.label}
        stacks[top(labels) + ";".join(reversed(names))] += s.value[value]
    return stacks


def parse_raw(text):
    """The samples of `go tool pprof -raw`, the second value."""
    part, samples, locs = None, [], {}
    for line in text.splitlines():
        if line in ("Samples:", "Locations", "Mappings"):
            part = line
        elif part == "Samples:":
            m = re.match(r" +(\d+) +(\d+): ([\d ]*)$", line)
            if m:
                samples.append((int(m[2]), [int(x) for x in m[3].split()]))
        elif part == "Locations":
            m = re.match(r" +(\d+): 0x[0-9a-f]+ (?:M=\d+ )?(.*?) :0:0 s=", line)
            if m:
                cur = locs[int(m[1])] = [m[2]]
            else:
                cur.append(re.match(r" +(.*?) :0:0 s=", line)[1])
    stacks = collections.Counter()
    for weight, ids in samples:
        names = [n for i in ids for n in locs[i]]
        stacks[";".join(reversed(names))] += weight
    return stacks


def top(text):
    """Function -> flat and cumulative, of `go tool pprof -top`."""
    rows = {}
    for line in text.splitlines():
        m = re.match(r" *(\d+) +[\d.]+% +[\d.]+% +(\d+) +[\d.]+%  (.*)$", line)
        if m:
            rows[re.sub(r" \((partial-)?inline\)$", "", m[3])] = (int(m[1]), int(m[2]))
    return rows


def self_and_total(stacks):
    rows = collections.defaultdict(lambda: [0, 0])
    for stack, n in stacks.items():
        names = stack.split(";")
        rows[names[-1]][0] += n
        for name in set(names):
            rows[name][1] += n
    return {k: tuple(v) for k, v in rows.items()}


def check_head(p, data):
    """What describes the profile, by what the JSON lines say."""
    strings = p.string_table
    lines = [json.loads(x) for x in fold(data, "--format", "json").splitlines()]
    head, samples = lines[0], [x for x in lines if x["type"] == "sample"]
    timed = head["unit"] == "ns"
    kind = ("cpu", "nanoseconds") if timed else (head["event"], "count")
    types = [(strings[t.type], strings[t.unit])
             for t in [*p.sample_type, p.period_type]]
    if types != [("samples", "count"), kind, kind] or \
            strings[p.default_sample_type] != kind[0]:
        yield "types are %s" % types
    start = min(x["time"] - x.get("duration", 0) for x in samples)
    end = max(x["time"] for x in samples)
    wall = head["wall_offset"]
    if p.duration_nanos != end - start or \
            p.time_nanos != (0 if wall is None else start + wall):
        yield "time is %d, duration %d" % (p.time_nanos, p.duration_nanos)
    if timed and p.period != samples[0]["duration"]:
        yield "period is %d" % p.period
    comments = {strings[c] for c in p.comment}
    for key in "command", "host", "kernel", "perf":
        if head[key] and "%s: %s" % (key, head[key]) not in comments:
            yield "no comment has the %s" % key


def compare_pprof(name, data, pb):
    raw = fold(data, "--format", "pprof")
    ok(name + ": pprof is the same every time",
       [] if run(data, "--format", "pprof") == raw else ["it is not"])
    if pb is None:
        skip(name + ": pprof", "no protoc, or no Python library of protobuf")
        return
    p = pb.Profile.FromString(gzip.decompress(raw))
    ok(name + ": pprof is well-formed", check_pprof(p))
    ok(name + ": pprof says what it is", check_head(p, data))
    ok(name + ": pprof has the weights", differences(
        pprof_stacks(p, 1), folded(data, "--root", "none")))
    ok(name + ": pprof has the samples, by thread", differences(
        pprof_stacks(p, 0, thread_label),
        folded(data, "--root", "tid", "--weight", "samples")))
    ok(name + ": pprof has the CPUs", differences(
        pprof_stacks(p, 1, cpu_label), folded(data, "--root", "cpu")))


def compare_go(name, data, tmp):
    if shutil.which("go") is None:
        skip(name + ": go tool pprof", "no Go")
        return
    path = tmp + "/p.pb.gz"
    with open(path, "wb") as f:
        f.write(fold(data, "--format", "pprof"))
    env = dict(os.environ, PPROF_TMPDIR=tmp)

    def go(*options):
        return subprocess.run(["go", "tool", "pprof", "-symbolize=none",
                               *options, path], check=True, env=env,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout.decode()

    want = folded(data, "--root", "none")
    ok(name + ": go tool pprof -raw", differences(parse_raw(go("-raw")), want))
    counts = self_and_total(folded(data, "--root", "none", "--weight",
                                   "samples"))
    got = top(go("-top", "-nodecount=1000000", "-nodefraction=0",
                 "-edgefraction=0", "-sample_index=samples", "-unit=count"))
    ok(name + ": go tool pprof -top",
       ["%s: %s, not %s" % (k, got.get(k), counts[k]) for k in counts
        if got.get(k) != counts[k]])
    tags = go("-tags")
    ok(name + ": go tool pprof -tags",
       ["no tag " + t for t in ("thread", "pid", "tid")
        if not re.search("^ %s: Total" % t, tags, re.M)])


# ---- speedscope ------------------------------------------------------------------

def thread_root(name):
    comm, pid, tid = re.match(r"(.*)-(-?\d+)/(-?\d+)$", name).groups()
    return root(comm, int(pid), int(tid))


def compare_speedscope(name, data):
    f = json.loads(fold(data, "--format", "speedscope", "--weight", "time"))
    frames = [x["name"] for x in f["shared"]["frames"]]
    pairs = [(x["name"], x.get("file")) for x in f["shared"]["frames"]]
    problems = []
    stacks, sums = collections.Counter(), []
    if f["$schema"] != "https://www.speedscope.app/file-format-schema.json":
        problems.append("schema is %s" % f["$schema"])
    if len(set(pairs)) != len(pairs):
        problems.append("a frame is there twice")
    for p in f["profiles"]:
        if p["type"] != "sampled" or p["unit"] != "nanoseconds" or \
                len(p["samples"]) != len(p["weights"]) or p["startValue"] != 0:
            problems.append("%s: %s" % (p["name"], list(p.items())[:5]))
        busy, before = 0, None
        for s, w in zip(p["samples"], p["weights"]):
            if w <= 0 or s == before:
                problems.append("%s: %s weighs %d" % (p["name"], s, w))
            before = s
            if s:
                busy += w
                stacks[thread_root(p["name"]) +
                       ";".join(frames[i] for i in s)] += w
        sums.append(busy)
    if f["profiles"] and (f["activeProfileIndex"] != 0 or
                          sums != sorted(sums, reverse=True)):
        problems.append("the busiest thread is not the first")
    # A thread has the last of its names there.
    want = collections.Counter()
    names = {p["name"].rsplit("-", 1)[1]: thread_root(p["name"])
             for p in f["profiles"]}
    for stack, n in folded(data, "--root", "tid", "--weight", "time").items():
        thread, rest = stack.split(";", 1)
        want[names[thread.rsplit("-", 1)[1]] + rest] += n
    ok(name + ": speedscope", problems + list(differences(stacks, want)))


# ---- JSON lines --------------------------------------------------------------------

def compare_json(name, data):
    problems, stacks, last = [], collections.Counter(), {}
    tables = {"frame": {}, "stack": {}, "thread": {}}
    types = {}
    lines = fold(data, "--format", "json").decode().splitlines()
    for i, line in enumerate(lines):
        o = json.loads(line)
        t = o["type"]
        for key, value in o.items():
            if value is not None and \
                    types.setdefault(key, type(value)) is not type(value):
                problems.append("line %d: %s has two types" % (i, key))
        if (t == "header") != (i == 0):
            problems.append("line %d is a %s" % (i, t))
        if t in tables:
            if o[t] in tables[t]:
                problems.append("%s %d is there twice" % (t, o[t]))
            tables[t][o[t]] = o
        elif t == "sample":
            th = tables["thread"][o["thread"]]
            names = [tables["frame"][x]["name"]
                     for x in tables["stack"][o["stack"]]["frames"]]
            stacks[root(th["comm"], th["pid"], th["tid"]) +
                   ";".join(names)] += o["weight"]
            key = th["pid"], th["tid"]
            if o["time"] < last.get(key, 0):
                problems.append("line %d goes back in time" % i)
            last[key] = o["time"]
    ok(name + ": json", problems +
       list(differences(stacks, folded(data, "--root", "tid"))))


# ---- Firefox Profiler --------------------------------------------------------------

def check_table(name, t):
    for k, v in t.items():
        if isinstance(v, list) and len(v) != t["length"]:
            yield "%s.%s has %d elements, not %d" % (name, k, len(v),
                                                     t["length"])


def compare_firefox(name, data):
    f = json.loads(fold(data, "--format", "firefox", "--weight", "time"))
    s = f["shared"]
    problems = []
    for t in ("stackTable", "frameTable", "funcTable", "resourceTable",
              "nativeSymbols", "sources"):
        problems += check_table(t, s[t])
    strings, stack = s["stringArray"], s["stackTable"]
    if len(s["resourceTable"]["name"]) != len(f["libs"]):
        problems.append("a resource for each lib")
    names, texts = [], []
    for func in s["frameTable"]["func"]:
        names.append(strings[s["funcTable"]["name"][func]])
    for frame, prefix in zip(stack["frame"], stack["prefix"]):
        texts.append(names[frame] if prefix is None else
                     texts[prefix] + ";" + names[frame])
    stacks = collections.Counter()
    for th in f["threads"]:
        problems += check_table("samples", th["samples"])
        x = th["samples"]
        if x["weightType"] != "tracing-ms" or x["time"] != sorted(x["time"]):
            problems.append("samples of %s" % th["name"])
        for i, ms, cpu in zip(x["stack"], x["weight"], x["threadCPUDelta"]):
            if abs(cpu - ms * 1e6) > 0.5 or (i is None and ms != 0):
                problems.append("%f ms, %d ns" % (ms, cpu))
            if i is not None:
                stacks[texts[i]] += cpu
    want = folded(data, "--root", "none", "--weight", "time")
    ok(name + ": firefox", problems + list(differences(stacks, want)))


# ---- recordings ----------------------------------------------------------------------

FAMILY = """for i in 1 2 3; do
	(perl -e '$0 = "re named"; $x += $_ for 1 .. 300000') &
	awk 'BEGIN { for (i = 0; i < 300000; i++) x += i }'
	wait
done
"""


# A thread's name has 15 bytes.
HOSTILE = b"</script>\xff\x1b;\n"


def hostile(tmp):
    """The demo, as somebody would call it who wants to break something."""
    path = tmp.encode() + b"/" + HOSTILE.replace(b"/", b"")
    # Without build-id, so that it is not taken for the other one.
    subprocess.run(
        ["objcopy", "--remove-section=.note.gnu.build-id", "-g", b"--redefine-sym=is_prime=" + 4 * HOSTILE + b'<!--"\\',
         b"--redefine-sym=hash_bytes=_ZN" + 8190 * b"x", tmp + "/demo", path],
        check=True)
    return [path, "0.4"]


def record(tmp):
    """Recordings made here and now, by name."""
    with open(tmp + "/family.sh", "w") as f:
        f.write(FAMILY)
    subprocess.run([CC, "-O1", "-g", "-fno-omit-frame-pointer", "-pthread",
                    "-o", tmp + "/demo", DATA + "/demo/demo.c"], check=True)
    demo, family = [tmp + "/demo", "0.4"], ["sh", tmp + "/family.sh"]
    clock, faults = ["-e", "cpu-clock"], ["-e", "page-faults", "-c", "1"]
    for name, event, args in (
            ("call chains", clock, ["-F", "4999", "-g", *demo]),
            ("copied stacks", clock,
             ["-F", "999", "--call-graph", "dwarf", *demo]),
            ("no call chains", clock, ["-F", "999", *demo]),
            ("hostile names", clock, ["-F", "999", "-g", *hostile(tmp)]),
            ("forks and execs", clock,
             ["-k", "CLOCK_MONOTONIC", "-F", "4999", "-g", *family]),
            ("page faults", faults, ["-g", *demo]),
            ("all CPUs", clock, ["-a", "-F", "999", "-g", *family])):
        path = "%s/%s.data" % (tmp, name.replace(" ", "-"))
        r = subprocess.run(["perf", "record", "-q", *event, "-o", path,
                            *args], stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE)
        if r.returncode == 0:
            yield name, path
        else:
            print("# %s: %s" % (name, r.stderr.decode()[-200:]))


def main():
    with tempfile.TemporaryDirectory() as tmp:
        pb = protobuf(tmp)
        given = [(os.path.basename(p), p) for p in sys.argv[1:]]
        if not given:
            given = [("the demo", DATA + "/demo/demo.data")]
            if not os.environ.get("PD_SAN"):    # they take too long there
                given += record(tmp)
        for name, path in given:
            compare_pprof(name, path, pb)
            compare_go(name, path, tmp)
            compare_json(name, path)
            if name != "page faults":       # which measure no time
                compare_speedscope(name, path)
                compare_firefox(name, path)
    print("1..%d" % tests)
    return failed > 0


try:
    importlib.import_module("google.protobuf")
except ImportError:
    # The package of the distribution is for its own Python.
    debian = "/usr/bin/python3"
    if sys.executable != debian and os.path.exists(debian):
        os.execv(debian, [debian, *sys.argv])
sys.exit(main())
