pd-fold --format firefox --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q "$TESTDATA/demo/demo.data" | head -c 3000
