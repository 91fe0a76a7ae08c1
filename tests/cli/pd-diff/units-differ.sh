. "$(dirname "$0")/runs.inc"
runs a 1000
runs b 1000
sed '1i# pd-fold: v=1 unit=ns samples=40' a1 >one
pd-diff --fixed-work one b1
pd-diff -q --fixed-work --freq 1000000000 one b1 | tail -n 1
