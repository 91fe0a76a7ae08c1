. "$(dirname "$0")/runs.inc"
runs a 1000 1010 990 1005 995 1003 1012 998
pd-diff --fixed-work --self-check a*
