pd-push --server ftp://u:secret@host --app a "$TESTDATA"/demo/demo.data
