pd-slice --list=xml "$TESTDATA/demo/demo.data"
