for i in 1 2 3 4 5 6; do
	printf 'x;main 9000\nx;main;old %d\nx;other 500\n' $((40 + i % 3)) >a$i
	printf 'x;main 9000\nx;other;fresh %d\nx;other 500\n' $((50 - i % 4)) >b$i
done
pd-diff -q --fixed-work a* --vs b*
