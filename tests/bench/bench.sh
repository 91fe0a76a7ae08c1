#!/bin/bash
# Time and memory of the tools, next to what else cuts recordings, or turns them
# into folded stacks.  Makes its recordings once, in PD_BENCH_DIR; prints one table.
#
#	PD_BENCH_FULL=1		also run the slow ones on the large recording
#	PD_BENCH_MB=500		how large that is
set -eu -o pipefail
. "$(dirname "$0")/../tap.sh"
here=$top/tests/bench
dir=${PD_BENCH_DIR:-/var/tmp/pd-bench}
mb=${PD_BENCH_MB:-500}
full=${PD_BENCH_FULL:-}
export DEBUGINFOD_URLS=

command -v perf >/dev/null || { echo "bench.sh: needs perf" >&2; exit 2; }
mkdir -p "$dir"
[ "$dir/work" -nt "$here/work.c" ] || {
	gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread \
	    -o "$dir/work" "$here/work.c"
	rm -f "$dir"/*.data
}

# size FILE: in MB
size() { echo $(($(stat -Lc %s "$1") / 1000000)); }

# record FILE SECONDS [PERF_OPTION...]: perf on one CPU, the work on all.
record() {
	out=$1 seconds=$2
	shift 2
	echo "recording $out for $seconds s" >&2
	env -i PATH="$PATH" HOME="$dir" taskset -c "$(($(nproc) - 1))" \
	    perf record -q -e cpu-clock -F 20000 -m 4096 -g "$@" \
	    -o "$out.new" "$dir/work" "$seconds" >&2
	mv "$out.new" "$out"
}

# record_mb FILE MB [PERF_OPTION...]: as long as that takes here
record_mb() {
	file=$1 want=$2
	shift 2
	[ -e "$file" ] && return
	record "$dir/try" 2 "$@"
	record "$file" $((2 * want / $(size "$dir/try") + 1)) "$@"
	rm "$dir/try"
}

# 20,000 samples a second and CPU, of some 210 bytes each.
record_mb "$dir/small.data" 16
record_mb "$dir/large-$mb.data" "$mb"
# Copied stacks: 8 kB a sample.
record_mb "$dir/dwarf-$mb.data" "$mb" -F 10000 --call-graph dwarf
# A program with much debug information, sampled in many places.
if [ -n "$full" ]; then
	[ -e "$dir/big/big" ] || {
		echo "compiling $dir/big/big" >&2
		mkdir -p "$dir/big"
		"$here/bigcpp.py" "$dir/big"
		ls "$dir"/big/*.cc |
		    xargs -P "$(nproc)" -I{} g++ -O1 -g -c -o {}.o {}
		g++ -o "$dir/big/big" "$dir"/big/*.o
		rm "$dir"/big/*.o
	}
	[ -e "$dir/big.data" ] || env -i PATH="$PATH" HOME="$dir" \
	    perf record -q -e cpu-clock:u -F 2000 -m 4096 \
	    --call-graph dwarf -o "$dir/big.data" "$dir/big/big" 10 >&2
fi
small=$dir/small.data dwarf=$dir/dwarf-$mb.data large=$dir/large-$mb.data

# row MB [--feed] LABEL COMMAND...
row() {
	in=$1
	shift
	"$here/measure.py" "$@" | sed "s/\t/\t$in\t/"
}

# perl_row LABEL FILE [OPTION...]: perf script with options, folded
perl_row() {
	perl=${STACKCOLLAPSE:-$(command -v stackcollapse-perf.pl || true)}
	if [ -z "$perl" ]; then
		echo "bench.sh: no stackcollapse-perf.pl (set STACKCOLLAPSE)" >&2
		return
	fi
	label=$1 f=$2
	shift 2
	row "$(size "$f")" "$label" perf script "$@" -i "$f" '|' perl "$perl"
}

folders() {	# FILE: the other tools that exist here
	f=$1 s=$(size "$1")
	perl_row 'perf script | stackcollapse-perf.pl' "$f"
	if command -v inferno-collapse-perf >/dev/null; then
		row "$s" 'perf script | inferno-collapse-perf' \
		    perf script -i "$f" '|' inferno-collapse-perf
	fi
	row "$s" 'perf report -g folded' \
	    perf report -i "$f" --stdio --no-children -s comm -g folded,0
	if command -v samply >/dev/null; then
		row "$s" 'samply import' samply import --save-only \
		    -o "$dir/samply.json" "$f"
	fi
}

# folded FILE N: 37.5 MB of stacks, every third of them with another count.
folded() {
	[ -s "$1" ] || pd-fold -q "$large" | awk -v n="$2" '{ line[NR] = $0 }
		END {
			for (r = 0; size < 37.5e6 && NR > 0; r++)
				for (i = 1; i <= NR && size < 37.5e6; i++) {
					s = "root-" r ";" line[i]
					if (n == 2 && i % 3 == 0)
						sub(/.$/, "5", s)
					print s
					size += length(s) + 1
				}
		}' >"$1"
}

comparisons() {
	a=$dir/a.folded b=$dir/b.folded
	folded "$a" 1
	folded "$b" 2
	script=${DIFFFOLDED:-$(command -v difffolded.pl || true)}
	if [ -n "$script" ]; then
		row 75 'difffolded.pl' perl "$script" "$a" "$b"
	else
		echo "bench.sh: no difffolded.pl (set DIFFFOLDED)" >&2
	fi
	row 75 'pd-diff --format folded' \
	    pd-diff --fixed-work --format folded "$a" "$b"
	row 75 'pd-diff' pd-diff --fixed-work "$a" "$b"
	[ -e "$dir/again.data" ] || cp "$large" "$dir/again.data"
	s=$((2 * $(size "$large")))
	row "$s" 'pd-fold, twice' sh -c "pd-fold $large; pd-fold $dir/again.data"
	row "$s" 'pd-diff of the recordings' \
	    pd-diff --fixed-work "$large" "$dir/again.data"
}

{
	for f in "$small" "$large"; do
		s=$(size "$f")
		cat "$f" >/dev/null		# into the page cache
		row "$s" 'cat | cat' cat "$f" '|' cat
		row "$s" 'pd-fold FILE' pd-fold "$f"
		row "$s" 'pd-fold --no-inline FILE' pd-fold --no-inline "$f"
		for format in pprof speedscope json firefox; do
			row "$s" "pd-fold --format $format FILE" \
			    pd-fold --format $format "$f"
		done
		row "$s" --feed 'pd-fold from a pipe' \
		    "$PD_TESTS/repeat" 1 "$f" '|' pd-fold -
		if [ "$f" = "$small" ] || [ -n "$full" ]; then
			folders "$f"
		fi
	done
	s=$(size "$dwarf")
	cat "$dwarf" >/dev/null
	row "$s" 'copied stacks: cat | cat' cat "$dwarf" '|' cat
	row "$s" 'copied stacks: pd-fold' pd-fold "$dwarf"
	row "$s" 'copied stacks: pd-fold --no-inline' pd-fold --no-inline "$dwarf"
	row "$s" 'copied stacks: perf script --no-inline' \
	    perf script --no-inline -i "$dwarf"
	row "$s" 'copied stacks: pd-slice --unwind' pd-slice -q --unwind "$dwarf"
	if [ -n "$full" ]; then
		perl_row 'copied stacks: perf script | perl' "$dwarf"
		big=$dir/big.data s=$(size "$dir/big.data")
		row "$s" 'large program: cat | cat' cat "$big" '|' cat
		row "$s" 'large program: pd-fold' pd-fold "$big"
		row "$s" 'large program: pd-fold --srcline' \
		    pd-fold --srcline "$big"
		row "$s" 'large program: pd-fold --no-inline' \
		    pd-fold --no-inline "$big"
		perl_row 'large program: perf script --no-inline | perl' "$big" \
		    --no-inline
		perl_row 'large program: perf script | perl' "$big"
	fi
	# Cutting, beside the only other tool that writes recordings.
	s=$(size "$large")
	row "$s" 'cut: cat | cat' cat "$large" '|' cat
	row "$s" 'cut: pd-slice (a copy)' pd-slice -q "$large"
	row "$s" --feed 'cut: pd-slice (a copy of a pipe)' \
	    cat "$large" '|' pd-slice -q
	row "$s" 'cut: pd-slice --time 50%,51%' pd-slice -q --time 50%,51% "$large"
	row "$s" 'cut: pd-slice --comm' pd-slice -q --comm 'work-[01]' "$large"
	row "$s" 'cut: pd-slice -o FILE' pd-slice -q -o "$dir/cut.data" "$large"
	row "$s" 'cut: perf inject -b -o FILE' \
	    perf inject -b -i "$large" -o "$dir/cut.data"
	rm -f "$dir/cut.data"
	# Pushing, to a server that throws away what it gets.
	python3 "$top/tests/push/pushserver.py" --discard >"$dir/port" &
	server=$!
	trap 'kill $server' EXIT
	while [ ! -s "$dir/port" ]; do sleep 0.1; done
	push="pd-push -q --server http://127.0.0.1:$(cat "$dir/port") --app a"
	push="$push --rate 0 --rebase-time now"
	row "$s" 'push: pd-fold FILE' pd-fold "$large"
	row "$s" 'push: pd-push' $push "$large"
	row "$s" 'push: pd-push --window 10s' $push --window 10s "$large"
	row "$s" 'push: pd-push --window 100ms' $push --window 100ms "$large"
	# Memory must not follow the size of the input.
	for gb in 1 3; do
		n=$((gb * 1000 / mb))
		[ $n -lt 2 ] || row $((n * mb)) --feed 'pd-fold from a pipe' \
		    "$PD_TESTS/repeat" $n "$large" '|' pd-fold -
	done
	comparisons
	# Live: what it takes of one CPU to keep up with all.
	row live --feed 'perf record -F 10000 -a -o - (5 s) | pd-fold' \
	    perf record -q -F 10000 -g -a -o - "$dir/work" 5 '|' pd-fold
} | tee "$dir/rows.tsv" | awk -F '\t' '
	BEGIN { print "                                                   MB   CPU s  wall s  peak MiB  x cat|cat  us/MB" }
	$1 ~ /cat \| cat$/ { base = $3; of = $2 }
	{ printf "%-46s %6s %7.2f %7.2f %9d", $1, $2, $3, $4, $5
	  if ($2 == "live")
		printf "  = %.1f %% of one CPU", 100 * $3 / $4
	  else
		printf "  %8s %6.0f", $2 == of && base ? \
		    sprintf("%.1fx", $3 / base) : "", $2 ? 1e6 * $3 / $2 : 0
	  print $6 ? "  " $6 : "" }'

for f in "$dwarf" ${full:+"$dir/big.data"}; do
	echo "unwinding ${f##*/}: $("$PD_TESTS/pd-unwind" "$f" 3 4096)"
done
[ -z "$full" ] ||
    echo "the large program has $(size "$dir/big/big") MB"
