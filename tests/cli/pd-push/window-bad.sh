pd-push --app a --window 10 --dry-run "$TESTDATA"/demo/demo.data
