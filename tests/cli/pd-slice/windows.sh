# Two windows that meet, and what is outside of both, add up to the whole.
data=$TESTDATA/demo/demo.data
total() {
	pd-slice "$@" | pd-fold --weight samples --root none -q |
	    awk '{ n += $NF } END { print n + 0 }'
}
total "$data"
total --time ,30% --time 30%,50% "$data"
total --time ,50% "$data"
total --time ,30% --time 30%,50% --invert "$data"
total --time 10%/3 "$data"
cat "$data" | total -v --time -100ms, -
