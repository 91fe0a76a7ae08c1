pd-slice --cpu x -o out.data "$TESTDATA/demo/demo.data"
