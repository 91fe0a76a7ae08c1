. "$(dirname "$0")/runs.inc"
runs b 1000 1010 990 1005 995 1003
runs a 1100 1112 1091 1099 1108 1102
pd-diff -q --fixed-work a* --vs b* | tail -n 1
pd-diff -q --fixed-work --fail-on-improvement a* --vs b* >/dev/null
