# A file that is appended to cannot be written in any order.
echo before >out
pd-slice -q "$TESTDATA/demo/demo.data" >>out
head -n 1 out
tail -c +8 out | pd-slice -v -o again.data
