. "$(dirname "$0")/runs.inc"
runs a 1000 1001 1002
ln a1 again
pd-diff --fixed-work a1 a2 again --vs a3
