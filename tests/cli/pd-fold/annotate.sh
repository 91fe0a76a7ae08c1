pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q --annotate kernel,jit,inline --max-stack 2 "$TESTDATA/demo/demo.data"
