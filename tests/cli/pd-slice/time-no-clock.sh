pd-slice --time @1700000000,+1s -o out.data "$TESTDATA/recordings/pipe-perf-6.12.data"
