gzip -dc "$TESTDATA/recordings/arm32-perf-3.4.data.gz" | pd-slice --list
