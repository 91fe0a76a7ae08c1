# Pieces have each sample once, and the table says which.
pd-slice --every 500ms --each parts "$TESTDATA/demo/demo.data"
ls parts
cut -f 1,2,7-9 parts/index.tsv
for f in parts/*.data; do pd-fold -q --weight samples --root none --max-stack 1 $f; done |
    awk '{ n += $NF } END { print n, "samples" }'
