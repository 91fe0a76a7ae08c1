pd-push --server http://127.0.0.1:1 --app a --token-file nowhere "$TESTDATA"/demo/demo.data
