name='<b>&"x`|@me_*[y](z)\\'"'"
for i in 1 2 3 4 5 6; do
	printf 'x;%s %d\nx;g 5000\n' "$name" $((1000 + i)) >a$i
	printf 'x;%s %d\nx;g 5000\n' "$name" $((2000 + i)) >b$i
done
printf '\nx;bell\a\033[31m\377 60\nx;%%0A::error::%%\r, 60\nx;\357\277\277 60\n' | tr -d '\r' >more
for f in a? b?; do
	sed 1d more >>$f
done
for format in text markdown github junit json benchmark folded; do
	echo "== $format"
	pd-diff -q --fixed-work --format $format a* --vs b* | if [ $format = json ]; then
		python3 -c 'import json, sys
for f in json.load(sys.stdin)["functions"]: print(ascii(f["name"]))'
	else
		cat
	fi
done
