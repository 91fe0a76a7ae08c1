pd-slice -v -o slice.data "$TESTDATA/demo/demo.data"
pd-fold "$TESTDATA/demo/demo.data" >whole.folded 2>/dev/null
pd-fold slice.data 2>/dev/null | cmp - whole.folded && echo same
