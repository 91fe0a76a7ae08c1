printf 'a;b 3\na;c 2\na 1\n' >one
printf 'a;b 4\na;d 5\na;b c 1\n' >two
pd-diff -q --format folded one two
