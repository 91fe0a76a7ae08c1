. "$(dirname "$0")/runs.inc"
runs a 1000
runs b 1500
pd-diff --fixed-work a1 b1
