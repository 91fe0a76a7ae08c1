pd-push --app "$(printf 'a\033b')" --dry-run "$TESTDATA"/demo/demo.data
