pd-slice -o out.data "$TESTDATA/demo/demo.c"
ls
