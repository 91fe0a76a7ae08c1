#!/usr/bin/env python3
"""Whatever the server and the network do, it stores what was sent: each stack
of each window as often as it was sampled, once.  Or pd-push says so.
"""
import collections
import concurrent.futures
import glob
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pushserver                                       # noqa: E402

TOP = os.path.abspath(__file__ + "/../../..")
BIN = os.environ.get("PD_BIN", TOP + "/build/gcc/bin")
DATA = TOP + "/testdata/demo/demo.data"
TMP = tempfile.TemporaryDirectory()
START = int(time.time()) - 60           # what the recording is said to be of
BASE = [f"{BIN}/pd-push", "--app", "demo", "-q"]
WINDOWS = ["--window", "10ms", "--rebase-time", f"@{START}"]
ENV = {k: v for k, v in os.environ.items() if "proxy" not in k.lower()}
TESTS = []


class Failed(Exception):
    pass


def check(ok, *what):
    if not ok:
        raise Failed(" ".join(map(str, what)))


def test(f):
    TESTS.append(f)
    return f


def fresh(suffix=""):
    return tempfile.mktemp(suffix, dir=TMP.name)


def push(server, *args, data=DATA, windows=WINDOWS, env=None, stdin=None):
    url = server if isinstance(server, str) else server.url
    return subprocess.run(
        BASE + ["--server", url, "--rate", "0", "--retry", "30s", *windows,
                *args, data], input=stdin, capture_output=True, timeout=100,
        env={**ENV, **(env or {})}, check=False)


def sent(*args, data=DATA, windows=WINDOWS):
    """What is to be stored, from the request itself."""
    done = subprocess.run(BASE + ["--dry-run", *windows, *args, data],
                          capture_output=True, timeout=100, env=ENV,
                          check=True)
    s = pushserver.Server(rate=0, older=0)
    s.push(done.stdout, False)
    s.http.server_close()
    return s.store


WANT = sent()


def same(server, want=None, conflicts=0):
    got = server.store.windows()
    want = (want or WANT).windows()
    check(server.store.conflicts == conflicts, "different profiles of one time")
    check(set(got) <= set(want), "times that were not sent")
    check(set(got) == set(want), f"{len(got)} of {len(want)} windows")
    check(got == want, "a window differs")


def ends(done, status, *words):
    text = done.stderr.decode()
    check(done.returncode == status, f"exit {done.returncode}:", text)
    for w in words:
        check(w in text, f"no word of '{w}':", text)


# ---- faults that pass --------------------------------------------------------

def passing(faults, *args, **limits):
    def run():
        with pushserver.Server(faults=faults, rate=0, **limits) as s:
            ends(push(s, *args), 0)
            check(not s.faults, "not all faults were seen")
            same(s)
    run.__doc__ = f"{faults or 'no fault'}: all is stored"
    return run


for case in ("", "500 500", "503 502 504", "408", "429@1 429", "499", "reset",
             "reset reset+", "500+ 500+", "half:500", "half:429 half:429",
             "garbage"):
    test(passing(case))
for case in ("many:400", "many:413 many:413", "many:half:400"):
    test(passing(case, delay=0.15))
test(passing("slow:5", "--timeout", "1s"))
test(passing("slow+:5 slow+:5", "--timeout", "1s"))
test(passing("drip", "--timeout", "3s"))


@test
def started_late():
    """a server that is started late gets all"""
    s = pushserver.Server(rate=0)
    port = s.port
    s.http.server_close()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        job = pool.submit(push, f"http://127.0.0.1:{port}")
        time.sleep(1)
        with pushserver.Server(port=port, rate=0) as s:
            ends(job.result(), 0)
            same(s)


@test
def restarted():
    """a server that is restarted in between has all"""
    state = fresh()
    s = pushserver.Server(rate=0, state=state, delay=0.3).start()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        job = pool.submit(push, s)
        for _ in range(3):
            time.sleep(0.5)
            s.stop()
            s = pushserver.Server(port=s.port, rate=0, state=state,
                                  delay=0.3).start()
        ends(job.result(), 0)
        s.stop()
        s.store = pushserver.Store(state)       # of all of them
        same(s)


@test
def slow_server_keeps_up():
    """a server that takes half a second gets many profiles at once"""
    with pushserver.Server(rate=0, delay=0.5) as s:
        ends(push(s, windows=["--window", "1ms", *WINDOWS[2:]]), 0)
        same(s, sent(windows=["--window", "1ms", *WINDOWS[2:]]))
        check(s.most_inflight > 1, "one request at a time")
        check(len(s.requests) * 10 < len(s.store.rows), len(s.requests),
              "requests for", len(s.store.rows), "profiles")


@test
def rate_limit():
    """under the rate limit of the server nothing is refused"""
    with pushserver.Server() as s:
        done = subprocess.run(BASE + ["--server", s.url, *WINDOWS, DATA],
                              capture_output=True, env=ENV, check=False)
        ends(done, 0)
        same(s)
        check(s.store.duplicates == 0, "some were sent twice")


# ---- what does not pass ---------------------------------------------------------

@test
def redirects():
    """redirects are not followed, least of all with credentials"""
    with pushserver.Server() as other:
        with pushserver.Server(faults=f"redirect:{other.url}") as s:
            done = push(s, env={"PD_PUSH_TOKEN": "tiger-balm"})
            ends(done, 1, "redirect", "307")
        check(not other.requests, "it went there")


@test
def login_page():
    """a page to log in on is no success"""
    with pushserver.Server(faults="html " * 20) as s:
        ends(push(s), 1, "no profile server")


@test
def wrong_path():
    """a server of another kind is no success"""
    with pushserver.Server() as s:
        ends(push(s.url + "/nowhere"), 1, "404")


@test
def gives_up():
    """what cannot be delivered in time is said to be lost"""
    with pushserver.Server(faults="500 " * 1000) as s:
        done = push(s, "--retry", "1s")
        ends(done, 2, "lost", "500", "499 samples")


@test
def retry_after_too_long():
    """a server that asks for more time than there is ends it"""
    with pushserver.Server(faults="429@3600 " * 1000) as s:
        ends(push(s, "--retry", "1s"), 2, "lost", "429")


@test
def rejected():
    """what the server rejects is not sent again, the rest is stored"""
    half = START * 10**9 + 250000000
    with pushserver.Server(rate=0, delay=0.1, **{"from": half}) as s:
        ends(push(s), 1, "rejected", "ingestion window", "--rebase-time")
        want = {t: w for t, w in WANT.windows().items() if t >= half}
        check(s.store.windows() == want, "the rest is not stored")
        check(0 < len(want) < len(WANT.windows()), "all or nothing")


@test
def old_recording():
    """an old recording is stored with --rebase-time now"""
    old = fresh()
    shutil.copy(DATA, old)
    os.utime(old, (START - 86400, START - 86400))
    args = ["--window", "10ms"]
    with pushserver.Server(rate=0) as s:
        ends(push(s, data=old, windows=args), 1, "--rebase-time")
        args += ["--rebase-time", "now"]
        ends(push(s, data=old, windows=args), 0)
        check(s.store.stacks() == WANT.stacks(), "other stacks")


@test
def tls():
    """certificates are checked: of this host, by an authority that we trust"""
    def cert(name, san):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
             "-keyout", f"{TMP.name}/{name}.key", "-out",
             f"{TMP.name}/{name}.crt", "-days", "2", "-subj", "/CN=test",
             "-addext", f"subjectAltName={san}"], check=True,
            capture_output=True)
        return f"{TMP.name}/{name}.crt", f"{TMP.name}/{name}.key"

    good = cert("good", "IP:127.0.0.1")
    other = cert("other", "DNS:example.org")
    with pushserver.Server(tls=good, rate=0) as s:
        ends(push(s), 2, "certificate")
        ends(push(s, "--ca", other[0]), 2, "certificate")
        check(not s.store.rows, "it was stored all the same")
        ends(push(s, "--ca", good[0]), 0)
        same(s)
    with pushserver.Server(tls=other) as s:
        ends(push(s, "--ca", other[0]), 2, "certificate")


# ---- the spool --------------------------------------------------------------------

@test
def spool_keeps():
    """what a dead server does not take is kept, and sent first next time"""
    spool = fresh()
    with pushserver.Server(faults="503 " * 1000, rate=0) as s:
        ends(push(s, "--retry", "1s", "--spool", spool), 2, "kept", "spool")
        check(not s.store.rows, "stored")
        s.faults.clear()
        more = [*WINDOWS[:3], f"@{START + 20}"]
        ends(push(s, "--spool", spool, windows=more), 0)
        times = [t for _, t in s.store.rows]
        old = [t for t in times if t < (START + 20) * 10**9]
        check(set(old) == set(WANT.windows()), "not all of the old ones")
        check(times[0] in old and len(times) == 2 * len(old),
              "new ones went first, or not at all")
        check(glob.glob(spool + "/*.push") == [], "the spool is not empty")


@test
def killed():
    """killed at any moment and run again, all is stored once"""
    rng = random.Random(os.environ.get("PD_SEED", "7"))
    spool = fresh()
    faults = " ".join(rng.choice(["ok", "500", "reset", "reset+", "500+",
                                  "half:500"]) for _ in range(400))
    with pushserver.Server(faults=faults, rate=0, delay=0.02) as s:
        for _ in range(8):
            p = subprocess.Popen(
                BASE + ["--server", s.url, "--rate", "0", "--spool", spool,
                        *WINDOWS, DATA], stderr=subprocess.DEVNULL, env=ENV)
            time.sleep(rng.random() * 0.4)
            p.kill()
            p.wait()
        s.faults.clear()
        ends(push(s, "--spool", spool), 0)
        same(s)


@test
def spool_is_of_one():
    """a spool belongs to one process and one server"""
    spool = fresh()
    with pushserver.Server(faults="503 " * 1000, delay=0.5) as s:
        p = subprocess.Popen(BASE + ["--server", s.url, "--spool", spool,
                                     *WINDOWS, DATA], env=ENV,
                             stderr=subprocess.DEVNULL)
        while not glob.glob(spool + "/*.push"):
            time.sleep(0.02)
        ends(push(s, "--spool", spool), 2, "another process")
        p.kill()
        p.wait()
        ends(push("http://127.0.0.1:9", "--spool", spool), 2,
             "another server", s.url)


@test
def spool_damaged():
    """a damaged file of the spool is put aside, and said"""
    spool = fresh()
    with pushserver.Server(faults="503 " * 1000, rate=0) as s:
        push(s, "--retry", "1s", "--spool", spool)
        victim = sorted(glob.glob(spool + "/*.push"))[0]
        with open(victim, "r+b") as f:
            f.seek(-3, os.SEEK_END)
            f.write(b"xxx")
        s.faults.clear()
        done = push(s, "--spool", spool)
        ends(done, 0)
        check(glob.glob(spool + "/*.damaged"), "it is gone")
        same(s)         # the run before had the same input


@test
def spool_full():
    """when the spool is full, the rest goes through memory"""
    spool = fresh()
    with pushserver.Server(faults="503 " * 3, rate=0, delay=0.05) as s:
        done = push(s, "--spool", spool, "--spool-size", "1",
                    windows=["--window", "1ms", *WINDOWS[2:]])
        ends(done, 0)
        same(s, sent(windows=["--window", "1ms", *WINDOWS[2:]]))


@test
def spool_fails():
    """when the spool cannot be written, all goes through memory, and is said"""
    spool = fresh()

    def limit():        # as a full disk, for a file
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

    with pushserver.Server(faults="503", rate=0) as s:
        done = subprocess.run(
            BASE[:3] + ["--server", s.url, "--rate", "0", "--spool", spool,
                        *WINDOWS, DATA], capture_output=True, env=ENV,
            preexec_fn=limit, check=False)
        ends(done, 0, "File too large", "not kept")
        same(s)
        check(sorted(os.listdir(spool)) == ["lock"], os.listdir(spool))


# ---- secrets ------------------------------------------------------------------------

@test
def secrets():
    """no secret is in a message, a file or a list of processes"""
    files = {}
    for name, text in (("token", "tok-5ecret\n"), ("user", "joe:pa55word\n"),
                       ("header", "X-Key: h1dden-key\n")):
        files[name] = fresh()
        with open(files[name], "w", encoding="ascii") as f:
            f.write(text)
    cases = (
        ("Bearer tok-5ecret", {}, ["--token-file", files["token"]]),
        ("Bearer tok-5ecret", {"PD_PUSH_TOKEN": "tok-5ecret"}, []),
        ("Basic am9lOnBhNTV3b3Jk", {}, ["--user-file", files["user"]]),
        ("Basic am9lOnBhNTV3b3Jk", {}, ["url"]),
    )
    for auth, env, args in cases:
        spool = fresh()
        with pushserver.Server(auth=auth, rate=0) as s:
            url = s.url
            if args == ["url"]:
                args, url = [], url.replace("//", "//joe:pa55word@")
            args = [*args, "--header", "@" + files["header"]]
            ends(push(url, *args, env=env), 0)
            same(s)
            check(s.requests[0][1].get("X-Key") == "h1dden-key", "no header")
            one, text = WINDOWS[2:], b""
            for fault in ("echo", "503"):
                s.faults.extend([fault] * 20)
                done = push(url, *args, "-v", "--spool", spool, "--retry",
                            "0s", env=env, windows=one)
                text += done.stdout + done.stderr
                s.faults.clear()
            for f in glob.glob(spool + "/*"):
                with open(f, "rb") as f:
                    text += f.read()
            check(b"***" in text, "nothing was echoed:", text[:300])
            for secret in (b"5ecret", b"pa55word", b"h1dden",
                           b"am9lOnBhNTV3b3J"):
                check(secret not in text, f"{secret} is in", text[:1000])
    with pushserver.Server(auth="Bearer other") as s:
        ends(push(s, "--token-file", files["token"]), 1, "401")
    ends(push("http://127.0.0.1:9", "--token-file", "/nonexistent"), 2,
         "/nonexistent")


@test
def tenants():
    """the tenant is told; a server that misses it is no success"""
    with pushserver.Server(tenants=True, rate=0) as s:
        ends(push(s), 1, "401")
        ends(push(s, "--tenant", "team-a"), 0)
        check(s.requests[-1][1].get("X-Scope-OrgID") == "team-a", "not told")
        same(s)


# ---- inputs, limits, other interfaces ------------------------------------------------

@test
def whole():
    """without --window it is one profile, with all that pd-fold counts"""
    with pushserver.Server(rate=0) as s:
        ends(push(s, windows=["--rebase-time", "now"]), 0)
        check(len(s.store.rows) == 1, "more than one profile")
        folded = subprocess.run([f"{BIN}/pd-fold", "-q", "--weight", "samples",
                                 DATA], capture_output=True, check=True).stdout
        want = collections.Counter()
        for line in folded.decode().splitlines():
            stack, _, n = line.rpartition(" ")
            want[stack] += int(n)
        check(s.store.stacks() == want, "it is not what pd-fold counts")
        labels = dict(next(iter(s.store.labels())))
        check(labels == {"__name__": "process_cpu", "service_name": "demo",
                         "__delta__": "false", "pyroscope_spy": "perf"},
              labels)


@test
def ingest():
    """old servers get the same through /ingest"""
    with pushserver.Server(rate=0, faults="500 429@1 reset+") as s:
        ends(push(s, "--api", "ingest", "--label", "run=a b:7"), 0)
        same(s)
        labels = dict(next(iter(s.store.labels())))
        check(labels["run"] == "a b:7" and labels["service_name"] == "demo",
              labels)


@test
def spans():
    """each sample tells its span"""
    args = ["--span-windows", "1ms", *WINDOWS[2:]]
    with pushserver.Server(rate=0) as s:
        ends(push(s, windows=args), 0)
        got = s.store.windows(by=lambda t, span: int(span, 16))
        want = sent(windows=["--window", "1ms", *WINDOWS[2:]]).windows(
            by=lambda t, span: t - t % 10**6)
        check(got == want, "spans are not what windows of that size hold")
        check(len(s.store.labels()) == 1, "spans became series")


@test
def too_many():
    """what is over the limits of a server is split, and all is there"""
    folded = fresh()
    with open(folded, "w", encoding="ascii") as f:
        for i in range(40000):
            f.write(f"main;f{i % 7};g{i};leaf {i % 5 + 1}\n")
    with pushserver.Server(rate=0) as s:
        ends(push(s, data=folded, windows=[]), 0)
        got = s.store.stacks()
        check(len(got) == 40000, len(got), "stacks")
        check(all(got[f"main;f{i % 7};g{i};leaf"] == i % 5 + 1
                  for i in range(40000)), "other counts")
        check(len(s.store.rows) > 2, "not split")


@test
def hostile_names():
    """names that are no UTF-8 or drive terminals do not cost the profile"""
    folded = fresh()
    with open(folded, "wb") as f:
        f.write(b"main;</script>\x1b[31m;\xff\xfe;ok 3\n"
                b"main;" + b"std::vector<int>::" * 450 + b" 4\n"
                b"main;\xc2\x9b 5\nmain;\xed\xa0\x80 6\n")
    with pushserver.Server(rate=0) as s:
        ends(push(s, data=folded, windows=[]), 0)
        got = s.store.stacks()
        check(sum(got.values()) == 18, got)
        check(all(c.isprintable() for k in got for c in k), got)


def varint(n):
    out = b""
    while n >= 128:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def field(n, v):
    if isinstance(v, int):
        return varint(n << 3) + varint(v)
    return varint(n << 3 | 2) + varint(len(v)) + v


def pprof(samples, kind=b"cache-misses", name=b"f", depth=2, values=None):
    """A profile of so many different stacks."""
    strings = [b"", kind, b"count", b"main"]
    out = field(1, field(1, 1) + field(2, 2))
    for i in range(samples):
        value = values[i] if values else 1
        ids = b"".join(varint(x) for x in [i + 2] + [1] * (depth - 1))
        out += field(2, field(1, ids) + field(2, varint(value % (1 << 64))))
    for i in range(samples + 1):
        out += field(4, field(1, i + 1) + field(4, field(1, i + 1)))
        out += field(5, field(1, i + 1) + field(2, i + 3))
        if i > 0:
            strings.append(name + b"%d" % i)
    for s in strings:
        out += field(6, s)
    return out + field(9, START * 10**9)


@test
def pprof_input():
    """a pprof profile is passed on; what no server takes is mended"""
    with pushserver.Server(rate=0) as s:
        ends(push(s, data="-", windows=[], stdin=pprof(3)), 0)
        check(s.store.stacks("cache_misses") ==
              {f"main;f{i}": 1 for i in (1, 2, 3)}, s.store.stacks())
        check(set(s.store.windows("cache_misses")) == {START * 10**9}, "time")
    for raw, n in ((pprof(20000, b"cpu"), 20000),
                   (pprof(3000, b"cpu", b"x" * 1500), 3000),
                   (pprof(2, b"cpu", b"\xff\xfe"), 2)):
        with pushserver.Server(rate=0) as s:
            ends(push(s, data="-", windows=[], stdin=raw), 0)
            got = s.store.stacks("cpu")
            check(sum(got.values()) == n, sum(got.values()), "of", n)
            check(n == 2 or len(got) == n, "stacks became one")
    with pushserver.Server(rate=0) as s:
        done = push(s, data="-", windows=[], stdin=pprof(2, b"cpu", depth=1100))
        ends(done, 0)
        check(sorted(k.rpartition(";")[2] for k in s.store.stacks("cpu")) ==
              ["f1", "f2"], "the leaf is gone")


@test
def pprof_refused():
    """what cannot be sent is refused with the reason"""
    with pushserver.Server(rate=0) as s:
        big = pprof(2, b"cpu", b"x" * (3 << 20))
        ends(push(s, data="-", windows=[], stdin=big), 2, "larger than")
        ends(push(s, data="-", windows=[], stdin=pprof(9)[:60]), 2, "pprof")
        ends(push(s, data="-", windows=[], stdin=b"\x1f\x8b\x08junk"), 2)
        many = [x for i in range(30) for x in ("--label", f"l{i}=x")]
        ends(push(s, *many), 2, "30 labels")
        ends(push(s, "--label", "a=1", "--label", "a=2"), 2, "twice")
        check(not s.requests, "it was sent")


@test
def terminated():
    """SIGTERM ends a stream with all that came so far"""
    with pushserver.Server(rate=0) as s:
        data = subprocess.run([f"{BIN}/pd-slice", "-q", "--pipe", DATA],
                              capture_output=True, check=True).stdout
        p = subprocess.Popen(
            BASE + ["--server", s.url, "--rate", "0", "--window", "10s",
                    "--rebase-time", f"@{START}", "-"],
            stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)
        p.stdin.write(data)
        p.stdin.flush()
        time.sleep(0.5)
        p.send_signal(signal.SIGTERM)
        text = p.stderr.read()
        p.wait()
        check(p.returncode == 0, p.returncode, text)
        check(s.store.stacks() == WANT.stacks(), "not all")


def timed(t):
    start = time.monotonic()
    try:
        t()
    finally:
        t.took = time.monotonic() - start


@test
def quiet():
    """a window that is over is sent, though no sample follows"""
    with pushserver.Server(rate=0) as s:
        data = subprocess.run([f"{BIN}/pd-slice", "-q", "--pipe", DATA],
                              capture_output=True, check=True).stdout
        p = subprocess.Popen(
            BASE + ["--server", s.url, "--rate", "0", "--window", "500ms", "-"],
            stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)
        p.stdin.write(data)
        p.stdin.flush()
        for _ in range(200):        # the input goes on
            if s.store.rows:
                break
            time.sleep(0.1)
        check(s.store.rows, "nothing came")
        before = sum(s.store.stacks().values())
        p.stdin.close()
        p.wait()
        check(p.returncode == 0, p.stderr.read())
        p.stderr.close()
        check(s.store.stacks() == WANT.stacks(), before, "then other stacks")


@test
def out_of_memory():
    """whatever allocation fails, all is stored, or it is said"""
    lib = os.environ.get("PD_TESTS", TOP + "/build/gcc/tests") + \
        "/failmalloc.so"
    if os.environ.get("PD_SAN", ""):
        return              # sanitizers have their own malloc
    count = fresh()
    args = [*WINDOWS[2:], "--api", "push"]
    want = sent(windows=args)
    with pushserver.Server(rate=0) as s:
        ends(push(s, windows=args, env={"LD_PRELOAD": lib,
                                        "FAIL_COUNT": count}), 0)
    with open(count, encoding="ascii") as f:
        total = int(f.read())
    for n in range(1, total, total // 50 + 1):
        with pushserver.Server(rate=0) as s:
            done = push(s, "--spool", fresh(), "--retry", "2s", windows=args,
                        env={"LD_PRELOAD": lib, "FAIL_AT": str(n)})
            if done.returncode == 0:
                same(s, want)
            else:
                ends(done, 2)
                check(done.stderr, f"allocation {n} of {total}: no message")


def main():
    failed = 0
    for t in TESTS:         # the timing of faults, not the CPU, takes time
        t.name = t.__doc__
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        jobs = [pool.submit(timed, t) for t in TESTS]
        for n, (t, job) in enumerate(zip(TESTS, jobs), 1):
            bad = job.exception()
            if bad:
                failed += 1
                kind = "" if isinstance(bad, Failed) else repr(type(bad))
                print(f"# {kind} {bad}"[:2000].replace("\n", "\n# "))
            print(f"{'not ' if bad else ''}ok {n} - {t.name}", flush=True)
            print(f"# {t.took:.1f} s")
    print(f"1..{len(TESTS)}")
    return failed != 0


sys.exit(main())
