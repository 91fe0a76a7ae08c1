pd-fold -q --symfs /nonexistent --kallsyms /dev/null --buildid-dir /nonexistent --annotate all "$TESTDATA/recordings/pipe-perf-6.12.data"
