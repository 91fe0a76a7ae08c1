#!/bin/sh
# make demo: record a small program, fold the recording while it is written,
# and show where the time went.  Run from the top of the source tree.
set -eu
here=$(dirname "$0")
build=${PD_BIN:-build/gcc/bin}/../demo
PATH=$build/../bin:$PATH
out=demo.folded

can_record() {
	command -v perf >/dev/null && perf record -o - true >/dev/null 2>&1
}

if can_record; then
	mkdir -p "$build"
	# Optimising, gcc leaves the frame out of functions that call none, and
	# their callers would be missing from the stacks.
	"${CC:-gcc}" -O0 -g -fno-omit-frame-pointer -pthread \
	    -o "$build/demo" "$here/demo.c"
	rate=10000
	most=$(cat /proc/sys/kernel/perf_event_max_sample_rate 2>/dev/null || echo $rate)
	[ "$most" -ge $rate ] || rate=$most
	echo "\$ perf record -F $rate -g -o - demo | pd-fold --top 10 -o $out"
	perf record -q -F "$rate" -g -o - "$build/demo" 2 2>"$build/perf.log" |
	    pd-fold --top 10 -o $out || { cat "$build/perf.log" >&2; exit 2; }
else
	echo "perf may not record here (see kernel.perf_event_paranoid):" \
	    "folding $here/demo.data instead"
	pd-fold --top 10 --buildid-dir "$here/debug" -o $out "$here/demo.data"
fi

echo
echo "$(wc -l <$out) stacks in $PWD/$out.  To look at them:"
flamegraph=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
if command -v flamegraph.pl >/dev/null; then
	echo "    flamegraph.pl $out >demo.svg        and open that in a browser"
elif [ -e $flamegraph ]; then
	echo "    perl $flamegraph $out >demo.svg        and open that in a browser"
fi
echo "    or drop $out on https://www.speedscope.app"
