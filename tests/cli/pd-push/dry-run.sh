# The same bytes each time, and the profiles of all windows.
pd-push -q --app a --window 100ms --rebase-time @1700000000 --dry-run -o 1 "$TESTDATA"/demo/demo.data
pd-push -q --app a --window 100ms --rebase-time @1700000000 --dry-run -o 2 "$TESTDATA"/demo/demo.data
cmp 1 2
pd-push -q --app a --window 100ms --rebase-time @1700000000 --dry-run -v "$TESTDATA"/demo/demo.data 2>&1 >out | sed -n 's/: [0-9]* bytes/: N bytes/p'
cmp 1 out
