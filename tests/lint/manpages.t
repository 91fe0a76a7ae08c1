#!/bin/sh
# The manual pages are sound, and each tool's page and --help list the same
# long options.
. "$(dirname "$0")/../tap.sh"
cd "$top" || exit 1
ls man/*.[137] >/dev/null 2>&1 || skip_all "no manual pages"
workdir

sound() {
	mandoc -Tlint -Wwarning "$1" >"$tmp/lint" 2>&1 && return
	note "$(cat "$tmp/lint")"
	return 1
}

same_options() {
	"$1" --help | sed -n 's/^ *\(-., *\)\{0,1\}--\([a-z][a-z-]*\).*/\2/p' |
	    sort -u >"$tmp/help"
	sed 's/\\-/-/g; s/\\&//g' "man/${1##*/}.1" | grep '^\.It ' |
	    grep -o 'Fl -[a-z][a-z-]*' | sed 's/Fl -//' | sort -u >"$tmp/man"
	[ -s "$tmp/help" ] && diff "$tmp/help" "$tmp/man" >"$tmp/diff" && return
	note "--help <, man page >:"
	note "$(cat "$tmp/diff")"
	return 1
}

if command -v mandoc >/dev/null; then
	for m in man/*.[137]; do
		ok "$m" sound "$m"
	done
else
	skip "all pages" "no mandoc"
fi
for t in "$PD_BIN"/pd-*; do
	ok "${t##*/}: --help and the page list the same options" same_options "$t"
done
tap_done
