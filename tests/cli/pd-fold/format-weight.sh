pd-fold --format speedscope --weight samples --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q "$TESTDATA/demo/demo.data" | head -c 400
