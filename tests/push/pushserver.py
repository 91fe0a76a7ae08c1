#!/usr/bin/env python3
"""A profile server to test against: limits, status codes and traps of Grafana
Pyroscope (distributor, validation and /ingest handler of version 2, defaults
of its flags), and faults on demand.  Nothing is kinder than the real one.

    pushserver.py [--port N] [--state FILE] [--faults LIST] [--tls CERT KEY] ...

prints the port once it listens.  Tests import Server instead.

Faults are taken from a list, one for each request, then all goes well:

    ok             as if there were no fault
    STATUS         this status, nothing stored
    STATUS+        this status, but stored
    429@N          429 with Retry-After: N
    half:STATUS    every second series is stored, then this status
    reset          the connection is reset in the middle of the request
    reset+         it is reset after the request was stored
    slow:N slow+:N nothing stored, or stored, and no answer for N seconds
    drip           stored, and an answer that never ends
    garbage        stored, and an answer that is no HTTP
    redirect:URL   307 to URL
    echo           400 with the headers that came
    html           a page to log in on, with 200
    many:FAULT     the next request that has several profiles
"""
import argparse
import base64
import collections
import http.server
import json
import os
import re
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse
import zlib

MIB = 1 << 20
SPECIAL = {"span_id", "trace_id", "profile_id"}


class Bad(Exception):
    """An answer other than 200: the code of Connect, and a message."""

    CODES = {"invalid_argument": 400, "unauthenticated": 401,
             "resource_exhausted": 429, "unknown": 500, "unavailable": 503}

    def __init__(self, code, message, status=None):
        super().__init__(message)
        self.code, self.message = code, message
        self.status = status or self.CODES[code]


# ---- protobuf ---------------------------------------------------------------

def varint(b, i):
    v = shift = 0
    while True:
        if i >= len(b) or shift > 63:
            raise Bad("invalid_argument", "unexpected EOF")
        v |= (b[i] & 0x7f) << shift
        i += 1
        if b[i - 1] < 0x80:
            return v & (1 << 64) - 1, i
        shift += 7


def fields(b):
    """(number, value) of a message; value is an int or bytes."""
    i = 0
    while i < len(b):
        key, i = varint(b, i)
        wire = key & 7
        if wire == 0:
            v, i = varint(b, i)
        elif wire == 2:
            n, i = varint(b, i)
            v, i = b[i:i + n], i + n
            if i > len(b):
                raise Bad("invalid_argument", "unexpected EOF")
        elif wire in (1, 5):
            n = 8 if wire == 1 else 4
            v, i = int.from_bytes(b[i:i + n], "little"), i + n
        else:
            raise Bad("invalid_argument", f"proto: illegal wireType {wire}")
        yield key >> 3, v


def packed(v):
    if isinstance(v, int):
        return [v]
    out, i = [], 0
    while i < len(v):
        n, i = varint(v, i)
        out.append(n)
    return out


def signed(v):
    return v - (1 << 64) if v >> 63 else v


class Profile:
    """profile.proto, as far as the server looks at it."""

    def __init__(self, raw):
        self.types, self.samples, self.strings = [], [], []
        self.mappings, self.locations, self.functions = {}, {}, {}
        self.time = self.duration = self.period = 0
        self.period_type = None
        self.size = len(raw)
        for n, v in fields(raw):
            if n == 1:
                self.types.append(self.value_type(v))
            elif n == 2:
                self.samples.append(self.sample(v))
            elif n == 3:
                m = dict(fields(v))
                self.mappings[m.get(1, 0)] = m
            elif n == 4:
                self.location(v)
            elif n == 5:
                f = dict(fields(v))
                self.functions[f.get(1, 0)] = f
            elif n == 6:
                self.strings.append(v)
            elif n == 9:
                self.time = signed(v)
            elif n == 10:
                self.duration = signed(v)
            elif n == 11:
                self.period_type = self.value_type(v)
            elif n == 12:
                self.period = signed(v)

    @staticmethod
    def value_type(b):
        d = dict(fields(b))
        return d.get(1, 0), d.get(2, 0)

    @staticmethod
    def sample(b):
        locations, values, labels = [], [], []
        for n, v in fields(b):
            if n == 1:
                locations += packed(v)
            elif n == 2:
                values += [signed(x) for x in packed(v)]
            elif n == 3:
                d = dict(fields(v))
                labels.append((d.get(1, 0), d.get(2, 0)))
        return locations, values, labels

    def location(self, b):
        ident = mapping = address = 0
        lines = []
        for n, v in fields(b):
            if n == 1:
                ident = v
            elif n == 2:
                mapping = v
            elif n == 3:
                address = v
            elif n == 4:
                lines.append(dict(fields(v)).get(1, 0))
        self.locations[ident] = (mapping, address, lines)

    def text(self, i):
        return self.strings[i].decode()


def inflate(b, limit=0):
    if b[:2] != b"\x1f\x8b":
        return b
    d = zlib.decompressobj(31)
    try:
        out = d.decompress(b, limit + 1 if limit else 0)
    except zlib.error as e:
        raise Bad("invalid_argument", f"gzip: {e}") from e
    if not d.eof and not (limit and len(out) > limit):
        raise Bad("invalid_argument", "copy to buffer: unexpected EOF")
    return out


# ---- what is stored ---------------------------------------------------------

class Store:
    """Rows by series and time.  Two of the same are one: the server merges
    them at compaction, and keeps one."""

    def __init__(self, path=None):
        self.rows, self.lock = {}, threading.Lock()
        self.duplicates = self.conflicts = 0
        self.file = None
        if path is None:
            return
        if os.path.exists(path):
            with open(path, encoding="ascii") as f:
                for line in f:
                    if line.endswith("\n"):
                        labels, t, row = json.loads(line)
                        self.put(tuple(map(tuple, labels)), t, row)
        self.file = open(path, "a", encoding="ascii")

    def put(self, labels, t, row):
        with self.lock:
            have = self.rows.get((labels, t))
            if have is not None:
                self.duplicates += 1
                self.conflicts += have != row
                return
            self.rows[labels, t] = row
            if self.file:
                self.file.write(json.dumps([labels, t, row]) + "\n")
                self.file.flush()

    def windows(self, kind="samples", by=lambda t, span: t):
        """{time: {stack: count}} of all series."""
        out = collections.defaultdict(collections.Counter)
        with self.lock:
            for (labels, t), row in self.rows.items():
                if kind not in row["types"]:
                    continue
                i = row["types"].index(kind)
                for stack, span, values in row["samples"]:
                    out[by(t, span)][stack] += values[i]
        return out

    def stacks(self, kind="samples"):
        total = collections.Counter()
        for w in self.windows(kind).values():
            total.update(w)
        return total

    def labels(self):
        return {labels for labels, _ in self.rows}


class Limiter:
    """golang.org/x/time/rate: what is larger than the burst never passes."""

    def __init__(self, rate, burst):
        self.rate, self.burst, self.left = rate, burst, burst
        self.at, self.lock = time.monotonic(), threading.Lock()

    def allow(self, n):
        if not self.rate:
            return True
        with self.lock:
            now = time.monotonic()
            self.left = min(self.burst,
                            self.left + (now - self.at) * self.rate)
            self.at = now
            if n > self.left:
                return False
            self.left -= n
            return True


# ---- the server -------------------------------------------------------------

DEFAULTS = {
    "rate": 4 * MIB, "burst": 2 * MIB, "body": 256 * MIB, "profile": 4 * MIB,
    "samples": 16000, "sample_labels": 100, "depth": 1000, "symbol": 65535,
    "labels": 30, "label_name": 1024, "label_value": 2048,
    "older": 3600, "newer": 600, "from": 0, "old_labels": False,
}


class Server:
    def __init__(self, port=0, state=None, faults="", tls=None, auth=None,
                 tenants=False, delay=0.0, **limits):
        self.limits = {**DEFAULTS, **limits}
        self.store = Store(state)
        self.limiter = Limiter(self.limits["rate"], self.limits["burst"])
        self.faults = collections.deque(faults.split())
        self.auth, self.tenants, self.delay = auth, tenants, delay
        self.requests = []      # (path, headers, fault)
        self.bodies = []
        self.inflight = self.most_inflight = 0
        self.lock = threading.Lock()
        handler = type("Handler", (Handler,), {"server_": self})
        for left in reversed(range(50)):
            try:        # a port of before may be in use by a client, for now
                self.http = Listener(("127.0.0.1", port), handler)
                break
            except OSError:
                if not left:
                    raise
                time.sleep(0.1)
        if tls:
            ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            ctx.load_cert_chain(*tls)
            self.http.socket = ctx.wrap_socket(self.http.socket,
                                               server_side=True,
                                               do_handshake_on_connect=False)
        self.port = self.http.server_address[1]
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"

    def start(self):
        threading.Thread(target=self.http.serve_forever, args=(0.02,),
                         daemon=True).start()
        return self

    def stop(self):
        self.http.shutdown()
        self.http.server_close()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    # -- validation, in the order of the distributor --

    def push_series(self, labels, raw, now):
        lim = self.limits
        raw = inflate(raw, lim["profile"])
        if len(raw) > lim["profile"]:
            raise Bad("invalid_argument", "uncompressed profile payload size "
                      f"exceeds limit of {lim['profile']}")
        p = Profile(raw)
        if not any(n == "service_name" for n, _ in labels):
            labels.append(("service_name", "unspecified"))
        size = p.size + sum(len(n) + len(v) for n, v in labels)
        if not self.limiter.allow(size):
            raise Bad("resource_exhausted", f"push rate limit ({lim['rate']}) "
                      f"exceeded while adding {size}")
        self.check_profile(p, now)
        series = collections.defaultdict(dict)
        for locations, values, pairs in p.samples:
            if any(v < 0 for v in values) or not any(values):
                continue
            own, span = [], ""
            for k, v in pairs:
                if v == 0:
                    continue            # numeric labels are dropped
                if p.text(k) not in SPECIAL:
                    own.append((p.text(k), p.text(v)))
                elif p.text(k) == "span_id":
                    span = p.text(v)
            stack = self.stack(p, locations)
            if stack is None:
                continue
            rows = series[tuple(sorted(own))]
            old = rows.setdefault((stack, span), [0] * len(values))
            rows[stack, span] = [a + b for a, b in zip(old, values)]
        types = [p.text(t) for t, _ in p.types]
        for own, rows in series.items():
            every = tuple(sorted(set(labels) | set(own)))
            self.check_labels(every)
            self.store.put(every, p.time or int(now * 1e9), {
                "types": types, "units": [p.text(u) for _, u in p.types],
                "duration": p.duration, "period": p.period,
                "period_type": p.period_type and p.text(p.period_type[0]),
                "samples": [[s, span, v] for (s, span), v in
                            sorted(rows.items())]})

    def stack(self, p, locations):
        names = []
        for ident in locations[-self.limits["depth"]:]:
            if ident not in p.locations:
                return None
            mapping, address, lines = p.locations[ident]
            if not lines and not address:
                return None             # removed, and so is the sample
            if mapping and mapping not in p.mappings:
                return None
            for f in lines:
                if f not in p.functions:
                    return None
                names.append(p.text(p.functions[f].get(2, 0))
                             [-self.limits["symbol"]:])
            if not lines:
                names.append(f"0x{address:x}")
        return ";".join(reversed(names))

    def check_profile(self, p, now):
        lim = self.limits
        malformed = None
        if not p.types:
            raise Bad("invalid_argument", "empty profile")
        if p.time > 0 and lim["older"]:
            age = now - p.time / 1e9
            if (age > lim["older"] or age < -lim["newer"] or
                    p.time < lim["from"]):
                raise Bad("invalid_argument", "profile with labels '{}' is "
                          "outside of ingestion window (profile timestamp: "
                          f"{p.time}, the ingestion window starts at ...)")
        if p.size > lim["profile"]:
            raise Bad("invalid_argument", f"profile of {p.size} bytes exceeds "
                      f"the limit of {lim['profile']}")
        if len(p.samples) > lim["samples"]:
            raise Bad("invalid_argument", f"the profile has {len(p.samples)} "
                      f"samples, the limit is {lim['samples']}")
        for locations, values, pairs in p.samples:
            if len(pairs) > lim["sample_labels"]:
                malformed = f"{len(pairs)} labels of a sample"
            if len(values) != len(p.types):
                malformed = "sample value length mismatch"
            if any(i >= len(p.strings) for pair in pairs for i in pair):
                malformed = "sample label string index out of range"
        if 0 in p.locations or 0 in p.functions:
            malformed = "location or function id is 0"
        if not p.strings or p.strings[0] != b"":
            malformed = "string 0 should be empty string"
        for f in p.functions.values():
            if any(f.get(k, 0) >= len(p.strings) for k in (2, 3, 4)):
                malformed = "function string index out of range"
        if any(i >= len(p.strings) for t in p.types for i in t):
            malformed = "sample type string index out of range"
        if malformed:
            raise Bad("invalid_argument", malformed)
        if any(b"-" in p.strings[t] for t, _ in p.types):
            raise Bad("invalid_argument", "sample type contains -")
        for s in p.strings:
            try:
                s.decode()
            except UnicodeDecodeError:
                raise Bad("invalid_argument",
                          f"invalid utf8 string hex: {s.hex()}") from None

    def check_labels(self, labels):
        lim = self.limits
        if len(labels) > lim["labels"]:
            raise Bad("invalid_argument", f"profile series has {len(labels)} "
                      f"label names; limit {lim['labels']}")
        if not dict(labels).get("__name__"):
            raise Bad("invalid_argument", "invalid metric name")
        for name, value in labels:
            if len(name.encode()) > lim["label_name"]:
                raise Bad("invalid_argument", f"label name too long: {name}")
            if len(value.encode()) > lim["label_value"]:
                raise Bad("invalid_argument", f"label value too long: {name}")
            if name == "" or (lim["old_labels"] and
                              not re.fullmatch(r"[A-Za-z_.][\w.]*", name)):
                raise Bad("invalid_argument", f"invalid label name '{name}'")
        if len({n for n, _ in labels}) != len(labels):
            raise Bad("invalid_argument", "duplicate label name")

    # -- the two interfaces --

    def push(self, body, half):
        """A PushRequest; half: only every second series."""
        series = []
        for n, v in fields(body):
            if n != 1:
                continue
            labels, raws = [], []
            for m, w in fields(v):
                if m == 1:
                    d = dict(fields(w))
                    labels.append((d.get(1, b"").decode(),
                                   d.get(2, b"").decode()))
                elif m == 2:
                    raws.append(dict(fields(w)).get(1, b""))
            series += [(list(labels), raw) for raw in raws]
        if not series:
            raise Bad("invalid_argument", "no profiles received")
        errors, now = [], time.time()
        for i, (labels, raw) in enumerate(series):
            if half and i % 2:
                continue
            try:
                self.push_series(labels, raw, now)
            except Bad as e:
                errors.append((i, e))
        if errors:
            text = "; ".join(f"push series with index {i} and id failed: "
                             f"{e.code}: {e.message}" for i, e in errors)
            if len(errors) > 1:
                text = f"{len(errors)} errors: {text}"
            raise Bad(errors[0][1].code, text)

    def ingest(self, query, headers, body):
        q = {k: v[-1] for k, v in urllib.parse.parse_qs(query).items()}
        try:
            app, labels = self.ingest_name(q.get("name", ""))
        except ValueError as e:
            raise Bad("unknown", f"name: {e}", 400) from None
        start = self.ingest_time(q.get("from", ""))
        kind = headers.get("Content-Type", "")
        if q.get("format") == "pprof":
            raw = body
        elif kind.startswith("multipart/form-data"):
            raw = self.form(kind, body).get("profile")
        else:
            raise Bad("unknown", "only pprof is understood here", 422)
        try:
            p = Profile(inflate(raw or b""))
            if not p.samples:
                return
            name = "process_cpu" if any(b"cpu" in p.strings[t] for t, _ in
                                        p.types) else p.text(p.types[-1][0])
            labels.setdefault("service_name", app)
            labels.update({"__name__": name, "__delta__": "false",
                           "pyroscope_spy": q.get("spyName", "unknown")})
            if p.time < 31536000 * 10**9:
                raise Bad("unknown", f"time of 1970, from={start}")
            self.push_series(sorted(labels.items()), raw, time.time())
        except (Bad, IndexError, UnicodeDecodeError) as e:
            code = getattr(e, "code", "unknown")
            raise Bad("unknown", f"{code}: {e}",
                      429 if code == "resource_exhausted" else 422) from None

    @staticmethod
    def ingest_name(name):
        m = re.fullmatch(r"([\w./-]+)(?:\{(.*)\})?", name.strip())
        if not m:
            raise ValueError("invalid application name")
        labels = {}
        for part in filter(None, (m.group(2) or "").split(",")):
            k, eq, v = part.partition("=")
            if not eq or not re.fullmatch(r"[\w.]+", k.strip()):
                raise ValueError(f"invalid label {k}")
            if k.strip() != "__session_id__" and not k.startswith("__"):
                labels[k.strip()] = v.strip()
        return m.group(1), labels

    @staticmethod
    def ingest_time(text):
        if not re.fullmatch(r"\d+", text):
            return int(time.time() * 1e9)
        unit = {13: 10**6, 16: 10**3, 19: 1}.get(len(text), 10**9)
        return int(text) * unit

    @staticmethod
    def form(kind, body):
        boundary = re.search(r'boundary="?([^";]+)', kind)
        parts = {}
        if not boundary:
            raise Bad("unknown", "no multipart boundary param", 422)
        for part in body.split(b"--" + boundary.group(1).encode())[1:-1]:
            head, _, data = part.partition(b"\r\n\r\n")
            name = re.search(rb'name="([^"]*)"', head)
            parts[name.group(1).decode()] = data[:-2]
        return parts


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        """What clients do to a connection is no news here."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_ = None

    def log_message(self, format, *args):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if body else
                         "application/proto")
        self.send_header("Content-Length", str(len(body)))
        for k, v in headers:
            self.send_header(k, v)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, e, headers=()):
        self.answer(e.status, json.dumps(
            {"code": e.code, "message": e.message}).encode(), headers)

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def do_GET(self):
        s, path = self.server_, urllib.parse.urlparse(self.path).path
        if path == "/ready":
            self.answer(200)
        elif path == "/test/faults":
            s.faults.extend(urllib.parse.unquote(
                urllib.parse.urlparse(self.path).query).split())
            self.answer(200)
        elif path == "/test/stored":
            self.answer(200, json.dumps({
                "duplicates": s.store.duplicates,
                "conflicts": s.store.conflicts,
                "samples": sum(s.store.stacks().values()),
                "requests": len(s.requests)}).encode())
        else:
            self.answer(404)

    def do_POST(self):
        s = self.server_
        with s.lock:
            s.inflight += 1
            s.most_inflight = max(s.most_inflight, s.inflight)
            fault = s.faults[0] if s.faults else "ok"
            if s.faults and not fault.startswith("many:"):
                s.faults.popleft()
            s.requests.append((self.path, dict(self.headers), fault))
        try:
            self.post(fault)
        except OSError:
            self.close_connection = True
        finally:
            with s.lock:
                s.inflight -= 1

    def post(self, fault):
        s = self.server_
        size = int(self.headers.get("Content-Length", 0))
        if fault == "reset":
            self.rfile.read(size // 2)
            return self.reset()
        body = self.rfile.read(size)
        if len(body) < size:
            self.close_connection = True
            return None
        if s.delay:
            time.sleep(s.delay)
        word, _, arg = fault.partition(":")
        if word == "many":
            fault = "ok"
            with s.lock:
                if (sum(1 for _ in fields(body)) > 1 and s.faults and
                        s.faults[0] == "many:" + arg):
                    s.faults.popleft()
                    fault = arg
        return self.post_whole(fault, body)

    def post_whole(self, fault, body):
        s = self.server_
        word, _, arg = fault.partition(":")
        if word == "slow":
            time.sleep(float(arg))
            return self.reset()
        if word == "echo":
            return self.refuse(Bad("invalid_argument", str(self.headers)))
        if word == "html":
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", "6")
            self.end_headers()
            return self.wfile.write(b"<html>")
        if word == "redirect":
            return self.answer(307, b"", [("Location", arg)])
        m = re.fullmatch(r"(\d{3})(?:@(.*))?", word)
        if m:
            code = {429: "resource_exhausted", 400: "invalid_argument",
                    503: "unavailable"}.get(int(word[:3]), "unknown")
            return self.refuse(
                Bad(code, "made to fail", int(m.group(1))),
                [("Retry-After", m.group(2))] if m.group(2) else [])
        try:
            self.handle_push(body, half=word == "half")
        except Bad as e:
            return self.refuse(e)
        except Exception as e:          # a mistake here is one of ours
            print(f"pushserver: {e!r}", file=sys.stderr, flush=True)
            return self.refuse(Bad("unknown", repr(e)))
        return self.finish_with(word, arg)

    def finish_with(self, word, arg):
        if word == "half":
            status = int(arg)
            self.refuse(Bad("resource_exhausted" if status == 429 else
                            "unknown", "push series with index 1 and id "
                            "failed: made to fail", status))
        elif word == "reset+":
            self.reset()
        elif word == "slow+":
            time.sleep(float(arg))
            self.reset()
        elif word == "drip":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            while True:
                self.wfile.write(b"1000\r\n" + b"x" * 4096 + b"\r\n")
        elif word == "garbage":
            self.wfile.write(b"\0\xff\r\n\r\n" * 8)
            self.close_connection = True
        elif re.fullmatch(r"\d{3}\+", word):
            self.refuse(Bad("unknown", "made to fail", int(word[:3])))
        else:
            self.answer(200)

    def handle_push(self, body, half):
        s = self.server_
        url = urllib.parse.urlparse(self.path)
        if s.auth and self.headers.get("Authorization") != s.auth:
            raise Bad("unauthenticated", "no")
        if s.tenants and not self.headers.get("X-Scope-OrgID"):
            raise Bad("unauthenticated", "no org id")
        if url.path == "/push.v1.PusherService/Push":
            if self.headers.get("Content-Type") != "application/proto":
                raise Bad("unknown", "unsupported media type", 415)
            if self.headers.get("Content-Encoding") == "gzip":
                body = inflate(body, s.limits["body"])
            if len(body) > s.limits["body"]:
                raise Bad("resource_exhausted", f"message size {len(body)} is "
                          "larger than configured max")
            with s.lock:
                s.bodies.append(body)
            s.push(body, half)
        elif url.path == "/ingest":
            if len(body) > s.limits["body"]:
                raise Bad("unknown", "request body too large", 413)
            s.ingest(url.query, self.headers, body)
        else:
            raise Bad("unknown", "404 page not found", 404)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--port", type=int, default=0)
    a.add_argument("--state")
    a.add_argument("--faults", default="")
    a.add_argument("--tls", nargs=2)
    a.add_argument("--user", help="name:password that is asked for")
    a.add_argument("--tenants", action="store_true")
    a.add_argument("--delay", type=float, default=0.0)
    a.add_argument("--discard", action="store_true",
                   help="look at nothing, store nothing")
    a.add_argument("--limit", action="append", default=[],
                   help="NAME=N: see DEFAULTS")
    o = a.parse_args()
    limits = {k: int(v) for k, v in (x.split("=") for x in o.limit)}
    auth = o.user and "Basic " + base64.b64encode(o.user.encode()).decode()
    if o.discard:
        Server.push = Server.ingest = lambda *_: None
    server = Server(o.port, o.state, o.faults, o.tls, auth, o.tenants,
                    o.delay, **limits)
    print(server.port, flush=True)
    server.http.serve_forever()


if __name__ == "__main__":
    main()
