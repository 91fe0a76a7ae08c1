pd-push --server http://127.0.0.1:1 --app a -o out "$TESTDATA"/demo/demo.data
