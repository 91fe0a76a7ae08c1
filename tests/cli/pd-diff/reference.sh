# Worked examples, computed with scipy; one function f, all but E1 with half a
# sample added.
group() {
	name=$1 i=0
	shift
	for n; do
		i=$((i + 1))
		printf 'x;f %d\nx;rest 1\n' "$n" >"$name$i"
	done
}
check() {
	label=$1 options=$2 want=$3
	set -- a*
	n=$#
	pd-diff -q --fixed-work --min-samples 0 --format json $options >out || [ $? = 1 ] || exit
	WANT=$want LABEL=$label python3 -c '
import json, os
for f in json.load(open("out"))["functions"]:
    if f["name"] == "f":
        break
got = f["self"]
for pair in os.environ["WANT"].split():
    key, value = pair.split("=")
    g = got["ci"][int(key[2])] if key.startswith("ci") else got[key]
    digits = value.lstrip("-0.").replace(".", "").split("e")[0]
    tolerance = max(1e-8, 10.0 ** (1 - len(digits))) * abs(float(value)) or 1e-9
    if abs(g - float(value)) > tolerance:
        print(os.environ["LABEL"], key, g, "want", value)
print(os.environ["LABEL"], "done")'
	rm -f a[0-9]* b[0-9]*
}
group a 1000 1010 990 1005 995
group b 1050 1062 1041 1049 1058
check E1 "--kappa 0 --pseudo-count 0 --min-effect 0 --test welch $(echo a?) --vs $(echo b?)" \
    'diff=0.0506937090 se=0.00497056038 df=7.99885834 t=10.1987915 p=7.3343027e-06 ci0=0.0400110 ci1=0.0641285'
group a 1000 1010 990 1005 995
group b 1050 1062 1041 1049 1058
check E2 "--kappa .5 --min-effect 1% --test welch $(echo a?) --vs $(echo b?)" \
    'diff=0.0506690044 se=0.0139583962 df=8 t=3.63000188 p=0.00668501490 p_effect=0.0193758062 ci0=0.0186527 ci1=0.0863866'
group a 100 100 100
group b 100 100 100
check E3 "--kappa .5 $(echo a?) --vs $(echo b?)" \
    'diff=0 se=0.0575912284 df=4 p=1 ci0=-0.14777 ci1=0.17339'
group a 0 0 0 0 0
group b 40 38 45 41 39
check E4 "--kappa .5 $(echo a?) --vs $(echo b?)" \
    'diff=4.40748051 se=0.0980580676 t=44.9476582 df=8 p=6.628e-11'
group a 500 480 520
group b 560 545 575
check E5 "--kappa .5 $(echo a?) --vs $(echo b?)" \
    'diff=0.113515520 se=0.0291045622 df=3.74994957 t=3.90026551 p=0.0198171283 ci0=0.031009 ci1=0.217127'
group a 1000 1010 990 1005 995
group b 1050 1062 1041 1049 1058
check E6 "--kappa .5 --test paired --pairs a1 b1 a2 b2 a3 b3 a4 b4 a5 b5" \
    'diff=0.0506690044 df=4 t=3.63000188 p=0.0221598530'
echo 'x;f;g;f 10' >a1
echo 'x;f;g;f 10' >b1
pd-diff -q --fixed-work --format json a1 b1 | python3 -c '
import json, sys
for f in json.load(sys.stdin)["functions"]:
    print("E12", f["name"], "total", f["total"]["base"], "self", f["self"]["base"])'
