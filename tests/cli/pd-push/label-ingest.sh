pd-push --app a --api ingest --label 'a=b,c' --dry-run "$TESTDATA"/demo/demo.data
