pd-slice --pipe --file -o out.data "$TESTDATA/demo/demo.data"
