#!/bin/bash
# Code of JIT compilers has the name that it had at the time of the sample.
. "$(dirname "$0")/../tap.sh"
perf record -o - true >/dev/null 2>&1 || skip_all "perf may not record"
[ "$(uname -m)" = x86_64 ] || skip_all "jitwork writes code for x86_64"
workdir
cd "$tmp" || exit 1

record() {
	perf record -q -e cpu-clock -F 1999 "$@" "$PD_TESTS/jitwork" . 1 2>perf.log ||
	    note "$(tail -n 3 perf.log)"
}

# The thread is called as the function that it runs.
right_names() {
	pd-fold --weight samples --annotate jit "$@" >out 2>err || return 1
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); c = split($0, f, ";") }
	    f[c] !~ /_\[j\]$/ { next }
	    { all += n; if (f[c] == f[1] "_[j]") ok += n }
	    f[c - 1] == "run" && f[c - 2] == "main" { under += n }
	    END { print ok + 0 " of " all + 0 " named, " under + 0 " called by run"
		exit !(all > 100 && ok == all && under > 0.9 * all) }' out >result
	local rc=$?
	note "$(cat result)" "$(head -n 2 err)"
	return $rc
}

record -k CLOCK_MONOTONIC -g -o fp.data
ok "by time, where an address is used again" right_names fp.data
record -k CLOCK_MONOTONIC --call-graph dwarf -o dwarf.data
ok "in copied stacks" right_names dwarf.data
record -k CLOCK_MONOTONIC -g -o - >pipe.data
ok "from a pipe" right_names pipe.data

last_name() {
	record -g -o noclock.data
	right_names noclock.data
	grep -q 'second_\[j\]' out && ! grep -q 'first_\[j\]' out &&
	    grep -q 'only the last name is known' err
}
ok "without the clock, by their last name, which is said" last_name

# Builtins of V8 are in its program, whose symbols go first.
node_agrees() {
	echo 'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) }
	while (process.cpuUsage().user < 1e6) f(25)' >f.js
	perf record -q -k CLOCK_MONOTONIC -e cpu-clock -F 1999 -g -o node.data \
	    node --perf-prof f.js >perf.log 2>&1 || return 1
	pd-fold --weight samples node.data >out 2>err
	note "$(head -n 3 err)"
	awk '{ all += $NF } /;JS:\*?.?f .*f\.js:1/ { js += $NF }
	    END { exit !(js > all / 2) }' out
}

# Its unwind data lead through code without frame pointers as those that perf
# inject puts into files lead perf; and scripts have lines, which those lack.
node_unwinds() {
	perf record -q -k CLOCK_MONOTONIC -e cpu-clock:u -F 999 \
	    --call-graph dwarf,16384 -o dwarf-node.data \
	    node --perf-prof --perf-prof-unwinding-info f.js >perf.log 2>&1 || return 1
	perf inject -j -i dwarf-node.data -o inject.data >perf.log 2>&1 &&
	    perf script --no-inline -i inject.data -F ip 2>/dev/null |
	    awk '/^[ \t]+[0-9a-f]/ { n++ } END { print n + 0 }' >perf.frames
	pd-fold -q --no-inline --weight samples dwarf-node.data |
	    awk '{ n = $NF; all += n * (split($0, f, ";") - 1) }
		END { print all + 0 }' >frames
	note "$(cat frames) frames, perf $(cat perf.frames)"
	awk 'NR == FNR { n = $1; next } { d = $1 - n }
	    END { exit !(n > 1000 && d * d < n * n / 1e4) }' frames perf.frames &&
	    pd-fold -q --srcline --weight samples dwarf-node.data |
	    awk '{ all += $NF } /;JS:.?f [^;]*f\.js:1:[0-9]+:f\.js:1[; ]/ { js += $NF }
		END { exit !(js > all / 2) }'
}
if command -v node >/dev/null; then
	ok "Node.js" node_agrees
	ok "Node.js, copied stacks and lines" node_unwinds
else
	skip "Node.js" "not installed"
	skip "Node.js, copied stacks and lines" "not installed"
fi
tap_done
