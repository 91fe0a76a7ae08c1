pd-slice --list "$TESTDATA/recordings/perf-3.4.data"
