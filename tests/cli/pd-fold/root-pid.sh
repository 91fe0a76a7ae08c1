pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q --weight samples --max-stack 1 --root pid "$TESTDATA/demo/demo.data"
