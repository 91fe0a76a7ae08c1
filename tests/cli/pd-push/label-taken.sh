pd-push --app a --label __name__=c --dry-run "$TESTDATA"/demo/demo.data
