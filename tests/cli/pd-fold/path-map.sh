# The program was recorded in a directory that is elsewhere now.
mkdir here
cp "$TESTDATA"/demo/debug/.build-id/29/*/elf here/demo
pd-fold --path-map /tmp/pd-demo/=here --path-map /tmp=nowhere \
    --buildid-dir /nonexistent --symfs /nonexistent --root none \
    --max-stack 1 "$TESTDATA/demo/demo.data"
