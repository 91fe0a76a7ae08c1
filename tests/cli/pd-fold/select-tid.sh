pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q --weight samples --max-stack 1 --tid 1-4000000000 "$TESTDATA/demo/demo.data"
