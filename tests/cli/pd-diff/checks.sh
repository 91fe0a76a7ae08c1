. "$(dirname "$0")/runs.inc"
runs a 1000
runs b 1000
sed '1i# pd-fold: v=1 unit=samples freq=1000 lost=50 event=cycles host=x kernel=6.1 cpu=A work=1' a1 >one
sed '1i# pd-fold: v=1 unit=samples freq=5000 lost=2000 throttled=3 event=cycles host=y%20z kernel=6.2 cpu=A work=1' b1 >two
echo 'app;main;[libx.so] 2000' >>two
pd-diff one two >/dev/null
pd-diff --strict one two >/dev/null 2>&1
echo "exit $?"
sed 's/event=cycles/event=instructions/' two >three
pd-diff one three
