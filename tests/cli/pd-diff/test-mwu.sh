. "$(dirname "$0")/runs.inc"
runs a 1000 1010 990 1005 995 1003
runs b 1100 1112 1091 1099 1108 1102
for test in welch mwu perm chi2; do
	pd-diff --fixed-work --test $test a* --vs b* | tail -n 1
done
pd-diff --fixed-work --test mwu a1 a2 a3 --vs b1 b2 b3 | tail -n 1
