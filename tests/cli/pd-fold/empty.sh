pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent --comm nobody "$TESTDATA/demo/demo.data"
