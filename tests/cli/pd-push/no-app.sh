pd-push --server http://127.0.0.1:1 "$TESTDATA"/demo/demo.data
