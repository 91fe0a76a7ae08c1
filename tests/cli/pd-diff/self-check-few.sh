. "$(dirname "$0")/runs.inc"
runs a 1000 1010 990
pd-diff --fixed-work --self-check a*
