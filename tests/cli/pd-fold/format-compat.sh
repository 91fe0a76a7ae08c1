pd-fold --format pprof --compat perl "$TESTDATA/demo/demo.data"
