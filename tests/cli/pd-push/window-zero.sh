pd-push --app a --window 0s --dry-run "$TESTDATA"/demo/demo.data
