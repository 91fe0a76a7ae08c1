#!/bin/sh
# What pd-diff promises of false alarms and true ones holds on runs whose truth
# is known; `make diff-study` prints the whole table.
. "$(dirname "$0")/../tap.sh"
runs=$PD_SHARED/diff-runs
[ -e "$runs/manifest.tsv" ] || skip_all "no runs in $runs"
case $PD_SAN in
?*) skip_all "thousands of comparisons are slow with sanitizers" ;;
esac
workdir

kept() {
	"$top/tests/study/study.py" --short "$runs" >"$tmp/table" && return
	note "$(cat "$tmp/table")"
	return 1
}

ok "false alarms are rare, and true ones are found" kept
tap_done
