#!/bin/sh
# Every recording of the corpus yields as many samples as its catalogue says.
. "$(dirname "$0")/tap.sh"

corpus=$PD_SHARED/corpus
[ -r "$corpus/catalog.tsv" ] || skip_all "no recordings in $corpus"
workdir

# samples FILE WANT
samples() {
	timeout 60 "$PD_TESTS/pd-dump" "$corpus/$1" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	got=$(wc -l <"$tmp/out")
	[ "$got" = "$2" ] && { [ $rc = 0 ] || [ $rc,$got = 2,0 ]; } && return
	note "$got samples, exit $rc; want $2"
	note "$(tail -n 3 "$tmp/err")"
	return 1
}

tail -n +2 "$corpus/catalog.tsv" | cut -f 1,13 >"$tmp/list"
while read -r file want; do
	ok "$file: $want samples" samples "$file" "$want"
done <"$tmp/list"
tap_done
