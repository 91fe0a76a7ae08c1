pd-fold -q --meta --work 2.5 "$TESTDATA/demo/demo.data" | head -n 2
