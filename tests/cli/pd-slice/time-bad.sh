pd-slice --time 12:30 -o out.data "$TESTDATA/demo/demo.data"
