# Cost that moved is a case of its own: it fails only where it gates.
for i in 1 2 3 4 5 6; do
	printf 'x;main;run %d\nx;main;leaf %d\nx;main;g 5000\n' $((500 + i)) $((400 - i)) >a$i
	printf 'x;main;run %d\nx;main;leaf2 %d\nx;main;g 5000\n' $((500 + i)) $((395 + i)) >b$i
done
pd-diff -q --fixed-work --format junit a* --vs b*
echo "exit $?" >&2
pd-diff -q --fixed-work --gate-moved --format junit a* --vs b*
echo "exit $?" >&2
