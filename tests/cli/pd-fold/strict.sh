# A cut recording: a warning, and exit 2 only when asked for.
head -c 50000 "$TESTDATA/demo/demo.data" >cut.data
pd-fold --weight samples --max-stack 1 --buildid-dir "$TESTDATA/demo/debug" \
    --symfs /nonexistent cut.data
echo "exit $?"
pd-fold --strict -q cut.data >/dev/null
