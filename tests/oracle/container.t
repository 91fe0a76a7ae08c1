#!/bin/bash
# JIT code of a process that has its own /tmp, and another number inside, is
# named by the dump or the map that the process wrote.
. "$(dirname "$0")/../tap.sh"
perf record -o - true >/dev/null 2>&1 || skip_all "perf may not record"
[ "$(uname -m)" = x86_64 ] || skip_all "jitwork writes code for x86_64"
unshare -m -p -f mount -t tmpfs none /tmp 2>/dev/null ||
    skip_all "no namespaces for us"
workdir
cd "$tmp" || exit 1

# contain: a process that is 1 in its own namespace, and $inside above.  The
# program may itself be below /tmp, where only an open directory leads to it.
contain() {
	(cd "$PD_TESTS" && exec unshare -m -p -f sh -c \
	    'mount -t tmpfs none /tmp && exec ./jitwork /tmp 40' 2>/dev/null) &
	parent=$!
	all="$all $parent"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		inside=$(cat "/proc/$parent/task/$parent/children")
		inside=${inside% }
		[ -s "/proc/$inside/root"/tmp/perf-1.map ] && break
		sleep 0.2
	done
	all="$all $inside"
}
all=
trap 'kill -9 $all 2>/dev/null; rm -rf "$tmp"' EXIT
contain
other=$inside
sleep 0.7	# so that they are not in step
contain

# The names follow the time, each those of its own process, although both have
# their dump at /tmp/jit-1.dump.  A turn is two seconds, and each thread is
# called what its code is called.
perf record -q -e cpu-clock:u -F 999 -g -k CLOCK_MONOTONIC -p "$inside,$other" \
    -o timed.data sleep 3
follows() {
	pd-fold --weight samples --root comm --annotate jit timed.data >out 2>err
	note "$(sort -t' ' -k2nr out | head -n 4)" "$(head -n 2 err)"
	awk '{ all += $NF } /^first.*;first_\[j\] / { first += $NF }
	    /^second.*;second_\[j\] / { second += $NF }
	    END { exit !(first > 100 && second > 100 &&
		first + second > 0.95 * all) }' out
}
ok "names that follow the time" follows

# Without dumps there are the maps, which perf reads too.
rm "/proc/$inside/root"/tmp/jit-1.dump "/proc/$other/root"/tmp/jit-1.dump
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
wait "$parent"
gone() {
	! named ns.data && ! named plain.data && grep -q 'file not found' err
}
ok "not one that is gone" gone
tap_done
