pd-fold --format speedscope --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q "$TESTDATA/demo/demo.data" | head -c 2000
