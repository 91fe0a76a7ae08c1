pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q --weight samples "$TESTDATA/demo/demo.data"
