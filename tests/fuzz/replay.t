#!/bin/sh
# The fuzz targets take damaged recordings without harm: all prefixes of small
# ones, and each with one byte changed.
. "$(dirname "$0")/../tap.sh"
workdir

"$PD_TESTS/seeds" "$tmp" || exit 1
for f in "$TESTDATA"/good-*.data "$TESTDATA"/bad-*.data; do
	[ ! -e "$f" ] || cp "$f" "$tmp/"
done

survives() {
	timeout 120 "$1" "$2" >"$tmp/log" 2>&1 && return
	note "exit $?"
	note "$(grep -m 20 . "$tmp/log")"
	return 1
}

for fuzzer in "$PD_TESTS"/fuzz_*; do
	for f in "$tmp"/*.data; do
		ok "${fuzzer##*/} ${f##*/}" survives "$fuzzer" "$f"
	done
done
tap_done
