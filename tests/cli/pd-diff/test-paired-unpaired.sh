. "$(dirname "$0")/runs.inc"
runs a 1000 1001
runs b 1000 1001
pd-diff --fixed-work --test paired a* --vs b*
