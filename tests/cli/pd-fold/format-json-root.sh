pd-fold --format json --root comm --root pid --annotate all --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q "$TESTDATA/demo/demo.data" | head -n 12
