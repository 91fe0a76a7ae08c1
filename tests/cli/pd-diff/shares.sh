. "$(dirname "$0")/runs.inc"
runs a 1000 1010 990 1005 995 1003
runs b 1500 1512 1491 1499 1508 1502
pd-diff a* --vs b* || exit
pd-diff -q --gate-on-share a* --vs b* >/dev/null
