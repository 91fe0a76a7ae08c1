. "$(dirname "$0")/runs.inc"
runs a 1000 1010 990 1005 995 1003
runs b 1100 1112 1091 1099 1108 1102
pd-diff --write-baseline base a3 a1 a2 a4 a5 a6 && cat base
pd-diff -q --fixed-work a* --vs b* >one
pd-diff -q --fixed-work --baseline base b* >two
cmp one two
pd-diff base b1
