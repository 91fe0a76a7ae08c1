pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent --top 3 -o /dev/null "$TESTDATA/demo/demo.data"
