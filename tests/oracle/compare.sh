#!/bin/bash
# compare.sh [-q] FILE|DIR...
#
# Holds pd-fold against perf on recordings, all below DIR.  For each:
#   counts  per event and thread, the number of samples and the sum of their
#           periods are what `perf script` shows;
#   stacks  of recordings with call chains, `pd-fold --compat perl` is byte for
#           byte what `perf script | stackcollapse-perf.pl` makes
#           (STACKCOLLAPSE or PATH says where that is; skipped when nowhere).
# Prints one line a recording: ok, differs (and how), or that perf cannot read
# it.  Exit 1 when anything differs.
set -u
export LC_ALL=C DEBUGINFOD_URLS=

usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 2; }

quiet=
[ "${1:-}" = -q ] && { quiet=1; shift; }
[ $# -gt 0 ] || usage
stackcollapse=${STACKCOLLAPSE:-$(command -v stackcollapse-perf.pl)}
[ -n "$stackcollapse" ] ||
	echo "compare.sh: no stackcollapse-perf.pl (set STACKCOLLAPSE):" \
	    "stacks are NOT compared" >&2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# perf_counts FILE: event, pid/tid, samples, periods.  Without a period in the
# samples perf prints none; the sum is then "-".
perf_counts() {
	perf script -f -i "$1" -F pid,tid,period,event >"$tmp/script" 2>"$tmp/err" ||
	    { grep -q "'period' field" "$tmp/err" &&
	      perf script -f -i "$1" -F pid,tid,event >"$tmp/script" 2>"$tmp/err"; } ||
	    return 1
	awk '
	match($0, /^ *-?[0-9]+\/-?[0-9]+ +([0-9]+ +)?[^ ].*: *$/) {
		id = $1; line = $0
		sub(/^ *-?[0-9]+\/-?[0-9]+ +/, "", line)
		period = 0; has = match(line, /^[0-9]+ +/)
		if (has) { period = substr(line, 1, RLENGTH) + 0
			line = substr(line, RLENGTH + 1) }
		sub(/: *$/, "", line); sub(/^ */, "", line)
		k = line "\t" id; n[k]++; sum[k] += period; if (has) p[k] = 1
	}
	END { for (k in n) printf "%s\t%d\t%s\n", k, n[k],
		(k in p) ? sprintf("%.0f", sum[k]) : "-" }' "$tmp/script" | sort
}

# by_thread WEIGHT FILE EVENT: pid/tid and weight, from the roots comm-PID/TID.
by_thread() {
	pd-fold -q -e "$(sed 's/[][*?\\]/\\&/g' <<<"$3")" --root tid \
	    --weight "$1" "$2" |
	awk '{ w = $NF; sub(/ [0-9]+$/, ""); sub(/;.*/, "")
		match($0, /-?[0-9]+\/-?[0-9]+$/)
		id = substr($0, RSTART); if (id ~ /^-/ && $0 !~ /--[0-9]+\/[^\/]*$/) id = substr(id, 2)
		sum[id] += w }
	    END { for (id in sum) printf "%s\t%.0f\n", id, sum[id] }' | sort
}

our_counts() {
	cut -f 1 "$tmp/perf" | sort -u | while IFS= read -r event; do
		by_thread samples "$1" "$event" >"$tmp/n"
		by_thread period "$1" "$event" >"$tmp/p"
		join -t $'\t' "$tmp/n" "$tmp/p" |
		    while IFS= read -r line; do printf '%s\t%s\n' "$event" "$line"; done
	done | sort
}

# hide_periods FILE: FILE with "-" where perf has no period.
hide_periods() {
	awk -F '\t' -v OFS='\t' 'NR == FNR { if ($4 == "-") no[$1] = 1; next }
	    $1 in no { $4 = "-" } 1' "$tmp/perf" "$1"
}

# weight_apart A B: by how much two folded files differ.
weight_apart() {
	awk '{ w = $NF; sub(/ [0-9]+$/, "") }
	    NR == FNR { d[$0] += w; total += w; next }
	    { d[$0] -= w; total += w }
	    END { for (k in d) apart += d[k] < 0 ? -d[k] : d[k]
		printf "%.4f %% of the weight\n", total ? 100 * apart / total : 0 }' \
	    "$1" "$2"
}

show() { [ -n "$quiet" ] || sed 's/^/\t/' | cut -c 1-200; }

compare() {
	local f=$1 bad= what=counts
	if ! perf_counts "$f" >"$tmp/perf"; then
		echo "perf cannot read: $f ($(tail -n 1 "$tmp/err" | cut -c 1-80))"
		return 0
	fi
	our_counts "$f" 2>"$tmp/err2" | hide_periods /dev/stdin >"$tmp/ours"
	if ! cmp -s "$tmp/perf" "$tmp/ours"; then
		echo "differs: $f: samples or periods per event and thread" \
		    "(perf <, pd-fold >)"
		diff "$tmp/perf" "$tmp/ours" | grep '^[<>]' | head -n 6 | show
		bad=1
	fi
	if [ -n "$stackcollapse" ] && perf evlist -f -v -i "$f" >"$tmp/ev" 2>/dev/null &&
	    grep -q CALLCHAIN "$tmp/ev"; then
		what="$what, stacks"
		perf script -f --no-inline -i "$f" 2>/dev/null |
		    perl "$stackcollapse" >"$tmp/perl" 2>/dev/null
		pd-fold -q --compat perl "$f" >"$tmp/fold" 2>/dev/null
		if ! cmp -s "$tmp/perl" "$tmp/fold"; then
			echo "differs: $f: stacks, $(weight_apart "$tmp/perl" "$tmp/fold")" \
			    "(perl <, pd-fold >)"
			diff "$tmp/perl" "$tmp/fold" | grep '^[<>]' | head -n 6 | show
			bad=1
		fi
	fi
	[ -n "$bad" ] || echo "ok: $f: $what"
	[ -z "$bad" ]
}

status=0
for arg; do
	[ -e "$arg" ] || { echo "compare.sh: $arg: not there" >&2; exit 2; }
	# A directory with a file "data" is a recording of perf record --threads.
	find "$arg" -type d -exec test -e {}/data \; -prune -print \
	    -o -type f -size +0 -print | sort >"$tmp/list"
	while IFS= read -r f; do
		compare "$f" || status=1
	done <"$tmp/list"
done
exit $status
