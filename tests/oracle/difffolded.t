#!/bin/bash
# pd-diff --format folded is what difffolded.pl writes; and without its losses.
# DIFFFOLDED names the script, which is part of FlameGraph.
. "$(dirname "$0")/../tap.sh"
script=${DIFFFOLDED:-$(command -v difffolded.pl || true)}
[ -e "$script" ] || skip_all "no difffolded.pl (set DIFFFOLDED)"
runs=$PD_SHARED/diff-runs
workdir

lines() { pd-diff -q --format folded "$@"; }

same() {
	lines --match exact "$1" "$2" >"$tmp/ours"
	perl "$script" "$1" "$2" | sort >"$tmp/theirs"
	cmp -s "$tmp/theirs" <(sort "$tmp/ours") && [ -s "$tmp/ours" ] && return
	note "$(diff "$tmp/theirs" <(sort "$tmp/ours") | head -n 10)"
	return 1
}

# sums FILE...: of the counts at the ends of lines
sums() { awk '{ s += $NF } END { printf "%.0f\n", s }' "$@"; }

# With names matched, no count is lost.
exact_sums() {
	lines "$1" "$2" >"$tmp/ours"
	[ "$(sums "$1")" = "$(sed 's/ [0-9]*$//' "$tmp/ours" | sums)" ] &&
	[ "$(sums "$2")" = "$(sums "$tmp/ours")" ]
}

normalized_sums() {
	lines --normalize "$1" "$2" >"$tmp/ours"
	[ "$(sums "$2")" = "$(sed 's/ [0-9]*$//' "$tmp/ours" | sums)" ] &&
	[ "$(sums "$2")" = "$(sums "$tmp/ours")" ] &&
	[ "$(wc -l <"$tmp/ours")" = "$(lines "$1" "$2" | wc -l)" ]
}

pd-fold -q "$TESTDATA/demo/demo.data" >"$tmp/demo"
sed 's/1$/7/; 3d' "$tmp/demo" >"$tmp/other"
set -- "$tmp/demo" "$tmp/other"
if [ -e "$runs/base_a_01.folded" ]; then
	set -- "$@" "$runs/base_a_01.folded" "$runs/slow20_01.folded" \
	    "$runs/xbase_01.folded" "$runs/xinlined_01.folded"
fi
while [ $# -gt 0 ]; do
	name="${1##*/} ${2##*/}"
	ok "$name: the same lines" same "$1" "$2"
	ok "$name: sums are exact" exact_sums "$1" "$2"
	ok "$name: and when normalized" normalized_sums "$1" "$2"
	shift 2
done
tap_done
