# 5 for 5% would be 500%, and no change would ever count.
try() {
	pd-diff "$@" a b
	echo "exit $?" >&2
}
try --min-effect 5
try --min-effect 1
try --alpha 1
try --min-effect 0.05x
try --min-effect 5%%
printf 'g min-effect 3\n' >rules
try --rules rules
