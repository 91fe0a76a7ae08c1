#!/bin/bash
# What pd-diff says does not depend on how many recordings it reads at a time.
. "$(dirname "$0")/tap.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$TESTDATA/recordings" || exit 1

# same NAME ARGUMENT...: as with --jobs 1 in all that can be seen.
same() {
	name=$1
	shift
	pd-diff --jobs 1 "$@" >"$dir/out" 2>"$dir/err"
	rc=$?
	for n in 2 7; do
		pd-diff --jobs $n "$@" >"$dir/out.$n" 2>"$dir/err.$n"
		ok "$name: the status with $n jobs" [ $? = $rc ]
		ok "$name: the output with $n jobs" \
		    cmp "$dir/out" "$dir/out.$n"
		ok "$name: the messages with $n jobs" \
		    cmp "$dir/err" "$dir/err.$n"
	done
}

# The larger come first: those behind them are ready before.
for i in 1 2 3 4; do
	"$PD_TESTS/repeat" $((400 / i)) killed.data >"$dir/$i.data"
	"$PD_TESTS/repeat" $i killed.data >"$dir/$i.small"
done
printf 'a;b %d\n' 5 >"$dir/1.folded"
printf 'a;b %d\n' 6 >"$dir/2.folded"
echo 'pd-baseline 1' >"$dir/baseline"

same 'two groups' "$dir"/[12].data "$dir/1.small" --vs "$dir"/[34].data \
    "$dir/2.small"
ok 'two groups: compared' [ $rc = 0 ]
ok 'two groups: something is said of each run' \
    [ "$(grep -c '4.data: \|2.small: ' "$dir/err")" -ge 2 ]
same 'calibration' --self-check "$dir"/*.data "$dir"/*.small
ok 'calibration: done' [ $rc = 0 ]
same 'text between recordings' --freq 100 "$dir/1.data" "$dir/1.folded" \
    --vs "$dir/2.data" "$dir/2.folded"
same 'one is missing' "$dir/1.data" "$dir/none" --vs "$dir/2.small" \
    "$dir/3.small"
ok 'one is missing: so said' grep -q 'none: No such file' "$dir/err"
same 'one is a baseline' "$dir/1.data" "$dir/baseline" --vs "$dir/2.small" \
    "$dir/3.small"
ok 'one is a baseline: so said' grep -q 'a baseline' "$dir/err"
same 'one is given twice' "$dir/1.data" "$dir/1.small" "$dir/1.data" \
    --vs "$dir/2.small"
ok 'one is given twice: so said' grep -q 'given twice' "$dir/err"

# From standard input and pipes, which can be read once.
pd-diff --jobs 1 --fixed-work "$dir/1.small" "$dir/2.small" >"$dir/out" \
    2>/dev/null
pd-diff --jobs 3 --fixed-work - <(cat "$dir/2.small") <"$dir/1.small" \
    2>/dev/null | sed "s|standard input|$dir/1.small|; s|/dev/fd/[0-9]*|$dir/2.small|" >"$dir/out.3"
ok 'from pipes' cmp "$dir/out" "$dir/out.3"
tap_done
