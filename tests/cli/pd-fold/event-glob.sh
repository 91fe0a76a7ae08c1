pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q -e 'cpu-*' --max-stack 1 "$TESTDATA/demo/demo.data"
