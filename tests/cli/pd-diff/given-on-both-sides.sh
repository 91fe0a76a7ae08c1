. "$(dirname "$0")/runs.inc"
runs a 1000
pd-diff --fixed-work a1 a1 | tail -n 1
