pd-push --app a --api grpc --dry-run "$TESTDATA"/demo/demo.data
