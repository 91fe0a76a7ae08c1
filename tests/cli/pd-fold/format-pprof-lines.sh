# Files and lines are apart from the names of functions.
pd-fold --format pprof --srcline --buildid-dir "$TESTDATA/demo/debug" --symfs /nonexistent -q "$TESTDATA/demo/demo.data" |
    gunzip >profile.pb
grep -aoE '[./]*demo\.c|hash_bytes(:[a-z.0-9:]*)?' profile.pb
cksum <profile.pb
