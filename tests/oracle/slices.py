#!/usr/bin/env python3
"""slices.py [-n WINDOWS] [-q] FILE...: hold slices against perf script.

For each recording and random windows: the samples that `perf script` shows of
the slice are those that it shows of the whole in [start, stop), with the same
comm, tid, event, addresses and symbols; so are those of a slice through pipes,
of a compressed one, of a slice of a slice; and the slices of a partition add
up to the whole.  Prints a line for each recording; exit 1 when any differs.
"""
import argparse, collections, os, random, re, subprocess, sys, tempfile

ENV = dict(os.environ, LC_ALL='C', DEBUGINFOD_URLS='', PERF_PAGER='cat')
HEADER = re.compile(r'^ *.*? +-?\d+ +(\d+)\.(\d{9}): ')


def script(path, stdin=None):
    """Samples as perf shows them: {(time, text): how often}, or None."""
    r = subprocess.run(['perf', 'script', '-f', '--ns', '-i', path, '-F',
                        'comm,tid,time,event,ip,sym'], stdin=stdin, env=ENV,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if r.returncode != 0:
        return None
    return parse(r.stdout.decode('utf-8', 'replace'))


def parse(text):
    samples, head, time, body = [], None, 0, []

    def flush():
        if head is not None:
            samples.append((time, head + '\n' + '\n'.join(body)))

    for line in text.split('\n'):
        m = None if line.startswith('\t') else HEADER.match(line)
        if m:
            flush()
            time = int(m.group(1)) * 1000000000 + int(m.group(2))
            head, body = ' '.join(line.split()), []
        elif line.strip():
            body.append(line)
    flush()
    return collections.Counter(samples)


def sec(ns):
    return '%d.%09d' % divmod(ns, 1000000000)


def cut(args, src, dst):
    r = subprocess.run(['pd-slice', '-q', '-o', dst] + args + [src], env=ENV,
                       stderr=subprocess.PIPE)
    if r.returncode != 0:
        raise Exception('pd-slice %s: %s' % (' '.join(args),
                                             r.stderr.decode()))


def piped(args, src):
    """perf script of cat | pd-slice | perf script."""
    cat = subprocess.Popen(['cat', src], stdout=subprocess.PIPE)
    pds = subprocess.Popen(['pd-slice', '-q'] + args, stdin=cat.stdout,
                           stdout=subprocess.PIPE, env=ENV)
    cat.stdout.close()
    got = script('-', pds.stdout)
    pds.stdout.close()
    cat.wait()
    if pds.wait() != 0:
        raise Exception('pd-slice %s in a pipe fails' % args)
    return got


def same(what, got, want, problems):
    if got == want:
        return
    got = collections.Counter() if got is None else got
    less, more = want - got, got - want
    text = '%s: %d samples missing, %d too many' % (
        what, sum(less.values()), sum(more.values()))
    for title, some in (('missing', less), ('too many', more)):
        for _, sample in sorted(some)[:1]:
            text += '\n#   %s: %s' % (title, sample.replace('\n', '\n#     '))
    problems.append(text)


def within(whole, start, stop):
    return collections.Counter({k: n for k, n in whole.items()
                                if start <= k[0] < stop})


def check(path, windows, tmp, rng):
    whole = script(path)
    if not whole:
        return None
    problems = []
    times = sorted({k[0] for k in whole})
    out, out2 = tmp + '/a.data', tmp + '/b.data'
    cut([], path, out)
    same('copy', script(out), whole, problems)
    for i in range(windows):
        start, stop = sorted((rng.choice(times), rng.choice(times)))
        start += rng.choice((0, 0, 1, -1))
        stop = max(start, stop + rng.choice((0, 1)))
        window = '%s,%s' % (sec(start), sec(stop))
        want = within(whole, start, stop)
        cut(['--time', window], path, out)
        same(window, script(out), want, problems)
        if i % 3 == 0 and not os.path.isdir(path):
            same(window + ' through pipes',
                 piped(['--time', window], path), want, problems)
        if i % 3 == 1:
            cut(['--time', window, '-z', '--pipe'], path, out2)
            same(window + ' compressed', script(out2), want, problems)
        if i % 3 == 2 and want:
            a, b = sorted((rng.choice(times), rng.choice(times)))
            inner = '%s,%s' % (sec(a), sec(b))
            cut(['--time', inner], out, out2)
            same('%s of %s' % (inner, window), script(out2),
                 within(want, a, b), problems)
        if len(problems) > 2:
            break
    points = sorted(rng.choice(times) for _ in range(3))
    parts = collections.Counter()
    for a, b in zip([None] + points, points + [None]):
        cut(['--time', '%s,%s' % (sec(a) if a is not None else '',
                                  sec(b) if b is not None else '')]
            if a is not None or b is not None else [], path, out)
        parts += script(out) or collections.Counter()
    same('partition', parts, whole, problems)
    return problems


def main():
    p = argparse.ArgumentParser()
    p.add_argument('-n', type=int, default=10)
    p.add_argument('-q', action='store_true')
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('files', nargs='+')
    o = p.parse_args()
    bad = 0
    for path in o.files:
        rng = random.Random('%d %s' % (o.seed, os.path.basename(path)))
        with tempfile.TemporaryDirectory() as tmp:
            try:
                problems = check(path, o.n, tmp, rng)
            except Exception as e:
                problems = [str(e)]
        if problems is None:
            if not o.q:
                print('skip %s: perf shows no samples with time' % path)
        elif problems:
            bad += 1
            print('differs %s' % path)
            for text in problems:
                print('# ' + text)
        elif not o.q:
            print('ok %s' % path)
        sys.stdout.flush()
    sys.exit(bad > 0)


main()
