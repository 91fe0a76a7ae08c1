pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q --srcline --annotate jit,inline --weight samples --max-stack 3 "$TESTDATA/demo/demo.data"
