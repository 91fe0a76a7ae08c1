pd-slice --every 1s "$TESTDATA/demo/demo.data"
