pd-slice --fail-empty --tid 1 -o out.data "$TESTDATA/demo/demo.data"
