pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent "$TESTDATA/demo/demo.data"
