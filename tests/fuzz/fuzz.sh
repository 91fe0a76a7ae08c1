#!/bin/bash
# fuzz.sh BUILD SECONDS: runs the fuzzers that `make fuzz` built, each for a
# while, and leaves what they learnt and what crashed below BUILD/fuzz.
set -eu
. "$(dirname "$0")/../tap.sh"
build=$1 seconds=$2

for fuzzer in "$build"/tests/fuzz_*; do
	name=${fuzzer##*/}
	dir=$build/fuzz/$name
	mkdir -p "$dir/corpus" "$dir/crashes" "$dir/seeds"
	"$build/tests/seeds" "$dir/seeds"
	if [ -d "$PD_SHARED/malformed/data" ]; then
		find "$PD_SHARED/malformed/data" "$PD_SHARED/corpus" -type f \
		    -size -40k -exec cp -n {} "$dir/seeds/" \;
		chmod u+w "$dir"/seeds/*
	fi
	echo "$name: $seconds s"
	"$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
	    -max_len=65536 -print_final_stats=1 -verbosity=0 \
	    -artifact_prefix="$dir/crashes/" "$dir/corpus" "$dir/seeds"
done
