pd-push --app a "$TESTDATA"/demo/demo.data
