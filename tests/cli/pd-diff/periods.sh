# Stacks that pd-fold wrote without --meta are times, not millions of samples.
for i in 1 2 3 4 5 6 7 8; do
	echo "x;f$i $((i * 21 * 1001001 - 1001001))"
done >a
sed 's/f1 20020020/f1 21021021/' a >b
pd-diff --fixed-work a b
pd-diff -q --fixed-work --format json a b | tr ',' '\n' | grep samples_base | head -n 1
pd-diff -q --write-baseline base a && head -n 2 base
