printf 'x;a 1\nx;b 1\nx;c 1\n' >one
printf 'x;a 2\nx;b 1\n' >two
printf 'x;a 10\n' >three
pd-diff -q --fixed-work --format folded one two --vs three
