#!/bin/bash
# pd-fold agrees with perf on every recording of the corpus that perf can
# read, but for the differences explained below.
. "$(dirname "$0")/../tap.sh"
command -v perf >/dev/null || skip_all "no perf"
[ -d "$PD_SHARED/corpus" ] || skip_all "no recordings in $PD_SHARED/corpus"
case $PD_SAN in ?*) skip_all "compared in the build without sanitizers" ;; esac
workdir

# Recordings where pd-fold is meant to differ from perf 6.1, and why.  With
# "stacks: ..." the counts must agree all the same.
other_kernel="stacks: perf names the kernel of the recording after the one that runs now"
own_names="pd-fold takes the names of events from the recording"
declare -A explained=(
	[generated/inject-b.data]=$other_kernel
	[generated/inject-plain.data]=$other_kernel
	[generated/no-buildid-B.data]=$other_kernel
	[generated/pipe-a.data]=$other_kernel
	[generated/pipe-headcut.data]=$other_kernel
	[generated/pipe-marker.data]=$other_kernel
	[generated/pipe-z.data]=$other_kernel
	[generated/pipe.data]=$other_kernel
	[generated/record-inject-pipe.data]=$other_kernel
	[generated/z.data]=$other_kernel
	[generated/pipe-tracepoint.data]="stacks: perf shows no call chains of tracepoints in a pipe"
	[generated/per-thread.data]="stacks: without times stackcollapse-perf.pl finds no periods"
	[generated/tp-switch-a.data]="stacks: stackcollapse-perf.pl does not expect (deleted) behind a file"
	[generated/lost-m1.data]="stacks: stackcollapse-perf.pl takes tracepoints for the event"
	[recordings/developtools_hiperf__fp.uncompress.data]=$own_names
	[recordings/developtools_hiperf__report_test.data]=$own_names
	[recordings/platform_system_extras__perf_merge1.data]="stacks: perf maps no kernel where an arm64 recording is read on x86"
	[recordings/perf_data_converter__perf.data.intel_pt-4.14]="perf makes samples out of the trace"
	[recordings/perf_data_converter__perf.data.callgraph-3.4]="stacks: perf looks into the vdso of this machine"
	[recordings/perf_data_converter__perf.data.callgraph_and_branch-3.4]="stacks: perf looks into the vdso of this machine"
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
	why=${explained[$f]:-}
	if [ -z "$why" ]; then
		ok "$f" agrees "$f"
	elif agrees "$f"; then
		skip "$f" "agrees here, though: $why"
	elif [ "$why" != "${why#stacks:}" ] && grep -q 'samples or periods' "$tmp/out"; then
		ok "$f: counts" false
	else
		skip "$f" "$why"
	fi
done <"$tmp/list"
tap_done
