pd-fold --format pprof --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q "$TESTDATA/demo/demo.data" | gunzip | cksum
