gzip -dc "$TESTDATA/recordings/compressed2-pipe-perf-6.16.data.gz" | pd-fold -q --symfs /nonexistent --kallsyms /dev/null --buildid-dir /nonexistent --weight samples -
