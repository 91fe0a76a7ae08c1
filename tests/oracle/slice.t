#!/bin/bash
# Slices have the samples that perf shows of the whole: every recording of the
# corpus, and what goes through --unwind.
. "$(dirname "$0")/../tap.sh"
command -v perf >/dev/null || skip_all "no perf"
[ -d "$PD_SHARED/corpus" ] || skip_all "no recordings in $PD_SHARED/corpus"
case $PD_SAN in ?*) skip_all "compared in the build without sanitizers" ;; esac
workdir

# Where perf shows something else of a slice, and why.
declare -A explained=(
	[developtools_hiperf__fp.uncompress.data]="perf reads no features behind a damaged one, which the slice has not"
	[developtools_hiperf__report_test.data]="perf reads no features behind a damaged one, which the slice has not"
	[perf_data_converter__perf.data.intel_pt-4.14]="perf makes samples out of the trace, which is left out"
)

# N windows of each recording; 10 by hand is thorough, and takes minutes.
"$top/tests/oracle/slices.py" -n "${SLICES:-1}" \
    "$PD_SHARED"/corpus/generated/* "$PD_SHARED"/corpus/recordings/* \
    >"$tmp/out" 2>"$tmp/err"
while read -r word path rest; do
	name=${path##*/}
	name=${name%:}
	case $word in
	ok) ok "$name" true ;;
	skip) skip "$name" "perf shows no samples with time" ;;
	differs)
		if [ -n "${explained[$name]:-}" ]; then
			skip "$name" "${explained[$name]}"
		else
			ok "$name" false
		fi ;;
	"#") note "$path $rest" ;;
	esac
done <"$tmp/out"
ok "all were tried" [ "$(grep -c '^\(ok\|skip\|differs\)' "$tmp/out")" = \
    "$(ls -d "$PD_SHARED"/corpus/generated/* "$PD_SHARED"/corpus/recordings/* | wc -l)" ]
[ ! -s "$tmp/err" ] || note "$(tail -n 3 "$tmp/err")"

# What is unwound once is folded as what is unwound while folding.
unwound() {
	pd-slice -q --unwind -o "$tmp/u.data" "$1" &&
	pd-slice -q --unwind --pipe -z -o "$tmp/z.data" "$1" &&
	for f in "$1" "$tmp/u.data" "$tmp/z.data"; do
		pd-fold -q "$f" | sed 's/;\[truncated\]//' |
		    awk '{ n = $NF; sub(/ [0-9]+$/, ""); w[$0] += n }
		    END { for (s in w) print s, w[s] }' | sort
	done | awk '{ n[$0]++ } END { for (l in n) if (n[l] != 3) {
		print "# " l; bad = 1 } exit bad }' || return 1
	samples "$1" >"$tmp/s1"
	samples "$tmp/u.data" | cmp -s "$tmp/s1"
}
samples() {
	perf script -f -F tid,time -i "$1" 2>/dev/null | grep '^ *[0-9]* *[0-9.]*: *$'
}
for f in dwarf dwarf-z pipe-dwarf deep-stack; do
	[ ! -e "$PD_SHARED/corpus/generated/$f.data" ] ||
	    ok "$f: unwound" unwound "$PD_SHARED/corpus/generated/$f.data"
done
tap_done
