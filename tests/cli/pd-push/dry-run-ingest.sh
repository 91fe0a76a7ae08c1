pd-push -q --app a --api ingest --window 100ms --dry-run -o out "$TESTDATA"/demo/demo.data
echo $?, $(ls | wc -l) files
pd-push -q --app a --api ingest --dry-run --rebase-time @1700000000 -v -o out "$TESTDATA"/demo/demo.data 2>&1 |
    sed -n 's/: [0-9]* bytes/: N bytes/p; s/boundary=[^:]*/boundary=B/; /POST/p' | grep POST | tail -n 1
head -c 11 out | sed 's/[0-9a-f]*$//'
