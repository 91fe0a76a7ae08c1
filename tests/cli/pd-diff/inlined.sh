for i in 1 2 3 4 5 6; do
	printf 'x;main;run %d\nx;main;leaf %d\nx;main;run;deep 5000\n' $((500 + i)) $((400 - i)) >a$i
	printf 'x;main;run %d\nx;main;run;deep 5000\n' $((895 + i)) >b$i
	printf 'x;main;run %d\nx;main;leaf2 %d\nx;main;run;deep 5000\n' $((500 + i)) $((395 + i)) >c$i
done
pd-diff -q --fixed-work a* --vs b* || exit
pd-diff -q --fixed-work a* --vs c* || exit
pd-diff -q --fixed-work --gate-moved a* --vs c* | tail -n 1
