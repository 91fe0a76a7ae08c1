#!/bin/sh
# Each header compiles on its own; the shared library exports what perfdata.h
# declares and nothing else.
. "$(dirname "$0")/../tap.sh"
cd "$top" || exit 1
: "${CC:=gcc}"

alone() {
	echo "#include \"$1\"" | "$CC" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror \
	    -I. -Ilibperfdata -Itests -fsyntax-only -x c -
}

exports() {
	nm -D --defined-only "${PD_BIN%/bin}/libperfdata.so.0" |
	    awk '$2 ~ /^[TDBR]$/ { sub(/@.*/, "", $3); print $3 }' | sort >"$tmp/have"
	sed 's|/\*.*\*/||; /\/\*/,/\*\//d; /^static inline/,/^}/d' \
	    libperfdata/perfdata.h | grep -o '\bpd_[a-z_0-9]*(' | tr -d '(' | sort -u >"$tmp/want"
	diff "$tmp/want" "$tmp/have" >"$tmp/diff" && return
	note "declared <, exported >:"
	note "$(cat "$tmp/diff")"
	return 1
}

workdir
for h in libperfdata/*.h libperfdata/*/*.h cmd/*.h tests/*.h; do
	[ ! -e "$h" ] || ok "$h compiles alone" alone "$h"
done
case $PD_SAN in
"") ok "the shared library exports perfdata.h" exports ;;
esac
tap_done
