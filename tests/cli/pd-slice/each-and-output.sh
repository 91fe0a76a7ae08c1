pd-slice --each parts --every 1s -o x "$TESTDATA/demo/demo.data"
