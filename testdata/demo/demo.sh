#!/bin/sh
# make demo: record a small program, say what is in the recording, and cut two
# tenths of a second out of it to show where the time went then.  Run from the
# top of the source tree.
set -eu
here=$(dirname "$0")
bin=${PD_BIN:-build/gcc/bin}
build=${bin%/bin}/demo
PATH=$bin:$PATH
out=demo.folded data=$build/demo.data debug=
mkdir -p "$build"

can_record() {
	command -v perf >/dev/null && perf record -o - true >/dev/null 2>&1
}

if can_record; then
	# Optimising, gcc leaves the frame out of functions that call none, and
	# their callers would be missing from the stacks.
	"${CC:-gcc}" -O0 -g -fno-omit-frame-pointer -pthread \
	    -o "$build/demo" "$here/demo.c"
	rate=10000
	most=$(cat /proc/sys/kernel/perf_event_max_sample_rate 2>/dev/null || echo $rate)
	[ "$most" -ge $rate ] || rate=$most
	echo "\$ perf record -F $rate -g -o $data demo"
	perf record -q -F "$rate" -g -o "$data" "$build/demo" 2 2>"$build/perf.log" ||
	    { cat "$build/perf.log" >&2; exit 2; }
else
	data=$here/demo.data debug="--buildid-dir $here/debug"
	echo "perf may not record here (see kernel.perf_event_paranoid):" \
	    "taking $data instead"
fi

echo "\$ pd-slice --list $data"
pd-slice --list "$data" | sed '/^LONGEST/,$d'
echo "\$ pd-slice --comm sorter --time 50%,60% $data | pd-fold --top 10 -o $out"
pd-slice --comm sorter --time 50%,60% "$data" |
    pd-fold --top 10 $debug -o $out

echo
echo "$(wc -l <$out) stacks in $PWD/$out.  To look at them:"
flamegraph=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
if command -v flamegraph.pl >/dev/null; then
	echo "    flamegraph.pl $out >demo.svg        and open that in a browser"
elif [ -e $flamegraph ]; then
	echo "    perl $flamegraph $out >demo.svg        and open that in a browser"
fi
echo "    or drop $out on https://www.speedscope.app"
