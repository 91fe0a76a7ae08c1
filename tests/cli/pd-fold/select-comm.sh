pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q --weight samples --max-stack 1 --comm 'sort*' "$TESTDATA/demo/demo.data"
