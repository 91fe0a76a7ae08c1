. "$(dirname "$0")/runs.inc"
runs a 1000
runs b 1000
echo 'a1 5' >works
pd-diff --norm work --work-file works a1 b1
