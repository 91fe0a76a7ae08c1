pd-slice --keep-state some -o out.data "$TESTDATA/demo/demo.data"
