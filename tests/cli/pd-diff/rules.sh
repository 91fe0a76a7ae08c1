. "$(dirname "$0")/runs.inc"
runs a 1000 1010 990 1005 995 1003
runs b 1100 1112 1091 1099 1108 1102
echo '# f is known to be slower
f	min-effect 20%
k*  ignore' >rules
pd-diff -q --fixed-work --rules rules a* --vs b*
echo '\[total\] min-effect 5%' >>rules
pd-diff -q --fixed-work --rules rules a* --vs b* | tail -n 1
echo 'f ignore' >rules
pd-diff -q --fixed-work --rules rules a* --vs b* | tail -n 1
