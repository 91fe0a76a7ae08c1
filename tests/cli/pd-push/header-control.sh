pd-push --server http://127.0.0.1:1 --app a --header "$(printf 'A: b\r\nC: d')" "$TESTDATA"/demo/demo.data
