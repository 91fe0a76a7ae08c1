pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q --weight samples --max-stack 1 --root thread "$TESTDATA/demo/demo.data"
