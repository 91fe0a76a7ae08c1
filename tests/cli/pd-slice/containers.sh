# File and pipe, in and out, compressed or not: the same stacks.
for f in compressed-pipe-perf-6.5.data pipe-perf-6.12.data directory perf-3.4.data; do
	f=$TESTDATA/recordings/$f
	pd-fold -q "$f" >whole.folded
	for o in --pipe --file -z "-z9 --pipe"; do
		pd-slice -q $o -o out.data "$f" &&
		pd-fold -q out.data | cmp - whole.folded && echo same
	done
	pd-slice -q "$f" | pd-slice -q --time 0, -z | pd-fold -q | cmp - whole.folded && echo same
done
