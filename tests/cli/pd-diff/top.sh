. "$(dirname "$0")/runs.inc"
runs a 1000
runs b 1500
pd-diff -q --fixed-work --color always --top 1 a1 b1
