#!/bin/sh
# When memory runs out at any moment, the tools say so and exit 2; or they
# finish with the same result, where the allocation was not essential.
. "$(dirname "$0")/../tap.sh"

case $PD_SAN in
*address*) skip_all "allocations cannot be made to fail under AddressSanitizer" ;;
esac
workdir

# fails_cleanly N: the N-th allocation of $tool fails, then all from the N-th on.
fails_cleanly() {
	for all in "" 1; do
		env ${all:+FAIL_ALL=1} FAIL_AT="$1" \
		    LD_PRELOAD="$PD_TESTS/failmalloc.so" \
		    $tool "$data" >"$tmp/out" 2>"$tmp/err"
		rc=$?
		if [ $rc = $good ]; then
			[ -z "$all" ] || cmp -s "$tmp/out" "$tmp/whole" || {
				note "allocation $1 and later: exit $rc, other result"
				return 1
			}
		elif [ $rc != 2 ] || ! [ -s "$tmp/err" ]; then
			note "allocation $1${all:+ and later}: exit $rc, message:" \
			    "$(head -n 1 "$tmp/err")"
			return 1
		fi
	done
}

# what a tool ends with when no allocation fails
good=0
# the distance is never a larger part of the number
every=300

# survives FILE TOOL...: tries allocations 1, 2, ... up to the last, growing
# the distance for large numbers.
survives() {
	data=$1
	shift
	tool=$*
	FAIL_COUNT=$tmp/count LD_PRELOAD="$PD_TESTS/failmalloc.so" \
	    $tool "$data" >"$tmp/whole" 2>/dev/null
	[ $? = $good ] || return 1
	total=$(cat "$tmp/count")
	n=1 bad=0
	while [ $n -le "$total" ]; do
		fails_cleanly $n || bad=$((bad + 1))
		[ $bad -lt 5 ] || break
		n=$((n + 1 + n / every))
	done
	note "$tool $data: $total allocations"
	[ $bad = 0 ]
}

# Only what we ship: the test says the same on every machine.
for f in "$TESTDATA"/demo/demo.data "$TESTDATA"/good-*.data; do
	[ ! -e "$f" ] || ok "${f##*/}: any allocation may fail" survives "$f" pd-fold
done
data=$TESTDATA/demo/demo.data
ok "pd-slice: any allocation may fail" survives "$data" pd-slice -q --time ,60% -z
ok "pd-slice of a stack: any allocation may fail" survives "$data" \
    pd-slice -q --stack 'is_*' --buildid-dir "$TESTDATA/demo/debug"
ok "source lines: any allocation may fail" survives "$data" \
    pd-fold --srcline --symfs /nonexistent --buildid-dir "$TESTDATA/demo/debug"
data=$tmp/sections.data
gzip -dc "$TESTDATA/sections/sections.data.gz" >"$data"
printf '%s\n' '13508.68,+2ms tid=8198 one' '10%/2 two' >"$tmp/windows"
ok "--list: any allocation may fail" survives "$data" pd-slice --list
ok "critical sections: any allocation may fail" survives "$data" \
    pd-slice --between probe_sections:import_start:height\>=42,peer_string!=bob \
    probe_sections:import_end__return --windows "$tmp/windows" --markers \
    "$TESTDATA/sections/marker-8198.txt" --slowest 3 --nth 1-40
for f in pprof speedscope json firefox; do
	ok "$f: any allocation may fail" survives "$TESTDATA/demo/demo.data" \
	    pd-fold --format $f --symfs /nonexistent --buildid-dir "$TESTDATA/demo/debug"
done
for i in 1 2 3; do
	printf 'x;main;f1.isra.0 %d\nx;main;g 900\n' $((500 + i)) >"$tmp/a$i"
	printf 'x;main;f1 %d\nx;main;new 70\nx;main;g 900\n' $((800 + i)) >"$tmp/b$i"
done
cd "$tmp" || exit 1
good=1
for format in text markdown folded; do
	ok "pd-diff --format $format: any allocation may fail" survives b3 \
	    pd-diff --fixed-work --show-merged --format $format a1 a2 a3 --vs b1 b2
done
good=0
ok "pd-diff --test mwu: any allocation may fail" survives b3 \
    pd-diff --fixed-work --test mwu a1 a2 a3 --vs b1 b2
ok "pd-diff --write-baseline: any allocation may fail" survives a3 \
    pd-diff --write-baseline - a1 a2
every=50
push="pd-push --app a --window 1s --rebase-time @1700000000 --dry-run"
demo=$TESTDATA/demo/demo.data
ok "pd-push: any allocation may fail" survives "$demo" $push
pd-fold -q --demangle none "$demo" 2>/dev/null | head -n 20 >"$tmp/folded"
ok "pd-push of folded stacks: any allocation may fail" survives "$tmp/folded" $push
pd-fold -q --format pprof "$demo" >"$tmp/pprof" 2>/dev/null
ok "pd-push of pprof: any allocation may fail" survives "$tmp/pprof" $push
tap_done
