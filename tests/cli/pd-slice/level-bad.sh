pd-slice -z23 -o out.data "$TESTDATA/demo/demo.data"
