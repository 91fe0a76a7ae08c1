printf 'a\nb\n' >token
pd-push --server http://127.0.0.1:1 --app a --token-file token "$TESTDATA"/demo/demo.data
