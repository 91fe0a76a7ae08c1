pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent --fail-empty --comm nobody "$TESTDATA/demo/demo.data"
