printf 'a 1\nb 1\nc 1\n' >one
printf 'a 1\nb 1\n' >two
pd-diff -q --format folded --normalize one two
