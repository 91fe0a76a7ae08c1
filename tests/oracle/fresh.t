#!/bin/bash
# pd-fold agrees with perf on recordings made here and now, whose programs and
# kernel are there to be named.
. "$(dirname "$0")/../tap.sh"
perf record -o - true >/dev/null 2>&1 || skip_all "perf may not record"
case $PD_SAN in ?*) skip_all "compared in the build without sanitizers" ;; esac
workdir
cd "$tmp" || exit 1

"${CC:-gcc}" -O1 -g -fno-omit-frame-pointer -pthread -o demo "$TESTDATA/demo/demo.c"
# Processes that fork, exec and rename themselves.
cat >family.sh <<'X'
for i in 1 2 3; do
	(perl -e '$0 = "renamed"; $x += $_ for 1 .. 300000') &
	awk 'BEGIN { for (i = 0; i < 300000; i++) x += i }'
	wait
done
ls -lR /usr/share >/dev/null
X

record() {
	env -i PATH="$PATH" HOME="$tmp" perf record -q "$@" 2>perf.log ||
	    note "$(tail -n 3 perf.log)"
}

# agrees PERF_OPTION...: record, then compare.
agrees() {
	rm -rf perf.data out
	record -o perf.data "$@"
	"$top/tests/oracle/compare.sh" perf.data >out 2>&1
	local rc=$?
	note "$(cat out)"
	return $rc
}

piped() {
	record -F 999 -g -o - ./demo 1 >pipe.data
	"$top/tests/oracle/compare.sh" pipe.data >out 2>&1
	local rc=$?
	note "$(cat out)"
	return $rc
}

ok "call chains" agrees -F 4999 -g ./demo 1
# marks BYTES: with so few bytes copied no stack is whole, and each says so.
marks() {
	record -o perf.data -e cpu-clock:u -F 999 --call-graph "dwarf,$1" \
	    ./nofp 1
	pd-fold -q --weight samples perf.data >out
	note "$(grep -v '\[truncated\]' out)"
	[ -s out ] && ! grep -qv '\[truncated\]' out
}

# What the user has left out is not missing.
shallow() {
	record -o perf.data -e cpu-clock:u -F 999 --call-graph dwarf ./nofp 1
	pd-fold --no-inline --max-stack 1 perf.data >out 2>err
	note "$(cat err out)"
	[ -s out ] && ! grep -q truncated out err && ! grep -q ';.*;' out
}

"${CC:-gcc}" -O2 -g -fomit-frame-pointer -pthread -o nofp "$TESTDATA/demo/demo.c"
ok "copied stacks" agrees -F 999 --call-graph dwarf ./nofp 1
ok "copied stacks that end early" marks 8
ok "copied stacks, as deep as asked for" shallow
ok "no call chains" agrees -F 4999 ./demo 1
ok "user space only" agrees -e cpu-clock:u -F 4999 -g ./demo 1
ok "processes that fork, exec and rename themselves" \
    agrees -F 4999 -g sh family.sh
ok "mostly kernel" agrees -F 4999 -g dd if=/dev/zero of=/dev/null bs=256 count=1000000
ok "all CPUs" agrees -a -F 999 -g sleep 1
ok "several events" \
    agrees -e cpu-clock,page-faults,context-switches -F 999 -g sh family.sh
ok "a fixed period" agrees -e page-faults -c 1 -g sh family.sh
ok "a pipe" piped
if perf record -z -o - true >/dev/null 2>&1; then
	ok "compressed" agrees -z -F 4999 -g ./demo 1
fi
ok "a directory" agrees --threads -F 999 -g ./demo 1
if perf record -e sched:sched_switch -o - true >/dev/null 2>&1; then
	ok "a tracepoint" agrees -e sched:sched_switch -g sh family.sh
else
	skip "a tracepoint" "no tracefs"
fi
tap_done
