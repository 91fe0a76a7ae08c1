pd-slice --every 0s --each parts "$TESTDATA/demo/demo.data"
