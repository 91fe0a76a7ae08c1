# The outermost frame is judged where it has cost of its own, as in a program
# that was folded without threads.
for i in 1 2 3 4 5 6; do
	printf 'main %d\nmain;g 5000\n' $((1000 + i)) >a$i
	printf 'main %d\nmain;g 5000\n' $((1500 + i)) >b$i
done
pd-diff -q --fixed-work a* --vs b*
