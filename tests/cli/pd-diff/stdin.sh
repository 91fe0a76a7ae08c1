. "$(dirname "$0")/runs.inc"
runs a 1000
runs b 1500
pd-diff -q --fixed-work a1 b1 | sed 's/b1/standard input/' >one
pd-diff -q --fixed-work a1 - <b1 >two
cat b1 | pd-diff -q --fixed-work a1 - >three
cmp one two && cmp one three
