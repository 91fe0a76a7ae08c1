pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q --compat perl "$TESTDATA/demo/demo.data"
