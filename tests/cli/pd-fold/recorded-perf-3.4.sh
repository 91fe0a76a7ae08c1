pd-fold -q --symfs /nonexistent --kallsyms /dev/null --buildid-dir /nonexistent --weight samples --annotate all -e cache-references --root event --root comm "$TESTDATA/recordings/perf-3.4.data"
