pd-push --app a -e nothing --dry-run -o out "$TESTDATA"/demo/demo.data
