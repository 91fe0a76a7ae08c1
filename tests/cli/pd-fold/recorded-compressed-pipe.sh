pd-fold -q --symfs /nonexistent --kallsyms /dev/null --buildid-dir /nonexistent --annotate all - <"$TESTDATA/recordings/compressed-pipe-perf-6.5.data"
