pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q --weight time "$TESTDATA/demo/demo.data"
