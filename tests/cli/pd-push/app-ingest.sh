pd-push --app 'my app' --api ingest --dry-run "$TESTDATA"/demo/demo.data
