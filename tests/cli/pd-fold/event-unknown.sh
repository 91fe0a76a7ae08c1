pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -e no-such-event "$TESTDATA/demo/demo.data"
