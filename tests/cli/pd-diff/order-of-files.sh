. "$(dirname "$0")/runs.inc"
runs a 1000 1010 990 1005 995 1003
runs b 1100 1112 1091 1099 1108 1102
for format in text json markdown junit github benchmark folded; do
	pd-diff -q --fixed-work --format $format a1 a2 a3 a4 a5 a6 --vs b1 b2 b3 b4 b5 b6 >one
	pd-diff -q --fixed-work --format $format a3 a1 a6 a2 a5 a4 --vs b6 b5 b4 b2 b1 b3 >two
	cmp one two
done
pd-diff -q --fixed-work --pairs a1 b1 a2 b2 a3 b3 >one
pd-diff -q --fixed-work --pairs a3 b3 a1 b1 a2 b2 >two
cmp one two
