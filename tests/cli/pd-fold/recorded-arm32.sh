gzip -dc "$TESTDATA/recordings/arm32-perf-3.4.data.gz" | pd-fold -q --symfs /nonexistent --kallsyms /dev/null --buildid-dir /nonexistent --weight samples --annotate all -
