pd-fold --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q --weight samples --addrs --max-stack 3 "$TESTDATA/demo/demo.data" | sed 's/<[0-9a-f]*>/<ADDR>/g' | uniq
