pd-fold --archive nowhere.tar.bz2 "$TESTDATA/demo/demo.data"
