pd-slice --each parts "$TESTDATA/demo/demo.data"
