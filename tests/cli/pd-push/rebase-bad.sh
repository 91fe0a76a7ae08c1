pd-push --app a --rebase-time yesterday --dry-run "$TESTDATA"/demo/demo.data
