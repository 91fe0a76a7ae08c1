. "$(dirname "$0")/runs.inc"
runs a 1000 1010 990 1005 995 1003
runs b 1000 1010 990 1005 995 1003
pd-diff -q --work 100,50 a* --vs b* | tail -n 1
for i in 1 2 3 4 5 6; do
	echo "./a$i 100"
	echo "b$i 100.0"
done >works
pd-diff -q --work-file works ./a* --vs ./b* | tail -n 1
