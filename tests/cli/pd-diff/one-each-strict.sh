. "$(dirname "$0")/runs.inc"
runs a 1000
runs b 1500
pd-diff --fixed-work --gate a1 b1 >/dev/null || exit
pd-diff -q --fixed-work --gate=strict a1 b1 >/dev/null
