# Without a pseudo-count a run without a function is far from one that has it,
# but not infinitely far.
for i in 1 2 3 4 5 6; do
	printf 'x;f %d\nx;g 5000\nx;h 0\n' $((1000 + i)) >a$i
	printf 'x;f %d\nx;g 5000\n' $((i % 2 * 1000)) >b$i
done
pd-diff -q --fixed-work --pseudo-count 0 a* --vs b*
pd-diff -q --fixed-work --pseudo-count 0 --format json a* --vs b* |
    python3 -c 'import json, sys; json.load(sys.stdin)'
pd-diff -q --fixed-work --pseudo-count 0 --format markdown a* --vs b*
pd-diff -q --fixed-work --pseudo-count 0 --format junit a* --vs b*
