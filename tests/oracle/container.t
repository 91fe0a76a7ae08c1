#!/bin/bash
# JIT code of a process that has its own /tmp, and another number inside, is
# named by the map that the process wrote, as perf names it.
. "$(dirname "$0")/../tap.sh"
perf record -o - true >/dev/null 2>&1 || skip_all "perf may not record"
[ "$(uname -m)" = x86_64 ] || skip_all "jitwork writes code for x86_64"
unshare -m -p -f mount -t tmpfs none /tmp 2>/dev/null ||
    skip_all "no namespaces for us"
workdir
cd "$tmp" || exit 1

# Above, the process is $inside; it is 1 in its own namespace.  The program may
# itself be below /tmp, where only a directory that is open leads to it then.
(cd "$PD_TESTS" && exec unshare -m -p -f sh -c \
    'mount -t tmpfs none /tmp && exec ./jitwork /tmp 60' 2>/dev/null) &
outside=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
	inside=$(cat "/proc/$outside/task/$outside/children")
	inside=${inside% }
	[ -s "/proc/$inside/root"/tmp/perf-1.map ] && break
	sleep 0.2
done
trap 'kill -9 $inside $outside; rm -rf "$tmp"' EXIT

# Half of the code has the name that it had last; so check only that it has one.
named() {
	pd-fold --weight samples --annotate jit "$@" >out 2>err
	note "$(head -n 1 out)" "$(head -n 2 err)"
	awk '{ all += $NF } /;(first|second)_\[j\] / { jit += $NF }
	    END { exit !(all > 20 && jit > 0.8 * all) }' out
}
record() {
	perf record -q -e cpu-clock:u -F 999 -g -p "$inside" "$@" sleep 1
}

record -o plain.data
ok "a process that has the code still" named plain.data
record --namespaces -o ns.data
ok "a process of the recorded namespace" named ns.data

as_perf() {
	perf script -i ns.data 2>/dev/null >script
	grep -q -E " (first|second)\+.*perf-$inside\.map" script
}
ok "perf has these names too" as_perf

kill -9 "$inside"
wait "$outside"
gone() {
	! named ns.data && ! named plain.data && grep -q 'file not found' err
}
ok "not one that is gone" gone
trap 'rm -rf "$tmp"' EXIT
tap_done
