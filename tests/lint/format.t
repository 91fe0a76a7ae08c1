#!/bin/sh
# What every source keeps to: tabs, no trailing blanks, not too wide.  The
# .clang-format is for editors; it cannot keep tables and field comments.
. "$(dirname "$0")/../tap.sh"
cd "$top" || exit 1

formatted() {
	found=$(awk -v f="$1" '
		/[ \t\r]$/ { print f ":" NR ": blank at the end" }
		/^\t*     +[^ *]/ { print f ":" NR ": indented with spaces" }
		{
			n = 0
			for (i = 1; i <= length($0); i++)
				n = substr($0, i, 1) == "\t" ? n + 8 - n % 8 : n + 1
			if (n > 100)
				print f ":" NR ": " n " columns"
		}
		END { if (NR == 0) print f ": empty" }' "$1")
	[ -z "$found" ] && [ "$(tail -c 1 "$1")" = "" ] && return
	note "${found:-$1: no newline at the end}"
	return 1
}

sources=$(git ls-files -co --exclude-standard '*.c' '*.h' '*.def' 2>/dev/null ||
    find libperfdata cmd tests testdata -name '*.[ch]')
for f in $sources; do
	[ ! -e "$f" ] || ok "$f" formatted "$f"
done
tap_done
