pd-push --server http://127.0.0.1:1 --app a --spool no/where "$TESTDATA"/demo/demo.data
