pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q --weight samples --max-stack 1 --root event "$TESTDATA/demo/demo.data"
