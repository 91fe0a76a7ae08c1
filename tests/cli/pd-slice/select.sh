fold() {
	pd-slice -q --buildid-dir "$TESTDATA/demo/debug" "$@" "$TESTDATA/demo/demo.data" |
	    pd-fold -q --buildid-dir "$TESTDATA/demo/debug" --weight samples --max-stack 2
}
fold --stack 'is_*' --time ,20%
echo
fold --comm '*' --event 'cpu*' --stack nothing
fold --pid 0
