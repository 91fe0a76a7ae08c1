#!/bin/bash
# pd-fold agrees with perf on every recording of the corpus that perf can
# read, but for the differences explained below.
. "$(dirname "$0")/../tap.sh"
command -v perf >/dev/null || skip_all "no perf"
[ -d "$PD_SHARED/corpus" ] || skip_all "no recordings in $PD_SHARED/corpus"
case $PD_SAN in ?*) skip_all "compared in the build without sanitizers" ;; esac
workdir

# Recordings where pd-fold is meant to differ from perf 6.1, and why.
declare -A explained=(
)

agrees() {
	"$top/tests/oracle/compare.sh" "$1" >"$tmp/out" 2>&1
	local rc=$?
	note "$(cat "$tmp/out")"
	return $rc
}

cd "$PD_SHARED/corpus" || exit 1
cut -f 1 catalog.tsv | tail -n +2 >"$tmp/list"
while read -r f; do
	if [ -n "${explained[$f]:-}" ]; then
		skip "$f" "${explained[$f]}"
	else
		ok "$f" agrees "$f"
	fi
done <"$tmp/list"
tap_done
