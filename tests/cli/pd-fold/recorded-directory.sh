pd-fold -q --symfs /nonexistent --kallsyms /dev/null --buildid-dir "$TESTDATA/demo/debug" --weight samples --max-stack 3 "$TESTDATA/recordings/directory"
