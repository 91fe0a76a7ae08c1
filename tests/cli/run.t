#!/bin/bash
# Command lines and what they must print.  tests/cli/TOOL/CASE.sh is run with
# sh in an empty directory; CASE.out, CASE.err and CASE.exit hold what it must
# give, and are left out when that is nothing or 0.  In the texts TESTDATA
# stands for the directory.  Exit status 77 skips a case.
#
#	run.t [--golden] [CASE.sh...]	--golden rewrites the expectations
. "$(dirname "$0")/../tap.sh"
golden=
[ "${1:-}" = --golden ] && { golden=1; shift; }
workdir
[ $# -gt 0 ] || set -- "$top"/tests/cli/*/*.sh

# run CASE: leaves out, err and exit in $tmp, as they would be in the tree.
run() {
	rm -rf "$tmp/cwd"
	mkdir "$tmp/cwd"
	(cd "$tmp/cwd" && timeout 60 sh "$1") \
	    </dev/null >"$tmp/out" 2>"$tmp/err"
	echo $? >"$tmp/exit"
	sed -i "s|$TESTDATA|TESTDATA|g" "$tmp/out" "$tmp/err"
}

matches() {
	local name=${1%.sh} part bad=0
	for part in out err exit; do
		want=$name.$part
		if [ ! -e "$want" ]; then
			want=$tmp/nothing
			if [ $part = exit ]; then echo 0; fi >"$want"
		fi
		cmp -s "$want" "$tmp/$part" && continue
		note "$part, expected < got >:"
		note "$(diff "$want" "$tmp/$part" | head -n 20)"
		bad=1
	done
	return $bad
}

rewrite() {
	local name=${1%.sh} part
	for part in out err exit; do
		cp "$tmp/$part" "$name.$part"
		[ -s "$name.$part" ] || rm "$name.$part"
	done
	[ "$(cat "$name.exit")" != 0 ] || rm "$name.exit"
}

for case; do
	case=$(realpath "$case")
	[ -e "$case" ] || skip_all "no cases"
	name=${case#"$top"/tests/cli/}
	run "$case"
	if [ "$(cat "$tmp/exit")" = 77 ]; then
		skip "${name%.sh}" "$(tail -n 1 "$tmp/err")"
	elif [ -n "$golden" ]; then
		rewrite "$case"
	else
		ok "${name%.sh}" matches "$case"
	fi
done
[ -n "$golden" ] || tap_done
