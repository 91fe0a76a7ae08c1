pd-slice --every 1s --each parts --around x --after 1s "$TESTDATA/demo/demo.data"
