pd-push --app a --label 'a-b=c' --dry-run "$TESTDATA"/demo/demo.data
