pd-slice --list "$TESTDATA/recordings/killed.data"
