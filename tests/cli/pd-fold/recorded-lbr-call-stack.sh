gzip -dc "$TESTDATA/recordings/lbr-call-stack-perf-6.12.data.gz" | pd-fold -q --symfs /nonexistent --kallsyms /dev/null --buildid-dir /nonexistent --weight samples
