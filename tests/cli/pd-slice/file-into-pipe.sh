pd-slice --file "$TESTDATA/demo/demo.data" | cat
