pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q -o out "$TESTDATA/demo/demo.data" && cat out
