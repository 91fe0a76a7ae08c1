gzip -dc "$TESTDATA/sections/sections.data.gz" | pd-slice --list -
