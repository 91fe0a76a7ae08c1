. "$(dirname "$0")/runs.inc"
runs a 1000 1010 990 1005 995 1003
runs b 1100 1112 1091 1099 1108 1102
pd-diff -q --fixed-work --format folded --significant-only a* --vs b*
