pd-push --app a --label novalue --dry-run "$TESTDATA"/demo/demo.data
