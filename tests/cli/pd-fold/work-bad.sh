pd-fold --meta --work none "$TESTDATA/demo/demo.data"
