pd-slice --list "$TESTDATA/recordings/directory"
