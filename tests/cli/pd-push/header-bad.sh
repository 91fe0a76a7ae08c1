pd-push --server http://127.0.0.1:1 --app a --header 'secret without colon' "$TESTDATA"/demo/demo.data
