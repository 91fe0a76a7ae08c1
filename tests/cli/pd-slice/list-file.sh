pd-slice --list "$TESTDATA/demo/demo.data"
